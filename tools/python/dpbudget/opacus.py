"""An accountant for Opacus: import this module, then PrivacyEngine(accountant="dpbudget")."""

from __future__ import annotations

from typing import Any

from opacus.accountants import IAccountant, register_accountant

from . import _core
from ._from_opacus import from_opacus
from ._questions import epsilon


class Accountant(IAccountant):  # type: ignore[misc]
    """Opacus' interface to what `from_opacus` makes of its history."""

    def __init__(self) -> None:
        super().__init__()
        self.history: list[tuple[float, float, int]] = []

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Counts one optimization step."""
        steps = 0
        if self.history and self.history[-1][:2] == (noise_multiplier, sample_rate):
            steps = self.history.pop()[2]
        self.history.append((noise_multiplier, sample_rate, steps + 1))

    def get_epsilon(
        self, delta: float, *, accountant: str = "best", tolerance: float = _core.default_tolerance, **_: Any
    ) -> float:
        """The upper end of epsilon so far, which is proven.

        accountant, tolerance  as those of dpbudget.epsilon; what else other accountants take is without effect

        Raises what dpbudget.epsilon raises.
        """
        return epsilon(from_opacus(self), delta, accountant=accountant, tolerance=tolerance).upper

    def __len__(self) -> int:
        return len(self.history)

    @classmethod
    def mechanism(cls) -> str:
        return "dpbudget"


register_accountant(Accountant.mechanism(), Accountant, force=True)
