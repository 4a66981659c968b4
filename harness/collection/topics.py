"""A topic of TREC, whatever its tags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

TopicField = Literal["title", "desc", "narr"]
TOPIC_FIELDS: tuple[TopicField, ...] = get_args(TopicField)


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One topic as it was read.

    Attributes:
        line: where it begins.
        number: as it stands; empty where it has none.
        fields: its texts on one line each; none of them is empty.
        subtopics: how many facets it names beside its question; they are not read.
    """

    line: int
    number: str
    fields: Mapping[TopicField, str]
    subtopics: int = 0
