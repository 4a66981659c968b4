"""Any section ``parameters`` a study file could hold."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st


def axis(values: st.SearchStrategy[Any] | list[Any], most: int = 2) -> st.SearchStrategy[Any]:
    """Return one value, or a list of a few different ones."""
    source = st.sampled_from(values) if isinstance(values, list) else values
    return source | st.lists(source, min_size=1, max_size=most, unique_by=_written_out)


def _written_out(value: Any) -> str:
    """A name alone means the same as a mapping with nothing but the name."""
    entry = {"name": value} if isinstance(value, str) else value
    return (
        repr({key: held for key, held in sorted(entry.items()) if held is not None})
        if isinstance(entry, dict)
        else repr(value)
    )


PROMPTS = st.none() | st.sampled_from(["", "q: ", "1e3", "no", "a\nb", " 'x' \"y\"", "\x85"]) | st.text(max_size=5)
EMBEDDERS = st.one_of(
    st.sampled_from(["packaged-multilingual", "lsa", "owner/model"]),
    st.fixed_dictionaries(
        {"name": st.just("lsa")}, optional={"dimensions": st.sampled_from([8, 64]), "seed": st.integers(0, 2)}
    ),
    st.fixed_dictionaries(
        {"name": st.sampled_from(["owner/model", "packaged-multilingual"])},
        optional={"query_prompt": PROMPTS, "document_prompt": PROMPTS},
    ),
)
SPLITTERS = ["markdown", "text", "fixed", "document"]
WEIGHTS = axis([0.1, 0.7, 1, 1e-05, 3.5])


@st.composite
def parameters(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a section with few axes, so that its grid stays small."""
    section = draw(
        st.fixed_dictionaries(
            {"mode": axis(["bm25", "vector", "hybrid"], 3)},
            optional={
                "chunk": st.fixed_dictionaries(
                    {},
                    optional={
                        "splitter": axis(SPLITTERS),
                        "size": axis([100, 300]),
                        "overlap": axis([0, 30]),
                    },
                ),
                "bm25": st.fixed_dictionaries(
                    {},
                    optional={
                        "engine": axis(["rank-bm25", "sparse"]),
                        "variant": axis(["lucene", "okapi", "plus"]),
                        "k1": axis([0, 1, 1.5, 1e22]),
                        "b": st.sampled_from([0, 0.75, 1]),
                        "tokenizer": axis(["jieba", "char-bigram", "ascii", "word"], 3),
                        "stop_words": st.sampled_from(["none", "english"]),
                        "stemmer": axis(["none", "english"]),
                    },
                ),
                "vector": st.fixed_dictionaries(
                    {}, optional={"embedder": axis(EMBEDDERS), "search": axis(["exact", "approximate"])}
                ),
                "fusion": st.fixed_dictionaries(
                    {},
                    optional={
                        "k": axis([1, 60]),
                        "weights": st.fixed_dictionaries({}, optional={"bm25": WEIGHTS, "vector": WEIGHTS}),
                    },
                ),
                "rerank": st.fixed_dictionaries(
                    {},
                    optional={"model": axis([None, "owner/reranker"]), "depth": axis([3, 10, 40])},
                ),
                "top_k": axis([1, 5, 10]),
                "fetch_k": axis([5, 10, 20]),
            },
        )
    )
    return dict(section)
