"""The questions of the command line, as functions."""

import numpy as np
import pytest

import dpbudget

STEP = "poisson(0.01, gaussian(1))"


def test_epsilon_and_delta_are_inverse():
    found = dpbudget.epsilon(f"10000 x {STEP}", delta=1e-5)
    assert 6.1877 < found.lower < found.upper < 6.18772
    assert found.guarantee == "proven" and found.theorems and found.accountant == "contour"
    back = dpbudget.delta(f"10000 x {STEP}", epsilon=found.upper)
    assert back.lower <= 1e-5 * (1 + 1e-5) and back.upper >= 1e-5 * (1 - 1e-4)


def test_options_decide_who_answers():
    assert dpbudget.epsilon(STEP, 1e-5, accountant="renyi").accountant == "renyi"
    wide = dpbudget.epsilon("100 x laplace(10)", 1e-5, accountant="loss_distribution", tolerance=0.1)
    narrow = dpbudget.epsilon("100 x laplace(10)", 1e-5, accountant="loss_distribution", tolerance=1e-4)
    assert narrow.upper - narrow.lower < wide.upper - wide.lower
    assert dpbudget.epsilon("wor(0.1, gaussian(1))", 1e-5, adjacency="replace_one").upper > 0


def test_arrays_are_broadcast():
    deltas = np.array([1e-5, 1e-6])
    counts = [[10], [100], [1000]]
    found = dpbudget.epsilon(STEP, deltas, count=counts)
    assert found.shape == (3, 2) and found.upper.shape == (3, 2)
    for row, (count,) in enumerate(counts):
        for column, delta in enumerate(deltas):
            one = dpbudget.epsilon(STEP, float(delta), count=count)
            assert found[row, column].upper == pytest.approx(one.upper, rel=1e-3)
            assert found.lower[row, column] == pytest.approx(one.lower, rel=1e-3)
    assert found[0].shape == (2,) and found.is_proven.all()
    assert [one.shape for one in found] == [(2,), (2,), (2,)]


def test_noises_take_the_place_of_the_unknown():
    noises = [0.8, 1.0, 1.2]
    found = dpbudget.epsilon("poisson(0.01, gaussian(?))", 1e-5, count=1000, at=noises)
    each = [dpbudget.epsilon(f"1000 x poisson(0.01, gaussian({noise}))", 1e-5).upper for noise in noises]
    assert found.upper == pytest.approx(each, rel=1e-3)
    assert list(found.asked) == ["at"] and found.asked["at"].tolist() == noises
    assert len(dpbudget.epsilon(STEP, [])) == 0


def test_a_curve_becomes_a_frame():
    pandas = pytest.importorskip("pandas")
    found = dpbudget.epsilon(STEP, 1e-5, count=[10, 100])
    frame = found.frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["count"].tolist() == [10, 100] and frame["upper"].tolist() == found.upper.tolist()
    assert set(frame["guarantee"]) == {"proven"}


def test_a_curve_is_a_table_in_a_notebook():
    found = dpbudget.epsilon(STEP, 1e-5, count=[10, 100])
    html = found._repr_html_()
    assert html.startswith("<table><tr><th>count</th><th>bound</th><th>accountant</th></tr><tr><td>10</td>")
    assert html.count("<tr>") == 3 and str(found[1]) in html and "more" not in html
    assert "and 40 more" in dpbudget.epsilon("laplace(1)", np.full((10, 10), 1e-5))._repr_html_()


def test_a_curve_becomes_a_picture():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    found = dpbudget.epsilon(STEP, 1e-5, count=[10, 100])
    axes = found.plot(figure.subplots())
    (line,) = axes.get_lines()
    assert line.get_xdata().tolist() == [10, 100] and line.get_ydata().tolist() == found.upper.tolist()
    assert axes.get_xlabel() == "count" and axes.get_ylabel() == "epsilon"
    # What does not vary along a row of a grid is no second argument.
    row = dpbudget.delta(STEP, [0.1, 0.2], count=[[10], [20]])[0].plot(figure.subplots())
    assert row.get_xlabel() == "epsilon" and row.get_ylabel() == "delta"
    with pytest.raises(ValueError, match="one argument along one axis"):
        dpbudget.epsilon(STEP, [1e-5], count=[10]).plot(figure.subplots())


def test_rounds():
    found = dpbudget.rounds("poisson(0.02, gaussian(1.5))", epsilon=3, delta=1e-6)
    assert int(found) == found.rounds == 1738 and not found.unbounded
    assert found.at_rounds <= 3 and found.at_next is not None and found.at_next > 3
    assert dpbudget.rounds("nothing", 1, 1e-6).unbounded


def test_solve():
    found = dpbudget.solve("1000 x poisson(0.01, gaussian(?))", epsilon=1, delta=1e-6)
    assert found.value == pytest.approx(1.5626656, rel=1e-6) and found.at_value <= 1
    assert dpbudget.epsilon(found.plan, 1e-6) <= 1
    none = dpbudget.solve("? x gaussian(1) + gaussian(0.1)", epsilon=1, delta=1e-6)
    assert none.value is None and none.at_value is None and none.explanation


