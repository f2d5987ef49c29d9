"""A line for a product's contour where none is named."""

from __future__ import annotations

import math

from flint import arb

from balls import ZERO
from contour import Line, chernoff, shortened
from moments import moment
from plans import NotJudged
from products import Product

EVALUATIONS = 24
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

    # A golden section in the logarithm of c, where the bound falls and then rises.
    low, high, share = math.log(1e-3), math.log(1e4), (math.sqrt(5) - 1) / 2
    left, right = high - share * (high - low), low + share * (high - low)
    at_left, at_right = log_bound(math.exp(left)), log_bound(math.exp(right))
    for _ in range(EVALUATIONS):
        if at_left < at_right or not math.isfinite(at_right):
            high, right, at_right = right, left, at_left
            left = high - share * (high - low)
            at_left = log_bound(math.exp(left))
        else:
            low, left, at_left = left, right, at_right
            right = low + share * (high - low)
            at_right = log_bound(math.exp(right))
    c = math.exp((low + high) / 2)

    aside = c / 64
    curvature = (log_bound(c + aside) + log_bound(c - aside) - 2 * log_bound(c)) / aside**2
    if not curvature > 0:
        raise NotJudged("a line of the referee's own, of which it finds no place")
    reach = WIDE / math.sqrt(curvature)
    below, above = max(0.0, c - reach), c + reach
    period = max((LITTLE + log_bound(x) - log_bound(c)) / abs(x - c) for x in (below or 1e-9, above))
    step, smoothing = 2 * math.pi / period, SMOOTHING / (c * (c + 1))
    terms = min(MOST_TERMS, math.ceil(math.sqrt(2.2 * LITTLE / smoothing) / step))
    return shortened(Line(arb(c), arb(step), terms, arb(smoothing)), releases, swapped), arb(below), arb(above)
