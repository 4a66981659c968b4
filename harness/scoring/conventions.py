"""Everything that says how a ranking becomes a number, besides the data."""

from __future__ import annotations

from collections.abc import Mapping

from harness.fingerprint import sha256_json
from harness.frozen import Frozen
from harness.scoring.checks import check_text, refuse, show
from harness.scoring.measures import NamedMeasure
from harness.scoring.measures.discount import DISCOUNT_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from harness.scoring.measures.measure import View

    Unjudged = Literal["refuse", "nonrelevant", "condense"]

UNJUDGED = ("refuse", "nonrelevant", "condense")

MISSING_RULE = "a query the run leaves out scores 0 and stays in every mean"
NO_RELEVANT_RULE = "a query without relevant documents has no value and is in no mean; judged@k alone keeps it"
TIE_RULE = (
    "rankings are in order before scoring: score descending, then best single-route rank, vector before BM25, "
    "chunk order"
)
VIEW_RULE = (
    "document: chunks collapsed by first occurrence (first-occurrence-document-v1); "
    "chunk: every returned chunk of a relevant document counts at its chunk rank"
)
CANDIDATE_BUDGET = "top_k chunks, collapsed by first occurrence"


class Conventions(Frozen):
    """What is measured and under which rules. Runs with different hashes are never ranked together.

    Attributes:
        measures: what is computed, each name at most once; measures of all views may be there.
        relevance_threshold: the smallest grade that counts as relevant, at least 1.
        unjudged: what happens to a returned document without a judgment when judgments are not exhaustive:
            ``refuse`` the judgments, count it as ``nonrelevant``, or ``condense`` (drop it before ranks are
            counted).
        tie_rule: the total order the rankings were put in, in words.
        view: what the two views mean, in words.
        candidate_budget: which candidates were turned into the document ranking, in words.
    """

    measures: tuple[NamedMeasure, ...]
    relevance_threshold: int = 1
    unjudged: Unjudged = "refuse"
    tie_rule: str = TIE_RULE
    view: str = VIEW_RULE
    candidate_budget: str = CANDIDATE_BUDGET

    def __post_init__(self) -> None:
        if not isinstance(self.measures, tuple) or not self.measures:
            refuse("measures must be a nonempty tuple of measures", f"got {show(self.measures)}")
        for measure in self.measures:
            if not isinstance(measure, NamedMeasure):
                refuse("measures must be a nonempty tuple of measures", f"got {show(measure)} among them")
        names = [str(measure) for measure in self.measures]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            refuse("each measure may be asked for once", f"{twice[0]} occurs more than once")
        if type(self.relevance_threshold) is not int or self.relevance_threshold < 1:
            refuse("relevance_threshold must be a positive integer", f"got {show(self.relevance_threshold)}")
        if self.unjudged not in UNJUDGED:
            refuse("unjudged must be refuse, nonrelevant or condense", f"got {show(self.unjudged)}")
        for rule in ("tie_rule", "view", "candidate_budget"):
            check_text(getattr(self, rule), "a rule must be text", rule)

    def of_view(self, view: View) -> tuple[NamedMeasure, ...]:
        """Return the measures of one view, in their order."""
        return tuple(measure for measure in self.measures if measure.measure.view == view)

    @property
    def content(self) -> Mapping[str, object]:
        """What the hash covers, as JSON values; measures sorted by name, since their order changes nothing."""
        return {
            "measures": [
                {
                    "name": str(measure),
                    "definition": measure.measure.description,
                    "version": measure.measure.version,
                    "view": measure.measure.view,
                }
                for measure in sorted(self.measures, key=str)
            ],
            "discounts": DISCOUNT_VERSION,
            "tie_rule": self.tie_rule,
            "missing_rule": MISSING_RULE,
            "no_relevant_rule": NO_RELEVANT_RULE,
            "unjudged": self.unjudged,
            "relevance_threshold": self.relevance_threshold,
            "view": self.view,
            "candidate_budget": self.candidate_budget,
        }

    @property
    def sha256(self) -> str:
        """The ``conventions_sha256``: SHA-256 of the canonical JSON of ``content``."""
        return sha256_json(self.content)
