"""Rényi divergences of samples of what is known by its divergences alone: statements 21 and 22 of README.md."""

from __future__ import annotations

import math
from collections.abc import Callable

from flint import arb, fmpz

from balls import ONE, ZERO
from laws import Law
from plans import NotJudged
from work import take

MOST_TERMS = 4096
TERM = 50
"""Microseconds."""

Divergences = Callable[[int], arb]
"""Of an integer order from 2 on."""


class Known(Law):
    """Of which both directions' moment of one order is known, and is no more than this."""

    symmetric = True

    def __init__(self, order_less_1: arb, moment: arb):
        self.order_less_1, self._moment = order_less_1, moment

    def moment(self, order_less_1: arb) -> arb:
        if not order_less_1 == self.order_less_1:
            raise NotJudged("a moment of another order than is known")
        return self._moment


def poisson_moment(rate: arb, order: int, inner: Divergences) -> arb:
    """Zhu, Wang 2019, Theorem 5: what stands for order 0 and 1 is all of the binomial's but the rest."""
    found = (1 - rate) ** (order - 1) * (order * rate - rate + 1)
    for k in range(2, order + 1):
        weight = _binomial(order, k) * rate**k * (1 - rate) ** (order - k)
        found += (1 if k == 2 else 3) * weight * ((k - 1) * inner(k)).exp()
    return found


def batch_moment(rate: arb, order: int, inner: Divergences, largest: arb) -> arb:
    """Wang, Balle, Kasiviswanathan 2019, Theorem 9. `largest`: of all losses inside, infinite where it is not known."""
    second = inner(2).exp()
    apart = largest.expm1() if largest.is_finite() else arb("inf")
    found = 1 + rate**2 * _binomial(order, 2) * (4 * (second - 1)).min(second * _at_most_2(apart, 2))
    for k in range(3, order + 1):
        found += rate**k * _binomial(order, k) * ((k - 1) * inner(k)).exp() * _at_most_2(apart, k)
    return found


def at_real_order(order: arb, at_integer: Divergences) -> arb:
    """The moment of an order between two integers: log moments are convex in the order, and 0 at order 1."""
    below = math.floor(float(order))
    if below + 1 > MOST_TERMS:
        raise NotJudged(f"a divergence of a sample, of order {below}")
    if order == below:
        return at_integer(below)
    part = order - below
    lower = at_integer(below).log() if below > 1 else ZERO
    return ((1 - part) * lower + part * at_integer(below + 1).log()).exp()


def _at_most_2(apart: arb, power: int) -> arb:
    return (apart**power).min(arb(2)) if apart.is_finite() else arb(2)


def _binomial(n: int, k: int) -> arb:
    take(TERM, "a divergence of a sample, of so high an order")
    return ONE * fmpz.bin_uiui(n, k)
