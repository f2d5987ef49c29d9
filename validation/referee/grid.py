"""Privacy losses on a grid, from above or from below, in integers that are rounded outwards.

A release is a collection of vectors (p, q): what an outcome's probability is under either data set. H, the sum of
(p - g q)+, is sublinear in a vector, so that it grows for every g when a vector is split into several or one is added,
and falls when vectors are added up to one, one is taken away, or a p is made smaller. Products, sampling and exchange
of P and Q are linear with coefficients of at least 0 and keep such an order (README.md, statement 3). So a grid from
above splits, and one from below adds up, until all losses log(p / q) are at places, which are a mesh apart. One of the
places is at the largest loss, where there is one, for it may have a mass that none above it would share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from flint import arb, fmpz, fmpz_poly

from atoms import MOST_ATOMS
from balls import ONE, SCALE, ZERO, ceil_mass, floor_mass, mass_ball
from laws import Law, Undecided
from work import take

Vector = tuple[arb, arb]

MOST = ONE
"""Of what tells everything a mass of 1 tells no less than any, however large it is by what was rounded up."""

BESIDE = arb(2) ** -100
"""How far from the largest loss a place is, for the balls to tell them apart."""


@dataclass
class Context:
    """How fine a grid is, and from which side."""

    upper: bool
    length: int
    """At most so many losses; a grid that becomes longer gets twice the mesh."""
    tail: fmpz
    """What may be cut off at each end by each product, as an integer mass."""
    mesh: int | None = None
    """The mesh unit 2^mesh where that is given; otherwise it follows from the length."""
    most_atoms: int = MOST_ATOMS
    """Beyond so many outcomes a product is not multiplied out."""
    unit: arb = ONE
    """Meshes are powers of 2 of it: a number."""
    swapped: bool = False
    """Whether P and Q have changed places. A grid from below is one for H(P || Q) alone, since it makes p smaller."""

    def ordered(self, p: arb, q: arb) -> Vector:
        return (q, p) if self.swapped else (p, q)

    def mesh_for(self, span: arb) -> int:
        if self.mesh is None:
            return mesh_for(span / self.unit, self.length)
        if span > self.width(self.mesh) * self.length:
            raise Undecided("a mesh of too many places")
        return self.mesh

    def width(self, mesh: int) -> arb:
        return self.unit * arb(2) ** mesh

    def growth(self, mesh: int, steps: int) -> arb:
        """e^(as many meshes)."""
        return (steps * self.width(mesh)).exp()

    def offset(self, largest: arb) -> arb:
        """Where a place is, so that what has the largest loss is at it or on its safe side."""
        aside = BESIDE * (1 + abs(largest))
        return (largest + aside if self.upper else largest - aside).mid()

    def inward(self, mass: arb) -> fmpz:
        """The integer mass on the safe side."""
        return ceil_mass(mass) if self.upper else floor_mass(mass)

    def shifted(self, mass: fmpz, bits: int) -> fmpz:
        return -((-mass) >> bits) if self.upper else mass >> bits


@dataclass
class Grid:
    """`masses[j]` is the probability under P of the loss offset + (first + j) meshes, and under Q e^-loss of that."""

    context: Context
    mesh: int
    first: int
    masses: list[fmpz]
    top: fmpz = fmpz(0)
    """Of outcomes that Q does not have: their mass under P."""
    bottom: fmpz = fmpz(0)
    """Of outcomes that P does not have: their mass under Q."""
    offset: arb = ZERO

    def loss(self, j: int) -> arb:
        return self.offset + (self.first + j) * self.context.width(self.mesh)

    def other_masses(self) -> list[arb]:
        """The probabilities under Q."""
        factor, step = (-self.loss(0)).exp(), self.context.growth(self.mesh, -1)
        result = []
        for mass in self.masses:
            result.append(mass_ball(mass) * factor)
            factor *= step
        return result

    def vectors(self) -> list[Vector]:
        return [(mass_ball(p), q) for p, q in zip(self.masses, self.other_masses()) if p > 0]

    def trimmed(self) -> Grid:
        """Without its ends: from above they go to where nothing is closer, from below they are left out."""
        tail, masses = self.context.tail, self.masses
        keep_to, cut = len(masses), fmpz(0)
        while keep_to > 1 and cut + masses[keep_to - 1] <= tail:
            keep_to -= 1
            cut += masses[keep_to]
        cut_other = ceil_mass((mass_ball(cut) * (-self.loss(keep_to)).exp()).min(MOST)) if cut > 0 else fmpz(0)

        keep_from, low, low_other = 0, fmpz(0), ZERO
        limit = mass_ball(tail)
        factor, step = (-self.loss(0)).exp(), self.context.growth(self.mesh, -1)
        while keep_from < keep_to - 1:
            more = low_other + mass_ball(masses[keep_from]) * factor
            if not more <= limit:
                break
            low, low_other = low + masses[keep_from], more
            keep_from, factor = keep_from + 1, factor * step
        top, bottom = self.top, self.bottom
        if self.context.upper:
            top, bottom = top + cut + low, bottom + cut_other + ceil_mass(low_other)
        kept = masses[keep_from:keep_to]
        return Grid(self.context, self.mesh, self.first + keep_from, kept, top, bottom, self.offset)

    def times(self, other: Grid) -> Grid:
        """The product of two."""
        a, b = self, other
        while a.mesh < b.mesh:
            a = a.coarser()
        while b.mesh < a.mesh:
            b = b.coarser()
        take(18 * (len(a.masses) + len(b.masses)), "a product of grids")
        product = fmpz_poly(a.masses) * fmpz_poly(b.masses)
        masses = [self.context.shifted(mass, SCALE) for mass in product.coeffs()]
        masses += [fmpz(0)] * (len(a.masses) + len(b.masses) - 1 - len(masses))
        top = bottom = fmpz(0)
        if a.top > 0 or b.top > 0:
            in_a, in_b = sum(a.masses, fmpz(0)), sum(b.masses, fmpz(0))
            top = self.context.shifted(a.top * (in_b + b.top) + in_a * b.top, SCALE)
        if a.bottom > 0 or b.bottom > 0:
            in_a, in_b = (sum(grid.other_masses(), ZERO) for grid in (a, b))
            a_bottom, b_bottom = mass_ball(a.bottom), mass_ball(b.bottom)
            bottom = self.context.inward((a_bottom * (in_b + b_bottom) + in_a * b_bottom).min(MOST))
        offset = a.offset + b.offset
        result = Grid(self.context, a.mesh, a.first + b.first, masses, top, bottom, offset).trimmed()
        while len(result.masses) > self.context.length:
            result = result.coarser()
        return result

    def power(self, count: int) -> Grid:
        result, square = None, self
        while count:
            if count & 1:
                result = square if result is None else result.times(square)
            count >>= 1
            if count:
                square = square.times(square)
        return result if result is not None else Grid(self.context, self.mesh, 0, [fmpz(1) << SCALE])

    def coarser(self) -> Grid:
        """The same with twice the mesh."""
        # From an even place to an even one, with an odd one after each.
        take(3 * len(self.masses), "a grid")
        masses, first = list(self.masses), self.first
        if first % 2:
            masses, first = [fmpz(0)] + masses, first - 1
        if len(masses) % 2 == 0:
            masses.append(fmpz(0))
        even = masses[0::2]
        (_split if self.context.upper else _join)(
            even, masses[1::2], lambda steps: self.context.growth(self.mesh, steps)
        )
        return Grid(self.context, self.mesh + 1, first // 2, even, self.top, self.bottom, self.offset)


def _split(even: list[fmpz], odd: list[fmpz], growth: Callable[[int], arb]) -> None:
    """Splits what lies between two places of the coarser mesh: p / (1 + e^-h) goes up, p / (1 + e^h) down."""
    up = ceil_mass(1 / (1 + growth(-1)))
    down = ceil_mass(1 / (1 + growth(1)))
    for j, mass in enumerate(odd):
        if mass > 0:
            even[j] += ((mass * down) >> SCALE) + 1
            even[j + 1] += ((mass * up) >> SCALE) + 1


def _join(even: list[fmpz], odd: list[fmpz], growth: Callable[[int], arb]) -> None:
    """Adds what lies below a place of the coarser mesh to as much of what lies above as makes the sum's loss at least
    the place's, and takes from p until it is the place's. What finds no partner goes down a step."""
    falls = [growth(0)]
    floors = [floor_mass(falls[0])]
    place, p, r_low, r_high = -1, fmpz(0), fmpz(0), fmpz(0)  # what waits for `place`, of masses p and r = e^loss q
    rise_low, rise_high = floor_mass(growth(1)), ceil_mass(growth(1))
    for at in range(1, 2 * len(odd) + 1):
        mass = odd[at // 2] if at % 2 else even[at // 2]
        if p > 0 and at > place and mass > 0:
            steps = at - place
            while steps >= len(falls):
                falls.append(growth(-len(falls)))
                floors.append(floor_mass(falls[-1]))
            fall = floors[steps]
            part = ((r_high - p) << SCALE) // ((fmpz(1) << SCALE) - fall - 1) + 1
            if part > mass:
                p, r_low = p + mass, r_low + ((mass * fall) >> SCALE)
                r_high += ((mass * (fall + 1)) >> SCALE) + 1
                if at % 2 == 0:
                    even[at // 2] = fmpz(0)
                continue
            even[place // 2] += r_low + ((part * fall) >> SCALE)
            mass -= part
            p = fmpz(0)
            if at % 2 == 0:
                even[at // 2] = mass
        if at % 2 and mass > 0:
            place, p = at + 1, mass
            r_low, r_high = (mass * rise_low) >> SCALE, ((mass * rise_high) >> SCALE) + 1
    if p > 0:
        even[place // 2 - 1] += (r_low * floor_mass(growth(-2))) >> SCALE


def mesh_for(span: arb, length: int) -> int:
    """The finest mesh 2^k with at most `length` steps in a span, both in units."""
    mesh = -60
    while arb(2) ** mesh * length < span:
        mesh += 1
    return mesh


def _place(vector: Vector, width: arb, offset: arb) -> tuple[int, int]:
    """Two places of the grid between which the vector's loss certainly lies."""
    steps = ((vector[0] / vector[1]).log() - offset) / width
    low = int(steps.lower().floor().unique_fmpz())
    return low, max(int(steps.upper().ceil().unique_fmpz()), low + 1)


