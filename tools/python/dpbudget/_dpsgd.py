"""DP-SGD in the terms that people know it by."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal, SupportsFloat, SupportsIndex

from . import _core
from ._bound import Bound

Wanted = Literal["?"]


@dataclass(frozen=True)
class Sampling:
    """The same run with batches drawn in another way."""

    name: str
    plan: _core.Plan
    epsilon: Bound | None
    """None where no accountant has a theorem."""
    meaning: str
    """How batches are drawn, whom the guarantee protects, and what the noise is relative to there."""
    refusal: str | None
    """Why there is no epsilon."""


@dataclass(frozen=True)
class DpSgd:
    """A DP-SGD run and what it costs. As text, it is what `dpbudget dpsgd` prints."""

    records: int
    batch: int
    epochs: float
    steps: int
    noise: float
    delta: float
    epsilon: Bound
    """At `delta`, for the sampling assumed: Poisson."""
    plan: _core.Plan
    assumed: str
    """What sampling that is, and whom it protects."""
    others: tuple[Sampling, ...]
    """The same noise on other batches."""
    notes: tuple[str, ...]
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"


def dpsgd(
    *,
    records: SupportsIndex | Wanted,
    batch: SupportsIndex | Wanted,
    epochs: SupportsFloat | Wanted,
    noise: SupportsFloat | Wanted,
    delta: SupportsFloat | Wanted = 1e-5,
    epsilon: SupportsFloat | Wanted = "?",
    accountant: str = "best",
    tolerance: float = _core.default_tolerance,
) -> DpSgd:
    """What DP-SGD costs, or which noise, epochs, batch, records or delta keep it to a budget.

    records  in the data set, at least 1
    batch    expected records in a batch, in [1, records]
    epochs   passes over the data, positive: epochs * records / batch steps, rounded up
    noise    noise multiplier: standard deviation of the noise on the sum of gradients, divided by the clipping norm
    delta    in (0, 1)
    epsilon  of the budget, in [0, inf)

    Exactly one of them is "?", epsilon unless another is. The value found has been certified: epsilon there is inside
    the budget. It is the best one for noise, epochs and delta; for batch and records it is where a bisection ends,
    which takes epsilon to rise with the batch and to fall with the records.

        >>> print(dpsgd(records=60000, batch=256, epochs=60, noise=1.1, delta=1e-5))

    Raises InvalidArgument naming what is out of range, or when no value meets the budget; Unsupported where the
    accountant has no theorem.
    """
    found: Any = _core.dpsgd(records, batch, epochs, noise, delta, epsilon, accountant, tolerance)
    *run, others, notes, text = found
    members: Any = (*run, tuple(Sampling(*other) for other in others), tuple(notes), text)
    return DpSgd(*members)
