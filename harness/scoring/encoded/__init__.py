"""The second implementation of the scorer: documents as integers, many runs at once.

Judgments are encoded once; runs are integer arrays, validated as strictly as by ``score_run`` and scored together.
All values are the same exact fractions, and ``EncodedScores.run_scores()`` equals what ``score_run`` returns.
numpy is loaded when the first judgments are encoded, not on import.
"""

from harness.scoring.encoded.judgments import EncodedJudgments
from harness.scoring.encoded.runs import EncodedRuns
from harness.scoring.encoded.score import score_encoded, score_encoded_chunks, score_many, score_many_chunks
from harness.scoring.encoded.scores import EncodedScores

__all__ = [
    "EncodedJudgments",
    "EncodedRuns",
    "EncodedScores",
    "score_encoded",
    "score_encoded_chunks",
    "score_many",
    "score_many_chunks",
]