def test_solve_for_what_an_attacker_may_reach():
    found = dpbudget.solve("gaussian(?)", tpr=0.05, fpr=0.01)
    assert found.value == pytest.approx(1.46736382, rel=1e-6) and found.at_value <= 0.05
    assert found.at_value.guarantee == "proven" and f"noise {found.value} meets" in found.explanation
    assert found.plan == dpbudget.Plan(dpbudget.gaussian(found.value), "add_or_remove_one")
    assert dpbudget.risk(found.plan, fpr=0.01).true_positive_rate <= 0.05
    found = dpbudget.solve("rr(?)", advantage=0.1, adjacency="replace_one")
    assert found.value == pytest.approx(0.2006706955, rel=1e-8) and found.plan.adjacency == "replace_one"
    none = dpbudget.solve("gaussian(2) + gaussian(?)", tpr=0.03, fpr=0.01)
    assert none.value is None and none.at_value is None and none.plan is None and none.explanation
    for limits in ({}, {"tpr": 0.1}, {"fpr": 0.1}, {"advantage": 0.1, "fpr": 0.1}, {"advantage": 0.1, "epsilon": 1}):
        with pytest.raises(dpbudget.InvalidArgument, match="give epsilon and delta, or advantage, or tpr and fpr"):
            dpbudget.solve("gaussian(?)", **limits)
    with pytest.raises(dpbudget.InvalidArgument, match="tpr is 0.1, but must be in"):
        dpbudget.solve("gaussian(?)", tpr=0.1, fpr=0.2)


def test_compare_ranks_everybody():
    found = dpbudget.compare("100 x poisson(0.01, gaussian(1))", delta=1e-5)
    assert {line.accountant for line in found} == set(dpbudget.ACCOUNTANTS) - {"best"}
    uppers = [line.bound.upper for line in found if line.bound and line.bound.guarantee == "proven"]
    assert uppers == sorted(uppers)
    assert all((line.bound is None) == bool(line.refusal) for line in found)
    assert "By these theorems:" in str(found) and "<pre>" in found._repr_html_()
    assert isinstance(dpbudget.compare("gaussian(1)", epsilon=1)[0].bound, dpbudget.DeltaBound)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: dpbudget.epsilon(STEP, 1), dpbudget.InvalidArgument, "delta is 1, but must be in \\[0, 1\\)"),
        (lambda: dpbudget.epsilon(STEP, 0), dpbudget.Unsupported, "theorem for pure DP \\(delta 0\\)"),
        (lambda: dpbudget.epsilon(STEP, float("nan")), dpbudget.InvalidArgument, "delta is nan, but must be"),
        (lambda: dpbudget.epsilon(STEP, "x"), TypeError, "delta is str, but must be a number"),
        (lambda: dpbudget.delta(STEP, -1), dpbudget.InvalidArgument, "epsilon is -1, but must be"),
        (lambda: dpbudget.epsilon(STEP, 1e-5, count=-1), dpbudget.InvalidArgument, "count is -1"),
        (lambda: dpbudget.epsilon(STEP, 1e-5, tolerance=2), dpbudget.InvalidArgument, "tolerance is 2"),
        (lambda: dpbudget.epsilon(STEP, 1e-5, accountant="x"), dpbudget.InvalidArgument, "must be one of best, exact"),
        (lambda: dpbudget.epsilon("gaussian(?)", 1e-5), dpbudget.InvalidArgument, "unknown `\\?`"),
        (
            lambda: dpbudget.epsilon("laplace(1)", 1e-5, accountant="exact"),
            dpbudget.Unsupported,
            "there is no closed form",
        ),
        (lambda: dpbudget.rounds(STEP, 1, 2), dpbudget.InvalidArgument, "delta is 2"),
        (lambda: dpbudget.solve(STEP, 1, 1e-5), dpbudget.InvalidArgument, "the plan has no `\\?`"),
        (lambda: dpbudget.compare(STEP), dpbudget.InvalidArgument, "give one of delta and epsilon"),
    ],
)
def test_what_is_wrong_is_named(ask, error, message):
    with pytest.raises(error, match=message):
        ask()
    assert not issubclass(dpbudget.Unsupported, ValueError) and issubclass(dpbudget.PlanError, ValueError)


def test_delta_0_asks_for_pure_dp():
    assert dpbudget.epsilon("2 x laplace(4) + rr(0.5)", 0).upper == pytest.approx(1)
    assert dpbudget.rounds("pure(0.25)", 1, 0).rounds == 4
    assert dpbudget.solve("2 x laplace(?)", 1, 0).value == pytest.approx(2, abs=1e-10)


def test_many_estimates_are_called_so():
    found = dpbudget.epsilon("poisson(0.1, gaussian(4))", [1e-5, 1e-6], accountant="gdp")
    assert "all estimates" in repr(found)
    assert "estimate" not in repr(dpbudget.epsilon("gaussian(4)", [1e-5, 1e-6]))
