"""Unit vectors on a grid: the reason why scores are the same bits whatever computes them.

Components are rounded to multiples of 2^-24. The product of two such numbers is a multiple of 2^-48, and for unit
vectors every partial sum of products stays below 2 in size, so it fits into the 53 bits of a float64 without
rounding. A dot product in float64 is then *exact*: block sizes, the order of addition, the number of threads, fused
multiply-add and the BLAS library can't change it. The rounding moves a component by at most 2^-25 (3e-8), less than
the float32 noise of the models that made the vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GRID_BITS = 24


def unit_on_grid(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return rows scaled to length 1 and rounded to the grid.

    Args:
        rows: shape (n, d), any float type.

    Returns:
        Shape (n, d), float32. A row of zeros stays zeros: it stands for a text that has no vector.

    Raises:
        ValueError: a component is NaN or infinite.
    """
    import numpy as np

    wide = np.asarray(rows, dtype=np.float64, order="C")  # one order of addition, whatever the layout
    if not np.isfinite(wide).all():
        raise ValueError("a vector holds NaN or an infinite component")
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    scaled = wide / np.where(lengths == 0.0, 1.0, lengths)[:, None]
    return on_grid(scaled)


def on_grid(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    """Round every component to the nearest multiple of 2^-24 (ties to even)."""
    import numpy as np

    scale = float(1 << GRID_BITS)
    return (np.rint(np.asarray(rows, dtype=np.float64) * scale) / scale).astype(np.float32)


def dot_products(queries: NDArray[np.float32], rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return all dot products, exactly, for vectors on the grid.

    Args:
        queries: shape (q, d).
        rows: shape (n, d); widened to float64 block by block, so that they are never held twice.

    Returns:
        Shape (q, n), float64.
    """
    import numpy as np

    wide = queries.astype(np.float64)
    result = np.empty((len(queries), len(rows)), dtype=np.float64)
    for start in range(0, len(rows), 8192):
        block = rows[start : start + 8192].astype(np.float64)
        np.matmul(wide, block.T, out=result[:, start : start + len(block)])
    return result
