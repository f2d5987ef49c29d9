"""Whether a certificate proves what it says: each end from the plan and its witness alone, without a search."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from flint import arb

from balls import digits
from certificate import Claim, claims_of, validated
from contour import Contour, Line
from laws import Undecided
from losses import losses_of
from plans import NotJudged, Reader, Sides, Unshown
from products import Product
from witnesses import CHECKS, Contradicted, Evidence, by_own_grids
from work import MOST_AGAINST, MOST_BESIDE, TooMuch, limited

LEAST_DELTA = arb(2) ** -2000


@dataclass
class Verdict:
    end: str
    word: str
    """certified, contradicted or not checked"""
    why: str = ""

    def __str__(self) -> str:
        return f"{self.end}: {self.word}" + (f": {self.why}" if self.why else "")


class Checker:
    """@throws BadCertificate"""

    def __init__(self, certificate: dict):
        self.claims = claims_of(validated(certificate))
        self.adjacency, self.event = certificate["plan"]["adjacency"], certificate["plan"]["event"]
        deltas = [claim.delta for claim in self.claims if not claim.says_nothing]
        self.least = _least([delta.max(LEAST_DELTA) for delta in deltas] or [arb(1)]) * arb(2) ** -70
        """What outcomes are worth that are cut."""
        self._contours: dict[tuple, Contour] = {}

    def verdicts(self) -> list[Verdict]:
        return [self.verdict(claim) for claim in self.claims]

    def verdict(self, claim: Claim) -> Verdict:
        if claim.says_nothing:
            return Verdict(claim.name, "certified", "it says nothing")
        if claim.witness is None:
            return Verdict(claim.name, "not checked", "it has no witness")
        try:
            with limited():
                return self._judged(claim)
        except Contradicted as reason:
            return Verdict(claim.name, "contradicted", str(reason))
        except (NotJudged, TooMuch, Undecided) as reason:
            return Verdict(claim.name, "not checked", str(reason))
        except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
            # As float(), arb.unique_fmpz() and the like have numbers beyond their range.
            why = f"numbers that the referee's arithmetic cannot take ({type(error).__name__})"
            return Verdict(claim.name, "not checked", why)

    def _judged(self, claim: Claim) -> Verdict:
        """Certified by what is shown on the claim's side, contradicted by what is shown on the other one."""
        evidence = None
        try:
            evidence = CHECKS[claim.witness["kind"]](self, claim)
            shown = self._shown(claim, evidence)
            if shown is None:
                return Verdict(claim.name, "certified")
            side = "at most" if claim.upper else "at least"
            why = f"its witness proves only that delta is {side} {digits(shown)} there, not {digits(claim.delta)}"
            why = why if shown.is_finite() else "the referee's balls overflow"
        except (NotJudged, TooMuch) as reason:
            why = str(reason)
            with suppress(NotJudged, TooMuch, Undecided), limited(MOST_BESIDE):
                if self._shown(claim, by_own_grids(self, claim)) is None:
                    return Verdict(claim.name, "certified", f"by the referee's own grid, not its witness: {why}")
        except (Undecided, Unshown) as reason:
            why = str(reason)
        if evidence is not None:
            with suppress(NotJudged, TooMuch, Undecided, Unshown), limited(MOST_AGAINST):
                if against := self._against(claim, evidence):
                    return Verdict(claim.name, "contradicted", against)
        return Verdict(claim.name, "not checked", why)

    def _shown(self, claim: Claim, evidence: Evidence) -> arb | None:
        """Nothing where it is enough, otherwise how much is shown."""
        if claim.upper:
            bound = evidence.above().upper()
            return None if bound <= claim.delta else bound
        if any(_is_reached(product, claim) for product in self.below()):
            return None
        if not claim.epsilon.is_finite():
            raise NotJudged("an epsilon that is infinite, where what tells everything is not more than delta")
        bound = evidence.below().lower()
        # Of an epsilon that was answered, delta might be as much before, too, where it does not fall.
        return None if bound > claim.delta or (bound == claim.delta and not claim.of_epsilon) else bound

    def _against(self, claim: Claim, evidence: Evidence) -> str:
        """What proves the claim false."""
        if claim.upper:
            if any(_is_exceeded(product, claim) for product in self.below()):
                return f"delta is more than {digits(claim.delta)} there"
            bound = evidence.below().lower()
            return f"delta is at least {digits(bound)} there, not {digits(claim.delta)}" if bound > claim.delta else ""
        if claim.of_epsilon and all(_is_over_before(product, claim) for product in self.above()):
            return f"delta is no more than {digits(claim.delta)} before that"
        bound = evidence.above().upper()
        return f"delta is at most {digits(bound)} there, not {digits(claim.delta)}" if bound < claim.delta else ""

    @cached_property
    def sides(self) -> Sides:
        return Reader(self.adjacency, self.least).sides(self.event)

    def above(self) -> list[Product]:
        """What together is not exceeded."""
        sides = self.sides
        return self._some(sides.alone or ([] if sides.upper is None else [sides.upper]), "above")

    def below(self) -> list[Product]:
        """What each is attained."""
        return self._some(self.sides.lower, "below")

    @staticmethod
    def _some(products: list[Product], side: str) -> list[Product]:
        if not products:
            raise NotJudged(f"no statement of the referee bounds this plan from {side}")
        return products

    def contour(self, product: Product, line: Line, swapped: bool) -> Contour:
        """Kept for the other end, which mostly has the same line."""
        key = (str(line), swapped, *((id(release), count) for release, count in product))
        if key not in self._contours:
            self._contours[key] = Contour(product, line, swapped, self.least)
        return self._contours[key]


def _is_reached(product: Product, claim: Claim) -> bool:
    """Whether delta(e) is more than is claimed at every e below the claim's, by what tells everything and how much is
    told otherwise."""
    with suppress(NotJudged):
        for losses in losses_of(product):
            if losses.told.lower() > claim.delta:
                return True
            if claim.of_epsilon and losses.told.lower() >= claim.delta and claim.epsilon <= losses.largest.lower():
                return True
    return False


def _is_exceeded(product: Product, claim: Claim) -> bool:
    """The same at the claim's epsilon itself."""
    with suppress(NotJudged):
        return any(
            losses.told.lower() >= claim.delta and claim.epsilon < losses.largest.lower()
            for losses in losses_of(product)
        )
    return False


def _is_over_before(product: Product, claim: Claim) -> bool:
    """Whether delta(e) is no more than is claimed at some e below the claim's."""
    with suppress(NotJudged):
        return all(
            losses.told.upper() <= claim.delta and losses.largest.upper() < claim.epsilon
            for losses in losses_of(product)
        )
    return False


def _least(values: list[arb]) -> arb:
    least = values[0]
    for value in values[1:]:
        least = least.min(value)
    return least


def check(certificate: dict) -> list[Verdict]:
    """@throws BadCertificate"""
    return Checker(certificate).verdicts()
