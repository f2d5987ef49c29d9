"""How moments fall along a line: |M(c + i s)| / M(c) for every s from its end on."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from balls import ONE, ZERO
from laws import Gaussian, Participates, PoissonSampled, PoissonSampledReplaced, Symmetrised
from moments import is_participation, is_sampled_normal, is_symmetrised_normal, moment
from sampled_replaced import SampledReplaced

CELLS = 512
DEVIATIONS = 9
SAFETY = 1 - 1e-9
"""For sums in floats, of which each is off by less."""

Fading = Callable[[arb], arb]
"""Of the end of a line a bound on that."""


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
        steps = SampledReplaced(release, c, ZERO).steps(log_whole, CELLS, DEVIATIONS)
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


def fading(release, c: arb, swapped: bool) -> Fading:
    if isinstance(release, Gaussian):
        return lambda end: (-release.square * end * end / 2).exp()
    if isinstance(release, Participates):
        return _shared(fading(release.inner, c, swapped), release, c, swapped)
    if is_participation(release):
        parts = [(fading(part, c, swapped), count) for part, count in release.product]
        inner = lambda end: math.prod((part(end) ** count for part, count in parts), start=ONE)  # noqa: E731
        return _shared(inner, release, c, swapped)
    if isinstance(release, PoissonSampledReplaced) or is_sampled_normal(release) or is_symmetrised_normal(release):
        return layers_of(release, c, swapped).bound
    return lambda end: ONE


def _shared(inner: Fading, release, c: arb, swapped: bool) -> Fading:
    """M is 1 - rate, and the rest is that of what is inside."""
    share = 1 - (1 - release.rate) / moment(release, c, swapped)
    return lambda end: 1 - share * (1 - inner(end))
