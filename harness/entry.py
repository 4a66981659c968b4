"""Where the installed command starts: ``score`` on a path of its own, everything else through ``harness.cli``.

The other commands need a command-line library whose import takes longer than scoring a small run does.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line."""
    if sys.argv[1:2] != ["score"]:
        from harness.cli import main as others

        others()
        return
    import gc

    gc.disable()  # a short life with few cycles: looking for them while modules load costs a tenth of the time
    from harness.scorecard.main import score
    from harness.threads import pin_threads

    utf8_or_again()
    pin_threads()
    write_utf8()
    sys.exit(score(sys.argv[2:]))


def utf8_or_again() -> None:
    """Start again in UTF-8 mode under the C locale, where no name of a file could hold Chinese."""
    if sys.getfilesystemencoding() == "ascii":
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def write_utf8() -> None:
    """Write UTF-8 whatever the platform; file names that aren't UTF-8 pass through."""
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors=errors)
