"""Moments of a sample of Laplace noise along a line, by one set of nodes."""

from __future__ import annotations

import math

from flint import acb, arb

from balls import ZERO
from nodes import BITS, Nodes
from plans import NotJudged
from work import take

MOST_NODES = 1 << 13
ELLIPSES = 60
WIDEST = 1.5
"""Of an ellipse's half height, which must be less than pi / 2."""


class SampledLaplace:
    """Of the losses w of Laplace noise of scale 1 / E under Q, which are -E with the mass 1/2, E with e^-E / 2, and
    between have the density e^{-(E + w) / 2} / 4, and y = 1 - rate + rate e^w, the means of y^p by Gauss's and
    Legendre's rule, for p = a + i s and |s| up to `reach`: of all, or of those w that are `positive`, from L = -E or 0.

    Where the integrand is at most B on an ellipse with its foci at L and E, rho the sum of its axes over E - L, a
    polynomial of degree 2 n - 1 is within 2 B rho^(1 - 2n) / (rho - 1) of it (Trefethen 2013, Theorem 8.2), for which n
    nodes are exact; integral and rule are off by E - L times that each. On it l <= Re w <= r and |Im w| <= t < pi / 2;
    so |y| lies between 1 - rate + rate e^l cos t and 1 - rate + rate e^r, and its argument, which grows with Re w and
    |Im w|, is no more than that at r + i t.
    """

    def __init__(self, rate: arb, end: arb, power: arb, reach: arb, positive: bool = False):
        self.rate, self.end, self.power, self.reach, self.positive = rate, end, power, reach, positive
        self.middle, self.half = (end / 2, end / 2) if positive else (ZERO, end)
        self._best()

    def nodes(self) -> Nodes:
        """@throws NotJudged"""
        if self.count > MOST_NODES:
            raise NotJudged(f"a moment that takes {self.count} nodes")
        take(160 * self.count, "a moment of so many nodes")
        rho = arb(self.rho)
        error = 8 * self.half * self._log_largest(rho).exp() * rho ** (1 - 2 * self.count) / (rho - 1)
        found = Nodes([], [], error)
        for k in range(self.count):
            x, weight = arb.legendre_p_root(self.count, k, True)
            w = self.middle + self.half * x
            self._add(found, w, weight * self.half * (-(self.end + w) / 2).exp() / 4)
        if not self.positive:
            self._add(found, -self.end, arb(0.5))
        self._add(found, self.end, (-self.end).exp() / 2)
        return found

    def _best(self) -> None:
        """An ellipse, and how many nodes there are by it, as few as may be."""
        take(20 * ELLIPSES, "a moment")
        self.count, self.rho = MOST_NODES + 1, 1.0
        for j in range(ELLIPSES):
            height = WIDEST * 2 ** (-j / 4) / float(self.half.mid())
            rho = height + math.sqrt(height * height + 1)
            # A moment is 1 or more, and so it is off by little of itself.
            wanted = float(self._log_largest(arb(rho)).mid()) + BITS * math.log(2) + 10
            count = max(2.0, 2 + wanted / math.log(rho) / 2)
            if count < self.count:
                self.count, self.rho = math.ceil(count), rho

    def _add(self, found: Nodes, w: arb, mass: arb) -> None:
        log = (1 + self.rate * w.expm1()).log()
        found.logs.append(log)
        found.masses.append(mass * (self.power * log).exp())

    def _log_largest(self, rho: arb) -> arb:
        """ln B."""
        along, turn = self.half * (rho + 1 / rho) / 2, self.half * (rho - 1 / rho) / 2
        low, high = self.middle - along, self.middle + along
        if not turn < arb.pi() / 2:
            raise NotJudged("a moment on too wide an ellipse")
        rest, grown = 1 - self.rate, self.rate * high.exp()
        smallest = rest + self.rate * low.exp() * turn.cos()
        argument = acb(rest + grown * turn.cos(), grown * turn.sin()).arg()
        size = (self.power * (rest + grown).log()).max(self.power * smallest.log())
        return -(self.end + low) / 2 - arb(4).log() + size + self.reach * argument
