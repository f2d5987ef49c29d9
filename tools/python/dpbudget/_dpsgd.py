"""DP-SGD in the terms that people know it by."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from . import _core
from ._bound import Bound
from ._questions import delta as delta_of
from ._questions import epsilon as epsilon_of
from ._questions import rounds, solve

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


@dataclass(frozen=True)
class DpSgd:
    """A DP-SGD run and what it costs."""

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

    def __str__(self) -> str:
        lines = [
            f"{self.steps} steps on batches of {self.batch} of {self.records} records, noise {self.noise}",
            f"epsilon at delta {self.delta}: {self.epsilon}",
            f"assumed: {self.assumed}",
            *(f"note: {note}" for note in self.notes),
        ]
        lines += [f"{other.name}: {other.epsilon or 'no theorem'}; {other.meaning}" for other in self.others]
        return "\n".join(lines)


_ASSUMED = (
    "Poisson sampling: each record joins each batch with probability batch / records, independently; "
    "add_or_remove_one, one record more or less"
)
_FIXED = (
    "batches of exactly that size, each drawn without replacement; replace_one, where the sensitivity is twice the "
    "clipping norm and the same noise counts half"
)
_PASSES = (
    "each pass in an order of its own and no batch across two, as shuffling loaders make them, without amplification; "
    "zero_out_one, one record blanked"
)


def dpsgd(
    *,
    records: int | Wanted,
    batch: int | Wanted,
    epochs: float | Wanted,
    noise: float | Wanted,
    delta: float | Wanted = 1e-5,
    epsilon: float | Wanted = "?",
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

    Raises InvalidArgument naming what is out of range, or when no value meets the budget.
    """
    given = {"records": records, "batch": batch, "epochs": epochs, "noise": noise, "delta": delta, "epsilon": epsilon}
    unknown = [name for name, value in given.items() if value == "?"]
    if len(unknown) != 1:
        raise _core.InvalidArgument(f"{' and '.join(unknown) or 'nothing'} is '?', but exactly one argument must be")
    run = _Run(accountant, tolerance)
    answer: DpSgd = getattr(run, f"find_{unknown[0]}")(**{name: value for name, value in given.items() if value != "?"})
    return answer


