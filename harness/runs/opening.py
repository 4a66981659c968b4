"""Bytes of a file, plain or gzip, as text; and the words for what is wrong with it."""

from __future__ import annotations

import re

from harness.errors import InputError, Problem
from harness.runs.formats import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.runs.formats import FilePath

_MOST = 100
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_BOM = b"\xef\xbb\xbf"


class Faults:
    """The problems of one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def add(self, line: int | None, message: str, where: str | None = None) -> None:
        """Note a problem."""
        self.problems.append(Problem(file=self.file, line=line, field=where, message=message))

    def check(self) -> None:
        """Raise the ``InputError`` of all problems (the first 100), if there are any."""
        if self.problems:
            shown = self.problems[:_MOST]
            if len(self.problems) > _MOST:
                left = len(self.problems) - _MOST
                shown.append(Problem(file=self.file, message=f"and {left} more problems in this file"))
            raise InputError(shown)


def read_bytes(path: FilePath) -> bytes:
    """Return the bytes of a file, unpacked when its name ends in ``.gz``.

    Raises:
        InputError: the file is absent, a folder, can't be read, or isn't whole gzip.
    """
    try:
        with open(path, "rb") as stream:
            data = stream.read()
        if not name_of(path).endswith(".gz"):
            return data
        import gzip
        import zlib

        try:
            return gzip.decompress(data)
        except (EOFError, zlib.error) as error:
            raise OSError(f"damaged gzip: {error}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(Problem(file=str(path), message=f"can't be read: {reason}")) from None


def read_text(path: FilePath) -> str:
    """Return UTF-8 text with line ends as ``\\n``; a BOM at the start is dropped.

    Raises:
        InputError: the file can't be read, or isn't UTF-8 (line and byte are named).
    """
    data = read_bytes(path).removeprefix(_BOM)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        message = f"must be UTF-8, found byte 0x{data[error.start]:02x} at byte {column} of the line; save it as UTF-8"
        raise InputError(Problem(file=str(path), line=line, message=message)) from None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield 1-based numbers and lines that aren't blank; a line ends at ``\\n`` only, U+2028 may stand in it."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip(" \t"):
            yield number, line


class Ids:
    """Ids of one kind in one file: NFC-normalised, and different ones stay different."""

    def __init__(self, kind: str, faults: Faults) -> None:
        self.kind = kind
        self.faults = faults
        self.normalised = 0
        self._known: dict[str, str | None] = {}
        self._written: dict[str, str] = {}

    def take(self, text: str, line: int | None, where: str | None = None) -> str | None:
        """Return the id, or None when it can't be used."""
        known = self._known
        if text not in known:
            known[text] = self._enter(text, line, where)
        return known[text]

    def note(self) -> list[str]:
        """Return the sentence on ids that were normalised, if there were any."""
        number = self.normalised
        return [f"{number} {self.kind} id{'s' if number > 1 else ''} brought to Unicode NFC"] if number else []

    def _enter(self, text: str, line: int | None, where: str | None) -> str | None:
        fault = id_fault(text)
        if fault:
            self.faults.add(line, f"{self.kind} id: {fault}", where)
            return None
        name = text if text.isascii() else _nfc(text)
        before = self._written.setdefault(name, text)
        if before != text:
            message = f"{self.kind} ids {before!r} and {text!r} are the same once both are in Unicode NFC; rename one"
            self.faults.add(line, message, where)
            return None
        self.normalised += name != text
        return name


def _nfc(text: str) -> str:
    import unicodedata

    return str(unicodedata.normalize("NFC", text))


def id_fault(text: str) -> str | None:
    """Return what is wrong with an id, or None."""
    if not text.strip():
        return f"must not be empty, found {text!r}; give it one"
    if _CONTROL.search(text):
        return f"must hold no control character such as a tab or a line break, found {text!r}; rename it"
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        return f"must be valid Unicode, found {text!r} with half of a surrogate pair; rename it"
    return None
