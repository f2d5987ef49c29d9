"""Moments of a sample of Gaussian noise along a line, by one set of nodes."""

from __future__ import annotations

import math

from flint import arb

from balls import ONE, ZERO
from nodes import BITS, Nodes
from plans import NotJudged
from trapezoid import MOST_NODES, beyond, rule_error
from work import take


class SampledNormal:
    """Of the losses w ~ N(-v/2, v) of a Gaussian under Q, and 1 + x = 1 - rate + rate e^w, the means of (1 + x)^p by
    the trapezoid rule in u = (w + v/2) / sqrt(v), for p = a + i s and |s| up to `reach`.

    With nodes at distance h the rule is off by at most 2 B / (e^{2 pi y/h} - 1), B bounding the integral of the
    integrand's modulus on every line |Im u| < y (Trefethen, Weideman 2014, Theorem 5.1). There w turns by at most
    t = y sqrt(v) < pi: the density grows by e^{y^2/2} at most, |1 + x| lies between cos(t/2) (1 + x) and 1 + x at
    the real part, and its argument within t.
    """

    def __init__(self, rate: arb, square: arb, power: arb, reach: arb):
        self.rate, self.square, self.power, self.reach = rate, square, power, reach
        self._place()

    @property
    def count(self) -> int:
        return self.last - self.first + 1

    def _place(self) -> None:
        """How far the lines are, how far the nodes are from each other, and the first and the last of them."""
        rate, power, reach = self.rate, self.power, self.reach
        v, a = float(self.square.mid()), float(power.mid())
        root = math.sqrt(v)
        # The moment is at least 1, and at least rate^a times that of e^{a w}: it is this much below its bound, at most.
        apart = max(0.0, a * (a - 1) * v / 2)
        if a > 0:
            apart = min(apart, -a * math.log(float(rate.mid())) + 1)
        line = min(0.75 * math.pi / root, 8.0)
        wanted = BITS * math.log(2) + line * line / 2 + float(reach.mid()) * line * root + apart
        spacing = 2 * math.pi * line / wanted
        margin = math.sqrt(2 * (BITS * math.log(2) + 4 + apart))
        low, high = min(0.0, a * root) - margin, max(root / 2, a * root) + margin
        self.first, self.last = math.floor(low / spacing), math.ceil(high / spacing)
        self.line, self.spacing = arb(line), arb(spacing)

    def nodes(self) -> Nodes:
        """@throws NotJudged"""
        if self.count > MOST_NODES:
            raise NotJudged(f"a moment that takes {self.count} nodes")
        take(20 * self.count, "a moment of so many nodes")
        root, found = self.square.sqrt(), Nodes([], [], self._error())
        scale = self.spacing / (2 * arb.pi()).sqrt()
        for j in range(self.first, self.last + 1):
            u = self.spacing * j
            log = (1 + self.rate * (root * u - self.square / 2).expm1()).log()
            found.logs.append(log)
            found.masses.append(scale * (self.power * log - u * u / 2).exp())
        return found

    def _error(self) -> arb:
        a, root = self.power, self.square.sqrt()
        whole = 1 + self.rate * (a * (a - 1) * self.square / 2).expm1()  # (1 + x)^a is at most its chord
        turn = self.line * root
        grown = (self.line * self.line / 2 + self.reach * turn).exp() * whole
        if a < 0:
            grown *= (turn / 2).cos() ** a
        return rule_error(grown, self.line, self.spacing) + self._beyond(self.first, -1) + self._beyond(self.last, 1)

    def _beyond(self, node: int, side: int) -> arb:
        """The rest of the sum beyond the last node on either side: there (1 + x)^a is at most 1 or at most e^{a w}."""
        u, root = self.spacing * node, self.square.sqrt()
        is_grown = (self.power > 0) == (side > 0)
        centre = self.power * root if is_grown else ZERO
        scale = (self.power * (self.power - 1) * self.square / 2).exp() if is_grown else ONE
        away = side * (u - centre)
        if not (away > 0 and (side < 0 or u > root / 2)):
            raise NotJudged("a moment whose nodes do not reach its middle")
        return scale * beyond(away, self.spacing)
