"""Plan and the functions that make events."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

import dpbudget
from dpbudget import Plan, gaussian, laplace, poisson, profile, select, with_replacement, wor


def test_operators_write_what_the_language_writes():
    plan = 100 * poisson(0.01, gaussian(1.1)) + laplace(10)
    assert str(plan) == "100 x poisson(0.01, gaussian(1.1)) + laplace(10)"
    assert plan == Plan("100 x poisson(0.01, gaussian(1.1)) + laplace(10)")
    assert repr(plan) == "Plan('100 x poisson(0.01, gaussian(1.1)) + laplace(10)')"


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda: gaussian(1) * 3, "3 x gaussian(1)"),
        (lambda: np.int64(3) * gaussian(1), "3 x gaussian(1)"),
        (lambda: "?" * gaussian(1), "? x gaussian(1)"),
        (lambda: gaussian("?"), "gaussian(?)"),
        (lambda: sum([gaussian(1), laplace(2), laplace(3)]), "gaussian(1) + laplace(2) + laplace(3)"),
        (lambda: "gaussian(1)" + laplace(2), "gaussian(1) + laplace(2)"),
        (lambda: gaussian(1) + "laplace(2)", "gaussian(1) + laplace(2)"),
        (lambda: 2 * (gaussian(1) + laplace(2)), "2 x (gaussian(1) + laplace(2))"),
        (lambda: dpbudget.compose(["gaussian(1)", laplace(2)]), "gaussian(1) + laplace(2)"),
        (lambda: dpbudget.compose([]), "nothing"),
        (lambda: dpbudget.nothing, "nothing"),
        (lambda: wor((8, 50), gaussian(1)), "wor(8 of 50, gaussian(1))"),
        (lambda: wor(Fraction(4, 25), gaussian(1)), "wor(4 of 25, gaussian(1))"),
        (lambda: with_replacement((8, 5), gaussian(1)), "with_replacement(8 of 5, gaussian(1))"),
        (lambda: select("geometric(0.1)", gaussian(1)), "select(geometric(0.1), gaussian(1))"),
        (lambda: select("poisson(?)", gaussian(1)), "select(poisson(?), gaussian(1))"),
        (lambda: profile([(0.5, 0.1), (1, 0)]), "profile(0.5:0.1, 1:0)"),
        (lambda: 3 * with_replacement(("?", 5), laplace(1)), "3 x with_replacement(? of 5, laplace(1))"),
        (lambda: poisson("?", gaussian(1)), "poisson(?, gaussian(1))"),
        (lambda: dpbudget.rr(1), "rr(1)"),
        (lambda: dpbudget.rr(1, categories=4), "rr(1, 4)"),
        (lambda: dpbudget.pure(0.5), "pure(0.5)"),
        (lambda: dpbudget.approximate(0.5, 1e-6), "approximate(0.5, 1e-06)"),
        (lambda: dpbudget.discrete_gaussian(2), "discrete_gaussian(2)"),
        (lambda: dpbudget.discrete_laplace(2), "discrete_laplace(2)"),
        (lambda: dpbudget.participates(0.5, gaussian(1)), "participates(0.5, gaussian(1))"),
        (lambda: dpbudget.shuffle(100, dpbudget.rr(1)), "shuffle(100, rr(1))"),
        (lambda: dpbudget.shuffle(100, "rr(1)", 3), "shuffle(100, rr(1), 3)"),
    ],
)
def test_every_event_has_a_function(made, text):
    assert str(made()) == text
    assert Plan(text) == made()


def test_json_is_the_same_tree():
    plan = Plan("10 x wor(800 of 4000, gaussian(10)) under replace_one")
    assert Plan(plan.json()) == plan
    assert Plan({"version": 1, "adjacency": "replace_one", "event": {"gaussian": {"noise_multiplier": 2.0}}}) == (
        gaussian(2).under("replace_one")
    )


def test_adjacency_is_the_named_one_or_the_natural_one():
    assert poisson(0.1, gaussian(1)).adjacency == "add_or_remove_one"
    assert wor(0.1, gaussian(1)).adjacency == "replace_one"
    assert Plan("gaussian(1) under zero_out_one").adjacency == "zero_out_one"
    assert Plan("gaussian(1)", adjacency="replace_one").adjacency == "replace_one"
    assert poisson(0.1, Plan("gaussian(1) under zero_out_one")).adjacency == "zero_out_one"
    with pytest.raises(dpbudget.InvalidArgument, match="adjacency is missing: the plan mixes"):
        (poisson(0.1, gaussian(1)) + wor(0.1, gaussian(1))).adjacency
    with pytest.raises(dpbudget.InvalidArgument, match="under replace_one and under zero_out_one"):
        gaussian(1).under("replace_one") + gaussian(1).under("zero_out_one")
    with pytest.raises(
        dpbudget.InvalidArgument, match="adjacency is replace_one, but the plan says under zero_out_one"
    ):
        gaussian(1).under("zero_out_one").under("replace_one")


def test_the_unknown_is_named_and_filled():
    plan = 10 * poisson(0.1, gaussian("?"))
    assert plan.unknown == "noise"
    assert plan.at(1.5) == 10 * poisson(0.1, gaussian(1.5))
    assert plan.at(1.5).unknown is None
    with pytest.raises(dpbudget.InvalidArgument, match="noise_multiplier is -1, but must be positive and finite"):
        plan.at(-1)


def test_pure_epsilon():
    assert 0.75 <= (2 * laplace(4) + dpbudget.rr(0.25)).pure_epsilon <= 0.75 + 1e-12
    assert gaussian(1).pure_epsilon == float("inf")
    assert dpbudget.nothing.pure_epsilon == 0
    with pytest.raises(dpbudget.InvalidArgument, match="unknown"):
        laplace("?").pure_epsilon


def test_plans_are_values():
    plan = 10 * poisson(0.1, gaussian(1 / 3)).under("zero_out_one")
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert {plan: 1}[Plan(str(plan))] == 1
    assert plan != gaussian(1)
    assert plan != "nothing"
    with pytest.raises(AttributeError):
        plan.adjacency = "replace_one"


@pytest.mark.parametrize(
    ("made", "error", "message"),
    [
        (lambda: gaussian(-1), dpbudget.InvalidArgument, "noise_multiplier is -1, but must be positive and finite"),
        (lambda: gaussian(float("nan")), dpbudget.InvalidArgument, "noise_multiplier is nan, but must be"),
        (lambda: gaussian(10**400), dpbudget.InvalidArgument, "noise is larger than any double"),
        (lambda: gaussian("x"), dpbudget.InvalidArgument, "noise is 'x', but must be a number or '\\?'"),
        (lambda: gaussian([1]), TypeError, "noise is list, but must be a number"),
        (lambda: -1 * gaussian(1), dpbudget.InvalidArgument, "count is -1, but must be an integer in \\[0, 2\\^53\\]"),
        (lambda: 1.5 * gaussian(1), TypeError, "count is float, but must be an integer"),
        (
            lambda: wor((5, 3), gaussian(1)),
            dpbudget.InvalidArgument,
            "drawn is 5, but must be at most the population, 3",
        ),
        (lambda: poisson(2, gaussian(1)), dpbudget.InvalidArgument, "rate is 2, but must be in \\[0, 1\\]"),
        (lambda: poisson(0.1, 3), TypeError, "plan is int, but must be a plan, its text or its JSON"),
        (lambda: dpbudget.shuffle(0, "rr(1)"), dpbudget.InvalidArgument, "reports is 0, but must be"),
        (lambda: Plan("gaussian(1"), dpbudget.PlanError, "column 11"),
        (lambda: Plan("{"), dpbudget.InvalidArgument, "plan is not JSON"),
        (
            lambda: gaussian(1).under("x"),
            dpbudget.InvalidArgument,
            "adjacency is x, but must be add_or_remove_one,",
        ),
    ],
)
def test_what_is_wrong_is_named(made, error, message):
    with pytest.raises(error, match=message):
        made()


def test_documentation_has_the_ranges():
    assert "noise      positive and finite" in gaussian.__doc__
    assert "records    an integer in [1, 2^53]" in dpbudget.shuffle.__doc__


def test_records_are_dealt_into_several_steps():
    dealt = dpbudget.random_allocation((2, 50), dpbudget.gaussian(1))
    assert dealt == Plan("random_allocation(2 of 50, gaussian(1))")
    assert Plan(dealt.json()) == Plan("random_allocation(2 of 50, gaussian(1)) under add_or_remove_one")
    assert dpbudget.random_allocation((2, "?"), dpbudget.gaussian(1)).unknown == "steps"
    assert dpbudget.shuffled_batches(50, dpbudget.gaussian(1)).adjacency == "zero_out_one"
    with pytest.raises(dpbudget.InvalidArgument, match="times is 3"):
        dpbudget.random_allocation((3, 2), dpbudget.gaussian(1))
    with pytest.raises(TypeError, match="a pair"):
        dpbudget.random_allocation((1, 2, 3), dpbudget.gaussian(1))


def test_oracles_are_functions_too():
    assert dpbudget.oue(1, 16) == Plan("oue(1, 16)")
    assert dpbudget.subset_selection(1, 16) == Plan("subset_selection(1, 16)")
    assert dpbudget.subset_selection("?", 16, 4).unknown == "epsilon"
    with pytest.raises(dpbudget.InvalidArgument, match="subset is 16"):
        dpbudget.subset_selection(1, 16, 16)
    with pytest.raises(dpbudget.InvalidArgument, match="epsilon is \\?"):
        dpbudget.subset_selection("?", 16)
