"""jax-privacy: the parameters of its DP-SGD accountant, as a plan."""

from __future__ import annotations

from typing import Any

from ._core import InvalidArgument, Plan, compose, integer
from ._core.events import poisson, wor
from ._noise import noisy

# What changes its accountant's analysis, and the only values that are converted.
_UNCHANGED: dict[str, tuple[Any, ...]] = {
    "examples_per_user": (None, 1),
    "cycle_length": (None, 1),
    "truncated_batch_size": (None,),
}


def from_jax_privacy(dp_params: Any, num_updates: int) -> Plan:
    """What `num_updates` steps of DP-SGD release that jax-privacy describes.

    dp_params    jax_privacy.accounting.analysis.DpParams, or anything with its attributes; noise multipliers and batch
                 sizes may be schedules of (first step, value)
    num_updates  in [0, 2^53]

    POISSON sampling is under add_or_remove_one; FIXED_BATCH_SIZE, which jax-privacy takes for Poisson sampling of twice
    the sensitivity, is sampling without replacement under replace_one, where the sensitivity is twice the clipping
    norm. A guarantee that is not finite, and zero noise, tell everything.

    Raises InvalidArgument naming what is out of range, or what there is no plan for: users with several examples,
    cycles of partitions and truncated batches.
    """
    for name, allowed in _UNCHANGED.items():
        value = getattr(dp_params, name, None)
        if value not in allowed:
            raise InvalidArgument(
                f"{name} is {value}, but must be {' or '.join(map(str, allowed))}: no plan describes it"
            )
    given = getattr(dp_params, "sampling_method", "POISSON")
    method = getattr(given, "name", given)
    if method not in ("POISSON", "FIXED_BATCH_SIZE"):
        raise InvalidArgument(f"sampling_method is {method}, but must be POISSON or FIXED_BATCH_SIZE")
    if dp_params.noise_multipliers is None:
        raise InvalidArgument("noise_multipliers is None, but must be a number or a schedule")
    plan_of = _poisson if method == "POISSON" else _fixed_size
    noises = dp_params.noise_multipliers if dp_params.is_finite_guarantee else 0.0
    stretches = _stretches(_schedule(noises), _schedule(dp_params.batch_sizes), integer("num_updates", num_updates))
    adjacency = "add_or_remove_one" if method == "POISSON" else "replace_one"
    return compose(
        [
            steps * plan_of(integer("num_samples", dp_params.num_samples), batch, noise)
            for steps, noise, batch in stretches
        ]
    ).under(adjacency)


def _schedule(given: Any) -> list[tuple[int, Any]]:
    return sorted(given) if isinstance(given, (list, tuple)) else [(0, given)]


def _stretches(noises: list[tuple[int, Any]], batches: list[tuple[int, Any]], steps: int) -> list[tuple[int, Any, int]]:
    """How many steps there are of each noise and batch size, one after the other."""
    for name, schedule in (("noise_multipliers", noises), ("batch_sizes", batches)):
        if not schedule or schedule[0][0] != 0:
            begin = f"begin at step {schedule[0][0]}" if schedule else "are empty"
            raise InvalidArgument(f"{name} {begin}, but must begin at step 0")
    starts = sorted({start for start, _ in noises + batches if start < steps})

    def at(schedule: list[tuple[int, Any]], step: int) -> Any:
        return [value for start, value in schedule if start <= step][-1]

    stretches = zip(starts, [*starts[1:], steps])
    return [(end - start, at(noises, start), integer("batch_size", at(batches, start))) for start, end in stretches]


def _poisson(records: int, batch: int, noise: Any) -> Plan:
    return poisson((batch, records), noisy("noise_multiplier", noise))


def _fixed_size(records: int, batch: int, noise: Any) -> Plan:
    return wor((batch, records), noisy("noise_multiplier", noise, 2))
