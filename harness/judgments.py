"""Relevance labels as they flow between the rooms; apart from the other records because scoring needs no others."""

from __future__ import annotations

from collections.abc import Mapping

from harness.frozen import Frozen


class Judgments(Frozen):
    """Relevance labels, held sparsely.

    Attributes:
        exhaustive: True when every document not listed was judged 0; False when it is unjudged.
        grades: query id → {document id: integer grade}. Every query has an entry, maybe empty.
    """

    exhaustive: bool
    grades: Mapping[str, Mapping[str, int]]
