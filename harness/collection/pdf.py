"""Reads a folder of PDF files: every ``*.pdf`` below it is one document.

The text is that of the pages, parted by blank lines. The id of a document is its path below the folder, its title
the name of the file: the title that a PDF holds is rarely one. Scanned pages hold no text.
"""

from __future__ import annotations

import io
import logging
from pathlib import Path

from harness.collection.extra import missing_extra
from harness.collection.folder import Kind, Page, plain_page, scan_folder
from harness.collection.markup import whole_characters
from harness.collection.reading import Reading
from harness.errors import InputError, Problem
from harness.records import Corpus


def scan_pdf_folder(root: Path) -> Reading[Corpus]:
    """Read every ``*.pdf`` below ``root``."""
    problem = missing_extra("pdf", "pypdf", "pypdf", root)
    return Reading(value=None, problems=(problem,)) if problem else scan_folder(root, _PDF)


def _page(data: bytes, file: str, name: str) -> Page:
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports each oddity of a file that it copes with
    try:
        text = _text(data)
    except InputError as error:
        raise InputError([Problem(file=file, message=problem.message) for problem in error.problems]) from None
    except Exception as error:  # a damaged file can make the library raise anything
        message = f"can't be read as PDF: {type(error).__name__}: {str(error)[:200]}; repair it or take it away"
        raise InputError(Problem(file=file, message=message)) from None
    return plain_page(data, name, "", text, derived=True)


def _text(data: bytes) -> str:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise InputError("is encrypted; save it without a password")
    pages = [whole_characters(page.extract_text()).strip() for page in reader.pages]
    return "\n\n".join(page for page in pages if page)


_PDF = Kind(what="PDF", suffixes=(".pdf",), lookalikes=(".pdf",), page=_page)
