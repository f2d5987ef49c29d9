"""Whether a certificate (docs/certificate.schema.json) proves what it says: each end from the plan and its witness
alone, without a search."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from flint import arb, fmpz

from balls import ZERO, exact, floor_mass, normal_above, positive_part
from contour import Contour, Line
from conversions import RenyiReader, converted, divergence, largest_loss
from grid import Context
from laws import Gaussian, Undecided
from moments import is_symmetric
from plans import NotJudged, Reader, Sides
from products import Curve, Product, merged, single

FORMAT, VERSION = "dpbudget certificate", 1
LEAST_DELTA = arb(2) ** -2000
MOST_TERMS = 1 << 20
MOST_PLACES = 1 << 20
MOST_OUTCOMES = 1 << 15
PLAIN_LENGTH = 16
"""Of grids that are not made: sums over outcomes and closed forms need none."""


class BadCertificate(Exception):
    """What is not a certificate; the message says why."""


@dataclass
class Claim:
    """One end: delta(epsilon) is at most (`upper`), or at least, `delta`."""

    name: str
    epsilon: arb
    delta: arb
    witness: dict | None
    says_nothing: bool

    @property
    def upper(self) -> bool:
        return self.name == "upper"


class Contradicted(Exception):
    """A witness that is not one of this plan; the message says why."""


@dataclass
class Shown:
    """What a witness shows of delta, a bound on the claim's side."""

    delta: arb
    is_named: bool = True
    """By the very numbers of the certificate, so that they show no more however they are evaluated."""


@dataclass
class Verdict:
    end: str
    word: str
    """certified, contradicted or not checked"""
    why: str = ""

    def __str__(self) -> str:
        return f"{self.end}: {self.word}" + (f": {self.why}" if self.why else "")


def _number(value) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise BadCertificate(f"{value!r} is no number")
    if isinstance(value, str) and value not in ("inf", "-inf"):
        raise BadCertificate(f"{value!r} is no number")
    return float(value)


def _finite(value) -> arb:
    number = _number(value)
    if not math.isfinite(number):
        raise NotJudged("a witness with an infinite number")
    return exact(number)


def _count(value) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Contradicted(f"{value!r} is no number of terms")
    return value


