"""Google's dp_accounting: its events as plans."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

from . import _core
from ._core import Plan, Unsupported
from ._core.events import (
    approximate,
    discrete_laplace,
    gaussian,
    laplace,
    mixture,
    poisson,
    rr,
    select,
    truncated_poisson,
    with_replacement,
    wor,
    zcdp,
)
from ._safe import at_least, at_most, gamma_of_mean, surely_above

_NOT_PRIVATE = approximate(0, 1)

ReplaceOneNoise = Literal["clip", "sensitivity"]


def sensitivity_in_clips(adjacency: str, replace_one_noise: ReplaceOneNoise) -> int:
    """By what dp_accounting's noise multipliers are divided in a plan."""
    if replace_one_noise not in ("clip", "sensitivity"):
        raise _core.InvalidArgument(f"replace_one_noise is {replace_one_noise}, but must be clip or sensitivity")
    return 2 if adjacency == "replace_one" and replace_one_noise == "clip" else 1


def from_dp_accounting(
    event: Any,
    adjacency: str | None = None,
    *,
    replace_one_noise: ReplaceOneNoise = "clip",
) -> Plan:
    """A dp_accounting DpEvent as a plan.

    adjacency          add_or_remove_one, replace_one or zero_out_one, which are dp_accounting's ADD_OR_REMOVE_ONE,
                       REPLACE_ONE and REPLACE_SPECIAL. Left out, replace_one for events with samples of a fixed
                       size or randomised response, which dp_accounting takes under no other that is converted,
                       zero_out_one for trees, else add_or_remove_one.
    replace_one_noise  what a noise multiplier is relative to under replace_one. "clip": the largest norm of a
                       contribution, as DpEvents say and PLDAccountant takes it; the sensitivity is twice that, so that
                       the plan has half the multiplier. "sensitivity": the sensitivity itself, as RdpAccountant takes
                       it.

    Zero noise and NonPrivateDpEvent become approximate(0, 1), a release that tells everything: epsilon is infinite
    unless sampling hides the record with probability 1 - delta. Where a number has another convention, it is rounded so
    that the plan can only be less private.

    Raises Unsupported naming the event that has no counterpart, InvalidArgument naming the number out of range.
    """
    names = set(_names(event))
    if adjacency is None:
        fixed_size = {"SampledWithoutReplacementDpEvent", "SampledWithReplacementDpEvent"}
        if names & (fixed_size | {"RandomizedResponseDpEvent"}):
            adjacency = "replace_one"
        elif "SingleEpochTreeAggregationDpEvent" in names:
            adjacency = "zero_out_one"
        else:
            adjacency = "add_or_remove_one"
    return _Converter(adjacency, sensitivity_in_clips(adjacency, replace_one_noise)).plan(event).under(adjacency)


def _refusal(event: Any, why: str = "has no counterpart among plans") -> Unsupported:
    """For the caller to raise; its `event` is the one that is refused."""
    refusal = Unsupported(f"{type(event).__name__} {why}")
    refusal.event = event  # type: ignore[attr-defined]
    return refusal


def _children(event: Any) -> list[Any]:
    if hasattr(event, "events"):
        return list(event.events)
    return [event.event] if hasattr(event, "event") else []


def _names(event: Any) -> list[str]:
    return [type(event).__name__, *(name for child in _children(event) for name in _names(child))]


