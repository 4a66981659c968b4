"""Elements of a page → Markdown: headings, paragraphs, lists, rows of tables, code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_BLOCK_NAMES = (
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "form header hr html li main ol p pre section summary table tbody tfoot thead tr ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_CELLS = ("td", "th")
_LOOKS_LIKE_MARKUP = re.compile(r"#|`{3}|~{3}|=+$|-+$")
_SURROGATE = re.compile("[\ud800-\udfff]")


def whole_characters(text: str) -> str:
    """Return text in which each half of a surrogate pair is U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


@dataclass(slots=True)
class MarkdownWriter:
    """Takes a page's elements and texts in their order."""

    _blocks: list[tuple[str, str]] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _prefix: str = ""
    _code: int = 0

    def text(self, text: str) -> None:
        """Take a piece of text; white space counts only in ``<pre>``."""
        self._pieces.append(text if self._code else re.sub(r"\s+", " ", text))

    def open(self, name: str) -> None:
        """An element begins."""
        if name == "br":
            self._pieces.append("\n")
        elif name in _CELLS:
            self._pieces.append(" | " if "".join(self._pieces).strip() else "")
        elif name in _HEADINGS or name in _BLOCKS:
            self._flush()
            self._prefix = _HEADINGS.get(name, "- " if name == "li" else "| " if name == "tr" else self._prefix)
            self._code += name == "pre"

    def close(self, name: str) -> None:
        """An element ends."""
        if name in _HEADINGS or name in _BLOCKS:
            self._flush()
            self._code -= name == "pre"
            self._prefix = ""

    def finish(self) -> str:
        """Return the page: blocks parted by blank lines, but items of a list and rows of a table by line ends."""
        self._flush()
        text, before = "", ""
        for prefix, block in self._blocks:
            tight = prefix in ("- ", "| ") and prefix == before
            text += ("\n" if tight else "\n\n") + block
            before = prefix
        return text.strip("\n")

    def _flush(self) -> None:
        content, prefix = "".join(self._pieces), self._prefix
        self._pieces.clear()
        if not content.strip():
            return
        self._prefix = ""
        if self._code:
            body = content.strip("\n")
            fence = "~~~" if "```" in body else "```"
            self._blocks.append(("", f"{fence}\n{body}\n{fence}"))
            return
        lines = [" ".join(line.split()) for line in content.split("\n")]
        kept = [line for line in lines if line]
        if prefix:
            self._blocks.append((prefix, prefix + " ".join(kept)))
        else:
            self._blocks.append(("", "\n".join(_plain(line) for line in kept)))


def _plain(line: str) -> str:
    return f"\\{line}" if _LOOKS_LIKE_MARKUP.match(line) else line
