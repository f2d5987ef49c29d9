"""Gaussians on batches that are drawn with replacement, where a record may be drawn several times."""

from __future__ import annotations

from flint import arb, arb_poly, fmpq, fmpz

from balls import ONE, ZERO, normal_above
from laws import Gaussian, Law, OneOf, PoissonSampled, Symmetrised, Undecided, at_most


def times_drawn(draws: int, population: int) -> list[arb]:
    """The probabilities that a record is drawn 0, 1, ... times."""
    rate = fmpq(1, population)
    return [arb(fmpz.bin_uiui(draws, j)) * arb(rate) ** j * arb(1 - rate) ** (draws - j) for j in range(draws + 1)]


class Drawn(Law):
    """Sum of weights[j] N(j mu, 1) against N(0, 1): attained where all other records are the replacement."""

    cost = 400

    def __init__(self, weights: list[arb], mu: arb):
        self.weights, self.mu = weights, mu
        # At x the ratio is this polynomial's value at y = e^(mu x), and grows with it.
        self.ratio = arb_poly([weight * (-j * j * mu * mu / 2).exp() for j, weight in enumerate(weights)])
        self.slope = self.ratio.derivative()
        self.near = ZERO

    def _log_y(self, w: arb) -> arb:
        """Where log ratio is w: it is convex in log y, so that Newton's method comes down from above."""
        t = self.near
        for _ in range(200):
            y = t.exp()
            value = self.ratio(y)
            step = ((value.log() - w) * value / (y * self.slope(y))).mid()
            t = (t - step).mid()
            if abs(step) < arb(2) ** -150:
                break
        margin = arb(2) ** -140
        low, high = t - margin, t + margin
        if not (self.ratio(low.exp()) < w.exp() and self.ratio(high.exp()) > w.exp()):
            raise Undecided("the balls are too wide for where a mixture's ratio is as asked")
        self.near = t
        return low.union(high)

    def above(self, w: arb) -> tuple[arb, arb]:
        if at_most(w.exp(), self.weights[0]):
            return ONE, ONE
        x = self._log_y(w) / self.mu
        p = sum((weight * normal_above(x - j * self.mu) for j, weight in enumerate(self.weights)), ZERO)
        return p, normal_above(x)


def not_exceeded(weights: list[arb], mu: arb) -> Law:
    """That a record is drawn at all is hidden as in sampling without replacement; how often then is told."""
    drawn = 1 - weights[0]
    told = OneOf([(weight / drawn, Gaussian(j * j * mu * mu)) for j, weight in enumerate(weights[1:], 1)])
    return Symmetrised(PoissonSampled(drawn, told))
