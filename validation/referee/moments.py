"""Moments of privacy losses, M(z) = E_P[e^{z L}], which Rényi divergences and contours are made of: of order a the
divergence is log M(a - 1) / (a - 1).

Statement 17 of README.md. Every value is a ball around the truth.
"""

from __future__ import annotations

import math

from flint import acb, arb, ctx

from amplified import Known
from atoms import Atoms
from balls import ONE, ZERO, is_none, normal_above
from laws import Gaussian, Laplace, Law, Participates, PoissonSampled, Symmetrised
from nodes import BITS, with_error
from plans import NotJudged
from products import Mixed, Product, merged
from samples import is_mirrored, is_of_nodes, mirrored_along, nodes_of


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


def is_participation(release) -> bool:
    """In a composition, for all to see."""
    return isinstance(release, Mixed) and not release.hidden


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
    if is_participation(release):
        inner = (moment(part, order, swapped) ** count for part, count in release.product)
        return 1 + release.rate * (math.prod(inner, start=ONE) - 1)
    if is_symmetrised_normal(release):
        return symmetrised(release.inner, acb(order)).real
    if is_mirrored(release):
        return mirrored_along(release, order, ZERO, 0)[0].real
    if is_of_nodes(release):
        return nodes_of(release, order, ZERO, swapped).real()
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
    if not is_none(told(release, swapped)):
        raise NotJudged("the moments of outcomes that tell everything, or that were cut")
    return sum(tilted(release, order, swapped)[0], ZERO)


def _integral(integrand, low: arb, high: arb) -> acb:
    before, ctx.prec = ctx.prec, BITS + 32
    try:
        return acb.integral(integrand, acb(low), acb(high))
    finally:
        ctx.prec = before


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
    return acb(with_error(within.real, beyond), with_error(within.imag, beyond))


def log_moment(product: Product, order: arb, swapped: bool, least: arb) -> arb:
    """Of a product: the sum."""
    releases = losses_of(product, least)
    return sum((moment(release, order, swapped).log() * count for release, count in releases), ZERO)


def is_symmetric(product: Product) -> bool:
    return all(isinstance(release, Law | Atoms) and release.symmetric for release, _ in product)
