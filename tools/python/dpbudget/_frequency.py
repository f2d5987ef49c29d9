"""How well frequency oracles estimate, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _core
from ._bound import Bound
from ._program import asked


@dataclass(frozen=True)
class Oracle:
    """What every user reports, how well an item's frequency is estimated from it, and what it costs."""

    local: _core.Plan
    """One report."""
    variance: float
    """Of the unbiased estimate of the share of the users who hold the item, over the reports' randomness."""
    local_epsilon: Bound
    """Of one report, at delta 0: against the collector."""
    shuffled_epsilon: Bound
    """Of all reports in random order, at `delta`: against whoever does not see who sent which."""


def frequency(*, users: int, categories: int, epsilon: float, delta: float, **options: Any) -> list[Oracle]:
    """Randomised response and the frequency oracles of one local epsilon, for `users` who hold one of `categories`.

    epsilon  of each report, in (0, 700]
    delta    of all reports shuffled, in (0, 1)
    options  those of `dpbudget frequency --help`: frequency (the share of the users who hold the item), accountant,
             tolerance

    Raises InvalidArgument with the program's text.
    """
    (answer,) = asked(
        "frequency", {}, {"users": users, "categories": categories, "epsilon": epsilon, "delta": delta, **options}
    )
    return [
        Oracle(
            local=_core.Plan(oracle["local"]),
            variance=oracle["variance"],
            local_epsilon=oracle["local_epsilon"],
            shuffled_epsilon=oracle["shuffled_epsilon"],
        )
        for oracle in answer["oracles"]
    ]
