"""dpsgd: the question that everybody asks."""

import json

import pytest

import dpbudget
from dpbudget import dpsgd
from program import as_printed, printed, without_theorem

RUN = {"records": 60000, "batch": 256, "epochs": 60, "noise": 1.1, "delta": 1e-5}


def test_it_is_the_plan_that_it_says():
    run = dpsgd(**RUN)
    assert run.steps == 14063 and run.notes == ("60 epochs are 14062.5 steps, rounded up to 14063",)
    assert str(run.plan) == "14063 x poisson(256 of 60000, gaussian(1.1)) under add_or_remove_one"
    assert run.epsilon == dpbudget.epsilon(run.plan, 1e-5)
    assert "Poisson" in run.assumed and "Poisson" in str(run)


def test_it_says_what_other_batches_cost():
    fixed, passes = dpsgd(**RUN).others
    assert str(fixed.plan) == "14063 x wor(256 of 60000, gaussian(0.55)) under replace_one"
    assert str(passes.plan) == "61 x gaussian(1.1) under zero_out_one"
    assert fixed.epsilon == dpbudget.epsilon(fixed.plan, 1e-5)
    assert str(dpsgd(**{**RUN, "batch": 50000}).others[1].plan) == "72 x gaussian(1.1) under zero_out_one"
    assert dpsgd(**RUN).epsilon.upper < fixed.epsilon.lower < passes.epsilon.lower


@pytest.mark.parametrize(
    ("name", "worse"),
    [
        ("noise", lambda value: value * (1 - 1e-3)),
        ("epochs", lambda value: value + 256 / 60000),
        ("batch", lambda value: value + 1),
        ("records", lambda value: value - 1),
    ],
)
def test_any_one_is_found_and_just_inside_the_budget(name, worse):
    run = dpsgd(**{**RUN, name: "?"}, epsilon=3)
    assert run.epsilon <= 3
    value = getattr(run, name)
    again = {**RUN, name: value}
    assert dpsgd(**again).epsilon <= 3
    assert dpsgd(**{**RUN, name: worse(value)}).epsilon.upper > 3


def test_delta_is_found():
    run = dpsgd(**{**RUN, "delta": "?"}, epsilon=3)
    assert run.epsilon <= 3 and run.delta < 1e-6
    assert run.delta == dpbudget.delta(run.plan, 3).upper


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": 3}, "no number is `\\?`, but exactly one of records"),
        ({"noise": "?", "epochs": "?", "epsilon": 3}, "epochs and noise are `\\?`"),
        ({"noise": -1}, "noise is -1"),
        ({"batch": 0}, "batch is 0, but must be in \\[1, records\\]"),
        ({"batch": 70000}, "batch is 70000"),
        ({"epochs": 0}, "epochs is 0, but must be positive and finite"),
        ({"epochs": float("nan")}, "epochs is nan"),
        ({"delta": 0}, "delta is 0"),
        ({"epochs": "?", "noise": 0.01, "batch": 60000, "epsilon": 1}, "one step alone is not proven to fit"),
        ({"batch": "?", "noise": 0.01, "epsilon": 0.1}, "not even batches of 1 are proven to fit"),
    ],
)
def test_what_is_wrong_is_named(change, message):
    with pytest.raises(dpbudget.InvalidArgument, match=message):
        dpsgd(**{**RUN, **change})


def test_it_is_the_programs():
    answer = printed("dpsgd", *(f"--{name}={value}" for name, value in RUN.items()))
    run = dpsgd(**RUN)
    assert as_printed(run.epsilon) == without_theorem(answer["epsilon"])
    assert [run.steps, *run.notes] == [answer["steps"], *answer["notes"]]
    for ours, theirs in zip(run.others, answer["others"], strict=True):
        assert (ours.name, ours.meaning) == (theirs["name"], theirs["meaning"])
        assert json.loads(ours.plan.json()) == theirs["plan"]
        assert as_printed(ours.epsilon) == without_theorem(theirs["epsilon"])


def test_a_sampling_without_a_theorem_says_so():
    with pytest.raises(dpbudget.Unsupported, match="no closed form"):
        dpsgd(**RUN, accountant="exact")
