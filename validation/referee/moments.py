"""Moments of privacy losses, M(z) = E_P[e^{z L}], which Rényi divergences and contours are made of: of order a the
divergence is log M(a - 1) / (a - 1).

Statement 17 of README.md. Every value is a ball around the truth.
"""

from __future__ import annotations

import math

from flint import acb, acb_mat, arb, ctx

from amplified import Known
from atoms import Atoms
from balls import ONE, ZERO, normal_above
from laws import Gaussian, Laplace, Law, Participates, PoissonSampled, Symmetrised
from plans import NotJudged
from products import Product, merged
from work import take

BITS = 140
"""Of a moment that are certain, roughly."""

MOST_NODES = 1 << 16
BLOCK = 32


class SampledNormal:
    """Of the losses w ~ N(-v/2, v) of a Gaussian under Q, and 1 + x = 1 - rate + rate e^w, the means of (1 + x)^p by
    the trapezoid rule in u = (w + v/2) / sqrt(v), for p = a + i s and |s| up to `reach`.

    With nodes at distance h the rule is off by at most 2 B / (e^{2 pi y/h} - 1), B bounding the integral of the
    integrand's modulus on every line |Im u| < y (Trefethen, Weideman 2014, Theorem 5.1). There w turns by at most
    t = y sqrt(v) < pi: the density grows by e^{y^2/2} at most, |1 + x| lies between cos(t/2) (1 + x) and 1 + x at
    the real part, and its argument within t.
    """

    def __init__(self, rate: arb, square: arb, power: arb, reach: arb):
        self.rate, self.square, self.power = rate, square, power
        line, spacing, self.first, self.last = self.nodes(rate, square, power, reach)
        take(20 * (self.last - self.first), "a moment of so many nodes")
        self.line, self.spacing = arb(line), arb(spacing)
        self._nodes()
        self.error = self._error(reach)

    @staticmethod
    def nodes(rate: arb, square: arb, power: arb, reach: arb) -> tuple[float, float, int, int]:
        """How far the lines are, how far the nodes are from each other, and the first and the last of them."""
        v, a = float(square.mid()), float(power.mid())
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
        first, last = math.floor(low / spacing), math.ceil(high / spacing)
        if last - first > MOST_NODES:
            raise NotJudged(f"a moment that takes {last - first} nodes")
        return line, spacing, first, last

    def _nodes(self) -> None:
        """The logarithms of 1 + x, and what the moment of order a has there."""
        root = self.square.sqrt()
        scale = self.spacing / (2 * arb.pi()).sqrt()
        self.logs, self.masses = [], []
        for j in range(self.first, self.last + 1):
            u = self.spacing * j
            log = (1 + self.rate * (root * u - self.square / 2).expm1()).log()
            self.logs.append(log)
            self.masses.append(scale * (self.power * log - u * u / 2).exp())

    def _error(self, reach: arb) -> arb:
        a, root = self.power, self.square.sqrt()
        whole = 1 + self.rate * (a * (a - 1) * self.square / 2).expm1()  # (1 + x)^a is at most its chord
        turn = self.line * root
        grown = (self.line * self.line / 2 + reach * turn).exp() * whole
        if a < 0:
            grown *= (turn / 2).cos() ** a
        rule = 2 * grown / ((2 * arb.pi() * self.line / self.spacing).exp() - 1)
        return rule + self._beyond(self.first, -1) + self._beyond(self.last, 1)

    def _beyond(self, node: int, side: int) -> arb:
        """The rest of the sum beyond the last node on either side: there (1 + x)^a is at most 1 or at most e^{a w}."""
        u, root = self.spacing * node, self.square.sqrt()
        is_grown = (self.power > 0) == (side > 0)
        centre = self.power * root if is_grown else ZERO
        scale = (self.power * (self.power - 1) * self.square / 2).exp() if is_grown else ONE
        away = side * (u - centre)
        if not away > 0:
            raise NotJudged("a moment whose nodes do not reach its middle")
        density = (-away * away / 2).exp() / (2 * arb.pi()).sqrt()
        return scale * (self.spacing * density + normal_above(away))

    def real(self) -> arb:
        return _with_error(sum(self.masses, ZERO), self.error)

    def along(self, step: arb, terms: int) -> list[acb]:
        """Of the powers a + i k step for k = 0 to `terms`; for those a - i k step take the conjugates."""
        found = along(self.masses, self.logs, step, terms)
        return [acb(_with_error(one.real, self.error), _with_error(one.imag, self.error)) for one in found]


def along(masses: list[arb], logs: list[arb], step: arb, terms: int) -> list[acb]:
    """The sums of mass e^{i k step log} for k = 0 to `terms`."""
    # Not turned from point to point, for a ball grows whenever it is turned.
    turns = acb_mat([[acb(0, step * log * k).exp() for k in range(BLOCK)] for log in logs])
    starts = acb_mat(
        [[mass * acb(0, step * log * k).exp() for mass, log in zip(masses, logs)] for k in range(0, terms + 1, BLOCK)]
    )
    return (starts * turns).entries()[: terms + 1]


def _with_error(value: arb, error: arb) -> arb:
    return value + arb(0, error.upper())


def spoken(release) -> str:
    """What a release is called where no statement is about it."""
    names = {
        "Mixed": "a sample of a composition",
        "Allocated": "a random allocation",
        "Drawn": "draws with replacement",
        "PoissonSampled": "a sample of other than Gaussians",
        "PoissonSampledReplaced": "a Poisson sample under replace_one",
    }
    kind = type(release).__name__
    return names.get(kind, f"what the referee calls {kind}")


