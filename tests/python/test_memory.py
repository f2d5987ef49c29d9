"""Memory stays where it is, however often one asks."""

import gc
import os
from pathlib import Path

import pytest

import dpbudget
from dpbudget import Accountant, Plan, gaussian, poisson

# tools/python/test_others asks for 10^5.
CALLS = int(os.environ.get("DPBUDGET_CALLS", 2000))

STATUS = Path("/proc/self/statm")


def resident():
    """Bytes."""
    gc.collect()
    return int(STATUS.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def ask():
    plan = 100 * poisson(0.01, gaussian(1.1)) + dpbudget.laplace(10)
    dpbudget.epsilon("100 x gaussian(10)", 1e-5)
    dpbudget.delta("3 x laplace(2)", 1.0)
    assert Plan(str(plan)) == plan and Plan(plan.json()).adjacency == plan.adjacency
    account = Accountant()
    account.add(gaussian(2))
    Accountant.restore(account.state())
    for refused in ("gaussian(", "gaussian(-1)"):
        with pytest.raises(dpbudget.InvalidArgument):
            dpbudget.epsilon(refused, 1e-5)


@pytest.mark.skipif(not STATUS.exists(), reason="tells of its memory where Linux does")
def test_it_does_not_grow():
    for _ in range(200):
        ask()
    before = resident()
    for _ in range(CALLS // 10):  # about ten calls each
        ask()
    # Less than ten bytes a call, or a page or two where there are few.
    assert resident() - before < 2**20
