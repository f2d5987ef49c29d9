"""An accountant of dp_accounting's interface: Accountant().compose(event).get_epsilon(delta)."""

from __future__ import annotations

import math
import sys
from typing import Any

from dp_accounting import NeighboringRelation, PrivacyAccountant

from . import _core
from ._accountant import Accountant as Account
from ._from_dp_accounting import ReplaceOneNoise, from_dp_accounting

_ADJACENCIES = {
    NeighboringRelation.ADD_OR_REMOVE_ONE: "add_or_remove_one",
    NeighboringRelation.REPLACE_ONE: "replace_one",
    NeighboringRelation.REPLACE_SPECIAL: "zero_out_one",
}


class Accountant(PrivacyAccountant):  # type: ignore[misc]
    """What PLDAccountant and RdpAccountant are, by plans that `from_dp_accounting` makes of the events.

    neighboring_relation   dp_accounting's
    accountant, tolerance  as those of dpbudget.epsilon
    replace_one_noise      as that of from_dp_accounting
    """

    def __init__(
        self,
        neighboring_relation: Any = NeighboringRelation.ADD_OR_REMOVE_ONE,
        *,
        accountant: str = "best",
        tolerance: float = _core.default_tolerance,
        replace_one_noise: ReplaceOneNoise = "clip",
    ) -> None:
        super().__init__(neighboring_relation)
        self._adjacency = _ADJACENCIES[neighboring_relation]
        self._who = (accountant, tolerance)
        self._noise: ReplaceOneNoise = replace_one_noise
        self._account = Account(accountant=accountant, tolerance=tolerance, adjacency=self._adjacency)

    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
        try:
            plan = from_dp_accounting(event, self._adjacency, replace_one_noise=self._noise)
            _core.PlanAccountant(plan, *self._who, None)  # refuses where it has no theorem
        except _core.Unsupported as refusal:
            refused = getattr(refusal, "event", event)
            return self.CompositionErrorDetails(invalid_event=refused, error_message=str(refusal))
        if do_compose:
            self._account.add(plan, count)
        return None

    def get_epsilon(self, target_delta: float) -> float:
        """The upper end of epsilon so far, which is proven; target_delta in [0, 1].

        As dp_accounting has it, epsilon is infinite even at a delta of 1 where it is infinite at every other.
        """
        if target_delta == 0:
            return self._account.plan.under(self._adjacency).pure_epsilon
        if target_delta == 1:
            return math.inf if self.get_epsilon(math.nextafter(1, 0)) == math.inf else 0.0
        return self._account.epsilon(target_delta).upper

    def get_delta(self, target_epsilon: float) -> float:
        """The upper end of delta so far, which is proven; target_epsilon in [0, inf]."""
        return self._account.delta(min(target_epsilon, sys.float_info.max)).upper