def is_sampled_normal(release) -> bool:
    return isinstance(release, PoissonSampled) and isinstance(release.inner, Gaussian)


def is_symmetrised_normal(release) -> bool:
    return isinstance(release, Symmetrised) and is_sampled_normal(release.inner)


def losses_of(product: Product, least: arb) -> Product:
    """The same, with finitely many outcomes multiplied out."""
    atoms, rest = merged(product, least)
    return rest if atoms.tells_nothing else [*rest, (atoms, 1)]


def moment(release, order: arb, swapped: bool = False) -> arb:
    """M(order), of (Q, P) where `swapped`; order >= 0. @throws NotJudged"""
    if isinstance(release, Gaussian):
        return (release.square * order * (order + 1) / 2).exp()
    if isinstance(release, Laplace):
        return _laplace(release, order)
    if isinstance(release, Participates):
        return 1 + release.rate * (moment(release.inner, order, swapped) - 1)
    if isinstance(release, Atoms):
        return _atoms(release, order, swapped)
    if is_symmetrised_normal(release):
        return symmetrised(release.inner, acb(order)).real
    if is_sampled_normal(release):
        power = -order if swapped else order + 1
        return SampledNormal(release.rate, release.inner.square, power, ZERO).real()
    if isinstance(release, PoissonSampled) and isinstance(release.inner, Laplace):
        return _sampled_laplace(release.rate, release.inner, -order if swapped else order + 1)
    if isinstance(release, Known):
        return release.moment(order)
    raise NotJudged(f"the moments of {spoken(release)}")


def _laplace(release: Laplace, order: arb) -> arb:
    """Mironov 2017, Table II."""
    a, reach = order + 1, 1 / release.scale
    return (a * (order * reach).exp() + order * (-a * reach).exp()) / (2 * a - 1)


def untold(release) -> Atoms:
    """Without what tells everything and what was cut, which has no moments."""
    return Atoms(release.table, symmetric=release.symmetric) if isinstance(release, Atoms) else release


def told(release, swapped: bool) -> arb:
    """The mass of that."""
    if not isinstance(release, Atoms):
        return ZERO
    return release.bottom + release.cut_q if swapped else release.top + release.cut_p


def surely_told(release, swapped: bool) -> arb:
    """The same without what was cut."""
    if not isinstance(release, Atoms):
        return ZERO
    return release.bottom if swapped else release.top


def tilted(release: Atoms, order: arb, swapped: bool) -> tuple[list[arb], list[arb]]:
    """Each outcome's part of the moment, and its loss."""
    if swapped:
        return [q * (-order * loss).exp() for loss, _, q in release.table.values()], [
            -loss for loss, _, _ in release.table.values()
        ]
    return [p * (order * loss).exp() for loss, p, _ in release.table.values()], [
        loss for loss, _, _ in release.table.values()
    ]


def _atoms(release: Atoms, order: arb, swapped: bool) -> arb:
    if told(release, swapped) > 0:
        raise NotJudged("the moments of outcomes that tell everything, or that were cut")
    return sum(tilted(release, order, swapped)[0], ZERO)


def _integral(integrand, low: arb, high: arb) -> acb:
    before, ctx.prec = ctx.prec, BITS + 32
    try:
        return acb.integral(integrand, acb(low), acb(high))
    finally:
        ctx.prec = before


def _sampled_laplace(rate: arb, inner: Laplace, power: arb) -> arb:
    """The means of (1 + x)^p over the losses of Laplace noise under Q: two of them have a mass."""
    end = 1 / inner.scale

    def powered(w: acb, analytic: bool) -> acb:
        return (power * (1 + rate * w.expm1()).log(analytic=analytic)).exp()

    def integrand(w: acb, analytic: bool) -> acb:
        return (-(end + w) / 2).exp() / 4 * powered(w, analytic)

    ends = (powered(acb(-end), False) + (-end).exp() * powered(acb(end), False)).real / 2
    return ends + _integral(integrand, -end, end).real


def symmetrised(inner: PoissonSampled, order: acb) -> acb:
    """Of losses above 0 under both laws: 1 + the integral over w > 0 of f (y^(z+1) + y^-z - y - 1), y = 1 + x."""
    rate, v, root = inner.rate, inner.inner.square, inner.inner.mu
    a = order.real + 1
    bits = BITS * math.log(2) + 4 - float((a * rate.log()).mid())
    top = a * root + arb(2 * bits).sqrt()

    def integrand(u: acb, analytic: bool) -> acb:
        log = (1 + rate * (root * u - v / 2).expm1()).log(analytic=analytic)
        powers = ((order + 1) * log).exp() + (-order * log).exp() - log.exp() - 1
        return (-u * u / 2).exp() * powers / (2 * arb.pi()).sqrt()

    # Beyond the end each of the four powers is at most e^{a w}.
    beyond = 4 * (a * (a - 1) * v / 2).exp() * normal_above(top - a * root)
    within = 1 + _integral(integrand, root / 2, top)
    return acb(_with_error(within.real, beyond), _with_error(within.imag, beyond))


def log_moment(product: Product, order: arb, swapped: bool, least: arb) -> arb:
    """Of a product: the sum."""
    releases = losses_of(product, least)
    return sum((moment(release, order, swapped).log() * count for release, count in releases), ZERO)


def is_symmetric(product: Product) -> bool:
    return all(isinstance(release, Law | Atoms) and release.symmetric for release, _ in product)
