"""Products of releases, and delta as a function of epsilon for them, from above or from below."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from flint import arb

from allocation import allocated_grid, for_pairs
from atoms import MOST_ATOMS, Atoms, TooMany, nothing
from balls import ONE, ZERO, floor_mass, mass_ball, positive_part
from grid import Context, Grid, grid_of_law, grid_of_sorted
from laws import Gaussian, Law, Undecided
from work import take


@dataclass
class Mixed:
    """A product that was sampled (`hidden`), or in which the record's holder participates, with probability `rate`."""

    rate: arb
    product: Product
    hidden: bool
    symmetric = False

    @cached_property
    def merged(self) -> tuple[Atoms, Product]:
        """What is inside, multiplied out but for what is rarer than balls have digits for."""
        return merged(self.product, arb(2) ** -280)

    def grid(self, context: Context) -> Grid:
        inner = grid_of_product(self.product, context)
        rate, rest = self.rate, 1 - self.rate
        top, bottom = mass_ball(inner.top), mass_ball(inner.bottom)
        if not self.hidden:
            vectors = [(rate * x, rate * y) for x, y in inner.vectors()]
            return grid_of_sorted(vectors + [(rest, rest)], rate * top, rate * bottom, context)
        if context.swapped:  # the vectors are (q, p)
            vectors = [(q, rate * p + rest * q) for q, p in inner.vectors()] + [(top, rest * top)]
            return grid_of_sorted(vectors, ZERO, rate * bottom, context)
        vectors = [(rate * p + rest * q, q) for p, q in inner.vectors()] + [(rest * bottom, bottom)]
        return grid_of_sorted(vectors, rate * top, ZERO, context)


@dataclass
class Allocated:
    """A product that runs on each of so many batches, to one of which the record is dealt."""

    steps: int
    product: Product
    symmetric = False

    def grid(self, context: Context) -> Grid:
        inner = grid_of_product(self.product, for_pairs(context))
        return allocated_grid(inner, self.steps, context)


Release = Law | Atoms | Mixed | Allocated
Product = list[tuple[Release, int]]


def merged(product: Product, least: arb, most: int = MOST_ATOMS) -> tuple[Atoms, Product]:
    """The same as atoms, multiplied out as far as they can be, and what is left: Gaussians as one, and all else."""
    square, atoms, others = ZERO, nothing(), []
    for release, count in product:
        if count == 0:
            continue
        if isinstance(release, Gaussian):
            square += release.square * count
        elif isinstance(release, Atoms):
            try:
                atoms = atoms.times(release.power(count, least, most), least, most)
            except TooMany:
                others.append((release, count))
        else:
            others.append((release, count))
    if square > 0:
        others.append((Gaussian(square), 1))
    return atoms, others


def single(product: Product, least: arb) -> Law | Atoms | None:
    """The product as one release, where it is one."""
    atoms, others = merged(product, least)
    if not others:
        return atoms
    release, count = others[0]
    alone = len(others) == 1 and count == 1 and atoms.tells_nothing and isinstance(release, Law)
    return release if alone else None


def grid_of_product(product: Product, context: Context) -> Grid:
    atoms, others = merged(product, mass_ball(context.tail) / 4096, context.most_atoms)
    result = None
    for release, count in others if others and atoms.tells_nothing else [*others, (atoms, 1)]:
        if isinstance(release, Law):
            grid = grid_of_law(release, context)
        elif isinstance(release, Mixed | Allocated):
            grid = release.grid(context)
        else:
            cut = (release.cut_p, release.cut_q) if context.upper else (ZERO, ZERO)
            vectors = [context.ordered(p, q) for _, p, q in release.table.values()]
            ends = context.ordered(release.top + cut[0], release.bottom + cut[1])
            grid = grid_of_sorted(vectors, *ends, context)
        grid = grid.power(count)
        result = grid if result is None else result.times(grid)
    assert result is not None
    return result