def read(file: Path) -> dict:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadCertificate(f"{file} cannot be read: {error}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BadCertificate(f"{file} is no certificate of dpbudget")
    if found.get("version") != VERSION:
        raise BadCertificate(f"{file} has version {found.get('version')!r}; this referee reads version {VERSION}")
    return found


def claims_of(certificate: dict) -> list[Claim]:
    """Both ends. An epsilon of infinity and a delta of 1 say nothing from above, 0 nothing from below."""
    epsilon, delta = certificate["epsilon"], certificate["delta"]
    claims = []
    for name in ("lower", "upper"):
        witness = certificate[name]["witness"]
        if isinstance(epsilon, dict):
            at, says = _number(epsilon[name]), exact(_number(delta))
            says_nothing = math.isinf(at) if name == "upper" else at == 0
        else:
            at, says = _number(epsilon), _said(delta, name)
            says_nothing = bool(says >= 1) if name == "upper" else bool(says == 0)
        if not (at >= 0 and says >= 0):
            raise BadCertificate("an epsilon or a delta below 0")
        claims.append(Claim(name, exact(at) if math.isfinite(at) else arb("inf"), says, witness, says_nothing))
    return claims


def _said(delta: dict, name: str) -> arb:
    """Of an end that is said by its number and by its logarithm, what says more."""
    log = _number(delta["ln_" + name])
    by_log = exact(log).exp() if math.isfinite(log) else exact(0.0 if log < 0 else 1.0)
    plain = exact(_number(delta[name]))
    # Both are claimed.
    return plain.min(by_log) if name == "upper" else plain.max(by_log)


class Checker:
    def __init__(self, certificate: dict):
        try:
            self.claims = claims_of(certificate)
            plan = certificate["plan"]
            self.adjacency, self.event = plan["adjacency"], plan["event"]
        except (KeyError, TypeError) as error:
            raise BadCertificate(f"a certificate without {error}") from None
        deltas = [claim.delta for claim in self.claims if not claim.says_nothing]
        self.least = _least([delta.max(LEAST_DELTA) for delta in deltas] or [arb(1)]) * arb(2) ** -70
        """What outcomes are worth that are cut."""
        self._contours: dict[tuple, Contour] = {}

    def verdicts(self) -> list[Verdict]:
        return [self.verdict(claim) for claim in self.claims]

    def verdict(self, claim: Claim) -> Verdict:
        if claim.says_nothing:
            return Verdict(claim.name, "certified", "it says nothing")
        if not isinstance(claim.witness, dict):
            return Verdict(claim.name, "not checked", "it has no witness")
        check = CHECKS.get(claim.witness.get("kind"))
        if check is None:
            return Verdict(claim.name, "not checked", f"a witness of kind {claim.witness.get('kind')!r}")
        try:
            return judged(claim, check(self, claim))
        except KeyError as error:
            return Verdict(claim.name, "contradicted", f"its witness has no {error}")
        except Contradicted as reason:
            return Verdict(claim.name, "contradicted", str(reason))
        except NotJudged as reason:
            return Verdict(claim.name, "not checked", str(reason))
        except Undecided as reason:
            return Verdict(claim.name, "not checked", f"the balls are too wide for {reason}")

    @cached_property
    def sides(self) -> Sides:
        return self.read_by(Reader(self.adjacency, self.least))

    def read_by(self, reader: Reader) -> Sides:
        try:
            return reader.sides(self.event)
        except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise NotJudged(f"its plan cannot be read: {error}") from None

    def products(self, claim: Claim) -> list[Product]:
        """Of an upper end what together is not exceeded, of a lower one what each is attained."""
        sides = self.sides
        products = (sides.alone or ([] if sides.upper is None else [sides.upper])) if claim.upper else sides.lower
        if not products:
            side = "above" if claim.upper else "below"
            raise NotJudged(f"no statement of the referee bounds this plan from {side}")
        return products

    def contour(self, product: Product, line: Line, swapped: bool) -> Contour:
        """Kept for the other end, which mostly has the same line."""
        key = (str(line), swapped, *((id(release), count) for release, count in product))
        if key not in self._contours:
            self._contours[key] = Contour(product, line, swapped, self.least)
        return self._contours[key]

    def largest(self, claim: Claim, shown: Callable[[Product], arb]) -> arb:
        """Over the products."""
        found = ZERO
        for product in self.products(claim):
            found = found.max(shown(product))
        return found


def _least(values: list[arb]) -> arb:
    least = values[0]
    for value in values[1:]:
        least = least.min(value)
    return least


def judged(claim: Claim, shown: Shown) -> Verdict:
    """Whether what is shown is enough for what is claimed."""
    end = shown.delta.upper() if claim.upper else shown.delta.lower()
    if end <= claim.delta if claim.upper else end >= claim.delta:
        return Verdict(claim.name, "certified")
    side = "at most" if claim.upper else "at least"
    why = f"its witness proves only that delta is {side} {_digits(end)} there, not {_digits(claim.delta)}"
    return Verdict(claim.name, "contradicted" if shown.is_named else "not checked", why)


def _digits(value: arb) -> str:
    return value.str(8, radius=False)


def by_root(checker: Checker, claim: Claim) -> Shown:
    """Of N(mu, 1) against N(0, 1) the loss at x is mu x - mu^2 / 2. At any x delta is at least f(x) = P(> x) -
    e^epsilon Q(> x), and at the root it is that: between the root and x, p and e^epsilon q are apart by e^r - 1 of p at
    most, r what the loss at x is off by."""
    root, named = _finite(claim.witness["root"]), _finite(claim.witness["mu"])

    def shown(product: Product) -> arb:
        release = single(product, checker.least)
        if not isinstance(release, Gaussian):
            raise Contradicted("a root of other than Gaussians")
        mu, epsilon = release.mu, claim.epsilon
        if not abs(named - mu) < mu * arb(2) ** -30:
            raise Contradicted(f"mu is {_digits(mu)}, not {_digits(named)}")
        found = normal_above(root - mu) - epsilon.exp() * normal_above(root)
        if not claim.upper:
            return found
        off = abs(mu * root - release.square / 2 - epsilon)
        between = root.union(root - off / mu).union(root + off / mu) - mu
        density = (-between * between / 2).exp() / (2 * arb.pi()).sqrt()
        return found + off.expm1() * density * off / mu

    return Shown(checker.largest(claim, shown))


def by_sum(checker: Checker, claim: Claim) -> Shown:
    """All outcomes are added up, or the closed form of a single release is evaluated."""
    tail = max(floor_mass(checker.least), fmpz(1))

    def shown(product: Product) -> arb:
        if claim.epsilon == arb("inf"):
            return merged(product, checker.least, MOST_OUTCOMES)[0].top
        whole = Curve(product, Context(claim.upper, PLAIN_LENGTH, tail, most_atoms=MOST_OUTCOMES))
        if not whole.exact:
            raise NotJudged("a plan whose outcomes are too many to be added up")
        return whole.delta(claim.epsilon)

    return Shown(checker.largest(claim, shown))


def by_largest_loss(checker: Checker, claim: Claim) -> Shown:
    """Where no outcome tells more than epsilon, delta is 0; where none tells more than r beyond, it is 1 - e^-r at
    most, which is below r."""
    if not claim.upper:
        raise NotJudged("a largest loss says nothing from below")
    return Shown(checker.largest(claim, lambda product: positive_part(largest_loss(product) - claim.epsilon)))


def by_order(checker: Checker, claim: Claim) -> Shown:
    """The Rényi divergence of one order, converted."""
    if math.isinf(_number(claim.witness["order"])):
        return by_largest_loss(checker, claim)
    return _converted(checker, claim, _finite(claim.witness["order"]) - 1, _finite(claim.witness["divergence"]))


def by_concentrated_order(checker: Checker, claim: Claim) -> Shown:
    """The same by rho times the order, below omega."""
    excess, omega = _finite(claim.witness["order_minus_1"]), _number(claim.witness["omega"])
    if math.isfinite(omega) and not excess < exact(omega) - 1:
        raise Contradicted("its order is not below omega")
    return _converted(checker, claim, excess, _finite(claim.witness["rho"]) * (1 + excess))


def _converted(checker: Checker, claim: Claim, excess: arb, named: arb) -> Shown:
    """@param named  the divergence of the order 1 + excess, which must not be less than it is"""
    if not claim.upper:
        raise NotJudged("Rényi divergences bound from above only")
    if not excess > 0:
        raise Contradicted("its order is not above 1")
    sides = checker.read_by(RenyiReader(checker.adjacency, checker.least, 1 + excess))
    if sides.upper is None:
        raise NotJudged("no statement of the referee bounds this plan's Rényi divergences")
    own = divergence(sides.upper, 1 + excess, checker.least)
    if not own.upper() <= named:
        raise NotJudged(f"the referee's statements give a divergence of {_digits(own)}, not {_digits(named)}")
    return Shown(converted(excess, named, claim.epsilon))


def by_contour(checker: Checker, claim: Claim) -> Shown:
    """The trapezoid sum on one line, of both directions from above."""
    witness = claim.witness
    smoothing = _finite(witness["smoothing"])
    line = Line(_finite(witness["abscissa"]), _finite(witness["step"]), _count(witness["terms"]), smoothing)
    is_line = line.abscissa > 0 and line.step > 0 and line.terms > 0 and smoothing >= 0
    if not is_line or witness["direction"] not in ("remove", "add"):
        raise Contradicted("its line is none")
    if line.terms > MOST_TERMS:
        raise NotJudged(f"a contour of {line.terms} terms")
    swapped = witness["direction"] == "add"
    if all(not merged(product, checker.least, MOST_OUTCOMES)[1] for product in checker.products(claim)):
        return by_sum(checker, claim)  # which needs no line

    def shown(product: Product) -> arb:
        contour = checker.contour(product, line, swapped)
        if not claim.upper:
            return contour.below(claim.epsilon, *(_finite(order) for order in witness["alias_orders"]))
        above = contour.above(claim.epsilon)
        if not is_symmetric(product):
            above = above.max(checker.contour(product, line, not swapped).above(claim.epsilon))
        return above

    return Shown(checker.largest(claim, shown))


def by_mesh(checker: Checker, claim: Claim) -> Shown:
    """All losses on a grid whose mesh is a power of 2: from above one no wider than is named, from below, where a grid
    loses more, half of that."""
    mesh, tail = _number(claim.witness["mesh"]), _number(claim.witness["tail"])
    if not (0 < mesh < math.inf and 0 < tail < 1):
        raise Contradicted("its mesh is none")
    cut = max(floor_mass(exact(tail)), fmpz(1))
    context = Context(claim.upper, MOST_PLACES, cut, mesh=math.frexp(mesh)[1] - (1 if claim.upper else 2))

    def shown(product: Product) -> arb:
        return Curve(product, context).delta(claim.epsilon)

    return Shown(checker.largest(claim, shown), False)


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


def check(certificate: dict) -> list[Verdict]:
    """@throws BadCertificate"""
    return Checker(certificate).verdicts()
