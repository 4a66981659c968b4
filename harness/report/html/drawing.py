"""Curves as SVG: the one file that knows matplotlib.

Colours are names until the page says what they are, so that a drawing follows a light or dark page. Texts are put in
after drawing, escaped, and shown by the browser: its fonts have every script, and matplotlib's haven't.
"""

from __future__ import annotations

import io
import re
from typing import Any

from harness.report.html.curves import CutoffCurves, ParameterCurve
from harness.report.html.text import esc

SERIES = 6
"""Number of colours for groups; further groups share the last."""

_INK, _MUTED, _LINE, _ACCENT = "#0a0b01", "#0a0b02", "#0a0b03", "#0a0b04"
_COLOURS = {_INK: "ink", _MUTED: "muted", _LINE: "line", _ACCENT: "accent"}
_COLOURS |= {f"#0a0c0{place}": f"s{place}" for place in range(SERIES)}
_WIDE = 14
_STYLE: Any = {
    "svg.fonttype": "none",
    "font.size": 10,
    "axes.edgecolor": _LINE,
    "axes.labelcolor": _MUTED,
    "text.color": _INK,
    "xtick.color": _MUTED,
    "ytick.color": _MUTED,
    "grid.color": _LINE,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "text.parse_math": False,
}


def draw_parameter(curve: ParameterCurve, measure: str, reach: tuple[float, float]) -> str:
    """Return a curve as an ``svg`` element; ``reach`` is the least and the largest value of all curves."""
    labels = [point.label for point in curve.points]
    longest = max(map(_width, labels))
    turned = longest * len(labels) > 46
    width = 4.6 if len(labels) <= 8 else 6.4
    with _Drawing(width, 3.0 + (min(longest, _WIDE) * 0.05 if turned else 0), f"{measure} by {curve.parameter}") as d:
        axes = d.figure.add_subplot()
        for x, point in enumerate(curve.points):
            spots = sorted(set(point.sets))
            axes.plot([x] * len(spots), spots, "o", color=_MUTED, markersize=3.2, alpha=0.45, markeredgewidth=0)
            if point.low is not None and point.high is not None:
                axes.plot([x, x], [point.low, point.high], color=_ACCENT, linewidth=5, alpha=0.3)
        drawn = [(x, point.level) for x, point in enumerate(curve.points) if point.level is not None]
        axes.plot(*zip(*drawn, strict=True), "-o", color=_ACCENT, linewidth=1.8, markersize=5)
        axes.set_xticks(range(len(labels)), [d.text(_cut(label)) for label in labels])
        if turned:
            axes.tick_params(axis="x", labelrotation=35)
            for tick in axes.get_xticklabels():
                tick.set_horizontalalignment("right")
        axes.margins(x=0.12)
        room = max(0.05 * (reach[1] - reach[0]), 0.005)
        axes.set_ylim(reach[0] - room, reach[1] + room)
    return d.svg


def draw_cutoffs(curve: CutoffCurves) -> str:
    """Return the lines of one mean as an ``svg`` element."""
    with _Drawing(4.6, 3.0, f"{curve.name} by cutoff") as d:
        axes = d.figure.add_subplot()
        places = range(len(curve.cutoffs))
        for group, line in curve.lines:
            axes.plot(places, line, color=_series(group), linewidth=1, alpha=0.55 if len(curve.lines) < 30 else 0.3)
        axes.fill_between(places, curve.low, curve.high, color=_INK, alpha=0.09, linewidth=0)
        axes.plot(places, curve.baseline, "-o", color=_INK, linewidth=1.8, markersize=3.5)
        for bound in (curve.floor, curve.ceiling):
            if bound is not None:
                axes.plot(places, bound, "--", color=_MUTED, linewidth=1)
        axes.set_xticks(places, [d.text(str(k)) for k in curve.cutoffs])
        axes.set_ylim(-0.02, 1.04)
    return d.svg


def _series(group: int) -> str:
    return f"#0a0c0{min(group, SERIES - 1)}"


def _cut(label: str) -> str:
    """Keep both ends of a long label, where models and sizes have what tells them apart."""
    return label if len(label) <= _WIDE * 2 else f"{label[: _WIDE - 1]}…{label[-_WIDE:]}"


def _width(label: str) -> int:
    return sum(2 if ord(character) > 0x2E80 else 1 for character in _cut(label))


class _Drawing:
    """A figure that is an SVG when the block ends."""

    def __init__(self, width: float, height: float, title: str) -> None:
        import matplotlib as mpl
        from matplotlib.figure import Figure

        self.svg = ""
        self._title = title
        self._texts: dict[str, str] = {}
        self._style = mpl.rc_context({**_STYLE, "svg.hashsalt": title})
        self._style.__enter__()
        self.figure: Any = Figure(figsize=(width, height), layout="constrained")

    def text(self, text: str) -> str:
        """Return what stands for a text while drawing, about as wide."""
        token = f"x{len(self._texts)}z".ljust(_width(text), "x") + "y"
        self._texts[token] = text
        return token

    def __enter__(self) -> _Drawing:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        try:
            if kind is None:
                held = io.StringIO()
                self.figure.savefig(held, format="svg", transparent=True, metadata={"Date": None})
                self.svg = self._finished(held.getvalue())
        finally:
            self._style.__exit__(None, None, None)

    def _finished(self, drawn: str) -> str:
        """Return the ``svg`` element alone: no prolog, no metadata, no addresses, colours and texts put in."""
        svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", drawn[drawn.index("<svg") :], flags=re.DOTALL)
        svg = re.sub(r' xmlns(:xlink)?="[^"]*"', "", svg)
        svg = re.sub(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', self._opening, svg, count=1)
        svg = re.sub("|".join(_COLOURS), lambda found: f"var(--{_COLOURS[found[0]]})", svg)
        svg = re.sub(r"x\d+zx*y", lambda found: esc(self._texts[found[0]]), svg)
        return re.sub(r"\n\s*", "\n", svg).strip()

    def _opening(self, found: re.Match[str]) -> str:
        width = float(found[1].split()[2])
        name, box, most = esc(self._title), found[1], f"max-width:{width * 1.25:.0f}px"
        return f'<svg class="chart" role="img" aria-label="{name}" viewBox="{box}" style="{most}">'