class GridCurve:
    """Hockey-stick divergences of a grid, on its side."""

    def __init__(self, grid: Grid):
        take(5 * len(grid.masses), "a grid")
        self.grid, self.upper = grid, grid.context.upper
        p, q = [mass_ball(mass) for mass in grid.masses], grid.other_masses()
        # above[j] is the mass of places j and higher, below[j] that of places lower than j.
        self.above, self.below = [(ZERO, ZERO)], [(ZERO, ZERO)]
        for x, y in zip(reversed(p), reversed(q)):
            self.above.append((self.above[-1][0] + x, self.above[-1][1] + y))
        self.above.reverse()
        for x, y in zip(p, q):
            self.below.append((self.below[-1][0] + x, self.below[-1][1] + y))

    def _end(self, w: arb) -> arb:
        return w.lower() if self.upper else w.upper()  # divergences fall with w

    def _index(self, w: arb) -> int:
        """Of the last place whose loss is at most w. @throws Undecided"""
        steps = (w - self.grid.offset) / self.grid.context.width(self.grid.mesh)
        place = steps.lower().floor()
        if place != steps.upper().floor():
            raise Undecided("a loss of the grid that may be the one that is asked for")
        return int(place.unique_fmpz()) - self.grid.first

    def hockey_stick(self, w: arb) -> arb:
        w = self._end(w)
        j = min(max(self._index(w) + 1, 0), len(self.above) - 1)
        p, q = self.above[j]
        return mass_ball(self.grid.top) + positive_part(p - w.exp() * q)

    def reversed_hockey_stick(self, w: arb) -> arb:
        w = self._end(w)
        j = min(max(self._index(-w) + 1, 0), len(self.below) - 1)
        p, q = self.below[j]
        return mass_ball(self.grid.bottom) + positive_part(q - w.exp() * p)


def unit_of(product: Product) -> arb:
    """Such that both ends of the losses of what is released most often are at places, if they have ends."""
    spans = [
        (count, release.largest() + release.largest(reverse=True))
        for release, count in product
        if isinstance(release, Law)
    ]
    bounded = [(count, span) for count, span in spans if span.is_finite() and span > 0]
    return max(bounded, key=lambda pair: pair[0])[1].mid() if bounded else ONE


class NoLoss:
    """Hockey-stick divergences of nothing."""

    def hockey_stick(self, w: arb) -> arb:
        return positive_part(-w.expm1())

    reversed_hockey_stick = hockey_stick


def is_in_closed_form(rest: Product) -> bool:
    """Whether beside its outcomes a product has nothing, or one release whose divergences are known."""
    return not rest or (len(rest) == 1 and rest[0][1] == 1 and isinstance(rest[0][0], Law))


class Curve:
    """delta of a product as a function of epsilon: on one side of the truth, or, where `exact`, in balls around it."""

    def __init__(self, product: Product, context: Context):
        self.context = context
        self.atoms, rest = merged(product, mass_ball(context.tail) / 4096, context.most_atoms)
        self.exact = is_in_closed_form(rest)
        self.symmetric = self.atoms.symmetric and all(release.symmetric for release, _ in rest)
        self.rest, self.swapped = NoLoss(), None
        if self.exact and rest:
            self.rest = rest[0][0]
        elif not self.exact:
            self.rest = GridCurve(grid_of_product(rest, context))
            if not (self.symmetric or context.upper):
                self.swapped = GridCurve(grid_of_product(rest, replace(context, swapped=True)))

    def delta(self, epsilon: arb) -> arb:
        """The larger of both directions; its upper end counts for an upper side, its lower end for a lower one."""
        forward, backward = self.atoms.top, self.atoms.bottom
        back = self.rest.reversed_hockey_stick if self.swapped is None else self.swapped.hockey_stick
        for loss, p, q in self.atoms.table.values():
            forward += p * self.rest.hockey_stick(epsilon - loss)
            if not self.symmetric:
                backward += q * back(epsilon + loss)
        if self.context.upper:
            forward, backward = forward + self.atoms.cut_p, backward + self.atoms.cut_q
        return forward if self.symmetric else forward.max(backward)


def curve(product: Product, upper: bool, length: int, scale: arb) -> Curve:
    """@param scale  deltas of about this size are asked for"""
    rounds = sum(count for _, count in product) + 1
    tail = (floor_mass(scale) >> 30) // rounds + 1
    return Curve(product, Context(upper, length, tail, unit=unit_of(product)))
