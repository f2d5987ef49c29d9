"""delta(epsilon) by the trapezoid sum on a vertical line that is given: with z_k = c + i k eta and the moments M,

    eta / (2 pi) sum_k M(z_k) e^{-z_k e} / (z_k (z_k + 1))

is delta(e) and the aliases e^{c m P} delta(e + m P), P = 2 pi / eta, m = +-1, +-2, ...: an upper bound, and with
Chernoff's bound on the aliases a lower one (README.md, statement 20).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

from flint import acb, arb

from atoms import Atoms
from balls import ONE, ZERO, any_of, either
from laws import Gaussian, Laplace, Participates, PoissonSampled, PoissonSampledReplaced, Symmetrised
from moments import (
    is_participation,
    is_sampled_normal,
    is_symmetrised_normal,
    losses_of,
    moment,
    spoken,
    surely_told,
    symmetrised,
    tilted,
    told,
    untold,
)
from nodes import along
from plans import NotJudged, Unshown
from products import Product
from sampled_replaced import SampledReplaced
from samples import is_mirrored, is_of_nodes, mirrored_along, mirrored_needed, nodes_needed, nodes_of
from work import take

CELLS = 512
DEVIATIONS = 9
MOST_INTEGRALS = 1 << 11
FEWEST_TERMS = 32
CLOSER = 8
"""Times at most that an order for aliases is moved halfway to the line."""
LITTLE = -50
"""The logarithm of what a line may lose beyond its end, of what it has in the middle."""

SAFETY = 1 - 1e-9
"""For sums in floats, of which each is off by less."""


@dataclass
class Line:
    """Where the sum is taken: through `abscissa`, at multiples of `step`, so many on either side of the middle."""

    abscissa: arb
    step: arb
    terms: int
    smoothing: arb
    """The inverse variance of a Gaussian that is released besides, or 0."""

    @property
    def end(self) -> arb:
        return self.step * self.terms


def chernoff(log_moment: arb, order: arb, epsilon: arb) -> arb:
    """delta(e) <= c^c / (1 + c)^(1 + c) M(c) e^{-c e}, for c >= 0."""
    log_constant = ZERO if order == 0 else -order * (1 + 1 / order).log() - (1 + order).log()
    return (log_constant + log_moment - order * epsilon).exp()


def values(release, line: Line, swapped: bool) -> list[acb]:
    """The moments of one release at the points of the upper half of the line."""
    c, points = line.abscissa, [acb(line.abscissa, line.step * k) for k in range(line.terms + 1)]
    if isinstance(release, Gaussian):
        return [(release.square * z * (z + 1) / 2).exp() for z in points]
    if isinstance(release, Participates):
        return [1 + release.rate * (value - 1) for value in values(release.inner, line, swapped)]
    if isinstance(release, Laplace):
        end = 1 / release.scale
        return [((z + 1) * (z * end).exp() + z * (-(z + 1) * end).exp()) / (2 * z + 1) for z in points]
    if isinstance(release, Atoms):
        return along(*tilted(release, c, swapped), line.step, line.terms)
    if is_participation(release):
        product = composed_values(release.product, line, swapped)
        return [1 + release.rate * (value - 1) for value in product]
    if is_of_nodes(release):
        upwards = nodes_of(release, c, line.end, swapped).along(line.step, line.terms)
        return [value.conjugate() for value in upwards] if swapped else upwards
    if is_mirrored(release):
        return mirrored_along(release, c, line.step, line.terms)
    if is_symmetrised_normal(release):
        if line.terms > MOST_INTEGRALS:
            raise NotJudged(f"a contour of {line.terms} integrals")
        return [symmetrised(release.inner, z) for z in points]
    raise NotJudged(f"the contour of {spoken(release)}")


def composed_values(product: Product, line: Line, swapped: bool) -> list[acb]:
    whole = [acb(1)] * (line.terms + 1)
    for release, count in product:
        found = values(release, line, swapped)
        whole = [before * value**count for before, value in zip(whole, found)]
    return whole


def work_of(release, line: Line, swapped: bool) -> float:
    """Of a point's moment, in microseconds."""
    if is_participation(release):
        return sum(20 + work_of(inner, line, swapped) for inner, _ in release.product)
    if isinstance(release, Participates):
        return 5 + work_of(release.inner, line, swapped)
    if isinstance(release, Atoms):
        return 10 + 0.3 * len(release.table)
    if is_of_nodes(release):
        return 10 + 0.3 * nodes_needed(release, line.abscissa, line.end, swapped)
    if is_mirrored(release):
        return 20 + 0.3 * mirrored_needed(release, line.abscissa, line.end)
    return 10000 if is_symmetrised_normal(release) else 30


class Layers:
    """Step functions below a density, as uniform densities, one for each layer: a uniform density on an interval of
    length w has |phi(s)| = |sin(s w / 2)| / (s w / 2), and what lies between has at most its mass."""

    def __init__(self):
        self.layers: list[tuple[float, float]] = []
        """Masses and widths."""

    def add(self, steps: list[tuple[float, float]]) -> None:
        """@param steps  widths and heights, both rounded down"""
        # Places are sums that may differ much in size, and their differences have to be those of the widths.
        open_, at = [], Fraction(0)
        for width, height in [*steps, (0.0, 0.0)]:
            begin = at
            while open_ and open_[-1][0] > height:
                top, begin = open_.pop()
                below = max(height, open_[-1][0] if open_ else 0.0)
                length = float(at - begin)
                self.layers.append(((top - below) * length, length))
            if height > 0 and (not open_ or open_[-1][0] < height):
                open_.append((height, begin))
            at += Fraction(width)

    def bound(self, end: arb) -> arb:
        """Of |phi(s)| for every s from there on."""
        s = float(end.lower())
        return arb(1 - SAFETY * sum(mass * _lost(s * width / 2) for mass, width in self.layers)).min(ONE)


def _lost(x: float) -> float:
    """No more than 1 - |sin(y) / y| for every y >= x: up to 2 that rises, and beyond |sin(y) / y| is at most 0.455."""
    if x < 0.3:
        return x * x / 6 - x**4 / 120
    return 1 - math.sin(x) / x if x < 2 else 1 - min(0.455, 1 / x)


@dataclass
class Density:
    """Of the loss +-log(1 + x) of a sampled Gaussian, tilted so that at u ~ N(0, 1) it has (1 + x)^power. `log_whole`
    is the logarithm of all of the tilted mass."""

    sampled: PoissonSampled
    power: arb
    log_whole: arb

    def steps(self, low: arb, high: arb) -> list[tuple[float, float]]:
        """Below it for u between two numbers: e^g, g = -u^2/2 + (p + 1) log(1 + x) - w + a constant, whose second
        derivative is at most (p + 1) v / 4 - 1; between nodes at distance h, g is above the smaller end less h^2 / 8
        times that."""
        rate, v = self.sampled.rate, self.sampled.inner.square
        root, spacing = v.sqrt(), (high - low) / CELLS
        sag = spacing * spacing / 8 * max(0.0, float(((self.power + 1) * v / 4 - 1).upper()))
        constant = -(2 * arb.pi() * v).log() / 2 - rate.log() - self.log_whole - sag
        places, heights = [], []
        for j in range(CELLS + 1):
            u = low + spacing * j
            w = root * u - v / 2
            log = (1 + rate * w.expm1()).log()
            places.append(log)
            heights.append(-u * u / 2 + (self.power + 1) * log - w)
        lowest = (g.min(h) + constant for g, h in itertools.pairwise(heights))
        widths = (after - before for before, after in itertools.pairwise(places))
        return [(float(width.lower()) * SAFETY, float(g.exp().lower()) * SAFETY) for width, g in zip(widths, lowest)]

    def middle(self) -> arb:
        """About where it is large."""
        return arb(float((self.power * self.sampled.inner.mu).mid()))


def layers_of(release: PoissonSampled | PoissonSampledReplaced | Symmetrised, c: arb, swapped: bool) -> Layers:
    """Of a sampled Gaussian's loss; one that is symmetrised has the losses above 0, and their mirror images."""
    layers, log_whole = Layers(), moment(release, c, swapped).log()
    if isinstance(release, PoissonSampledReplaced):
        steps = SampledReplaced(release, c, ZERO).steps(log_whole)
        layers.add([(float(width.lower()) * SAFETY, float(height.lower()) * SAFETY) for width, height in steps])
        return layers
    if isinstance(release, PoissonSampled):
        density = Density(release, -c if swapped else c + 1, log_whole)
        middle = density.middle()
        layers.add(density.steps(middle.min(ZERO) - DEVIATIONS, middle.max(ZERO) + DEVIATIONS))
        return layers
    start = release.inner.inner.mu / 2
    for power in (c + 1, -c):
        density = Density(release.inner, power, log_whole)
        layers.add(density.steps(start, start + density.middle().max(ZERO) + DEVIATIONS))
    return layers


def decay(release, line: Line, swapped: bool) -> arb:
    """A bound on |M(c + i s)| / M(c) for every s from the line's end on."""
    if isinstance(release, Gaussian):
        return (-release.square * line.end * line.end / 2).exp()
    if isinstance(release, Participates):
        inner = moment(release.inner, line.abscissa, swapped)
        share = release.rate * inner / (1 + release.rate * (inner - 1))
        return 1 - share * (1 - decay(release.inner, line, swapped))
    if is_participation(release):
        whole = moment(release, line.abscissa, swapped)
        share = 1 - (1 - release.rate) / whole
        inner = (decay(part, line, swapped) ** count for part, count in release.product)
        return 1 - share * (1 - math.prod(inner, start=ONE))
    if isinstance(release, PoissonSampledReplaced) or is_sampled_normal(release) or is_symmetrised_normal(release):
        return layers_of(release, line.abscissa, swapped).bound(line.end)
    return ONE


def untold_losses(product: Product, least: arb) -> Product:
    """The losses that are finite, for the most part: what was cut is not among them."""
    return [(untold(release), count) for release, count in losses_of(product, least)]


def log_decay(releases: Product, line: Line, swapped: bool) -> arb:
    return sum((decay(one, line, swapped).log() * count for one, count in releases), ZERO)


def shortened(line: Line, releases: Product, swapped: bool) -> Line:
    """A part of it that is enough, and that needs nothing besides, or all of it."""
    terms = FEWEST_TERMS
    while terms < line.terms:
        part = Line(line.abscissa, line.step, terms, ZERO)
        if log_decay(releases, part, swapped) < LITTLE:
            return part
        terms *= 4
    return line


class Contour:
    """A product's losses, of (Q, P) where `swapped`, on one line."""

    def __init__(self, product: Product, line: Line, swapped: bool, least: arb):
        self.swapped = swapped
        releases = losses_of(product, least)
        self.told = sum((told(release, swapped) * count for release, count in releases), ZERO)
        """At most so much mass is on losses that are not summed."""
        self.surely_told = ZERO
        for release, count in releases:
            self.surely_told = either(self.surely_told, any_of(surely_told(release, swapped), count))
        """So much is on infinite ones at least: one release that tells everything is enough."""
        self.releases = untold_losses(product, least)
        self.line = line = shortened(line, self.releases, swapped)
        if line.smoothing > 0:
            self.releases.append((Gaussian(line.smoothing), 1))
        each = sum(20 + work_of(release, line, swapped) for release, _ in self.releases)
        take((20 + each) * line.terms, f"a contour of {line.terms} terms")
        self.log_moment = self._log_moment(line.abscissa)
        self.log_tail = log_decay(self.releases, line, swapped)
        self.values = composed_values(self.releases, line, swapped)

    def _log_moment(self, order: arb) -> arb:
        return sum((moment(one, order, self.swapped).log() * count for one, count in self.releases), ZERO)

    def sums(self, epsilon: arb) -> tuple[arb, arb]:
        """All of the infinite sum, delta and its aliases; and the same with 1 in the place of 1 / (z (z + 1)), which
        counts where a Gaussian smooths."""
        c, step = self.line.abscissa, self.line.step
        total, plain = self.values[0].real / (c * (c + 1)), self.values[0].real
        for k, value in enumerate(self.values[1:], 1):
            s = step * k
            term, z = 2 * value * acb(0, -s * epsilon).exp(), acb(c, s)
            total += (term / (z * (z + 1))).real
            plain += term.real
        scale = (-c * epsilon).exp() / (2 * arb.pi())
        # Beyond the end S |1 / (z (z + 1))| is below 1 / s^2, and no more than e^{-v S^2 / 2} / (v S) of e^{-v s^2 / 2}
        # is left.
        beyond = 2 * scale * (self.log_moment + self.log_tail).exp() / self.line.end
        smoothed = plain * scale * step
        if self.line.smoothing > 0:
            smoothed += arb(0, (beyond / self.line.smoothing).upper())
        return scale * step * total + arb(0, beyond.upper()), smoothed

    def above(self, epsilon: arb) -> arb:
        """No less than delta. To release a Gaussian besides does not lower it."""
        return self.told + self.sums(epsilon)[0].min(self.chernoff(epsilon))

    def below(self, epsilon: arb, below: arb, above: arb) -> arb:
        """No more than delta; `below` and `above` are orders for the aliases. For what a Gaussian of inverse variance v
        adds to delta, v e^{v / 8} is taken off the kernel (accounting/contour/proofs.md, 2b)."""
        total, smoothed = self.sums(epsilon)
        v = self.line.smoothing
        correction = v * (v / 8).exp() * smoothed if v > 0 else ZERO
        return self.surely_told + total - correction - self.aliases(epsilon, below, above)

    def aliases(self, epsilon: arb, below: arb, above: arb) -> arb:
        """At most so much of the sum, by Chernoff's bounds of orders on either side of the line's, named or closer."""
        if not (0 <= below < self.line.abscissa < above):
            raise Unshown("aliases by orders that do not lie on either side of the line")
        return self._aliases(epsilon, below) + self._aliases(epsilon, above)

    def _aliases(self, epsilon: arb, order: arb) -> arb:
        period, c, least = 2 * arb.pi() / self.line.step, self.line.abscissa, arb("inf")
        for _ in range(CLOSER):
            log_moment = ZERO if order == 0 else self._log_moment(order)
            total = chernoff(log_moment, order, epsilon) / ((abs(order - c) * period).exp() - 1)
            if not total < least:
                break
            least, order = total, (order + c) / 2
        return least

    def chernoff(self, epsilon: arb) -> arb:
        return chernoff(self.log_moment, self.line.abscissa, epsilon)
