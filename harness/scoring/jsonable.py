"""Results as JSON: fractions become strings, records become objects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction

from harness.frozen import Frozen, as_dict
from harness.scoring.exact import fraction_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def as_jsonable(value: Any) -> Any:
    """Return ``value`` with every ``Fraction`` written as text (``"5/6"``, ``"1"``), the rest unchanged.

    Mappings keep the order of their keys, tuples become lists, records become objects in field order, and
    None stays None (JSON ``null``). Nothing is rounded and the input isn't modified.
    """
    if isinstance(value, Fraction):
        return fraction_text(value)
    if isinstance(value, Mapping):
        return {key: as_jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_jsonable(item) for item in value]
    if isinstance(value, Frozen):
        return as_jsonable(as_dict(value))
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        from dataclasses import fields

        return {field.name: as_jsonable(getattr(value, field.name)) for field in fields(value)}
    return value


def to_json(value: Any) -> str:
    """Return ``as_jsonable(value)`` as JSON text: indented by 2, no ASCII escaping, a newline at the end.

    Raises:
        ValueError: the value holds NaN or an infinity.
    """
    return json.dumps(as_jsonable(value), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
