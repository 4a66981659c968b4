"""What a study file may say. Every parameter takes one value or a list of values, which makes it an axis."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from harness.collection import TABLES, CorpusColumns, GoldenColumns, TopicField

Value = TypeVar("Value")


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def _distinct(values: list[Value]) -> list[Value]:
    if not values:
        raise ValueError("must be a value or a list of values, found an empty list")
    for place, value in enumerate(values):
        if value in values[:place]:
            raise ValueError(f"lists {value!r} twice; each value of an axis once")
    return values


Axis = Annotated[list[Value], BeforeValidator(_as_list), AfterValidator(_distinct)]

Count = Annotated[int, Field(ge=1)]
Splitter = Literal["markdown", "text", "fixed", "document"]
Mode = Literal["bm25", "vector", "hybrid"]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ChunkSection(_Section):
    """``parameters.chunk``: how documents are cut; sizes in characters."""

    splitter: Axis[Splitter] = ["markdown"]
    size: Axis[Count] = [300]
    overlap: Axis[Annotated[int, Field(ge=0)]] = [30]

    @model_validator(mode="after")
    def _overlap_is_smaller(self) -> ChunkSection:
        if any(splitter != "document" for splitter in self.splitter):
            pair = next(((s, o) for s in self.size for o in self.overlap if o >= s), None)
            if pair:
                raise ValueError(f"overlap must be smaller than size, found overlap {pair[1]} with size {pair[0]}")
        return self


class Bm25Section(_Section):
    """``parameters.bm25``."""

    engine: Axis[Literal["rank-bm25", "sparse"]] = ["rank-bm25"]
    variant: Axis[Literal["lucene", "okapi", "plus"]] = ["lucene"]
    k1: Axis[Annotated[float, Field(ge=0)]] = [1.5]
    b: Axis[Annotated[float, Field(ge=0, le=1)]] = [0.75]
    tokenizer: Axis[Literal["jieba", "char-bigram", "ascii", "word"]] = ["jieba"]
    stop_words: Axis[Literal["none", "english"]] = ["none"]
    stemmer: Axis[Literal["none", "english", "french", "german", "italian", "portuguese", "russian", "spanish"]] = [
        "none"
    ]


class EmbedderSection(_Section):
    """One embedder of the axis ``parameters.vector.embedder``, where its name alone doesn't say enough."""

    name: Annotated[str, Field(min_length=1)]
    query_prompt: str | None = None
    document_prompt: str | None = None
    dimensions: Count | None = None
    seed: Annotated[int, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _settings_fit(self) -> EmbedderSection:
        if self.name == "lsa" and (self.query_prompt is not None or self.document_prompt is not None):
            raise ValueError("lsa takes no prompts; it takes dimensions and seed")
        if self.name != "lsa" and (self.dimensions is not None or self.seed is not None):
            raise ValueError(f"dimensions and seed belong to lsa, found them with {self.name!r}")
        return self


def _named_embedder(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


class VectorSection(_Section):
    """``parameters.vector``."""

    embedder: Axis[Annotated[EmbedderSection, BeforeValidator(_named_embedder)]] = [
        EmbedderSection(name="packaged-multilingual")
    ]
    search: Axis[Literal["exact", "approximate"]] = ["exact"]
    space: Axis[Literal["cosine"]] = ["cosine"]


class WeightsSection(_Section):
    """``parameters.fusion.weights``: what a route's contribution is multiplied by."""

    bm25: Axis[Annotated[float, Field(gt=0)]] = [1]
    vector: Axis[Annotated[float, Field(gt=0)]] = [1]


class FusionSection(_Section):
    """``parameters.fusion``."""

    method: Axis[Literal["rrf"]] = ["rrf"]
    k: Axis[Count] = [60]
    weights: WeightsSection = WeightsSection()


class RerankSection(_Section):
    """``parameters.rerank``: ``model`` null leaves reranking out."""

    model: Axis[str | None] = [None]
    depth: Axis[Count] = [10]


class ParametersSection(_Section):
    """``parameters``: the grid."""

    mode: Axis[Mode] = ["bm25", "vector", "hybrid"]
    chunk: ChunkSection = ChunkSection()
    bm25: Bm25Section = Bm25Section()
    vector: VectorSection = VectorSection()
    fusion: FusionSection = FusionSection()
    rerank: RerankSection = RerankSection()
    top_k: Axis[Count] = [5]
    fetch_k: Axis[Count] = [10]


class EvaluationSection(_Section):
    """``evaluation``: what is scored and how."""

    split: Annotated[str, Field(min_length=1)] = "test"
    k: Count = 3
    cutoffs: Annotated[list[Count], Field(min_length=1), AfterValidator(_distinct)] = [1, 3, 5, 10]
    unjudged: Literal["refuse", "nonrelevant", "condense"] = "refuse"
    relevance_threshold: Count = 1
    evidence: Literal["score", "ignore"] = "score"

    @property
    def all_cutoffs(self) -> tuple[int, ...]:
        """All cutoffs that are scored, ``k`` among them, ascending."""
        return tuple(sorted({*self.cutoffs, self.k}))


class ExecutionSection(_Section):
    """``execution``: where the work is done. It changes no result and is in no fingerprint."""

    executor: Literal["sequential", "processes", "dask"] = "sequential"
    workers: Count = 2
    address: str | None = None

    @model_validator(mode="after")
    def _address_fits(self) -> ExecutionSection:
        if self.address is not None and self.executor != "dask":
            raise ValueError(f"address belongs to executor dask, found it with {self.executor!r}")
        return self


def _one_value(value: Any) -> Any:
    if isinstance(value, bool | list | dict):
        found = "a list" if isinstance(value, list) else "a mapping" if isinstance(value, dict) else str(value).lower()
        raise ValueError(f"must be one value, as a parameter set has it, found {found}")
    return value


Named = dict[str, Annotated[Any, AfterValidator(_one_value)]]
"""Parameters under their dotted names, one value each: they name one parameter set of the grid."""


class SelectionSection(_Section):
    """``selection``: one split chooses a parameter set, and only that set and a baseline are scored on the other."""

    tune_on: Annotated[str, Field(min_length=1)]
    measure: Annotated[str, Field(min_length=1)]
    rule: Literal["best", "simplest-within-one-question"] = "best"
    baseline: Named


def _corpus_source(value: Any) -> Any:
    return {"format": "markdown", "path": value} if isinstance(value, str) else value


def _golden_source(value: Any) -> Any:
    return {"format": "yaml", "path": value} if isinstance(value, str) else value


def _belongs(key: str, value: Any, form: str, forms: tuple[str, ...]) -> None:
    if value is not None and form not in forms:
        raise ValueError(f"{key} belongs to format {', '.join(forms)}, found it with {form!r}")


FilePath = Annotated[str, Field(min_length=1)]


class CorpusSection(_Section):
    """``corpus``: a Markdown folder (its path alone is enough), or another format."""

    format: Literal["markdown", "text", "html", "pdf", "beir", "trec", "squad", "jsonl", "csv", "tsv", "parquet"]
    path: FilePath
    columns: CorpusColumns | None = None

    @model_validator(mode="after")
    def _settings_fit(self) -> CorpusSection:
        _belongs("columns", self.columns, self.format, TABLES)
        return self


class GoldenSection(_Section):
    """``golden``: a YAML golden set (its path alone is enough), or another format."""

    format: Literal["yaml", "beir", "trec", "squad", "jsonl", "csv", "tsv", "parquet"]
    path: FilePath | None = None
    topics: FilePath | None = None
    qrels: FilePath | None = None
    topic_field: TopicField | None = None
    columns: GoldenColumns | None = None
    separator: Annotated[str, Field(min_length=1)] | None = None
    judgments: Literal["exhaustive", "partial"] | None = None

    @property
    def place(self) -> str:
        """Where it lies, as the study names it."""
        return self.path or f"{self.topics}, {self.qrels}"

    @model_validator(mode="after")
    def _settings_fit(self) -> GoldenSection:
        for key in ("columns", "separator", "judgments"):
            _belongs(key, getattr(self, key), self.format, TABLES)
        for key in ("topics", "qrels", "topic_field"):
            _belongs(key, getattr(self, key), self.format, ("trec",))
        both = self.topics is not None and self.qrels is not None
        if self.path is None and self.format != "trec":
            raise ValueError("path is required and absent")
        if self.format == "trec" and (not both if self.path is None else bool(self.topics or self.qrels)):
            raise ValueError("format trec needs either path, a folder, or both topics and qrels, two files")
        return self


class StudySchema(_Section):
    """A whole study file. Paths are relative to the file."""

    name: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]+$")]
    corpus: Annotated[CorpusSection, BeforeValidator(_corpus_source)]
    golden: Annotated[GoldenSection, BeforeValidator(_golden_source)]
    parameters: ParametersSection = ParametersSection()
    evaluation: EvaluationSection = EvaluationSection()
    selection: SelectionSection | None = None
    measure: Annotated[str, Field(min_length=1)] | None = None
    baseline: Named | None = None
    execution: ExecutionSection = ExecutionSection()
