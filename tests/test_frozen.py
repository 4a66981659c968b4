"""Frozen records are what frozen, slotted, keyword-only dataclasses are."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import pytest

from harness.frozen import Frozen, as_dict, replace


class Place(Frozen):
    """A record with defaults and a rule."""

    name: str
    rank: int = 1
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.rank < 1:
            raise ValueError("rank must be at least 1")

    @property
    def label(self) -> str:
        return f"{self.rank}. {self.name}"


class Other(Frozen):
    """The same fields under another name."""

    name: str
    rank: int = 1
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """What the standard library makes of them."""

    name: str
    rank: int = 1
    notes: tuple[str, ...] = ()


PLACE = Place(name="a", rank=2)


def test_fields_have_their_values_or_their_defaults() -> None:
    assert (PLACE.name, PLACE.rank, PLACE.notes, PLACE.label) == ("a", 2, (), "2. a")
    assert as_dict(PLACE) == {"name": "a", "rank": 2, "notes": ()}


@pytest.mark.parametrize("kind", [Place, Twin])
@pytest.mark.parametrize(
    ("places", "names"), [(("a",), {}), ((), {}), ((), {"rank": 1}), ((), {"name": "a", "color": "red"})]
)
def test_a_record_is_made_by_the_names_of_its_fields(kind: Any, places: Any, names: Any) -> None:
    with pytest.raises(TypeError):
        kind(*places, **names)


def test_what_is_missing_or_strange_is_named() -> None:
    with pytest.raises(TypeError, match=r"Place lacks \['name'\], doesn't know \['color'\]"):
        Place(color="red")  # type: ignore[call-arg]


@pytest.mark.parametrize("record", [PLACE, Twin(name="a")])
def test_nothing_can_be_changed_added_or_deleted(record: Any) -> None:
    with pytest.raises(AttributeError):
        record.rank = 3
    with pytest.raises((AttributeError, TypeError)):
        record.color = "red"
    with pytest.raises(AttributeError):
        del record.rank
    assert not hasattr(record, "__dict__")
    assert record == replace(PLACE) if isinstance(record, Place) else True


@pytest.mark.parametrize("kind", [Place, Twin])
def test_records_are_equal_and_hashed_by_type_and_value(kind: Any) -> None:
    assert kind(name="a") == kind(rank=1, name="a")
    assert hash(kind(name="a")) == hash(kind(name="a"))
    assert len({kind(name="a"), kind(name="a"), kind(name="b")}) == 2
    assert kind(name="a") != kind(name="b")
    assert kind(name="a") != Other(name="a")
    assert kind(name="a") != ("a", 1, ())


def test_a_record_is_no_tuple() -> None:
    with pytest.raises(TypeError):
        iter(PLACE)  # type: ignore[call-overload]


def test_a_record_shows_its_fields_as_a_dataclass_does() -> None:
    assert repr(Place(name="a")) == repr(Twin(name="a")).replace("Twin", "Place")


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda record: pickle.loads(pickle.dumps(record))])
def test_copies_are_equal(again: Any) -> None:
    assert again(PLACE) == PLACE


def test_rules_hold_for_new_records_and_for_changed_copies() -> None:
    assert replace(PLACE, name="b") == Place(name="b", rank=2)
    for bad in (lambda: Place(name="a", rank=0), lambda: replace(PLACE, rank=0)):
        with pytest.raises(ValueError, match="rank must be at least 1"):
            bad()
