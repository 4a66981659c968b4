"""The first level-1 heading of a Markdown text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.collection.headings import first_heading


@pytest.mark.parametrize(
    ("text", "title", "leads"),
    [
        ("# Leave\n\nText", "Leave", True),
        ("\n\n   #\tLeave  \n", "Leave", True),
        ("# Leave ##  ", "Leave", True),
        ("# C#", "C#", True),
        ("# Leave #1", "Leave #1", True),
        ("Text\n\n# Leave", "Leave", False),
        ("## Part\n\n# Leave", "Leave", False),
        ("#\n# Leave", "Leave", False),
        ("Leave\n=====\nText", "Leave", True),
        ("Annual\nleave\n===", "Annual leave", True),
        ("Text\n\nLeave\n==", "Leave", False),
        ("```sh\n# a comment\n```\n# Leave", "Leave", False),
        ("````\n```\n# a comment\n````\n# Leave", "Leave", False),
        ("~~~ a`b\n# a comment\n```\n~~~\n# Leave", "Leave", False),
        ("`` ` ``\n# Leave", "Leave", False),
        ("``` not `a fence\n# Leave", "Leave", False),
        ("<!-- licence\n# no heading\n-->\n# Leave", "Leave", False),
        ("<!-- one line -->\n# Leave", "Leave", False),
        ("# 请假", "请假", True),
    ],
)
def test_headings(text: str, title: str, leads: bool) -> None:
    heading = first_heading(text)
    assert heading is not None
    assert (heading.title, heading.leads) == (title, leads)


@pytest.mark.parametrize(
    "text",
    [
        *("", "Text", "#Leave", "    # code", "\t# code", "## Part", "#", "# #", "===", "\n==="),
        *("- item\n===", "> quote\n===", "    code\n===", "Text\n\n===", "```\n# never closed", "<!--\n# never closed"),
    ],
)
def test_no_heading(text: str) -> None:
    assert first_heading(text) is None


@given(st.text(st.sampled_from("# \t\n=-`~<!>a"), max_size=40))
def test_any_text(text: str) -> None:
    heading = first_heading(text)
    assert heading is None or (heading.title.strip() == heading.title and "\n" not in heading.title)
