"""What each kind of witness shows of delta at a claim's epsilon."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flint import arb, fmpz

from balls import ZERO, digits, exact, floor_mass, is_none, mass_ball, normal_above
from contour import Line, untold_losses
from conversions import RenyiReader, converted, divergence
from grid import Context
from laws import Gaussian, Undecided
from losses import losses_of
from moments import is_symmetric
from own_line import own_line
from plans import NotJudged, Unshown
from products import Curve, Product, curve, is_in_closed_form, merged, single, unit_of
from work import TooMuch

if TYPE_CHECKING:
    from certificate import Claim
    from verdicts import Checker

MOST_TERMS = 1 << 20
MOST_PLACES = 1 << 20
MOST_OUTCOMES = 1 << 15
PLAIN_LENGTH = 16
"""Of grids that are not made: sums over outcomes and closed forms need none."""
FINER = 2
"""Halvings of a mesh, once more."""

NEARLY = 1 - arb(1e-3)
OWN_LENGTHS = (1 << 11, 1 << 13, 1 << 15, 1 << 16)
"""Of grids that are made where a witness cannot be evaluated."""

NAMED = 1 + arb(1e-9)
"""Named numbers are rounded; what counts are the referee's own."""


class Contradicted(Exception):
    """A witness with a number that is not this plan's; the message says which."""


@dataclass
class Evidence:
    """Bounds on delta at the claim's epsilon, the greatest of all products. @throws NotJudged"""

    above: Callable[[], arb]
    below: Callable[[], arb]


def none(why: str) -> Callable[[], arb]:
    def refuse() -> arb:
        raise NotJudged(why)

    return refuse


def greatest(products: list[Product], bound: Callable[[Product], arb]) -> arb:
    found = ZERO
    for product in products:
        found = found.max(bound(product))
    return found


def evidence_of(checker: Checker, above: Callable[[Product], arb], below: Callable[[Product], arb]) -> Evidence:
    return Evidence(lambda: greatest(checker.above(), above), lambda: greatest(checker.below(), below))


def _finite(value) -> arb:
    number = float(value)
    if not math.isfinite(number):
        raise NotJudged("a witness with an infinite number")
    return exact(number)


def by_root(checker: Checker, claim: Claim) -> Evidence:
    """Of N(mu, 1) against N(0, 1) the loss at x is mu x - mu^2 / 2. At any x delta is at least f(x) = P(> x) -
    e^epsilon Q(> x), and at the root it is that: between the root and x, p and e^epsilon q are apart by e^r - 1 of p at
    most, r what the loss at x is off by."""
    root, named, epsilon = _finite(claim.witness["root"]), _finite(claim.witness["mu"]), claim.epsilon

    def gaussian(product: Product) -> Gaussian:
        release = single(product, checker.least)
        if not isinstance(release, Gaussian):
            raise NotJudged("a root of other than Gaussians")
        if abs(named - release.mu) > release.mu * (NAMED - 1):
            raise Contradicted(f"mu is {digits(release.mu)}, not {digits(named)}")
        return release

    def below(product: Product) -> arb:
        return normal_above(root - gaussian(product).mu) - epsilon.exp() * normal_above(root)

    def above(product: Product) -> arb:
        release = gaussian(product)
        mu = release.mu
        off = abs(mu * root - release.square / 2 - epsilon)
        between = root.union(root - off / mu).union(root + off / mu) - mu
        density = (-between * between / 2).exp() / (2 * arb.pi()).sqrt()
        return below(product) + off.expm1() * density * off / mu

    return evidence_of(checker, above, below)


def by_sum(checker: Checker, claim: Claim) -> Evidence:
    """All outcomes are added up, or the closed form of a single release is evaluated."""
    tail = max(floor_mass(checker.least), fmpz(1))

    def on_side(upper: bool) -> Callable[[Product], arb]:
        def delta(product: Product) -> arb:
            if not is_in_closed_form(merged(product, mass_ball(tail) / 4096, MOST_OUTCOMES)[1]):
                raise NotJudged("a plan whose outcomes are too many to be added up")
            whole = Curve(product, Context(upper, PLAIN_LENGTH, tail, most_atoms=MOST_OUTCOMES))
            return whole.delta(claim.epsilon)

        return delta

    return evidence_of(checker, on_side(True), on_side(False))


