"""Opacus: what its accountants have recorded, as a plan."""

from __future__ import annotations

from typing import Any

from ._core import Plan, compose, integer
from ._core.events import poisson
from ._noise import noisy


def from_opacus(accountant_or_history: Any) -> Plan:
    """What an Opacus accountant has recorded.

    accountant_or_history  an accountant or PrivacyEngine, the state_dict of an accountant, or its history: a list of
                           (noise_multiplier, sample_rate, steps)

    Opacus takes every batch for a Poisson sample, and its noise multiplier is relative to the clipping norm: the plan
    is under add_or_remove_one. That holds for its own loader; with poisson_sampling=False batches are drawn otherwise,
    the history does not say so, and `dpsgd` shows what that costs. Zero noise tells everything about the sample.

    Raises InvalidArgument naming the number that is out of range, TypeError when there is no history.
    """
    given = getattr(accountant_or_history, "accountant", accountant_or_history)
    history = given.get("history") if isinstance(given, dict) else getattr(given, "history", given)
    if not isinstance(history, (list, tuple)):
        raise TypeError(
            f"{type(accountant_or_history).__name__} has no history of (noise_multiplier, sample_rate, steps)"
        )
    return compose(map(_stretch, history)).under("add_or_remove_one")


def _stretch(entry: Any) -> Plan:
    if not isinstance(entry, (list, tuple)) or len(entry) != 3:
        raise TypeError(f"the history holds {entry!r}, but must hold (noise_multiplier, sample_rate, steps)")
    noise_multiplier, sample_rate, steps = entry
    return integer("steps", steps) * poisson(sample_rate, noisy("noise_multiplier", noise_multiplier))
