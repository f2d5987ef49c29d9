"""Accountant and RunningAccount: the online forms."""

import gc
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import dpbudget
from dpbudget import Accountant, Filter, RunningAccount, gaussian, laplace, poisson

STEP = poisson(0.01, gaussian(1))


def test_equal_releases_are_counted():
    account = Accountant()
    for _ in range(1000):
        account.add(STEP)
    assert account.plan == 1000 * STEP
    assert account.epsilon(1e-5) == dpbudget.epsilon(STEP, 1e-5, count=1000)


def test_different_releases_are_composed():
    account = Accountant(STEP, tolerance=1e-4)
    account.add(STEP, 9)
    before = account.epsilon(1e-5)
    account.add("laplace(10)")
    assert account.plan == 10 * STEP + laplace(10)
    assert account.epsilon(1e-5).upper > before.upper
    # A mesh that is known already may be finer.
    fresh = dpbudget.epsilon(account.plan, 1e-5, tolerance=1e-4)
    assert account.epsilon(1e-5).upper == pytest.approx(fresh.upper, rel=1e-4)
    assert account.delta(0.5).upper < 1


def test_nothing_costs_nothing():
    assert Accountant().epsilon(1e-5) <= 0
    assert Accountant().plan == dpbudget.nothing


def test_questions_take_arrays():
    account = Accountant(STEP)
    found = account.epsilon([1e-5, 1e-6], count=[10, 100])
    each = [account.epsilon(1e-5, count=10).upper, account.epsilon(1e-6, count=100).upper]
    assert found.upper.tolist() == pytest.approx(each, rel=1e-3)


def test_state_is_restored():
    account = Accountant(accountant="renyi", tolerance=0.01, adjacency="zero_out_one")
    account.add(STEP, np.int64(500))
    account.add(gaussian(20))
    for again in (Accountant.restore(account.state()), pickle.loads(pickle.dumps(account))):
        assert again.plan == account.plan and again.epsilon(1e-5) == account.epsilon(1e-5)
        again.add(gaussian(20))
        assert again.plan != account.plan
    for state in ("", "{}", "[]", '{"version": 1, "releases": [], "x": 1}'):
        with pytest.raises(dpbudget.InvalidArgument, match="state is not what"):
            Accountant.restore(state)
    with pytest.raises(dpbudget.InvalidArgument, match="state is of version 2, but must be of 1"):
        Accountant.restore(account.state().replace('"version": 1', '"version": 2'))


def test_settings_are_checked_at_once():
    with pytest.raises(dpbudget.InvalidArgument, match="accountant is x, but must be one of"):
        Accountant(accountant="x")
    with pytest.raises(dpbudget.InvalidArgument, match="adjacency is x, but must be add_or_remove_one,"):
        Accountant(adjacency="x")
    with pytest.raises(dpbudget.InvalidArgument, match="count is -1"):
        Accountant().add(STEP, -1)
    with pytest.raises(
        dpbudget.InvalidArgument, match="adjacency is zero_out_one, but the plan says under replace_one"
    ):
        Accountant(adjacency="zero_out_one").add(gaussian(1).under("replace_one"))


def test_threads_share_it():
    account = Accountant()

    def work(_):
        for _ in range(10):
            account.add(STEP)
            account.epsilon(1e-5)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert account.plan == 80 * STEP
    assert account.epsilon(1e-5) == dpbudget.epsilon(STEP, 1e-5, count=80)


def test_threads_ask_one_accountant_at_a_time():
    account = Accountant("10 x laplace(10) + rr(0.1)")
    deltas = [10**-exponent for exponent in range(2, 10)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(account.epsilon, deltas))
    assert [bound.upper for bound in together] == sorted(bound.upper for bound in together)


def test_running_account_adds_rounds_that_differ():
    account = RunningAccount(delta=1e-5)
    noises = [1 + 0.01 * index for index in range(50)]
    for noise in noises:
        account.add(poisson(0.01, gaussian(noise)))
    found = account.epsilon()
    whole = dpbudget.epsilon(dpbudget.compose([poisson(0.01, gaussian(noise)) for noise in noises]), 1e-5)
    assert found.lower <= whole.upper and whole.lower <= found.upper and found.guarantee == "proven"
    with pytest.raises(dpbudget.InvalidArgument, match="adjacency is replace_one, but must be add_or_remove_one"):
        account.add(gaussian(1).under("replace_one"))


