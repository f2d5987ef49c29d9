"""The questions of the command line, as functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any, overload

from . import _core
from ._arrays import ask_each, is_array
from ._bound import Bound, DeltaBound
from ._bounds import Bounds
from ._program import asked

if TYPE_CHECKING:
    from ._arrays import Numbers

PlanLike = _core.Plan | str | Mapping[str, Any]
"""A plan, its text, or its JSON as text or mapping."""


@overload
def epsilon(  # type: ignore[overload-overlap]  # a number is answered with a number's bound
    plan: PlanLike,
    delta: float,
    *,
    accountant: str = ...,
    tolerance: float = ...,
    adjacency: str | None = ...,
    count: int = ...,
    at: float | None = ...,
) -> Bound: ...
@overload
def epsilon(
    plan: PlanLike,
    delta: Numbers | float,
    *,
    accountant: str = ...,
    tolerance: float = ...,
    adjacency: str | None = ...,
    count: Numbers | int = ...,
    at: Numbers | float | None = ...,
) -> Bounds: ...
def epsilon(
    plan: PlanLike,
    delta: Numbers | float,
    *,
    accountant: str = "best",
    tolerance: float = _core.default_tolerance,
    adjacency: str | None = None,
    count: Numbers | int = 1,
    at: Numbers | float | None = None,
) -> Bound | Bounds:
    """Epsilon that a plan spends at a given delta.

    delta       in [0, 1), 0 asking for pure DP
    accountant  who answers: one of dpbudget.ACCOUNTANTS, "best" being the narrowest that all prove together
    tolerance   relative width that brackets are refined to, in (0, 1)
    adjacency   add_or_remove_one, replace_one or zero_out_one; left out, the plan's own
    count       repetitions of the plan, in [0, 2^53]
    at          what stands in the place of the plan's `?`

    delta, count and at may be arrays, which are broadcast against each other: the answer is then Bounds of that shape.

        >>> epsilon("poisson(0.01, gaussian(?))", delta=1e-5, count=10000, at=[0.8, 1.0, 1.2]).upper

    Raises PlanError where the plan cannot be read, InvalidArgument naming what is out of range, Unsupported where no
    theorem answers.
    """
    given = {"delta": delta, "count": count, "at": at}
    answer: Bound | Bounds = _asked("epsilon", plan, given, accountant, tolerance, adjacency)
    return answer


@overload
def delta(  # type: ignore[overload-overlap]
    plan: PlanLike,
    epsilon: float,
    *,
    accountant: str = ...,
    tolerance: float = ...,
    adjacency: str | None = ...,
    count: int = ...,
    at: float | None = ...,
) -> DeltaBound: ...
@overload
def delta(
    plan: PlanLike,
    epsilon: Numbers | float,
    *,
    accountant: str = ...,
    tolerance: float = ...,
    adjacency: str | None = ...,
    count: Numbers | int = ...,
    at: Numbers | float | None = ...,
) -> Bounds: ...
def delta(
    plan: PlanLike,
    epsilon: Numbers | float,
    *,
    accountant: str = "best",
    tolerance: float = _core.default_tolerance,
    adjacency: str | None = None,
    count: Numbers | int = 1,
    at: Numbers | float | None = None,
) -> DeltaBound | Bounds:
    """Delta that a plan spends at a given epsilon, in [0, inf). The rest is as for `epsilon`."""
    given = {"epsilon": epsilon, "count": count, "at": at}
    answer: DeltaBound | Bounds = _asked("delta", plan, given, accountant, tolerance, adjacency)
    return answer


# What a sweep keeps: an accountant of a loss distribution may hold megabytes.
_KEPT_ACCOUNTANTS = 16


def _asked(
    wanted: str, plan: PlanLike, given: dict[str, Any], accountant: str, tolerance: float, adjacency: str | None
) -> Any:
    read = _core.Plan(plan)

    @lru_cache(_KEPT_ACCOUNTANTS)
    def accountant_at(value: float | None) -> _core.PlanAccountant:
        return _core.PlanAccountant(read if value is None else read.at(value), accountant, tolerance, adjacency)

    def ask(*, count: int, at: float | None, **point: float) -> Any:
        return getattr(accountant_at(at), wanted)(count=count, **point)

    return ask_each(ask, given) if any(map(is_array, given.values())) else ask(**given)


@dataclass(frozen=True)
class Rounds:
    """How many repetitions of a plan a budget allows."""

    rounds: int
    """Proven to be inside the budget, unless the accountant estimates; 0 when not even a single one is."""
    unbounded: bool
    """Whether any number up to 2^53 fits."""
    at_rounds: Bound
    """Epsilon of so many."""
    at_next: Bound | None
    """Epsilon of one more, which is not proven to fit; None when unbounded. Its lower end is that of `at_rounds` where
    it is not expected to exceed the budget."""
    none_from: int | None
    """So many, and more, are proven not to fit; None where no such number is known."""

    def __int__(self) -> int:
        return self.rounds

    __index__ = __int__


def rounds(
    plan: PlanLike,
    epsilon: float,
    delta: float,
    *,
    accountant: str = "best",
    tolerance: float = _core.default_tolerance,
    adjacency: str | None = None,
) -> Rounds:
    """The largest T for which T x plan is proven to be inside the budget.

    epsilon  of the budget, in [0, inf)
    delta    of the budget, in [0, 1), 0 asking for pure DP

    The rest, and the errors, are as for `epsilon`.
    """
    return Rounds(*_core.rounds(plan, epsilon, delta, accountant, tolerance, adjacency))


@dataclass(frozen=True)
class Solution:
    """The value of the `?` that just meets a budget."""

    value: float | None
    """None when no value meets the budget, or when every value does."""
    every_value: bool
    """Whether every value meets it, as far as there is an answer."""
    at_value: Bound | None
    """What is spent there, epsilon or what was limited in its place: the upper end is at most the budget."""
    explanation: str
    """One sentence about what was found."""
    plan: _core.Plan | None
    """The plan with the value in it."""


def solve(
    plan: PlanLike,
    epsilon: float | None = None,
    delta: float | None = None,
    *,
    advantage: float | None = None,
    tpr: float | None = None,
    fpr: float | None = None,
    accountant: str = "best",
    tolerance: float = _core.default_tolerance,
    adjacency: str | None = None,
) -> Solution:
    """The value of the one `?` in a plan that just meets a budget, or leaves an attacker no more than a limit.

    The smallest noise, scale or number of reports or steps, or the largest count, rate or epsilon, found from the safe
    side: the bound at the value has been computed and is inside the budget.

    epsilon    of the budget, in [0, inf)
    delta      of the budget, in [0, 1), 0 asking for pure DP
    advantage  in their place: the largest difference of true- and false-positive rate that a test for membership may
               have, in (0, 1)
    tpr, fpr   in their place: the largest true-positive rate, in (fpr, 1), that such a test may have whose
               false-positive rate is fpr, in (0, 1)

        >>> solve("1000 x poisson(0.01, gaussian(?))", epsilon=1, delta=1e-6).value
        1.5626656014501152
        >>> solve("gaussian(?)", tpr=0.05, fpr=0.01).at_value <= 0.05
        True

    The rest, and the errors, are as for `epsilon`; InvalidArgument too when there is no `?` or several.
    """
    budget = {"epsilon": epsilon, "delta": delta}
    others = {"advantage": advantage, "tpr": tpr, "fpr": fpr}
    limits = {name: value for name, value in others.items() if value is not None}
    if not limits and (epsilon is not None or delta is not None):
        return Solution(*_core.solve(plan, epsilon, delta, accountant, tolerance, adjacency))
    if limits.keys() not in ({"advantage"}, {"tpr", "fpr"}) or any(value is not None for value in budget.values()):
        raise _core.InvalidArgument(
            "give epsilon and delta, or advantage, or tpr and fpr: what the value is to stay within"
        )
    options = {"accountant": accountant, "tolerance": tolerance, **limits}
    if adjacency is not None:
        options["adjacency"] = adjacency
    (answer,) = asked("solve", {"plan": _core.Plan(plan)}, options)
    value = answer["value"]
    return Solution(
        value=value,
        every_value=answer["every_value"],
        at_value=answer.get("at_value"),
        explanation=answer["explanation"],
        plan=None if value is None else _core.Plan(answer["plan"]).at(value),
    )


@dataclass(frozen=True)
class Compared:
    """What one accountant says, or why it says nothing."""

    accountant: str
    bound: Bound | None
    refusal: str
    """Why there is no bound; empty where there is one."""
    seconds: float


class Comparison(tuple[Compared, ...]):
    """Every accountant's answer: proven bounds first, the tightest on top, then estimates, then refusals."""

    _table: str

    def __str__(self) -> str:
        """The table that `dpbudget compare` prints."""
        return self._table

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self._table)}</pre>"


def compare(
    plan: PlanLike,
    *,
    delta: float | None = None,
    epsilon: float | None = None,
    count: int = 1,
    tolerance: float = _core.default_tolerance,
    adjacency: str | None = None,
) -> Comparison:
    """Puts the same plan to every accountant.

    delta    in (0, 1): epsilon is compared there
    epsilon  in [0, inf), instead: delta is compared there

    The rest is as for `epsilon`. Raises InvalidArgument unless exactly one of delta and epsilon is given.
    """
    if (delta is None) == (epsilon is None):
        raise _core.InvalidArgument("give one of delta and epsilon: the other is what is compared")
    given = delta if epsilon is None else epsilon
    assert given is not None
    lines, table = _core.compare(plan, epsilon is None, given, count, tolerance, adjacency)
    comparison = Comparison(Compared(*line) for line in lines)
    comparison._table = table
    return comparison
