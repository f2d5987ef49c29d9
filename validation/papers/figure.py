"""What is claimed against what is proven, as a picture."""

from __future__ import annotations

import math
from html import escape

from judge import Judged, Safety

_SIDE = 440
_MARGIN = 62
_COLOURS = {Safety.SAFE: "#3d8b37", Safety.OPEN: "#c98a00", Safety.UNSAFE: "#b3261e"}


def figure(judged: list[Judged]) -> str:
    """SVG: a bar from the lower to the upper end of each bracket over the epsilon that is claimed."""
    shown = [one for one in judged if one.bracket and one.claimed and one.safety]
    shown = [one for one in shown if one.bracket and 0 < one.bracket.upper < math.inf]
    values = [value for one in shown if one.bracket for value in (one.claimed or 1, one.bracket.upper)]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    size = _SIDE + _MARGIN

    def at(value: float) -> float:
        return (math.log10(max(value, 10.0**low)) - low) / (high - low) * _SIDE

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size + 26} {size + 14}" role="img"'
        ' font-family="system-ui, sans-serif" font-size="12">',
        "<title>Epsilon proven to be spent, against epsilon claimed</title>",
        f'<rect x="{_MARGIN}" y="10" width="{_SIDE}" height="{_SIDE}" fill="none" stroke="#999"/>',
    ]
    for power in range(low, high + 1):
        x, y = _MARGIN + at(10.0**power), 10 + _SIDE - at(10.0**power)
        parts += [
            f'<path d="M{x:.1f} 10V{10 + _SIDE}M{_MARGIN} {y:.1f}H{size}" stroke="#ececec"/>',
            f'<text x="{x:.1f}" y="{_SIDE + 27}" text-anchor="middle">{10.0**power:g}</text>',
            f'<text x="{_MARGIN - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>',
        ]
    parts.append(f'<path d="M{_MARGIN} {10 + _SIDE}L{size} 10" stroke="#555" stroke-dasharray="5 4"/>')
    for one in shown:
        assert one.bracket is not None and one.claimed is not None and one.safety is not None
        x, upper = _MARGIN + at(one.claimed), 10 + _SIDE - at(one.bracket.upper)
        lower = 10 + _SIDE - at(one.bracket.lower) if one.bracket.lower > 0 else upper
        colour = _COLOURS[one.safety]
        parts.append(
            f'<g stroke="{colour}" fill="{colour}"><title>{escape(one.claim.name)}</title>'
            f'<path d="M{x:.1f} {upper:.1f}V{lower:.1f}" stroke-width="3"/>'
            f'<circle cx="{x:.1f}" cy="{upper:.1f}" r="3.2"/></g>'
        )
    parts += [
        f'<text x="{_MARGIN + _SIDE / 2}" y="{size + 8}" text-anchor="middle">epsilon claimed</text>',
        f'<text transform="translate(14 {10 + _SIDE / 2}) rotate(-90)" text-anchor="middle">epsilon proven</text>',
        "</svg>",
    ]
    return "\n".join(parts)


CAPTION = (
    "Each number that claims an epsilon, with what is proven of its run: a dot is the upper end, a bar reaches down to "
    "the lower one. Below the dashed line (green) a claim is safe, above it (red) unsafe; a bar across it is open."
)
