"""Strict YAML: types, faults with their lines, the schema's messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from harness.errors import InputError, Problem
from harness.yamlfile import Ambiguous, Id, dotted, load_yaml, parse_yaml, read_text, scan_yaml, validate


class Inner(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    size: int = 1


class Schema(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    text: str = ""
    name: Id = "x"
    number: float = 0.0
    whole: int = 0
    flag: bool = False
    items: list[Id] = []
    inner: Inner = Inner()


def refused(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        validate(Schema, scan_yaml(text, "f.yaml"))
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("3", 3),
        ("-1", -1),
        ("0.75", 0.75),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("1e-5", 1e-5),
        ("1.0e3", 1000.0),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("e5", "e5"),
        (".e5", ".e5"),
        ("a1", "a1"),
        ('"007"', "007"),
        ("'no'", "no"),
        ("[a, 2]", ["a", 2]),
        ("{a: 1}", {"a": 1}),
    ],
)
def test_plain_values_get_their_type(written: str, value: Any) -> None:
    """Every way to write a plain decimal number is a number."""
    found = parse_yaml(f"key: {written}", "f.yaml").value["key"]
    assert found == value
    assert type(found) is type(value)


AMBIGUOUS = [
    *("no", "yes", "on", "off", "No", "OFF"),
    *("007", "010", "08", "0x1F", "0o17", "0b11", "1_000"),
    *("12:30", "1:30.5"),
    *("2024-01-05", "2024-01-05 10:00:00"),
    *("1e999", ".inf", "-.INF", ".nan", "=", "9" * 301, "1" * 5000),
]


@pytest.mark.parametrize("written", AMBIGUOUS)
def test_what_yaml_would_change_stays_text_and_is_no_id(written: str) -> None:
    source = parse_yaml(f"text: {written}", "f.yaml")
    assert source.value == {"text": written}
    assert isinstance(source.value["text"], Ambiguous)
    assert validate(Schema, source).text == written
    (message,) = refused(f"text: a\nname: {written}")
    assert message.startswith("f.yaml:2: name must be text, but YAML readers change ")
    assert message.endswith(f'write "{written}" with quotes')
    assert validate(Schema, parse_yaml(f'name: "{written}"', "f.yaml")).name == written


@pytest.mark.parametrize("written", ["7", "-0", "1e5", "1.0", "true", "NULL", "Null"])
def test_a_typed_value_is_no_id(written: str) -> None:
    (message,) = refused(f"name: {written}")
    assert message.startswith("f.yaml:1: name must be text, ")
    (message,) = refused(f"items:\n  - a\n  - {written}")
    assert message.startswith("f.yaml:3: items[1] must be text, ")


def test_ids_in_a_list_ask_for_quotes_as_written() -> None:
    """The id is shown as it was written, never as YAML would change it."""
    messages = refused("items: [007, 010, 08, ok]")
    assert [message.split(" readers ")[1] for message in messages] == [
        'change 007; write "007" with quotes',
        'change 010; write "010" with quotes',
        'change 08; write "08" with quotes',
    ]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("whole: 1\nflag: true\nwhole: 2", 3, "whole duplicate key, first given on line 1; keep one"),
        ("text: a\non: 1", 2, 'a key must be text, but YAML readers change on; write "on" with quotes'),
        ("7: a", 1, 'YAML readers change 7; write "7" with quotes'),
        ("? \n: a", 1, "a key must be text, found nothing"),
        ("? [a, b]\n: c", 1, "a key must be text, found a list or a mapping"),
        ("text: &x a", 1, "anchors aren't used here; write the value out"),
        ("text: &x a\nitems: [*x]", 2, "aliases aren't used here; write the value out"),
        ("inner: &x {size: 1}\n<<: *x", 2, "merge keys ('<<') aren't used here; write the values out"),
        ("text: !!str 3", 1, "tags such as tag:yaml.org,2002:str aren't used here"),
        ("text: !x 3", 1, "tags such as !x aren't used here"),
        ("inner: !!map {}", 1, "tags such as tag:yaml.org,2002:map aren't used here"),
        ("text: a\n---\ntext: b", 3, "must be one YAML document, found a second one"),
        ('text: "\\ud800"', 1, "text holds an escape for half of a surrogate pair; write the character itself"),
        ('"\\udfff": 1', 1, "holds an escape for half of a surrogate pair"),
        ("text: a: b", 1, "isn't valid YAML: mapping values are not allowed here"),
        ("\n\ttext: a", 2, "indent with spaces, not tabs"),
        ("text: @a", 1, "a text that starts with this character needs quotes"),
        ("text: *a*", 1, "a text that starts with '*' needs quotes"),
        ('text: "a', 1, "close the quote"),
        ("items: [a", 1, "check the brackets"),
        ('text: "\\UFFFFFFFF"', 1, "an escape names no character"),
        ('text: "\\U00110000"', 1, "an escape names no character"),
        ("text: a\nname: \x00", 2, "holds the character U+0000; delete it"),
        ("text: a\u2028b\nwhole: 1", 2, "U+2028"),
        ("a: " + "[" * 100_000, 1, "nested more than 60 levels deep"),
        ("", 1, "must be a mapping of keys, found nothing"),
        ("- a", 1, "must be a mapping of keys, found a list"),
        ("\n\nhello", 3, "must be a mapping of keys, found 'hello'"),
        ("whole: 1.5", 1, "whole must be a whole number, found 1.5"),
        ("whole: true", 1, "whole must be a whole number, found true"),
        ("whole: '1'", 1, "whole must be a whole number, found '1'"),
        ("number: 1e3x", 1, "number must be a number, found '1e3x'"),
        ("flag: yes", 1, "flag must be true or false, found 'yes'"),
        ("text: 5", 1, "text must be text, found 5; write it with quotes"),
        ("text: 1.10", 1, "text must be text, found 1.10; write it with quotes"),
        ("text: [a]", 1, "text must be text, found a list"),
        ("text:", 1, "text must be text, found nothing"),
        ("items: a", 1, "items must be a list, found 'a'"),
        ("inner: 1", 1, "inner must be a mapping of keys, found 1"),
        ("wole: 1", 1, "wole unknown key; did you mean 'whole'? known here: text, name,"),
        ("inner:\n  sise: 1", 2, "inner.sise unknown key; did you mean 'size'? known here: size"),
    ],
)
def test_every_fault_has_its_line_and_its_cure(text: str, line: int, words: str) -> None:
    messages = refused(text)
    assert any(message.startswith(f"f.yaml:{line}: ") and words in message for message in messages), messages


def test_a_required_key_that_is_absent() -> None:
    class Needs(BaseModel):
        size: int

    with pytest.raises(InputError, match=r"^f\.yaml:1: size is required and absent$"):
        validate(Needs, parse_yaml("{}", "f.yaml"))


def test_all_faults_are_reported_at_once() -> None:
    messages = refused("text: 1\ntext: 2\nwhole: x\nwole: 3\nitems: [&a b]\n")
    assert [message.split(": ")[0] for message in messages] == [
        *("f.yaml:2", "f.yaml:5"),
        *("f.yaml:1", "f.yaml:3", "f.yaml:4"),
    ]


def test_a_hint_can_replace_the_nearest_name() -> None:
    with pytest.raises(InputError, match="old unknown key; it is called text now"):
        validate(Schema, parse_yaml("old: a", "f.yaml"), lambda key: f"it is called text now ({key})")


def test_lines_count_line_feeds_only() -> None:
    """PyYAML's own line numbers also count U+2028 and U+0085, which no editor does."""
    source = parse_yaml('text: "a\u2028b\x85c"\nwhole: 1\nitems:\n  - a\n  - b\n', "f.yaml")
    assert source.line(("whole",)) == 2
    assert source.line(("items", 1)) == 5
    assert source.line(("items", 1, "beyond")) == 5
    assert parse_yaml("a: 1\nb: 2", "f.md", first_line=4).line(("b",)) == 5


