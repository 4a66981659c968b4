"""Arguments in, exit code out: 0 scored, 2 bad input."""

from __future__ import annotations

import sys

from harness.errors import HarnessError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def score(arguments: Sequence[str]) -> int:
    """Run ``harness score`` and return its exit code; messages go to standard error."""
    from harness.scorecard.arguments import parse
    from harness.scorecard.report import as_content, as_text
    from harness.scorecard.scoring import read_judged, score_file

    try:
        request = parse(arguments)
        judged = read_judged(request)
        results = [score_file(judged, request, path) for path in request.run]
        if request.json:
            from harness.scoring.jsonable import to_json

            text = to_json(as_content(judged, request, results))
        else:
            text = as_text(judged, request, results)
    except HarnessError as error:
        words = str(error)
        print(f"errors:\n{words}" if "\n" in words else f"error: {words}", file=sys.stderr)
        return error.exit_code
    except SystemExit as stopped:
        return stopped.code if isinstance(stopped.code, int) else 2
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    return 0
