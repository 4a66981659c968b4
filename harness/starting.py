"""What comes before the first study: golden sets of other tools taken over, and a study written for a folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from harness.collection import CORPUS_READERS, Recognised, cross_check, read_golden_yaml, recognise
from harness.collection.foreign import Wishes, convert, golden_yaml
from harness.collection.foreign.convert import Empty, split_sizes
from harness.embedding import EmbedderSpec, load_embedder
from harness.errors import InputError, Problem
from harness.records import Corpus
from harness.starter import GOLDEN, starter_golden, starter_study
from harness.wording import counted

STUDY = "study.yaml"


def wishes_of(keys: Mapping[str, str | None], separator: str | None, empty: str, judgments: str) -> Wishes:
    """Return what a caller knows about a file, out of the options of a command.

    Raises:
        InputError: an option has a value it can't have.
    """
    if empty not in ("refuse", "unanswerable", "drop"):
        raise InputError(f"--empty: must be refuse, unanswerable or drop, found {empty!r}")
    if judgments not in ("partial", "exhaustive"):
        raise InputError(f"--judgments: must be partial or exhaustive, found {judgments!r}")
    if separator == "":
        raise InputError("--separator: must be a text that stands between ids, found nothing; leave it out")
    named = {part: key for part, key in keys.items() if key is not None}
    meaning: Empty = "drop" if empty == "drop" else "unanswerable" if empty == "unanswerable" else "refuse"
    return Wishes(keys=named, separator=separator, empty=meaning, exhaustive=judgments == "exhaustive")


def import_golden(path: Path, out: Path, corpus: Path | None, wishes: Wishes) -> str:
    """Write another tool's golden set as ours; return what was made of each entry.

    Raises:
        InputError: something is wrong, could be read in two ways, names no document of the corpus, or ``out`` is
            there already. Nothing is written then.
    """
    _free(out)
    documents = _documents(recognise(corpus)) if corpus is not None else None
    known = frozenset(document.id for document in documents.documents) if documents else None
    done = convert(path, wishes, known)
    notes: list[str] = []
    if documents is not None:
        findings = cross_check(documents, done.file)
        if findings.problems:
            raise InputError(findings.problems)
        notes = [f"note: {note}" for note in findings.notes]
    _write({out: golden_yaml(done.file.golden, f"Made by 'harness import' from {path.name}.")}, check=out)
    written = f"{out}: {split_sizes(done.file.golden)}"
    checked = "every id is in the corpus" if documents else "ids weren't checked; --corpus does"
    return "\n".join([*done.report, *notes, f"{written}; {checked}"])


def init_study(documents: Path, into: Path) -> str:
    """Write a study for documents, and a golden set to fill in where they bring no questions; return what to do next.

    Raises:
        InputError: nothing is recognised, the documents have faults, or a file is there already.
    """
    if os.path.lexists(into) and not os.path.isdir(into):
        raise InputError(Problem(file=str(into), message="must be a folder to write into, found a file; name another"))
    found = recognise(documents)
    study, golden = into / STUDY, into / GOLDEN
    for path in (study, golden) if found.golden is None else (study,):
        _free(path)
    corpus = _documents(found)
    files = {study: starter_study(found, corpus, into, packaged=_has_packaged_encoder())}
    if found.golden is None:
        files[golden] = starter_golden(corpus)
    _write(files)
    return "\n".join(_told(found, corpus, study, golden))


def _told(found: Recognised, corpus: Corpus, study: Path, golden: Path) -> list[str]:
    lines = [f"found {found.found}: {counted(len(corpus.documents), 'document')}"]
    lines += [f"  {found.left}"] if found.left else []
    lines += [f"  note: {note}" for note in corpus.notes]
    asked = found.golden is None
    lines.append(f"wrote {study}" + (f" and {golden}" if asked else ""))
    steps = [f"write ten questions or more into {golden}; examples are there"] if asked else []
    steps += [f"harness check {study}", f"harness sweep {study}"]
    return [*lines, "next:", *(f"  {number}. {step}" for number, step in enumerate(steps, 1))]


def _documents(found: Recognised) -> Corpus:
    return CORPUS_READERS[found.corpus.format](found.corpus).result()


def _has_packaged_encoder() -> bool:
    try:
        load_embedder(EmbedderSpec(name="packaged-multilingual"))
    except InputError:
        return False
    return True


def _free(path: Path) -> None:
    if os.path.lexists(path):
        raise InputError(
            Problem(file=str(path), message="is there already and is never overwritten; move it, or name another")
        )


def _write(files: dict[Path, str], check: Path | None = None) -> None:
    """Write files that aren't there yet; ``check`` is a golden set, which is read back before anything is written."""
    if check is not None:
        _read_back(files[check], check)
    for path, text in files.items():
        try:
            path.parent.mkdir(exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(Problem(file=str(path), message=f"can't be written: {reason}")) from None


def _read_back(text: str, path: Path) -> None:
    """Make sure that what will be written is a golden set without fault."""
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / "draft.yaml"
        draft.write_text(text, encoding="utf-8", newline="\n")
        try:
            read_golden_yaml(draft)
        except InputError as error:
            raise InputError([_moved(problem, path) for problem in error.problems]) from None


def _moved(problem: Problem, path: Path) -> Problem:
    """Return a problem of a draft that never becomes a file."""
    return Problem(file=f"{path} (not written)", field=problem.field, message=problem.message)
