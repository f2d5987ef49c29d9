"""Numbers of other conventions, converted so that rounding can only make a guarantee weaker."""

from __future__ import annotations

import math
import sys
from fractions import Fraction


def at_most(exact: Fraction) -> float:
    """The largest double that is not above `exact`."""
    try:
        nearest = float(exact)
    except OverflowError:
        return sys.float_info.max if exact > 0 else -math.inf
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)


def at_least(exact: Fraction) -> float:
    """The smallest double that is not below `exact`."""
    return -at_most(-exact)


_FUNCTION_ERROR = 4  # ulps, of which math.log1p and math.exp take less than one each


def surely_above(computed: float) -> float:
    """Above what `computed` stands for, by one or two elementary functions of correctly rounded numbers."""
    for _ in range(_FUNCTION_ERROR):
        computed = math.nextafter(computed, math.inf)
    return computed


def surely_below(computed: float) -> float:
    return -surely_above(-computed)