def test_running_account_is_restored():
    account = RunningAccount(delta=1e-6, adjacency="zero_out_one", mesh=2e-3)
    for noise in (1, 1, 2, 1.5):
        account.add(gaussian(noise), 3)
    for again in (RunningAccount.restore(account.state()), pickle.loads(pickle.dumps(account))):
        assert again.epsilon() == account.epsilon() and again.state() == account.state()
        again.add(laplace(10))
        assert again.epsilon().upper > account.epsilon().upper
    for state in ("", "{}", "[]", '{"version": 1, "delta": 1e-5}', account.state().replace("gaussian(2)", "2")):
        with pytest.raises(dpbudget.InvalidArgument):
            RunningAccount.restore(state)
    with pytest.raises(dpbudget.InvalidArgument, match="version of the state is 2, but must be 1"):
        RunningAccount.restore(account.state().replace('"version":1', '"version":2'))


def test_a_running_account_says_that_nothing_was_adaptive():
    account = RunningAccount(delta=1e-5)
    account.add(gaussian(2))
    assert "fixed in advance" in account.epsilon().notes[-1]


def test_a_filter_stops_what_is_chosen_adaptively():
    for measure, order in [("renyi", 12), ("zcdp", None), ("gaussian", None)]:
        budget = Filter(epsilon=3, delta=1e-5, measure=measure, order=order)
        assert budget.guarantee.upper <= 3 and budget.guarantee.guarantee == "proven"
        assert "chosen by what was released before" in budget.guarantee.notes[0]
        noise, released = 4.0, []
        while budget.spend(gaussian(noise)):
            released.append(noise)
            noise *= 0.9 if len(released) % 2 else 1.05  # whatever the outputs say
        assert 0 < budget.used <= budget.budget
        spent = dpbudget.epsilon(sum((gaussian(s) for s in released[1:]), gaussian(released[0])), 1e-5)
        assert spent.lower <= 3
    assert Filter(3, 1e-5, measure="renyi", order=6).spend(poisson(0.01, gaussian(1)), 10)


def test_a_filter_refuses_by_name():
    with pytest.raises(dpbudget.Unsupported, match="without sampling"):
        Filter(3, 1e-5, measure="gaussian").spend(poisson(0.01, gaussian(1)))
    for ask, said in [
        (lambda: Filter(0, 1e-5), "epsilon is 0"),
        (lambda: Filter(1, 2), "delta is 2"),
        (lambda: Filter(1, 1e-5, measure="x"), "measure is x, but must be renyi, zcdp or gaussian"),
        (lambda: Filter(1, 1e-5, measure="renyi"), "order is left out"),
        (lambda: Filter(1, 1e-5, order=3), "order is given"),
        (lambda: Filter(1, 1e-5, measure="renyi", order=1), "order is 1"),
        (lambda: Filter(1, 1e-5).spend(gaussian(1), -1), "count is -1"),
        (lambda: Filter(1, 1e-5).spend("gaussian(1) under replace_one"), "adjacency is replace_one"),
    ]:
        with pytest.raises(dpbudget.InvalidArgument, match=said):
            ask()


def resident():
    """Bytes that the process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def call(number):
    noise = 1 + number % 997 / 1000
    plan = 100 * poisson(0.01, gaussian(noise)) + laplace(10)
    account = Accountant()
    account.add(plan)
    account.add(plan)
    Accountant.restore(account.state())
    dpbudget.Plan(plan.json())
    dpbudget.epsilon(gaussian(noise), 1e-5)
    dpbudget.delta(gaussian(noise), 1)
    with pytest.raises(dpbudget.PlanError):
        dpbudget.Plan("gaussian(")
    with pytest.raises(dpbudget.Unsupported):
        dpbudget.epsilon("laplace(1)", 1e-5, accountant="exact")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads Linux's own count")
def test_memory_is_steady():
    for number in range(1000):
        call(number)
    gc.collect()
    before = resident()
    for number in range(10000):
        call(number)
    gc.collect()
    assert resident() - before < 2**20  # less than 105 bytes a round


def test_what_could_never_be_answered_is_not_added():
    account = dpbudget.Accountant("poisson(0.1, gaussian(2))")
    before = account.epsilon(1e-5)
    with pytest.raises(dpbudget.InvalidArgument, match="must have no `\\?`"):
        account.add("gaussian(?)")
    with pytest.raises(dpbudget.InvalidArgument):
        account.add("wor(0.1, gaussian(2))")
    account.add("gaussian(3)", 0)
    assert account.epsilon(1e-5) == before
