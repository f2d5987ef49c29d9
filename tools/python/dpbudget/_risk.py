"""What an attacker can find out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _core
from ._bound import Bound
from ._program import asked
from ._questions import PlanLike


@dataclass(frozen=True)
class Risk:
    """What an attacker who sees the output can find out about one record.

    Upper ends hold for every attacker; lower ones are reached by one, on some neighbouring data sets.
    """

    plan: _core.Plan
    advantage: Bound
    """The largest difference of true- and false-positive rate of a test for membership."""
    balanced_error: Bound
    """The least mean of both error rates: (1 - advantage) / 2."""
    true_positive_rate: Bound
    """Of the best test with the false-positive rate `fpr`."""
    fpr: float
    posterior: Bound
    """The largest probability that a positive of such a test is right, where `prior` was that of membership."""
    prior: float
    reconstruction: Bound
    """The largest probability of a success that is had without the output with probability `baseline`."""
    baseline: float


def risk(plan: PlanLike, **options: Any) -> Risk:
    """What an attacker who sees the output can find out about one record.

    plan     as for `epsilon`
    options  those of `dpbudget risk --help`: adjacency, fpr, prior, baseline, accountant, tolerance

    Raises what `epsilon` raises, InvalidArgument with the program's text.
    """
    (answer,) = asked("risk", {"plan": _core.Plan(plan)}, options)

    def bound(ends: dict[str, float]) -> Bound:
        return Bound(
            ends.get("lower", 0.0),
            ends["upper"],
            answer["guarantee"],
            tuple(answer["theorems"]),
            tuple(answer["notes"]),
            answer["accountant"],
        )

    return Risk(
        plan=_core.Plan(answer["plan"]),
        advantage=bound(answer["advantage"]),
        balanced_error=bound(answer["balanced_error"]),
        true_positive_rate=bound(answer["true_positive_rate"]),
        fpr=answer["true_positive_rate"]["fpr"],
        posterior=bound(answer["posterior"]),
        prior=answer["posterior"]["prior"],
        reconstruction=bound(answer["reconstruction"]),
        baseline=answer["reconstruction"]["baseline"],
    )