def test_scan_keeps_what_is_well_formed() -> None:
    source = scan_yaml("whole: 1\nwhole: 2\ntext: a", "f.yaml")
    assert source.value == {"whole": 1, "text": "a"}
    assert [problem.line for problem in source.problems] == [2]
    with pytest.raises(InputError, match="duplicate key"):
        parse_yaml("whole: 1\nwhole: 2", "f.yaml")


def test_files_with_bom_crlf_and_cr_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    for data in (b"a: 1\nb: 2\n", b"\xef\xbb\xbfa: 1\r\nb: 2\r\n", b"a: 1\rb: 2\r"):
        path.write_bytes(data)
        assert load_yaml(path).value == {"a": 1, "b": 2}
        assert read_text(path) == "a: 1\nb: 2\n"


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"a: 1\nb: \xff", 2, "must be UTF-8, found byte 0xff at offset 8; save it as UTF-8"),
        (b"\xef\xbb\xbfa\n\xfe", 2, "found byte 0xfe at offset 5"),
        ("a: b".encode("utf-16"), 1, "must be UTF-8"),
    ],
)
def test_other_encodings_are_refused(tmp_path: Path, data: bytes, line: int, words: str) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        load_yaml(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["absent.yaml", ".", "a\0b", "x" * 5000])
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="can't be read: "):
        load_yaml(tmp_path / name)


def test_dotted() -> None:
    assert dotted(("queries", 3, "gold", 0)) == "queries[3].gold[0]"
    assert dotted(()) is None


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters="\u2028\u2029\ufeff")))
def test_quoted_text_comes_back_as_it_was(text: str) -> None:
    written = json.dumps(text, ensure_ascii=False)
    if any(not character.isprintable() and character != " " for character in text):
        written = json.dumps(text) if text.isascii() else '""'
        text = text if text.isascii() else ""
    assert parse_yaml(f"a: {written}", "f.yaml").value == {"a": text}


PIECES = st.sampled_from(
    [
        *("a", "b: ", "- ", "? ", ": ", "\n", "  ", "\t", "[", "]", "{", "}", ",", "#", "&x ", "*x", "!!int ", "!<"),
        *("%YAML 1.1\n", "%TAG ! x\n", "---\n", "...\n", "|\n", ">-\n", '"', "'", "\\", "\\U", "\\x", "007", "1e9"),
        *("<<: ", "=", "~", "\x00", "\x85", "\u2028", "\ufeff", "\ud800", "text: ", "items: ", "inner: ", "%zz"),
    ]
)


@given(st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=40))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    problems = faults(text)
    last = text.count("\n") + 1
    assert all(problem.line is not None and 1 <= problem.line <= last for problem in problems)


def faults(text: str) -> tuple[Problem, ...]:
    try:
        validate(Schema, scan_yaml(text, "f.yaml"))
    except InputError as error:
        return error.problems or pytest.fail("a refusal without a problem")
    return ()
