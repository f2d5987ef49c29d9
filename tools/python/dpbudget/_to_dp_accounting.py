"""Plans as Google's dp_accounting has them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NoReturn

from ._core import InvalidArgument, Plan, Unsupported
from ._from_dp_accounting import ReplaceOneNoise, sensitivity_in_clips
from ._questions import PlanLike
from ._safe import at_least, at_most, mean_of_gamma, surely_above, surely_below


def to_dp_accounting(plan: PlanLike, *, replace_one_noise: ReplaceOneNoise = "clip") -> Any:
    """The plan as a dp_accounting DpEvent, for an accountant with the plan's adjacency.

    replace_one_noise  what the event's noise multipliers are to be relative to under replace_one: "clip" for
                       PLDAccountant, which doubles them, "sensitivity" for RdpAccountant. The wrong one costs less than
                       the truth, or more.

    Where a number has another convention, it is rounded so that the event can only be less private.

    Raises Unsupported naming what has no counterpart, InvalidArgument where the plan has a `?`, ImportError where
    dp_accounting is not installed.
    """
    read = Plan(plan)
    if read.unknown is not None:
        raise InvalidArgument(f"plan is {read}, but must have no `?`: an event has numbers only")
    whole = json.loads(read.json())
    return _Converter(whole["adjacency"], sensitivity_in_clips(whole["adjacency"], replace_one_noise)).event(
        whole["event"]
    )


class _Converter:
    def __init__(self, adjacency: str, sensitivity: int) -> None:
        from dp_accounting import dp_event

        self.events = dp_event
        self.adjacency = adjacency
        self.sensitivity = sensitivity

    def event(self, tree: dict[str, Any]) -> Any:
        ((name, members),) = tree.items()
        convert: Callable[..., Any] | None = getattr(self, f"from_{name}", None)
        return convert(**members) if convert else self.refuse(f"`{name}`")

    def refuse(self, what: str) -> NoReturn:
        raise Unsupported(f"{what} under {self.adjacency} has no counterpart among dp_accounting's events")

    def from_gaussian(self, noise_multiplier: float) -> Any:
        return self.events.GaussianDpEvent(self.sensitivity * noise_multiplier)

    def from_laplace(self, scale: float) -> Any:
        return self.events.LaplaceDpEvent(self.sensitivity * scale)

    def from_discrete_laplace(self, scale: float) -> Any:
        if self.adjacency == "replace_one":
            self.refuse("`discrete_laplace`")
        return self.events.DiscreteLaplaceDpEvent(at_least(1 / Fraction(scale)), 1)

    def from_randomized_response(self, epsilon: float, categories: int) -> Any:
        if self.adjacency != "replace_one":
            self.refuse("`rr`")
        noise = surely_below(categories / surely_above(math.exp(epsilon) + (categories - 1)))
        return self.events.RandomizedResponseDpEvent(min(noise, 1.0), categories)

    def from_mixture_of_gaussians(self, noise_multiplier: float, shifts: list[dict[str, float]]) -> Any:
        if self.adjacency == "replace_one":
            self.refuse("`mixture`")
        offsets = [shift["offset"] for shift in shifts]
        chances = [shift["probability"] for shift in shifts]
        rest = 1 - sum(map(Fraction, chances), Fraction(0))
        if rest > Fraction(1, 10**12):  # else they are shares of their sum
            offsets.append(0.0)
            chances.append(at_most(rest))
        return self.events.MixtureOfGaussiansDpEvent(noise_multiplier, offsets, chances)

    def from_concentrated_dp(self, rho: float) -> Any:
        return self.events.ZCDpEvent(rho)

    def from_gaussian_dp(self, mu: float) -> Any:
        return self.from_gaussian(at_most(1 / Fraction(mu))) if mu > 0 else self.events.NoOpDpEvent()

    def from_approximate_dp(self, epsilon: float, delta: float) -> Any:
        return self.events.NonPrivateDpEvent() if delta == 1 else self.refuse("`approximate`")

    def from_poisson_sampled(self, rate: Any, inner: dict[str, Any]) -> Any:
        if isinstance(rate, dict):
            rate = at_least(Fraction(rate["drawn"], rate["population"]))
        return self.events.PoissonSampledDpEvent(rate, self.event(inner))

    # That the sum is of clipped vectors is more than their event says.
    def from_sampled_without_replacement(self, rate: Any, inner: dict[str, Any], clipped: bool = False) -> Any:
        if not isinstance(rate, dict):
            self.refuse(f"`wor({rate}, ...)`, which is no `m of n`,")
        return self.events.SampledWithoutReplacementDpEvent(rate["population"], rate["drawn"], self.event(inner))

    def from_sampled_with_replacement(self, draws: Any, inner: dict[str, Any]) -> Any:
        return self.events.SampledWithReplacementDpEvent(draws["population"], draws["drawn"], self.event(inner))

    def from_truncated_poisson_sampled(self, rate: Any, batch: Any, inner: dict[str, Any]) -> Any:
        if isinstance(rate, dict):
            rate = at_least(Fraction(rate["drawn"], rate["population"]))
        if "gaussian" not in inner:
            self.refuse("`truncated_poisson` of anything but one `gaussian`")
        if self.adjacency == "replace_one":
            self.refuse("`truncated_poisson`")
        noise = inner["gaussian"]["noise_multiplier"]
        return self.events.TruncatedSubsampledGaussianDpEvent(batch["population"], rate, batch["drawn"], noise)

    def from_selected(self, trials: dict[str, dict[str, float]], inner: dict[str, Any]) -> Any:
        ((law, numbers),) = trials.items()
        if law == "poisson":
            return self.events.RepeatAndSelectDpEvent(self.event(inner), numbers["mean"], math.inf)
        eta, gamma = numbers.get("eta", 1.0), numbers["gamma"]
        if eta < 0:
            self.refuse(f"`negative_binomial({eta}, {gamma})` trials")
        mean = at_least(1 / Fraction(gamma)) if eta == 1 else mean_of_gamma(eta, gamma)
        return self.events.RepeatAndSelectDpEvent(self.event(inner), mean, eta)

    def from_repeated(self, count: int, inner: dict[str, Any]) -> Any:
        return self.events.SelfComposedDpEvent(self.event(inner), count)

    def from_composed(self, parts: list[dict[str, Any]]) -> Any:
        if not parts:
            return self.events.NoOpDpEvent()
        return self.events.ComposedDpEvent([self.event(part) for part in parts])