def grid_of_vectors(placed: Iterable[tuple[int, int, Vector]], mesh: int, context: Context, offset: arb) -> Grid:
    """Vectors, ordered by loss, each with two places between which it lies, put on the grid."""
    at_offset = offset.exp()
    masses: dict[int, fmpz] = {}

    def ratio_at(place: int) -> arb:
        return at_offset * context.growth(mesh, place)

    def add(place: int, mass: fmpz) -> None:
        if mass > 0:
            masses[place] = masses.get(place, fmpz(0)) + mass

    if context.upper:
        for low, high, (p, q) in placed:
            # p = a + b and q = a / e^low + b / e^high, for the shares a and b of the two places
            b = (p - ratio_at(low) * q) / (1 - context.growth(mesh, low - high))
            a = (ratio_at(high) * q - p) / (context.growth(mesh, high - low) - 1)
            add(low, ceil_mass(a))
            add(high, ceil_mass(b))
    else:
        _join_vectors(placed, ratio_at, add)
    if not masses:
        return Grid(context, mesh, 0, [fmpz(0)], offset=offset)
    first, last = min(masses), max(masses)
    within = [masses.get(place, fmpz(0)) for place in range(first, last + 1)]
    return Grid(context, mesh, first, within, offset=offset)


def _join_vectors(placed: Iterable[tuple[int, int, Vector]], ratio_at: Callable[[int], arb], add) -> None:
    """As _join: `below` is what waits for a partner, between `place` - 1 and `place`."""
    slack = arb(2) ** -64
    below: Vector | None = None
    place = 0

    def settle(p: arb, q: arb, at: int) -> None:
        """Takes from p until the loss is that of the place; from all where it may lie below."""
        ratio = ratio_at(at)
        if p >= ratio * q:
            add(at, floor_mass(ratio * q))

    placed = list(placed)
    for number, (low, high, (p, q)) in enumerate(placed, 1):
        if below is not None and low < place:  # the same cell
            below = (below[0] + p, below[1] + q)
            continue
        if below is not None:
            ratio = ratio_at(place)
            excess, deficit = p - ratio * q, ratio * below[1] - below[0]
            if excess > 0 and deficit > 0:
                share = (deficit / excess * (1 + slack)).mid()
                if share < 1:
                    settle(below[0] + share * p, below[1] + share * q, place)
                    p, q = (1 - share) * p, (1 - share) * q
                elif number < len(placed) or p < below[0]:
                    below = (below[0] + p, below[1] + q)
                    continue
                else:  # of the two that nothing lifts what is less goes down
                    settle(*below, place - 1)
            else:
                settle(*below, place - 1)
        if p <= ratio_at(low) * q * (1 + slack):  # it is at a place
            settle(p, q, low)
            below = None
            continue
        below, place = (p, q), high
        lowest = low
    if below is not None:
        settle(*below, lowest)


