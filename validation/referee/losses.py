"""What no outcome of a product tells more than, and what tells everything."""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb

from atoms import Atoms
from balls import ZERO, any_of, either, positive_part
from laws import Gaussian, Laplace, Law, Participates, PoissonSampled
from moments import spoken
from plans import NotJudged
from products import Product


@dataclass
class Losses:
    """Of one direction, in balls: `told` is P's mass where Q has none, and below `largest` the other losses come as
    close to that as one likes, each neighbourhood with a mass.

    So delta(e), which is H(P || Q), is more than `told` at every e below `largest` and no more at all others."""

    told: arb
    largest: arb

    def delta_at_most(self, epsilon: arb) -> arb:
        # Where none tells more than r beyond, what is left is 1 - e^-r at most, which is below r.
        return self.told + positive_part(self.largest - epsilon)


def losses_of(product: Product) -> list[Losses]:
    """Of both directions. @throws NotJudged where they are not known"""
    releases = [(both_directions(release), count) for release, count in product if count]
    found = []
    for direction in (0, 1):
        told, largest = ZERO, ZERO
        for both, count in releases:
            told = either(told, any_of(both[direction].told, count))
            largest += both[direction].largest * count
        found.append(Losses(told, largest))
    return found


def both_directions(release) -> tuple[Losses, Losses]:
    if isinstance(release, Gaussian | Laplace):
        return (Losses(ZERO, release.largest()),) * 2
    if isinstance(release, Participates):
        forward, backward = both_directions(release.inner)
        return _seen(forward, release.rate), _seen(backward, release.rate)
    if isinstance(release, PoissonSampled) and isinstance(release.inner, Law):
        both_directions(release.inner)  # or it is not judged
        return Losses(ZERO, release.largest()), Losses(ZERO, release.largest(reverse=True))
    if isinstance(release, Atoms) and release.cut_p == 0 and release.cut_q == 0:
        return _of_atoms(release)
    raise NotJudged(f"the largest loss of {spoken(release)}")


def _seen(inner: Losses, rate: arb) -> Losses:
    return Losses(rate * inner.told, inner.largest.max(ZERO))


def _of_atoms(atoms: Atoms) -> tuple[Losses, Losses]:
    forward = backward = None
    for loss, p, q in atoms.table.values():
        if p == 0 and q == 0:
            continue
        if not (p > 0 and q > 0):
            raise NotJudged("outcomes whose probabilities are too small for the balls")
        forward = loss if forward is None else forward.max(loss)
        backward = -loss if backward is None else backward.max(-loss)
    if forward is None or backward is None:
        raise NotJudged("outcomes of which all tell everything")
    return Losses(atoms.top, forward), Losses(atoms.bottom, backward)
