"""Whether an answer can be true."""

from __future__ import annotations

import math
from dataclasses import dataclass

from flint import arb

from ask import Answer, Question
from balls import exact
from plans import NotJudged, Reader
from products import Curve, Product, curve

LEAST_DELTA = 1e-25
"""Grids are not made finer for a delta below."""


@dataclass
class End:
    """One end of an answer: that delta(epsilon) is at most (`upper`) or at least `delta`."""

    name: str
    upper: bool
    epsilon: float
    delta: float
    contradicted: bool = False
    slack: float = math.inf
    """By what factor, as a logarithm, delta may be wrong on this end before the referee sees it."""

    def against(self, proven: arb) -> None:
        """@param proven  delta(epsilon) is at least (where this end is an upper one), or at most, an end of this"""
        claimed = exact(self.delta)
        if self.upper:
            self.contradicted = bool(proven.lower() > claimed)
            ratio = claimed / proven.lower() if proven.lower() > 0 else None
        else:
            self.contradicted = bool(proven.upper() < claimed)
            ratio = proven.upper() / claimed
        slack = math.inf if ratio is None or not ratio > 0 else float(ratio.log().mid())
        self.slack = min(self.slack, slack)


def ends_of(question: Question, answer: Answer) -> list[End]:
    """What the answer says of delta. An epsilon of infinity and a delta of 1 say nothing from above, 0 nothing from
    below."""
    if question.given == "delta":
        ends = [End("upper", True, answer.upper, question.value), End("lower", False, answer.lower, question.value)]
        return [end for end in ends if math.isfinite(end.epsilon) and (end.upper or end.epsilon > 0)]
    ends = [End("upper", True, question.value, answer.upper), End("lower", False, question.value, answer.lower)]
    return [end for end in ends if end.delta < 1 and (end.upper or end.delta > LEAST_DELTA)]


class Judge:
    """@param lengths  of the grids, tried in turn until an end's slack is at most `enough`"""

    def __init__(self, lengths: list[int], enough: float):
        self.lengths, self.enough = lengths, enough

    def judge(self, question: Question, answer: Answer) -> list[End]:
        """The ends that could be judged. @throws NotJudged"""
        if question.given == "delta" and question.value == 0:
            raise NotJudged("delta 0")
        ends = ends_of(question, answer)
        if not ends:
            raise NotJudged("an answer that says nothing")
        scale = exact(max(min(end.delta for end in ends), LEAST_DELTA))
        sides = Reader(question.adjacency, scale * arb(2) ** -70).sides(answer.plan["event"])
        judged = []
        for end in ends:
            products = sides.lower if end.upper else sides.alone or ([] if sides.upper is None else [sides.upper])
            if products:
                self._refine(end, products, scale)
                judged.append(end)
        if not judged:
            raise NotJudged("no upper end is known here, and the answer's lower end is all that it says")
        return judged

    def _refine(self, end: End, products: list[Product], scale: arb) -> None:
        """An upper end is held against what is attained, from below; a lower one against what is not exceeded."""
        for length in self.lengths:
            curves: list[Curve] = [curve(product, not end.upper, length, scale) for product in products]
            deltas = [one.delta(exact(end.epsilon)) for one in curves]
            # Each product is attained, or together they are not exceeded: the largest counts.
            proven = deltas[0]
            for delta in deltas[1:]:
                proven = proven.max(delta)
            end.against(proven)
            if (
                end.contradicted
                or end.slack <= self.enough
                or end.delta < LEAST_DELTA
                or all(one.exact for one in curves)
            ):
                return