def by_largest_loss(checker: Checker, claim: Claim, named: str = "loss") -> Evidence:
    """Where no outcome tells more than epsilon, delta is 0."""
    largest = float(claim.witness[named])

    def above(product: Product) -> arb:
        directions = losses_of(product)
        if any(not is_none(losses.told) for losses in directions):
            raise NotJudged("a largest loss of what may tell everything")
        for losses in directions:
            if math.isfinite(largest) and losses.largest.lower() > exact(largest) * NAMED:
                raise Contradicted(f"its largest loss is {digits(losses.largest)}, not {digits(exact(largest))}")
        forward, backward = directions
        return forward.delta_at_most(claim.epsilon).max(backward.delta_at_most(claim.epsilon))

    return Evidence(lambda: greatest(checker.above(), above), none("a largest loss says nothing from below"))


def by_order(checker: Checker, claim: Claim) -> Evidence:
    """The Rényi divergence of one order, converted."""
    if math.isinf(float(claim.witness["order"])):
        return by_largest_loss(checker, claim, "divergence")
    order = _finite(claim.witness["order"])
    reader = RenyiReader(checker.adjacency, checker.least, order)
    return _converted(checker, claim, reader, _finite(claim.witness["divergence"]))


def by_concentrated_order(checker: Checker, claim: Claim) -> Evidence:
    """The same by rho times the order, below omega."""
    excess, omega = _finite(claim.witness["order_minus_1"]), float(claim.witness["omega"])
    if math.isfinite(omega) and not excess < exact(omega) - 1:
        raise Contradicted("its order is not below omega")
    reader = RenyiReader(checker.adjacency, checker.least, 1 + excess)
    found = _converted(checker, claim, reader, _finite(claim.witness["rho"]) * (1 + excess))
    if omega > reader.omega:
        raise Contradicted(f"omega is {reader.omega}, not {omega}")
    return found


def _converted(checker: Checker, claim: Claim, reader: RenyiReader, named: arb) -> Evidence:
    """@param named  the divergence of the reader's order, which must not be less than it is"""
    order = reader.order
    if not order > 1:
        raise Contradicted("its order is not above 1")
    sides = reader.sides(checker.event)
    if sides.upper is None:
        raise NotJudged("no statement of the referee bounds this plan's Rényi divergences")
    own = divergence(sides.upper, order, checker.least)
    if not own.upper() <= named * NAMED:
        with suppress(NotJudged):
            for product in checker.below():
                attained = divergence(product, order, checker.least)
                if attained.lower() > named * NAMED:
                    raise Contradicted(f"its divergence is {digits(attained)}, not {digits(named)}")
        raise Unshown(f"the referee's statements give a divergence of {digits(own)}, not {digits(named)}")
    return Evidence(
        lambda: converted(order - 1, own.max(named), claim.epsilon),
        none("Rényi divergences bound from above only"),
    )


def by_contour(checker: Checker, claim: Claim) -> Evidence:
    """The trapezoid sum on one line, of both directions from above."""
    witness = claim.witness
    abscissa, step, smoothing = (_finite(witness[name]) for name in ("abscissa", "step", "smoothing"))
    line = Line(abscissa, step, witness["terms"], smoothing)
    end = _finite(witness["truncated_at"])
    if abs(line.end - end) > end * (NAMED - 1):
        raise Contradicted(f"its line ends at {digits(line.end)}, not at {digits(end)}")
    if line.terms > MOST_TERMS:
        raise NotJudged(f"a contour of {line.terms} terms")
    swapped = witness["direction"] == "add"
    products = checker.above() if claim.upper else checker.below()
    if all(not merged(product, checker.least, MOST_OUTCOMES)[1] for product in products):
        return by_sum(checker, claim)  # which needs no line

    def above(product: Product) -> arb:
        found = checker.contour(product, line, swapped).above(claim.epsilon)
        if not is_symmetric(product):
            found = found.max(checker.contour(product, line, not swapped).above(claim.epsilon))
        return found

    def below(product: Product) -> arb:
        orders = (_finite(order) for order in witness["alias_orders"])
        return checker.contour(product, line, swapped).below(claim.epsilon, *orders)

    return evidence_of(checker, above, below)


