"""Input that is unusual and accepted, with a note where something was done about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.world import DOCUMENTS, GOLDEN, STUDY, Store, invoke, set_cells, write_files, write_study

COUNTS = """\
  corpus: {documents} documents
  golden set: 4 questions, 4 in split test, 3 of them answerable
  grid: 12 points, 7 parameter sets, 4 collapsed, 1 skipped
"""


def checked(config: Path) -> list[str]:
    """Check a sound study and return the notes."""
    done = invoke("check", config)
    assert (done.code, done.err) == (0, "")
    documents = len(list((config.parent / "docs").glob("*.md")))
    start = f"{config}: no problems\n{COUNTS.format(documents=documents)}"
    assert done.out.startswith(start)
    return done.out[len(start) :].splitlines()


def test_a_sound_study_is_counted(tmp_path: Path) -> None:
    assert checked(write_study(tmp_path)) == []


def test_a_byte_order_mark_and_crlf_do_not_matter(tmp_path: Path) -> None:
    crlf = {f"docs/{name}": text.replace("\n", "\r\n").encode() for name, text in DOCUMENTS.items()}
    marked = {"docs/ships.md": b"\xef\xbb\xbf" + DOCUMENTS["ships.md"].encode()}
    config = write_study(tmp_path, golden=b"\xef\xbb\xbf" + GOLDEN.replace("\n", "\r\n").encode())
    write_files(tmp_path, crlf | marked)
    assert checked(config) == [
        "  note: 1 file with a byte order mark was read without it",
        "  note: 3 files with CRLF line ends were read as LF",
    ]


def test_one_blank_file_among_good_ones_is_counted(tmp_path: Path) -> None:
    config = write_study(tmp_path)
    write_files(tmp_path, {"docs/blank.md": "\n \n"})
    assert checked(config) == ["  note: 1 document holds no text and is never retrieved: blank.md"]


def test_gold_in_a_blank_file_is_told(tmp_path: Path) -> None:
    config = write_study(tmp_path, golden=GOLDEN.replace("[tower.md]", "[blank.md]"))
    write_files(tmp_path, {"docs/blank.md": ""})
    told = "1 relevant document without text, which can never be found; question and document: 'lights' ('blank.md')"
    assert f"  note: {told}" in checked(config)


@pytest.mark.parametrize(
    ("old", "new"),
    [("k1: 1.5", "k1: 1e0"), ("k1: 1.5", "k1: 2"), ("name: small", "name: no"), ("name: small", "name: 2024-01-05")],
)
def test_what_means_one_thing_only_needs_no_quotes(tmp_path: Path, old: str, new: str) -> None:
    """Y2, Y3, Y6: a number where a number belongs, text where text belongs."""
    study = STUDY.format(name="small", mode="[bm25, vector, hybrid]", k1="1.5", top_k="[1, 3]")
    assert old in study
    assert checked(write_study(tmp_path, study=study.replace(old, new))) == []


def test_a_sweep_over_such_files_gives_the_same_table(store: Store, tmp_path: Path) -> None:
    config = write_study(tmp_path / "s", mode="bm25", golden=b"\xef\xbb\xbf" + GOLDEN.replace("\n", "\r\n").encode())
    write_files(
        tmp_path / "s", {f"docs/{name}": text.replace("\n", "\r\n").encode() for name, text in DOCUMENTS.items()}
    )
    write_files(tmp_path / "s", {"docs/blank.md": ""})
    done = invoke("sweep", config, "--dir", store.folder)
    assert done.code == 0
    assert [row[:5] for row in set_cells(done.out)] == [
        ["1", "0.5000", "0.6667", "0.5377", "0.6667"],
        ["3", "0.8333", "0.8333", "0.7480", "1.0000"],
    ]
    assert "- 4 files with CRLF line ends were read as LF\n" in done.out
    assert "- 1 document holds no text and is never retrieved: blank.md\n" in done.out
