"""Gaussian noise as other libraries give it, where zero stands for none at all."""

from __future__ import annotations

from typing import Any

from ._core import InvalidArgument, Plan, number
from ._core.events import approximate, gaussian


def noisy(name: str, given: Any, sensitivity: int = 1) -> Plan:
    """Noise that is `given` clips, of which the sensitivity takes so many; what has none tells everything.

    Raises InvalidArgument, which calls it `name`, unless it is at least 0.
    """
    noise = number(name, given)
    if not noise >= 0:
        raise InvalidArgument(f"{name} is {noise:g}, but must be at least 0")
    return gaussian(noise / sensitivity) if noise else approximate(0, 1)