def by_mesh(checker: Checker, claim: Claim) -> Evidence:
    """All losses on a grid whose mesh is a power of 2 of some unit: from above one no wider than is named, from below,
    where a grid loses more, half of that. Where losses lie on the program's grid and between the referee's places, as
    those of outcomes may, a finer one shows as much; and from below, where one shows nearly as much, a contour of the
    referee's own."""
    mesh, tail = float(claim.witness["mesh"]), float(claim.witness["tail"])
    if not tail < 1:
        raise Contradicted("its tail is none")
    cut = max(floor_mass(exact(tail)), fmpz(1))

    def on_mesh(product: Product, unit: arb, exponent: int) -> arb:
        return Curve(product, Context(claim.upper, MOST_PLACES, cut, mesh=exponent, unit=unit)).delta(claim.epsilon)

    def shown(product: Product) -> arb:
        unit = unit_of(product)
        widest = math.frexp(mesh / float(unit))[1] - (1 if claim.upper else 2)
        found = on_mesh(product, unit, widest)
        with suppress(NotJudged, TooMuch, Undecided, Unshown, ArithmeticError, ValueError):
            if not claim.upper and claim.delta * NEARLY < found <= claim.delta:
                by_line = below_by_own_line(checker, product, claim.epsilon)
                if by_line.is_finite():
                    return found.max(by_line)
        with suppress(NotJudged, TooMuch, Undecided):
            if claim.upper and not found <= claim.delta:
                found = found.min(on_mesh(product, unit, widest - FINER))
            elif not claim.upper and not found > claim.delta:
                found = found.max(on_mesh(product, unit, widest - FINER))
        return found

    # A grid of the other side would take as long, and show less than what is claimed is off by but in gross cases.
    other = none("a grid is made on the claim's side")
    return Evidence(
        (lambda: greatest(checker.above(), shown)) if claim.upper else other,
        other if claim.upper else (lambda: greatest(checker.below(), shown)),
    )


def by_own_grids(checker: Checker, claim: Claim) -> Evidence:
    """Of no witness: finer and finer ones, until one shows as much as is claimed."""

    def on_grids(products: list[Product], length: int) -> arb:
        return greatest(products, lambda one: curve(one, claim.upper, length, scale).delta(claim.epsilon))

    def shown(products: list[Product]) -> arb:
        best = arb(1) if claim.upper else ZERO
        with suppress(TooMuch, Undecided):
            for length in OWN_LENGTHS:
                found = on_grids(products, length)
                best = best.min(found) if claim.upper else best.max(found)
                if best.upper() <= claim.delta if claim.upper else best.lower() > claim.delta:
                    break
        return best

    scale = claim.delta.max(checker.least)
    other = none("a grid is made on the claim's side")
    return Evidence(
        (lambda: shown(checker.above())) if claim.upper else other,
        other if claim.upper else (lambda: shown(checker.below())),
    )


def below_by_own_line(checker: Checker, product: Product, epsilon: arb) -> arb:
    """Where a grid loses little, but more than the program's."""
    releases = untold_losses(product, checker.least)
    line, below, above = own_line(releases, epsilon, swapped=False)
    return checker.contour(product, line, False).below(epsilon, below, above)


CHECKS = {
    "normal_root": by_root,
    "outcomes": by_sum,
    "composition": by_sum,
    "largest_loss": by_largest_loss,
    "renyi": by_order,
    "concentrated": by_concentrated_order,
    "contour": by_contour,
    "mesh": by_mesh,
}
