"""Random allocation: P runs `inner` with the record in one of so many steps, each as likely, and Q without it in all.

Of steps a and b together the vector of two outcomes is (a p q' + b q p') / (a + b) under P and q q' under Q: linear in
either outcome with coefficients of at least 0, so that what is from above or from below stays so (README.md, 3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from flint import arb

from atoms import Atoms, TooMany
from balls import ONE, ZERO, is_none, mass_ball
from grid import Context, Grid, Vector, grid_of_sorted
from work import take

MOST_TOGETHER = 2000
"""Beyond so many sums of outcomes are not told apart."""


def for_pairs(context: Context) -> Context:
    """For grids whose losses are taken in pairs."""
    return replace(context, length=min(max(context.length // 8, 128), 512), mesh=None)


@dataclass
class Steps:
    """So many steps: outcomes, and the masses of those that one of the two laws does not have, as a grid has them."""

    count: int
    vectors: list[Vector]
    top: arb
    bottom: arb

    @staticmethod
    def of_grid(count: int, grid: Grid) -> Steps:
        return Steps(count, grid.vectors(), mass_ball(grid.top), mass_ball(grid.bottom))

    def unswapped(self, swapped: bool) -> Steps:
        """With the law that has the record first; of what was swapped the other way round."""
        if not swapped:
            return self
        return Steps(self.count, [(p, q) for q, p in self.vectors], self.bottom, self.top)


def joined(x: Steps, y: Steps, context: Context) -> Steps:
    """Steps of both, on a grid."""
    x, y = x.unswapped(context.swapped), y.unswapped(context.swapped)
    count = x.count + y.count
    a, b = arb(x.count) / count, arb(y.count) / count
    ours, theirs = x.vectors + [(ZERO, x.bottom)], y.vectors + [(ZERO, y.bottom)]
    take(3 * len(ours) * len(theirs), "a random allocation")
    vectors = [(a * p * q2 + b * q * p2, q * q2) for p, q in ours for p2, q2 in theirs]
    q_total, q2_total = (sum((q for _, q in side), ZERO) for side in (ours, theirs))
    _, bottom = vectors.pop()
    top = a * x.top * q2_total + b * y.top * q_total
    ordered = [context.ordered(*vector) for vector in vectors]
    return Steps.of_grid(count, grid_of_sorted(ordered, *context.ordered(top, bottom), context))


def allocated_grid(inner: Grid, count: int, context: Context) -> Grid:
    """So many steps of a release whose grid is given."""
    pairs = for_pairs(context)
    result, double = None, Steps.of_grid(1, inner)
    while count:
        if count & 1:
            result = double if result is None else joined(result, double, pairs)
        count >>= 1
        if count:
            double = joined(double, double, pairs)
    assert result is not None
    return grid_of_sorted(result.vectors, result.top, result.bottom, context)


def allocated_atoms(inner: Atoms, count: int) -> Atoms:
    """The same of few outcomes, added up by how often each occurs. @pre nothing is cut @throws TooMany"""
    # L depends on how often each occurs, not on the sum of their losses: how often is a digit of a number.
    outcomes = [(p, q) for _, p, q in inner.table.values()]
    if not is_none(inner.bottom):
        outcomes.append((ZERO, inner.bottom))
    if count > MOST_TOGETHER:
        raise TooMany
    once = [((count + 1) ** digit, p, q) for digit, (p, q) in enumerate(outcomes)]
    table = {0: (ZERO, ONE)}
    for _ in range(count):
        longer: dict[int, tuple[arb, arb]] = {}
        for key, (p, q) in table.items():
            for digit, p2, q2 in once:
                before = longer.get(key + digit, (ZERO, ZERO))
                longer[key + digit] = (before[0] + p * q2 + q * p2, before[1] + q * q2)
        table = longer
        if len(table) > MOST_TOGETHER:
            raise TooMany
    vectors = [(p / count, q) for p, q in table.values()]
    return Atoms.of_vectors([(p, q) for p, q in vectors if p > 0], top=inner.top, bottom=inner.bottom**count)
