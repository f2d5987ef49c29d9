"""from_opacus. What Opacus's accountants hold is a list of (noise_multiplier, sample_rate, steps)."""

from types import SimpleNamespace

import pytest

import dpbudget
from dpbudget import from_opacus

HISTORY = [(1.1, 0.01, 500), (0.9, 0.02, 10)]
PLAN = "500 x poisson(0.01, gaussian(1.1)) + 10 x poisson(0.02, gaussian(0.9)) under add_or_remove_one"


@pytest.mark.parametrize(
    "given",
    [
        HISTORY,
        {"history": HISTORY, "mechanism": "rdp"},
        SimpleNamespace(history=HISTORY),
        SimpleNamespace(accountant=SimpleNamespace(history=HISTORY)),
    ],
)
def test_a_history_is_a_plan(given):
    assert str(from_opacus(given)) == PLAN


def test_edges():
    assert dpbudget.epsilon(from_opacus([]), 1e-5) <= 0
    assert dpbudget.epsilon(from_opacus([(0, 0.01, 1)]), 1e-5).lower == float("inf")
    with pytest.raises(dpbudget.InvalidArgument, match="noise_multiplier is -1"):
        from_opacus([(-1, 0.01, 1)])
    with pytest.raises(TypeError, match="int has no history"):
        from_opacus(3)
