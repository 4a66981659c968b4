"""Text → terms, by table."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.tokenizing import STEMMERS, TOKENIZERS, Tokenizer, make_tokenizer

ALL = sorted(TOKENIZERS)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Pump P7, manual.", ["pump", "p7", "manual"]),
        ("ＡＢＣ　１２３", ["abc", "123"]),  # full-width letters and digits
        ("", []),
        ("???", []),
        (" \n\t\u3000", []),
        ("—…。，、", []),
    ],
)
def test_all_agree_where_words_have_spaces(name: str, text: str, terms: list[str]) -> None:
    assert make_tokenizer(name)(text) == terms


@pytest.mark.parametrize(
    ("name", "text", "terms"),
    [
        ("jieba", "仓库温度每天记录两次", ["仓库", "温度", "每天", "记录", "两次"]),
        ("jieba", "我来到北京清华大学", ["我", "来到", "北京", "清华大学"]),
        ("jieba", "货车，货车！", ["货车", "货车"]),
        ("jieba", "GPT-4 和 C++", ["gpt-4", "和", "c++"]),
        ("jieba", "См", ["с", "м"]),
        ("word", "e\u0301clair", ["éclair"]),  # an accent of its own
        ("char-bigram", "naïve CAFÉ", ["naïve", "café"]),
        ("char-bigram", "仓库温度", ["仓库", "库温", "温度"]),
        ("char-bigram", "仓", ["仓"]),
        ("char-bigram", "用Kotlin写的 App", ["用", "kotlin", "写的", "app"]),
        ("char-bigram", "国際標準化", ["国際", "際標", "標準", "準化"]),
        ("char-bigram", "データベース", ["デー", "ータ", "タベ", "ベー", "ース"]),
        ("char-bigram", "ﾃﾞｰﾀ", ["デー", "ータ"]),  # half-width katakana
        ("char-bigram", "서울역", ["서울", "울역"]),
        ("char-bigram", unicodedata.normalize("NFD", "서울역"), ["서울", "울역"]),
        ("char-bigram", "ㄱㄴ", ["ᄀᄂ"]),  # letters that stand alone
        ("char-bigram", "서울 역", ["서울", "역"]),
        ("char-bigram", "東京タワーへ行く", ["東京", "京タ", "タワ", "ワー", "ーへ", "へ行", "行く"]),
        ("char-bigram", "ヴァイオリン", ["ヴァ", "ァイ", "イオ", "オリ", "リン"]),
        ("char-bigram", "人々", ["人々"]),
        ("char-bigram", "ジョン・スミス", ["ジョ", "ョン", "スミ", "ミス"]),  # the dot parts words and is none
        ("word", "ジョン・スミス", list("ジョンスミス")),
        ("ascii", "naïve CAFÉ, β2-agonist", ["na", "ve", "caf", "2", "agonist"]),
        ("ascii", "snake_case 3.14", ["snake", "case", "3", "14"]),
        ("ascii", "仓库p7温度", ["p7"]),
        ("word", "仓库p7温度", ["仓", "库", "p7", "温", "度"]),
        ("word", "𠮷野家", ["𠮷", "野", "家"]),  # beyond the basic plane
        ("word", "snake_case", ["snake", "case"]),
        ("word", "don't", ["don", "t"]),
        ("word", "3.14", ["3", "14"]),
    ],
)
def test_terms(name: str, text: str, terms: list[str]) -> None:
    assert make_tokenizer(name)(text) == terms


@pytest.mark.parametrize(
    ("settings", "text", "terms"),
    [
        ({}, "The cats are running", ["the", "cats", "are", "running"]),
        ({"stop_words": "english"}, "The cats are running", ["cats", "running"]),
        ({"stemmer": "english"}, "The cats are running", ["the", "cat", "are", "run"]),
        ({"stop_words": "english", "stemmer": "english"}, "The cats are running", ["cat", "run"]),
        ({"stemmer": "german"}, "Häuser Hauses", ["haus", "haus"]),
        ({"stop_words": "english"}, "the of", []),
        ({"stop_words": "english", "stemmer": "english"}, "仓库", ["仓", "库"]),
    ],
)
def test_words_can_be_stopped_and_stemmed(settings: dict[str, str], text: str, terms: list[str]) -> None:
    assert make_tokenizer("word", **settings)(text) == terms


@pytest.mark.parametrize("language", STEMMERS)
def test_every_stemmer_is_there(language: str) -> None:
    assert len(make_tokenizer("word", stemmer=language)("running houses")) == 2


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(KeyError, match="wrod"):
        make_tokenizer("wrod")


@pytest.mark.parametrize("name", ALL)
@given(text=st.text(st.characters(exclude_categories=["Cs", "Cn"])))
def test_terms_hold_letters_or_digits_and_no_space(name: str, text: str) -> None:
    tokenizer = make_tokenizer(name)
    for term in tokenizer(text):
        assert any(character.isalnum() for character in term)
        assert not any(character.isspace() for character in term)
    assert tokenizer(text) == tokenizer(text)


@pytest.mark.parametrize("name", ALL)
@given(text=st.text(st.characters(codec="ascii")))
def test_case_and_width_make_no_difference(name: str, text: str) -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    tokenizer = make_tokenizer(name)
    assert tokenizer(text.upper()) == tokenizer(text.lower()) == tokenizer(wide.lower())


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "text",
    [
        "국제 표준화 회의",  # Hangul: composed syllables, or a letter each
        "データベースがパンク",  # voiced kana: one character, or a mark of its own
        "ﾃﾞｰﾀﾍﾞｰｽ",
        "ｱｲｳ、ﾊﾟﾝ",
        "ﾡﾢﾤ",
        "café naïve Ångström",
        "ＡＢＣ１２３　仓库",
        "仓库温度每天记录两次",
    ],
)
def test_the_normal_form_of_a_text_makes_no_difference(name: str, text: str) -> None:
    """Files from some systems hold every accent and every Hangul letter as a character of its own."""
    tokenizer = make_tokenizer(name)
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC", "NFKD")]
    assert [tokenizer(form) for form in forms] == [tokenizer(text)] * 4


def prints(*tokenizers: Tokenizer) -> list[tuple[tuple[str, str], ...]]:
    return [tuple(sorted(tokenizer.fingerprint.items())) for tokenizer in tokenizers]


def test_fingerprints_name_what_shapes_the_terms() -> None:
    different = prints(
        *(make_tokenizer(name) for name in ALL),
        make_tokenizer("word", stop_words="english"),
        make_tokenizer("word", stemmer="english"),
        make_tokenizer("word", stemmer="german"),
    )
    assert len(set(different)) == len(different)
    assert prints(make_tokenizer("jieba"))[0] == prints(make_tokenizer("jieba", stemmer="english"))[0]
    assert "rjieba" in make_tokenizer("jieba").fingerprint
    assert "snowballstemmer" in make_tokenizer("word", stemmer="english").fingerprint
    assert "snowballstemmer" not in make_tokenizer("word").fingerprint
    for name in ALL:
        assert make_tokenizer(name).fingerprint["unicode"] == unicodedata.unidata_version
