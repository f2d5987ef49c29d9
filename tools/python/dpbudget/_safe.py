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


_MEAN_ERROR = 1e-12  # of a few elementary functions, of which none loses digits


def mean_of_gamma(eta: float, gamma: float) -> float:
    """Above the mean of a truncated negative binomial number, eta >= 0 and gamma in (0, 1)."""
    log_gamma = math.log(gamma)
    quotient = -log_gamma if eta == 0 else -math.expm1(eta * log_gamma) / eta
    return (1 - gamma) / gamma / quotient * (1 + _MEAN_ERROR)


def gamma_of_mean(eta: float, mean: float) -> float:
    """Below the gamma at which it has that mean, which is above 1."""
    if eta == 1:
        return at_most(1 / Fraction(mean))
    low, high = 0.0, 1.0
    while high - low > 1e-15 * high:
        middle = low + (high - low) / 2
        if middle in (low, high) or middle == 0:
            break
        if mean_of_gamma(eta, middle) * (1 - 3 * _MEAN_ERROR) >= mean:
            low = middle
        else:
            high = middle
    return low
