"""What is wrong with an argument is said in one line that names it, whatever it is."""

import json
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest

import dpbudget
from dpbudget import Accountant, Algorithm, InvalidArgument, Plan, PlanError, RunningAccount, gaussian, poisson

HALF = "\ud800"
"""Half of a surrogate pair: a str of Python, and no text."""

HUGE = 10**5000
"""More digits than Python prints."""

STEP = "poisson(0.01, gaussian(1))"


def refusal(ask, kind=InvalidArgument):
    with pytest.raises(kind) as caught:
        ask()
    return str(caught.value)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: Plan(HALF),
        lambda: Plan(STEP) + HALF,
        lambda: gaussian(HALF),
        lambda: poisson(HALF, STEP),
        lambda: Plan(STEP) * HALF,
        lambda: Plan(STEP, HALF),
        lambda: dpbudget.epsilon(HALF, 1e-5),
        lambda: dpbudget.epsilon(STEP, 1e-5, accountant=HALF),
        lambda: dpbudget.epsilon(STEP, 1e-5, adjacency=HALF),
        lambda: dpbudget.dpsgd(records=HALF, batch=1, epochs=1, noise=1),
        lambda: dpbudget.dpsgd(records=10, batch=1, epochs=1, noise=HALF),
        lambda: dpbudget.eval(HALF),
        lambda: dpbudget.eval("renyi.gaussian", order=HALF, noise_multiplier=1),
        lambda: Accountant(HALF),
        lambda: Accountant(adjacency=HALF),
        lambda: RunningAccount(1e-5, HALF),
        lambda: RunningAccount.restore(HALF),
        lambda: dpbudget.plan(HALF),
        lambda: dpbudget.plan("dp-fedavg", noise=HALF),
        lambda: dpbudget.risk(HALF),
        lambda: dpbudget.verify(HALF),
    ],
)
def test_what_is_no_text_is_refused(ask):
    assert "\n" not in refusal(ask)


def test_characters_are_not_passed_over():
    assert refusal(lambda: Plan("gaussian(10)\0 + gaussian(1)"), PlanError).startswith(
        "plan, column 13: unexpected `\\x00`"
    )
    assert refusal(lambda: Plan("ü∞"), PlanError) == "plan, column 1: expected an event, found `ü`\n  ü∞\n  ^"
    assert "NUL" in refusal(lambda: dpbudget.plan("dp-fedavg", noise="1\0"))
    assert "ledger is ''" in refusal(lambda: dpbudget.simulate(algorithm="mb-sgd", ledger="", rounds=1))


def test_huge_integers_are_refused_and_not_printed():
    for ask in (
        lambda: HUGE * gaussian(1),
        lambda: dpbudget.epsilon(STEP, 1e-5, count=HUGE),
        lambda: dpbudget.shuffle(HUGE, dpbudget.rr(1)),
        lambda: dpbudget.from_opacus([(1.0, 0.1, HUGE)]),
        lambda: dpbudget.from_tf_privacy(number_of_examples=HUGE, batch_size=1, num_epochs=1, noise_multiplier=1),
        lambda: dpbudget.plan("dp-fedavg", rounds=HUGE),
        lambda: dpbudget.epsilon(STEP, HUGE),
    ):
        assert len(refusal(ask)) < 200
    for number in (HUGE, -(10**30)):
        assert "must be a plan" in refusal(lambda number=number: gaussian(1) + number, TypeError)
        assert "must be a plan" in refusal(lambda number=number: number + gaussian(1), TypeError)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: dpbudget.epsilon(STEP, 1e-5, accountant=3), "accountant is int, but must be a text"),
        (lambda: dpbudget.epsilon(STEP, 1e-5, adjacency=3), "adjacency is int, but must be a text"),
        (lambda: dpbudget.epsilon(None, 1e-5), "plan is NoneType, but must be a plan, its text or its JSON"),
        (lambda: dpbudget.epsilon(STEP, None), "delta is NoneType, but must be a number"),
        (lambda: dpbudget.epsilon(STEP, 1e-5, tolerance=None), "tolerance is NoneType, but must be a number"),
        (lambda: dpbudget.rounds(STEP, 1, 1e-5, accountant=None), "accountant is NoneType, but must be a text"),
        (lambda: dpbudget.solve(STEP, None, 1e-5), "epsilon is NoneType, but must be a number"),
        (
            lambda: dpbudget.dpsgd(records=None, batch=1, epochs=1, noise=1),
            "records is NoneType, but must be an integer",
        ),
        (lambda: dpbudget.eval(3), "function is int, but must be a text"),
        (lambda: gaussian(1).under(3), "adjacency is int, but must be a text"),
        (lambda: RunningAccount.restore(3), "state is int, but must be a text"),
        (lambda: dpbudget.from_opacus([3]), "the history holds 3, but must hold"),
        (lambda: dpbudget.add_algorithm(Algorithm()), "algorithm is Algorithm, but must be an Algorithm with a name"),
        (lambda: dpbudget.add_algorithm(3), "algorithm is int, but must be an Algorithm with a name"),
        (lambda: dpbudget.plan("dp-fedavg", help=True), "plan() got an unexpected keyword argument 'help'"),
    ],
)
def test_what_has_the_wrong_type_is_named(ask, said):
    assert refusal(ask, TypeError).startswith(said)


