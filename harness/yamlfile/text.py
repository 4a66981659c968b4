"""Bytes of a file → text."""

from __future__ import annotations

from pathlib import Path

from harness.errors import InputError, Problem


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        InputError: the file is absent, is a folder, or can't be read.
    """
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(Problem(file=str(path), message=f"can't be read: {reason}")) from None


def decode(data: bytes, path: str) -> str:
    """Return UTF-8 bytes, with or without BOM, any line ending, as text with ``\\n``.

    Raises:
        InputError: the bytes aren't UTF-8 (the message names the first bad byte).
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        skipped = len(data) - len(error.object)  # the codec cuts a BOM off before it counts
        start = error.start + skipped
        message = f"must be UTF-8, found byte 0x{data[start]:02x} at offset {start}; save it as UTF-8"
        raise InputError(Problem(file=path, line=data[:start].count(b"\n") + 1, message=message)) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(path: Path) -> str:
    """Read a UTF-8 file, with or without BOM, any line ending, as text with ``\\n``.

    Raises:
        InputError: the file is absent, is a folder, or isn't UTF-8 (the message names the byte).
    """
    return decode(read_bytes(path), str(path))