class _Run:
    def __init__(self, accountant: str, tolerance: float) -> None:
        self.settings: dict[str, Any] = {"accountant": accountant, "tolerance": tolerance}

    def find_epsilon(
        self, records: int, batch: int, epochs: float, noise: float, delta: float, notes: tuple[str, ...] = ()
    ) -> DpSgd:
        steps, note = _steps(records, batch, epochs)
        plan = steps * _step(records, batch, noise)
        return DpSgd(
            records=records,
            batch=batch,
            epochs=epochs,
            steps=steps,
            noise=noise,
            delta=delta,
            epsilon=self._spent(plan, delta),
            plan=plan,
            assumed=_ASSUMED,
            others=self._others(records, batch, steps, noise, delta),
            notes=notes + note,
        )

    def find_noise(self, records: int, batch: int, epochs: float, delta: float, epsilon: float) -> DpSgd:
        steps, _ = _steps(records, batch, epochs)
        found = solve(steps * _step(records, batch, "?"), epsilon, delta, **self.settings)
        if found.value is None:
            raise _core.InvalidArgument(f"noise has no value: {found.explanation}")
        return self.find_epsilon(records, batch, epochs, found.value, delta)

    def find_epochs(self, records: int, batch: int, noise: float, delta: float, epsilon: float) -> DpSgd:
        steps = rounds(_step(records, batch, noise), epsilon, delta, **self.settings).rounds
        if steps == 0:
            raise _core.InvalidArgument("epochs has no value: one step alone exceeds the budget")
        epochs = steps * batch / records
        if math.ceil(Fraction(epochs) * records / batch) > steps:  # for a double may be above the fraction
            epochs = math.nextafter(epochs, 0)
        return self.find_epsilon(records, batch, epochs, noise, delta)

    def find_delta(self, records: int, batch: int, epochs: float, noise: float, epsilon: float) -> DpSgd:
        steps, _ = _steps(records, batch, epochs)
        found = delta_of(steps * _step(records, batch, noise), epsilon, **self.settings)
        if not 0 < found.upper < 1:
            raise _core.InvalidArgument(f"delta has no value in (0, 1) that a double can hold: it is {found.upper}")
        run = self.find_epsilon(records, batch, epochs, noise, found.upper)
        if found.guarantee == "estimate" or run.epsilon.upper <= epsilon:
            return run
        # What is proven of delta is that this epsilon is enough.
        return replace(run, epsilon=replace(run.epsilon, upper=epsilon))

    def find_batch(self, records: int, epochs: float, noise: float, delta: float, epsilon: float) -> DpSgd:
        def fits(batch: int) -> bool:
            return self._fits(records, batch, epochs, noise, delta, epsilon)

        if not fits(1):
            raise _core.InvalidArgument("batch has no value: batches of 1 exceed the budget already")
        return self.find_epsilon(records, _edge(fits, 1, records + 1), epochs, noise, delta)

    def find_records(self, batch: int, epochs: float, noise: float, delta: float, epsilon: float) -> DpSgd:
        def fits(records: int) -> bool:
            return self._fits(records, batch, epochs, noise, delta, epsilon)

        enough = batch
        while not fits(enough):
            enough *= 2
            if enough > 2**53 // max(1, math.ceil(epochs)):
                raise _core.InvalidArgument("records has no value: no number of them meets the budget")
        too_few = enough // 2 if enough > batch else batch - 1
        return self.find_epsilon(_edge(fits, enough, too_few), batch, epochs, noise, delta)

    def _fits(self, records: int, batch: int, epochs: float, noise: float, delta: float, epsilon: float) -> bool:
        steps, _ = _steps(records, batch, epochs)
        return self._spent(steps * _step(records, batch, noise), delta).upper <= epsilon

    def _spent(self, plan: _core.Plan, delta: float) -> Bound:
        spent: Bound = epsilon_of(plan, delta, **self.settings)
        return spent

    def _others(self, records: int, batch: int, steps: int, noise: float, delta: float) -> tuple[Sampling, ...]:
        from ._core.events import gaussian, wor

        fixed = steps * wor((batch, records), gaussian(noise / 2))
        # A pass has as many steps or one more, and each record in one of them at most.
        passes = -(-steps // (records // batch)) * gaussian(noise)
        plans = (
            ("fixed-size batches", fixed.under("replace_one"), _FIXED),
            ("passes over the data", passes.under("zero_out_one"), _PASSES),
        )
        return tuple(Sampling(name, plan, self._asked(plan, delta), meaning) for name, plan, meaning in plans)

    def _asked(self, plan: _core.Plan, delta: float) -> Bound | None:
        try:
            return self._spent(plan, delta)
        except _core.Unsupported:
            return None


def _step(records: int, batch: int, noise: float | Wanted) -> _core.Plan:
    from ._core.events import gaussian, poisson

    return poisson((batch, records), gaussian(noise)).under("add_or_remove_one")


def _steps(records: int, batch: int, epochs: float) -> tuple[int, tuple[str, ...]]:
    if not 0 < epochs < math.inf:
        raise _core.InvalidArgument(f"epochs is {epochs}, but must be positive and finite")
    if not 1 <= batch <= records:
        raise _core.InvalidArgument(f"batch is {batch}, but must be in [1, records], and records are {records}")
    exact = Fraction(epochs) * records / batch
    steps = math.ceil(exact)
    if exact == steps:
        return steps, ()
    return steps, (f"{epochs} epochs are {float(exact):g} steps, rounded up to {steps}",)


def _edge(fits: Callable[[int], bool], inside: int, outside: int) -> int:
    """The last integer that fits on the way from `inside`, which does, to `outside`, which does not."""
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if fits(middle) else (inside, middle)
    return inside