def grid_of_law(law: Law, context: Context) -> Grid:
    """A law's losses, cell by cell."""
    tail = mass_ball(context.tail)
    top = _end(lambda w: law.above(w)[0] <= tail)
    bottom = -_end(lambda w: 1 - law.above(-w)[1] <= tail)
    mesh = context.mesh_for(top - bottom)
    largest, least = law.largest(), -law.largest(reverse=True)
    anchor = least if context.swapped else largest
    # What is turned round has its largest loss at the other end.
    offset = ZERO
    if anchor.is_finite():
        offset = -context.offset(-anchor) if context.swapped else context.offset(anchor)
    width = context.width(mesh)
    first = int(((bottom - offset) / width).lower().floor().unique_fmpz())
    last = int(((top - offset) / width).upper().ceil().unique_fmpz())
    take(law.cost * (last - first), "a grid of so fine a mesh")
    placed = []
    before = start = law.above(offset + first * width)
    for place in range(first, last):
        here = law.above(offset + (place + 1) * width)
        placed.append((place, place + 1, (before[0] - here[0], before[1] - here[1])))
        before = here
    cells = [cell for cell in placed if cell[2][1] > 0 and cell[2][0] > 0]
    if context.swapped:
        cells = [(-high, -low, (q, p)) for low, high, (p, q) in reversed(cells)]
    grid = grid_of_vectors(cells, mesh, context, -offset if context.swapped else offset)
    if context.upper:
        # Of what lies beyond the ends, and of cells too small for the balls, it is as if all were told.
        beyond = [before, (1 - start[0], 1 - start[1])]
        beyond += [cell for _, _, cell in placed if not (cell[0] > 0 and cell[1] > 0)]
        for vector in beyond:
            p, q = context.ordered(*vector)
            grid.top, grid.bottom = grid.top + ceil_mass(p), grid.bottom + ceil_mass(q)
    return grid


