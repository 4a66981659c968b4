"""A study to measure: a generated corpus of about 2,000 chunks and 300 questions, and grids over it."""

from __future__ import annotations

import random
from pathlib import Path

import yaml

SYLLABLES = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成"
    "会可主发年动同工也能下过子说产种面而方后多定行学法所民得经"
)


def write_world(folder: Path, *, documents: int, characters: int, questions: int, seed: int = 0) -> None:
    """Write Markdown files of Chinese-looking text and a golden set; each question repeats words of its document."""
    rng = random.Random(seed)
    words = ["".join(rng.choices(SYLLABLES, k=rng.choice((1, 2, 2, 2, 3)))) for _ in range(4000)]
    weights = [1 / (rank + 10) for rank in range(len(words))]
    corpus = folder / "corpus"
    corpus.mkdir(parents=True)
    entries = []
    for number in range(documents):
        sentences: list[str] = []
        while sum(map(len, sentences)) < characters:
            sentences.append("".join(rng.choices(words, weights, k=rng.randint(8, 16))) + "。")
        paragraphs = ["".join(sentences[i : i + 4]) for i in range(0, len(sentences), 4)]
        (corpus / f"d{number:05d}.md").write_text(
            f"# 文档{number}\n\n" + "\n\n".join(paragraphs) + "\n", encoding="utf-8"
        )
        if number < questions:
            source = rng.choice(sentences)
            entries.append(
                {"id": f"q{number:05d}", "question": source[: len(source) // 2] + "？", "gold": [f"d{number:05d}.md"]}
            )
    golden = {"judgments": "exhaustive", "queries": entries}
    (folder / "golden.yaml").write_text(yaml.safe_dump(golden, allow_unicode=True, sort_keys=False), encoding="utf-8")


def write_study(folder: Path, name: str, parameters: dict[str, object]) -> Path:
    """Write a study over the world in ``folder`` and return its path."""
    path = folder / f"{name}.yaml"
    content = {
        "name": name,
        "corpus": "corpus",
        "golden": "golden.yaml",
        "parameters": parameters,
        "evaluation": {"k": 10, "cutoffs": [1, 3, 5, 10]},
    }
    path.write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return path
