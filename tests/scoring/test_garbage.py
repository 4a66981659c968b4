"""Whatever is thrown at the two strict functions, the answer is a result or a ``ValueError``."""

from __future__ import annotations

import contextlib
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.scoring import adapt_runs, as_jsonable, evaluate

from .support import chunk_world, world

ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(),
    st.binary(max_size=3),
    st.text(st.characters(), max_size=3),
    st.sampled_from(["a", "b", "c", "d", "a1", "q1", "q2", "dev", "test", "text", "split", ""]),
)
KEYS = ATOMS | st.tuples(st.integers())
JUNK = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(KEYS, inner, max_size=3)
        | st.tuples(inner, inner)
        | st.sets(ATOMS, max_size=2)
    ),
    max_leaves=12,
)
RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _survives(function: Any, *args: Any) -> None:
    with contextlib.suppress(ValueError):
        as_jsonable(function(*args))


@RELAXED
@given(JUNK, JUNK, JUNK, JUNK, JUNK, JUNK)
def test_pure_junk_never_ends_in_another_error(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> None:
    _survives(evaluate, a, b, c, d, e, f)
    _survives(adapt_runs, a, b, c, d, e)


@st.composite
def spoiled(draw: st.DrawFn, inputs: dict[str, Any]) -> dict[str, Any]:
    """Put junk at one random place of sound inputs: a whole argument, a key, a value, or deeper."""
    node: Any = inputs
    key: Any = draw(st.sampled_from(sorted(inputs)))
    while True:
        child = node[key]
        deeper = isinstance(child, dict | list) and len(child) > 0
        if not deeper or draw(st.integers(0, 3)) == 0:
            break
        node = child
        key = draw(st.sampled_from(list(child) if isinstance(child, dict) else range(len(child))))
    if isinstance(node, dict) and node is not inputs and draw(st.booleans()):
        node[draw(KEYS)] = node.pop(key)
    else:
        node[key] = draw(JUNK)
    return inputs


@RELAXED
@given(st.data())
def test_one_spoiled_place_never_ends_in_another_error_in_the_evaluator(data: st.DataObject) -> None:
    inputs = data.draw(spoiled(world() | {"split": "test", "k": 2}))
    _survives(lambda: evaluate(**inputs))


@RELAXED
@given(st.data())
def test_one_spoiled_place_never_ends_in_another_error_in_the_adapter(data: st.DataObject) -> None:
    inputs = data.draw(spoiled(chunk_world() | {"split": "test"}))
    _survives(lambda: adapt_runs(**inputs))
