"""What a set of questions can and can't show about parameter sets.

All functions take one measure's values question by question: ``align`` matches them by query id and refuses sets that
were asked different questions. ``compare`` says everything about all sets against a baseline; the other functions are
its parts, and the floor, ceiling and effects beside it. Nothing here knows how values came about. numpy and scipy are
loaded by the functions that need them.
"""

from harness.stats.attribution import Attribution, Effect, Interaction, TagMean, attribute, by_tag
from harness.stats.best import ceiling, mean_ceiling, oracle
from harness.stats.bootstrap import Interval, interval, intervals
from harness.stats.chance import floor, mean_floor
from harness.stats.comparison import Comparison, compare
from harness.stats.correction import MaxT, holm, max_t
from harness.stats.effort import Effort
from harness.stats.panel import Differences, Panel, align
from harness.stats.question import Question
from harness.stats.sensitivity import Power, fewest_changed, power, questions_needed, smallest_p
from harness.stats.signflip import Method, PairedTest, exact_p, sampled_p, sign_flip, sign_flip_all
from harness.stats.spreads import Deciding, Spread, deciding
from harness.stats.verdicts import Verdict, Word, verdict

__all__ = [
    "Attribution",
    "Comparison",
    "Deciding",
    "Differences",
    "Effect",
    "Effort",
    "Interaction",
    "Interval",
    "MaxT",
    "Method",
    "PairedTest",
    "Panel",
    "Power",
    "Question",
    "Spread",
    "TagMean",
    "Verdict",
    "Word",
    "align",
    "attribute",
    "by_tag",
    "ceiling",
    "compare",
    "deciding",
    "exact_p",
    "fewest_changed",
    "floor",
    "holm",
    "interval",
    "intervals",
    "max_t",
    "mean_ceiling",
    "mean_floor",
    "oracle",
    "power",
    "questions_needed",
    "sampled_p",
    "sign_flip",
    "sign_flip_all",
    "smallest_p",
    "verdict",
]