class _Converter:
    def __init__(self, adjacency: str, sensitivity: int) -> None:
        self.adjacency = adjacency
        self.sensitivity = sensitivity

    def plan(self, event: Any) -> Plan:
        convert: Callable[[Any], Plan] | None = getattr(self, f"from_{type(event).__name__}", None)
        if convert is None:
            raise _refusal(event)
        return convert(event)

    def needs(self, event: Any, *adjacencies: str) -> None:
        if self.adjacency not in adjacencies:
            one = " or ".join(adjacencies)
            raise _refusal(event, f"under {self.adjacency} has no counterpart: it has one under {one}")

    def noisy(self, make: Callable[[float], Plan], noise: Any) -> Plan:
        # Halving is exact but for numbers below every noise that anybody adds.
        multiplier = _core.number("noise_multiplier", noise)
        if multiplier == 0:
            return _NOT_PRIVATE
        return make(multiplier / self.sensitivity if multiplier > 0 else multiplier)  # which is refused as it was given

    def from_NoOpDpEvent(self, event: Any) -> Plan:
        return _core.nothing

    def from_NonPrivateDpEvent(self, event: Any) -> Plan:
        return _NOT_PRIVATE

    def from_GaussianDpEvent(self, event: Any) -> Plan:
        return self.noisy(gaussian, event.noise_multiplier)

    def from_LaplaceDpEvent(self, event: Any) -> Plan:
        return self.noisy(laplace, event.noise_multiplier)

    def from_DiscreteLaplaceDpEvent(self, event: Any) -> Plan:
        self.needs(event, "add_or_remove_one", "zero_out_one")
        noise = _core.number("noise_parameter", event.noise_parameter)
        if not 0 <= noise < math.inf:
            raise _core.InvalidArgument(f"noise_parameter is {noise:g}, but must be in [0, inf)")
        if noise == 0:
            return _NOT_PRIVATE
        if event.sensitivity != 1:
            raise _refusal(event, f"with sensitivity {event.sensitivity} has no counterpart: it must be 1")
        return discrete_laplace(at_most(1 / Fraction(noise)))

    def from_RandomizedResponseDpEvent(self, event: Any) -> Plan:
        noise = _core.number("noise_parameter", event.noise_parameter)
        buckets = _core.integer("num_buckets", event.num_buckets)
        if not 0 <= noise <= 1:
            raise _core.InvalidArgument(f"noise_parameter is {noise:g}, but must be in [0, 1]")
        if buckets == 0:
            raise _core.InvalidArgument("num_buckets is 0, but must be at least 1")
        if buckets == 1 or noise == 1:
            return _core.nothing
        # Their null record of REPLACE_SPECIAL answers uniformly; no plan has one.
        self.needs(event, "replace_one")
        if noise == 0:
            return _NOT_PRIVATE
        odds = float(buckets * (1 - Fraction(noise)) / Fraction(noise))
        return rr(surely_above(math.log1p(odds)), buckets)

    def from_ZCDpEvent(self, event: Any) -> Plan:
        if event.xi != 0:
            raise _refusal(event, f"with xi {event.xi} has no counterpart: it must be 0")
        return _NOT_PRIVATE if _core.number("rho", event.rho) == math.inf else zcdp(event.rho)

    def mixed(self, event: Any) -> list[tuple[float, float]]:
        """Shifts with their chances."""
        shifts = [_core.number("sensitivity", shift) for shift in event.sensitivities]
        chances = [_core.number("sampling_prob", chance) for chance in event.sampling_probs]
        if not all(math.isfinite(shift) for shift in shifts):
            raise _core.InvalidArgument(f"sensitivities are {shifts}, but must be finite")
        if len(chances) != len(shifts) or not (min(chances, default=-1) >= 0 and abs(math.fsum(chances) - 1) < 1e-9):
            raise _core.InvalidArgument(
                f"sampling_probs are {chances}, but must be probabilities that add up to 1, one for each sensitivity"
            )
        return list(zip(shifts, chances))

    def from_MixtureOfGaussiansDpEvent(self, event: Any) -> Plan:
        # One shift or none is a Poisson sample, whose noise may be zero.
        chances: dict[float, Fraction] = {}
        for shift, chance in self.mixed(event):
            chances[shift] = chances.get(shift, Fraction(0)) + Fraction(chance)
        shifts = [shift for shift, chance in chances.items() if shift != 0 and chance != 0]
        if not shifts:
            return _core.nothing
        if min(shifts) < 0:
            raise _refusal(event, "has no counterpart: it has one where no sensitivity with a chance is below 0")
        self.needs(event, "add_or_remove_one", "zero_out_one")
        deviation = _core.number("standard_deviation", event.standard_deviation)
        if not 0 <= deviation < math.inf:
            raise _core.InvalidArgument(f"standard_deviation is {deviation:g}, but must be in [0, inf)")
        if len(shifts) > 1 and deviation > 0:
            return mixture(deviation, [(min(1.0, at_least(chances[shift])), shift) for shift in shifts])
        # Without noise every shift tells all.
        noise = at_most(Fraction(deviation) / Fraction(shifts[0]))
        if len(shifts) > 1:
            return poisson(min(1.0, at_least(sum((chances[shift] for shift in shifts), Fraction(0)))), _NOT_PRIVATE)
        return poisson(min(1.0, at_least(chances[shifts[0]])), self.noisy(gaussian, noise))

    def from_SelfComposedDpEvent(self, event: Any) -> Plan:
        repeated: Plan = event.count * self.plan(event.event)
        return repeated

    def from_ComposedDpEvent(self, event: Any) -> Plan:
        return _core.compose([self.plan(part) for part in event.events])

    def from_PoissonSampledDpEvent(self, event: Any) -> Plan:
        inner = self.plan(event.event)
        # Under the other adjacencies accountants say so themselves.
        if inner == _NOT_PRIVATE and self.adjacency == "replace_one":
            return approximate(0, event.sampling_probability)
        return poisson(event.sampling_probability, inner)

    def from_SampledWithoutReplacementDpEvent(self, event: Any) -> Plan:
        return wor((event.sample_size, event.source_dataset_size), self.plan(event.event))

    def from_SampledWithReplacementDpEvent(self, event: Any) -> Plan:
        return with_replacement((event.sample_size, event.source_dataset_size), self.plan(event.event))

    def from_TruncatedSubsampledGaussianDpEvent(self, event: Any) -> Plan:
        self.needs(event, "add_or_remove_one")
        batch = (event.truncated_batch_size, event.dataset_size)
        return truncated_poisson(event.sampling_probability, batch, self.noisy(gaussian, event.noise_multiplier))

    def from_RepeatAndSelectDpEvent(self, event: Any) -> Plan:
        mean, shape = _core.number("mean", event.mean), _core.number("shape", event.shape)
        if not shape >= 0:
            raise _core.InvalidArgument(f"shape is {shape:g}, but must be at least 0")
        least = 0 if shape == math.inf else 1
        if not least <= mean < math.inf:
            raise _core.InvalidArgument(f"mean is {mean:g}, but must be in [{least}, inf) at shape {shape:g}")
        once = self.plan(event.event)
        if shape == math.inf:
            return select(f"poisson({mean!r})", once)
        if mean == 1:
            return once
        return select(f"negative_binomial({shape!r}, {gamma_of_mean(shape, mean)!r})", once)

    def from_SingleEpochTreeAggregationDpEvent(self, event: Any) -> Plan:
        # A record reaches the nodes above its leaf, in one tree: that many Gaussians, at most.
        self.needs(event, "zero_out_one")
        given = event.step_counts
        counts = [_core.integer("step_counts", count) for count in (given if hasattr(given, "__len__") else [given])]
        if not counts:
            raise _core.InvalidArgument(f"step_counts is {given}, but must be one or several")
        return self.from_GaussianDpEvent(event) * max(counts).bit_length()
