"""The files a study was made from: what they were, and a copy of them that is kept with the sweep."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from harness.errors import StoreError
from harness.fingerprint import sha256_file, sha256_json

LARGEST_COPY = 256 * 2**20
"""Bytes up to which a copy is kept."""

SOURCES_FILE = "sources.json"
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A corpus or golden set as it lay on disk.

    Attributes:
        format: as the study names it.
        path: as the study writes it.
        seen_from: the same place seen from the working directory.
        absolute: where it lay.
        files: relative POSIX path → SHA-256; a single file is listed under its own name.
        size: bytes of all files together.
    """

    format: str
    path: str
    seen_from: str
    absolute: str
    files: Mapping[str, str]
    size: int

    @property
    def sha256(self) -> str:
        """Names the content: equal files give equal names, wherever they lie."""
        return sha256_json(dict(self.files))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What a sweep was made from.

    Attributes:
        study: path of the study file, seen from the working directory.
        sources: field of the study that names a path (``corpus.path``, ``golden.qrels``) → files.
    """

    study: str
    sources: Mapping[str, Source]

    @property
    def paths(self) -> dict[str, str]:
        """``corpus``, ``golden`` → its paths as the study writes them."""
        found: dict[str, str] = {}
        for field, source in self.sources.items():
            section = field.partition(".")[0]
            found[section] = f"{found[section]}, {source.path}" if section in found else source.path
        return found


def source_of(format_: str, written: str, study: Path) -> Source:
    """Look at a corpus or golden set that a study names; the paths inside are those of its files."""
    place = study.parent / written
    files = list(_files(place, format_))
    return Source(
        format=format_,
        path=written,
        seen_from=str(place),
        absolute=str(place.resolve()),
        files={name: sha256_file(path) for name, path in files},
        size=sum(path.stat().st_size for _, path in files),
    )


def _files(place: Path, format_: str) -> list[tuple[str, Path]]:
    if place.is_file():
        return [(place.name, place)]
    pattern = "*.md" if format_ == "markdown" else "*"
    found = [path for path in place.rglob(pattern) if path.is_file() and not _hidden(path.relative_to(place))]
    return sorted((path.relative_to(place).as_posix(), path) for path in found)


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def packed(source: Source) -> bytes | None:
    """Return a zip archive of the files, the same bytes for the same files; None above ``LARGEST_COPY``."""
    if source.size > LARGEST_COPY:
        return None
    place, held = Path(source.absolute), io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(source.files):
            data = (place if place.is_file() else place / name).read_bytes()
            archive.writestr(zipfile.ZipInfo(name, date_time=_EPOCH), data, zipfile.ZIP_DEFLATED)
    return held.getvalue()


def unpack(archive: Path, source: Source, folder: Path) -> Path:
    """Unpack a kept copy and return the path that takes the place of the source's own.

    Raises:
        StoreError: the archive can't be read, or holds other files than the source had.
    """
    folder.mkdir(parents=True)
    try:
        with zipfile.ZipFile(archive) as held:
            found = {name: hashlib.sha256(held.read(name)).hexdigest() for name in held.namelist()}
            if found != dict(source.files) or any(_escapes(name) for name in found):
                raise StoreError(f"{archive}: isn't the copy that was kept: its files have changed")
            held.extractall(folder)
    except (OSError, zipfile.BadZipFile) as error:
        raise StoreError(f"{archive}: can't be read ({error})") from None
    single = len(found) == 1 and PurePosixPath(source.absolute).name in found
    return folder / next(iter(found)) if single else folder


def _escapes(name: str) -> bool:
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts
