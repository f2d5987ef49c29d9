"""delta(epsilon) by the trapezoid sum on a vertical line that is given: with z_k = c + i k eta and the moments M,

    eta / (2 pi) sum_k M(z_k) e^{-z_k e} / (z_k (z_k + 1))

is delta(e) and the aliases e^{c m P} delta(e + m P), P = 2 pi / eta, m = +-1, +-2, ...: an upper bound, and with
Chernoff's bound on the aliases a lower one (README.md, statement 20).
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import acb, arb

from atoms import Atoms
from balls import ZERO, any_of, either
from decay import Fading, fading
from laws import Gaussian, Laplace, Participates
from moments import (
    is_participation,
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
from samples import is_mirrored, is_of_nodes, mirrored_along, mirrored_needed, nodes_needed, nodes_of
from work import take

MOST_INTEGRALS = 1 << 11
FEWEST_TERMS = 32
CLOSER = 8
"""Times at most that an order for aliases is moved halfway to the line."""
LITTLE = -50
"""The logarithm of what a line may lose beyond its end, of what it has in the middle."""


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
        return [value.conjugate() for value in upwards] if swapped and not release.symmetric else upwards
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


def untold_losses(product: Product, least: arb) -> Product:
    """The losses that are finite, for the most part: what was cut is not among them."""
    return [(untold(release), count) for release, count in losses_of(product, least)]


def fading_of(releases: Product, c: arb, swapped: bool) -> Fading:
    """The logarithm of that of a product."""
    parts = [(fading(release, c, swapped), count) for release, count in releases]
    return lambda end: sum((part(end).log() * count for part, count in parts), ZERO)


def shortened(line: Line, log_fading: Fading) -> Line:
    """A part of it that is enough, and that needs nothing besides, or all of it."""
    terms = FEWEST_TERMS
    while terms < line.terms:
        part = Line(line.abscissa, line.step, terms, ZERO)
        if log_fading(part.end) < LITTLE:
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
        log_fading = fading_of(self.releases, line.abscissa, swapped)
        self.line = line = shortened(line, log_fading)
        if line.smoothing > 0:
            self.releases.append((Gaussian(line.smoothing), 1))
        each = sum(20 + work_of(release, line, swapped) for release, _ in self.releases)
        take((20 + each) * line.terms, f"a contour of {line.terms} terms")
        self.log_moment = self._log_moment(line.abscissa)
        self.log_tail = log_fading(line.end) - line.smoothing * line.end * line.end / 2
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
