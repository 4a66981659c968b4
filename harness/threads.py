"""One thread for numerical libraries, unless the environment says otherwise.

Two reasons: the number of threads can change the last bits of a model's output, and on a busy machine several
threads are slower than one. The number in force is part of every vector's fingerprint.
"""

from __future__ import annotations

import os

_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


def pin_threads() -> None:
    """Set the usual variables to 1 where they are unset; call it before numpy or torch are imported."""
    for name in _VARIABLES:
        os.environ.setdefault(name, "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


def model_threads() -> int:
    """Return the number of threads models run with (``OMP_NUM_THREADS``, 1 when unset or not a number)."""
    value = os.environ.get("OMP_NUM_THREADS", "1")
    return int(value) if value.isdecimal() and int(value) > 0 else 1
