"""Files of other tools, plain or gzip: their bytes, their text, their lines."""

from __future__ import annotations

import gzip
import zlib
from bisect import bisect_left
from pathlib import Path

from harness.errors import InputError, Problem
from harness.yamlfile import decode, read_bytes


def unpacked(data: bytes, name: str) -> bytes:
    """Return the bytes of a file, unpacked when its name ends in ``.gz``.

    Raises:
        InputError: it isn't whole gzip.
    """
    if not name.endswith(".gz"):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        message = f"isn't whole gzip: {error}; pack it again, or take '.gz' off its name"
        raise InputError(Problem(file=name, message=message)) from None


def read_unpacked(path: Path) -> bytes:
    """Read a file, unpacked when its name ends in ``.gz``.

    Raises:
        InputError: it can't be read, or isn't whole gzip.
    """
    return unpacked(read_bytes(path), str(path))


def read_unpacked_text(path: Path) -> str:
    """Read a UTF-8 file, unpacked when its name ends in ``.gz``, with line ends as ``\\n``.

    Raises:
        InputError: it can't be read, isn't whole gzip or isn't UTF-8.
    """
    return decode(read_unpacked(path), str(path))


class Lines:
    """Places in a text → 1-based lines; a line ends at ``\\n`` only."""

    def __init__(self, text: str) -> None:
        self._breaks = [at for at, character in enumerate(text) if character == "\n"]

    def at(self, place: int) -> int:
        """Return the line that holds a place."""
        return bisect_left(self._breaks, place) + 1
