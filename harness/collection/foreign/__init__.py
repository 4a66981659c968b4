"""Golden sets of other tools → ours: what is beyond doubt is taken over, what isn't is refused."""

from harness.collection.foreign.convert import Conversion, Wishes, convert
from harness.collection.foreign.writing import golden_yaml

__all__ = ["Conversion", "Wishes", "convert", "golden_yaml"]
