"""Moments of a Poisson sample of Gaussian noise under replace_one along a line, by one set of nodes."""

from __future__ import annotations

import itertools
import math

from flint import arb

from laws import PoissonSampledReplaced
from nodes import BITS, Nodes
from plans import NotJudged
from trapezoid import MOST_NODES, beyond, rule_error
from work import take


class SampledReplaced:
    """Of u ~ N(0, 1) and y = 1 - q + q e^{h u - h^2/2}, y' = 1 - q + q e^{-h u - h^2/2}, which are the ratios of P and
    of Q to the density of u, so the loss is L = ln y - ln y': means of y^{z + 1} y'^{-z} by the trapezoid rule, for
    z = a + i s, a >= 0 and |s| up to `reach`.

    The rule's error is that of Trefethen and Weideman 2014, Theorem 5.1 (see SampledNormal). On a line |Im u| = t / h
    the density of u grows by e^{(t/h)^2 / 2}, |y| and |y'| lie between cos(t/2) times what they are at the real part
    and that, and their arguments are within t. At the real part y^{a+1} and y'^-a lie below their chords, whose product
    has the mean (1-q)^2 + 2 q (1-q) e^{a (a+1) h^2 / 2} + q^2 e^{2 a (a+1) h^2}.
    """

    def __init__(self, release: PoissonSampledReplaced, order: arb, reach: arb):
        self.rate, self.h, self.order, self.reach = release.rate, 1 / (2 * release.noise), order, reach
        h, a = float(self.h.mid()), float(order.mid())
        # What the chords are above the moment, which is 1 at least.
        apart = max(0.0, float(self._whole().log().mid()))
        line = min(0.75 * math.pi / h, 8.0)
        turned = float(reach.mid()) * 2 * line * h - a * math.log(math.cos(line * h / 2))
        spacing = 2 * math.pi * line / (BITS * math.log(2) + line * line / 2 + turned + apart)
        margin = math.sqrt(2 * (BITS * math.log(2) + 4 + apart + 2 * a * (a + 1) * h * h))
        low, high = -h - margin, (2 * a + 1) * h + h + margin
        self.first, self.last = math.floor(low / spacing), math.ceil(high / spacing)
        self.line, self.spacing = arb(line), arb(spacing)

    @property
    def count(self) -> int:
        return self.last - self.first + 1

    def _whole(self) -> arb:
        q, one = self.rate, self.order * (self.order + 1) * self.h * self.h / 2
        return (1 - q) ** 2 + 2 * q * (1 - q) * one.exp() + q * q * (4 * one).exp()

    def _logs(self, u: arb) -> tuple[arb, arb]:
        """ln y and ln y'."""
        up, down = (side * self.h * u - self.h * self.h / 2 for side in (1, -1))
        return (1 + self.rate * up.expm1()).log(), (1 + self.rate * down.expm1()).log()

    def nodes(self) -> Nodes:
        """@throws NotJudged"""
        if self.count > MOST_NODES:
            raise NotJudged(f"a moment that takes {self.count} nodes")
        take(30 * self.count, "a moment of so many nodes")
        found, scale = Nodes([], [], self._error()), self.spacing / (2 * arb.pi()).sqrt()
        for j in range(self.first, self.last + 1):
            u = self.spacing * j
            log, other = self._logs(u)
            found.logs.append(log - other)
            found.masses.append(scale * ((self.order + 1) * log - self.order * other - u * u / 2).exp())
        return found

    def _error(self) -> arb:
        turn = self.line * self.h
        grown = (self.line * self.line / 2 + 2 * self.reach * turn).exp() * (turn / 2).cos() ** -self.order
        return rule_error(grown * self._whole(), self.line, self.spacing) + self._left() + self._right()

    def _left(self) -> arb:
        """Beyond the first node, where y <= 1 <= y'."""
        away = -self.spacing * self.first
        if not away > self.h / 2:
            raise NotJudged("a moment whose nodes do not reach its middle")
        return beyond(away, self.spacing)

    def _right(self) -> arb:
        """Beyond the last one, where 1 <= y <= e^{h u - h^2/2} and y' >= e^{-h u - h^2/2}."""
        u, tilt = self.spacing * self.last, (2 * self.order + 1) * self.h
        if not (u > self.h / 2 and u > tilt):
            raise NotJudged("a moment whose nodes do not reach its middle")
        return (tilt * tilt / 2 - self.h * self.h / 2).exp() * beyond(u - tilt, self.spacing)

    def steps(self, log_whole: arb, cells: int, deviations: int) -> list[tuple[arb, arb]]:
        """Widths and heights of steps below the density of the loss, tilted so that it has e^{a L} under P over all of
        it, whose logarithm is `log_whole`: between two nodes y^{a+1} and y'^-a grow, and of the loss's slope,
        q h (e^{h u - h^2/2} / y + e^{-h u - h^2/2} / y'), the one part grows and the other falls."""
        low, high = arb(-deviations), 2 * self.order * self.h + deviations
        places = [low + (high - low) * j / cells for j in range(cells + 1)]
        logs = [self._logs(u) for u in places]
        found = []
        for (u, (log, other)), (v, (log2, other2)) in itertools.pairwise(zip(places, logs)):
            density = -(u * u).max(v * v) / 2 - (2 * arb.pi()).log() / 2
            height = (density + (self.order + 1) * log - self.order * other - log_whole).exp()
            grown, shrunk = self.h * v - log2, -self.h * u - other
            slope = self.rate * self.h * (-self.h * self.h / 2).exp() * (grown.exp() + shrunk.exp())
            found.append(((log2 - other2) - (log - other), height / slope))
        return found
