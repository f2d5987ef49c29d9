"""Samples of which the moments are sums over nodes: of Gaussian or of Laplace noise, with or without finitely many
outcomes beside."""

from __future__ import annotations

from flint import acb, arb

from atoms import Atoms
from balls import ONE, ZERO, is_none
from laws import Gaussian, Laplace, PoissonSampled, PoissonSampledReplaced, Symmetrised
from nodes import Nodes
from products import Mixed
from sampled_laplace import SampledLaplace
from sampled_normal import SampledNormal
from sampled_replaced import SampledReplaced

Rule = SampledNormal | SampledLaplace | SampledReplaced


def is_of_nodes(release) -> bool:
    """Whether it is one of those."""
    if isinstance(release, PoissonSampledReplaced):
        return True
    if isinstance(release, PoissonSampled):
        return isinstance(release.inner, Gaussian | Laplace)
    return isinstance(release, Mixed) and release.hidden and _parts(release) is not None


def is_mirrored(release) -> bool:
    """Whether it is the losses above 0 of a sample of Laplace noise, and their mirror images."""
    return (
        isinstance(release, Symmetrised)
        and isinstance(release.inner, PoissonSampled)
        and isinstance(release.inner.inner, Laplace)
    )


def _parts(mixed: Mixed) -> tuple[Gaussian | Laplace, Atoms] | None:
    atoms, rest = mixed.merged
    if len(rest) != 1 or rest[0][1] != 1 or not isinstance(rest[0][0], Gaussian | Laplace):
        return None
    cut = (atoms.top, atoms.bottom, atoms.cut_p, atoms.cut_q)
    return (rest[0][0], atoms) if all(map(is_none, cut)) else None


def _rule(rate: arb, noise: Gaussian | Laplace, power: arb, reach: arb) -> Rule:
    if isinstance(noise, Gaussian):
        return SampledNormal(rate, noise.square, power, reach)
    return SampledLaplace(rate, 1 / noise.scale, power, reach)


def _rules(release, order: arb, reach: arb, swapped: bool) -> list[tuple[arb, arb, Rule]]:
    """For each of the outcomes beside, of loss r: its mass under Q, 1 - rate + rate e^r, of which 1 - rate +
    rate e^(r + w) is a multiple, and what remains."""
    if isinstance(release, PoissonSampledReplaced):
        return [(ONE, ONE, SampledReplaced(release, order, reach))]
    power = -order if swapped else order + 1
    if isinstance(release, PoissonSampled):
        return [(ONE, ONE, _rule(release.rate, release.inner, power, reach))]
    noise, atoms = _parts(release)
    found = []
    for loss, _, q in atoms.table.values():
        grown = release.rate * loss.exp()
        whole = 1 - release.rate + grown
        found.append((q, whole, _rule(grown / whole, noise, power, reach)))
    return found


def nodes_of(release, order: arb, reach: arb, swapped: bool) -> Nodes:
    """By which M(z) is a sum, for z = order + i s and |s| up to `reach`; its conjugate where `swapped`, but for what is
    symmetric. @throws NotJudged"""
    whole = Nodes([], [], ZERO)
    for weight, factor, rule in _rules(release, order, reach, swapped):
        nodes = rule.nodes()
        whole = whole.beside(nodes if factor is ONE else nodes.times(factor, rule.power).weighed(weight))
    return whole


def nodes_needed(release, order: arb, reach: arb, swapped: bool) -> int:
    return sum(rule.count for _, _, rule in _rules(release, order, reach, swapped))


def mirrored_along(release: Symmetrised, order: arb, step: arb, terms: int) -> list[acb]:
    """M(z) = 1 + E_Q[y^(z+1) + y^-z - y - 1; w > 0] at z = order + i k step."""
    grown, shrunk, once, never = (rule.nodes() for rule in _mirrored_rules(release, order, step * terms))
    constant = 1 - once.real() - never.real()
    powers = zip(grown.along(step, terms), shrunk.along(step, terms))
    return [constant + one + other.conjugate() for one, other in powers]


def mirrored_needed(release: Symmetrised, order: arb, reach: arb) -> int:
    return sum(rule.count for rule in _mirrored_rules(release, order, reach))


def _mirrored_rules(release: Symmetrised, order: arb, reach: arb) -> list[SampledLaplace]:
    rate, end = release.inner.rate, 1 / release.inner.inner.scale
    powers = ((order + 1, reach), (-order, reach), (ONE, ZERO), (ZERO, ZERO))
    return [SampledLaplace(rate, end, power, far, positive=True) for power, far in powers]