def _end(beyond) -> arb:
    """About the least w > 0 at which `beyond(w)` holds, as it does from some w on."""
    high = arb(2) ** -40
    while not beyond(high):
        if high > arb(2) ** 4096:
            raise Undecided("a law whose end the balls do not find")
        high = high * 2
    low = high / 2
    for _ in range(6):
        middle = (low + high) / 2
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return high


def grid_of_sorted(vectors: list[Vector], top: arb, bottom: arb, context: Context) -> Grid:
    """Vectors in any order, and what lies at either end."""
    take(20 * len(vectors), "a grid of so many outcomes")
    decided = [(p, q) for p, q in vectors if p > 0 and q > 0]
    places = sorted((((p / q).log().mid(), (p, q)) for p, q in decided), key=lambda pair: float(pair[0]))
    span = places[-1][0] - places[0][0] + arb(2) ** -40 if places else ONE
    mesh = context.mesh_for(span)
    offset = context.offset(places[-1][0]) if places else ZERO
    grid = grid_of_vectors(
        [(*_place(vector, context.width(mesh), offset), vector) for _, vector in places], mesh, context, offset
    )
    grid.top += context.inward(top)
    grid.bottom += context.inward(bottom)
    if context.upper:
        for p, q in vectors:
            if not (p > 0 and q > 0):
                grid.top, grid.bottom = grid.top + ceil_mass(p), grid.bottom + ceil_mass(q)
    return grid
