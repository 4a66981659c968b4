"""The exact core: what a score means, in rational numbers, with the standard library only.

Here stands the strict pair for exhaustive binary judgments, ``evaluate`` and ``adapt_runs``, with what names a
protocol and writes results as JSON. Everything refused is a ``ValueError`` that names the offending id and
where it stands. Beyond the two fixed measures, each in its own module so that the pair starts fast:

- ``measures``: ``MEASURES``, ``parse_measure``, ``mean_name``;
- ``conventions``: ``Conventions``, all that says how a ranking becomes a number;
- ``scorer``: ``score_run`` and ``score_chunk_view``, returning the records of ``scores``;
- ``controls``: ``run_controls``, what a wrong metric would have said.
"""

from harness.scoring.adapter import adapt_runs, adapter_sha256
from harness.scoring.evaluator import evaluate
from harness.scoring.exact import fraction_text, parse_fraction
from harness.scoring.jsonable import as_jsonable, to_json
from harness.scoring.protocol import protocol_sha256, sparse_protocol_sha256

__all__ = [
    "adapt_runs",
    "adapter_sha256",
    "as_jsonable",
    "evaluate",
    "fraction_text",
    "parse_fraction",
    "protocol_sha256",
    "sparse_protocol_sha256",
    "to_json",
]
