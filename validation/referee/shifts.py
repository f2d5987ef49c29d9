"""Gaussian noise around random shifts, of a record or of a group's records in a Poisson sample; groups of atoms."""

from __future__ import annotations

from flint import arb, fmpq, fmpz

from atoms import Atoms
from balls import ONE, ZERO, normal_above
from laws import Law, Undecided, at_most

Shift = tuple[arb, arb]
"""A probability, and by how many standard deviations of the noise."""


def binomial_shifts(records: int, rate: arb, mu: arb) -> list[Shift]:
    """Of records that are each in the sample with probability `rate`, and move the sum by mu."""
    return [
        (arb(fmpz.bin_uiui(records, j)) * rate**j * (1 - rate) ** (records - j), j * mu) for j in range(1, records + 1)
    ]


class Shifted(Law):
    """Sum of p_i N(m_i, 1) and what is left N(0, 1), against N(0, 1)."""

    def __init__(self, shifts: list[Shift], rest: arb):
        self.shifts, self.rest = shifts, rest
        self.cost = 120 * len(shifts)
        self.near = ZERO

    def _ratio(self, t: arb) -> tuple[arb, arb]:
        """At t, with its slope."""
        terms = [(p * (m * (t - m / 2)).exp(), m) for p, m in self.shifts]
        return self.rest + sum((term for term, _ in terms), ZERO), sum((term * m for term, m in terms), ZERO)

    def _loss(self, t: arb) -> tuple[arb, arb]:
        value, slope = self._ratio(t)
        return value.log(), slope / value

    def _point(self, w: arb) -> arb:
        """Where the loss, which grows, is w: by Newton's method between two points that come closer."""
        t, low, high = self.near, None, None
        for _ in range(400):
            value, slope = self._loss(t)
            above = value.mid() > w.mid()
            low, high = (low, t) if above else (t, high)
            step = ((value - w) / slope).mid()
            if abs(step) < arb(2) ** -150:
                break
            t = (t - step).mid()
            if low is not None and high is not None and not low < t < high:
                t = ((low + high) / 2).mid()
            elif abs(t) > arb(2) ** 20:  # where the loss is flat
                t = (2 * high - 1).mid() if low is None else (2 * low + 1).mid()
        margin = arb(2) ** -140
        if not (self._loss(t - margin)[0] < w and self._loss(t + margin)[0] > w):
            raise Undecided("the balls are too wide for where a mixture's loss is as asked")
        self.near = t
        return (t - margin).union(t + margin)

    def above(self, w: arb) -> tuple[arb, arb]:
        if at_most(w.exp(), self.rest):
            return ONE, ONE
        t = self._point(w)
        p = sum((p * normal_above(t - m) for p, m in self.shifts), self.rest * normal_above(t))
        return p, normal_above(t)


class Mirrored(Shifted):
    """Sum of p_i N(m_i, 1) and what is left N(0, 1), against the same with N(-m_i, 1)."""

    symmetric = True

    def _loss(self, t: arb) -> tuple[arb, arb]:
        value, slope = super()._loss(t)
        other, other_slope = super()._loss(-t)
        return value - other, slope + other_slope

    def above(self, w: arb) -> tuple[arb, arb]:
        t = self._point(w)
        none = self.rest * normal_above(t)
        p = sum((p * normal_above(t - m) for p, m in self.shifts), none)
        q = sum((p * normal_above(t + m) for p, m in self.shifts), none)
        return p, q


def grouped_response(epsilon: fmpq, records: int) -> Atoms:
    """Integer noise with P(z) proportional to e^(-epsilon |z|), around `records` against around 0."""
    fall = (-arb(epsilon)).exp()
    whole = (1 + fall) / (1 - fall)
    outcomes = [(2 * z - records, fall ** (records - z) / whole) for z in range(1, records)]
    end = 1 / (1 - fall) / whole  # of an end and all beyond it
    return Atoms.of_multiples(epsilon, [(-records, fall**records * end), *outcomes, (records, end)], symmetric=True)
