"""A line for a product's contour where none is named."""

from __future__ import annotations

import math
from collections.abc import Callable

from flint import arb

from balls import ZERO
from contour import Line, chernoff
from moments import moment
from plans import NotJudged
from products import Product

THIRDS = 10
"""Cut off, of where the least may be."""
WIDE = 9
"""Of orders for aliases, in deviations of the losses that are tilted."""
LITTLE = 40
SMOOTHING = 1e-7
"""Relative to what it may take of delta."""
MOST_TERMS = 1 << 17


def own_line(releases: Product, epsilon: arb, swapped: bool) -> tuple[Line, arb, arb]:
    """Through about where Chernoff's bound is least, and two orders for its aliases. @throws NotJudged"""

    def log_bound(c: float) -> float:
        log_moment = sum((moment(one, arb(c), swapped).log() * count for one, count in releases), ZERO)
        return float(chernoff(log_moment, arb(c), epsilon).log().mid())

    c = least_of(log_bound)
    aside = c / 64
    curvature = (log_bound(c + aside) + log_bound(c - aside) - 2 * log_bound(c)) / aside**2
    if not curvature > 0:
        raise NotJudged("a line of the referee's own, of which it finds no place")
    reach = WIDE / math.sqrt(curvature)
    below, above = max(0.0, c - reach), c + reach
    period = max((LITTLE + log_bound(x) - log_bound(c)) / abs(x - c) for x in (below or 1e-9, above))
    step, smoothing = 2 * math.pi / period, SMOOTHING / (c * (c + 1))
    terms = min(MOST_TERMS, math.ceil(math.sqrt(2.2 * LITTLE / smoothing) / step))
    return Line(arb(c), arb(step), terms, arb(smoothing)), arb(below), arb(above)


def least_of(function: Callable[[float], float]) -> float:
    """Where a function that falls and then rises is least, about. @throws NotJudged"""
    middle, factor, value = 1.0, 2.0, function(1.0)
    if not function(middle * factor) < value:
        factor = 0.5
    while (following := function(middle * factor)) < value:
        middle, value = middle * factor, following
        if not 0 < middle * factor < math.inf:
            raise NotJudged("a line of the referee's own, of which it finds no place")
    low, high = middle / 2, middle * 2
    for _ in range(THIRDS):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if function(left) < function(right) else (left, high)
    return (low + high) / 2