@pytest.mark.parametrize("releases", ["x", 3, None, [3], [["gaussian(1)"]], [["gaussian(1)", "?"]], [["gaussian(", 1]]])
def test_states_that_are_none_are_refused(releases):
    state = Accountant().state().replace("[]", json.dumps(releases))
    refusal(lambda: Accountant.restore(state))


def test_an_accountant_counts_beyond_what_a_plan_counts():
    account = Accountant()
    account.add("gaussian(1e9)", 2**53)
    account.add("gaussian(1e9)", 2**53)
    assert str(account.plan) == "9007199254740992 x gaussian(1000000000) + 9007199254740992 x gaussian(1000000000)"
    assert Accountant.restore(account.state()).epsilon(1e-5) == account.epsilon(1e-5)


def test_no_count_overflows():
    account = Accountant("gaussian(1)")
    account.add("gaussian(1)", 2**31 - 1)
    # In NumPy's integers 2^31 times 2^33 is 0.
    assert "18446744073709551616" in refusal(lambda: account.epsilon(1e-5, count=np.int64(2**33)))
    assert "18446744073709551616" in refusal(lambda: account.epsilon(1e-5, count=[np.int64(2**33)]))


def test_numbers_of_every_kind_are_numbers():
    expected = dpbudget.epsilon("100 x gaussian(10)", 0.125)
    for delta in (Fraction(1, 8), Decimal("0.125"), np.float32(0.125), np.array(0.125)):
        assert dpbudget.epsilon("100 x gaussian(10)", delta, count=np.array(1)) == expected
    assert dpbudget.eval("renyi.gaussian", order=Fraction(2), noise_multiplier=Decimal(3)) == pytest.approx(1 / 9)
    assert Plan(MappingProxyType({"version": 1, "adjacency": "replace_one", "event": {"pure_dp": {"epsilon": 1}}}))
    shapes = "the shapes are delta (2,), count (3,), but must be broadcast to one"
    assert refusal(lambda: dpbudget.epsilon("gaussian(10)", [1e-5, 1e-6], count=[1, 2, 3])) == shapes


def test_jax_parameters_are_not_rounded_or_guessed():
    def given(**changes):
        usual = dict(noise_multipliers=1.1, num_samples=100, batch_sizes=10, is_finite_guarantee=True)
        return SimpleNamespace(**{**usual, **changes})

    # What is no integer was cut to one, and what names no sampling was taken for Poisson's.
    assert "batch_size is float" in refusal(lambda: dpbudget.from_jax_privacy(given(batch_sizes=10.9), 5), TypeError)
    fixed = dpbudget.from_jax_privacy(given(sampling_method="FIXED_BATCH_SIZE"), 5)
    assert str(fixed) == "5 x wor(10 of 100, gaussian(0.55)) under replace_one"
    assert "sampling_method is 3" in refusal(lambda: dpbudget.from_jax_privacy(given(sampling_method=3), 5))
    assert "num_updates is -1" in refusal(lambda: dpbudget.from_jax_privacy(given(), -1))
    assert "batch_sizes are empty" in refusal(lambda: dpbudget.from_jax_privacy(given(batch_sizes=[]), 5))


def test_risk_takes_what_the_other_questions_take():
    expected = dpbudget.risk("gaussian(1)", adjacency="replace_one")
    assert expected.plan.adjacency == "replace_one"
    # A plan that names no adjacency was refused, as if it named add_or_remove_one.
    assert dpbudget.risk(gaussian(1), adjacency="replace_one").advantage == expected.advantage
    mapping = {"version": 1, "adjacency": "replace_one", "event": {"gaussian": {"noise_multiplier": 1}}}
    assert dpbudget.risk(mapping).advantage == expected.advantage
    assert "the nearest is `gaussian`" in refusal(lambda: dpbudget.risk("gausian(1)"), PlanError)
    refusal(lambda: dpbudget.risk("--help"), PlanError)
