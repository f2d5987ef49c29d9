"""from_jax_privacy: on objects that are like its parameters, and on its own where it is installed."""

import math
from types import SimpleNamespace

import pytest

import dpbudget
from dpbudget import from_jax_privacy


def params(method="POISSON", **changes):
    given = dict(
        noise_multipliers=1.1,
        num_samples=60000,
        batch_sizes=256,
        is_finite_guarantee=True,
        examples_per_user=None,
        cycle_length=None,
        sampling_method=SimpleNamespace(name=method),
        truncated_batch_size=None,
    )
    return SimpleNamespace(**{**given, **changes})


def test_parameters_are_a_plan():
    assert str(from_jax_privacy(params(), 100)) == "100 x poisson(256 of 60000, gaussian(1.1)) under add_or_remove_one"
    fixed = from_jax_privacy(params("FIXED_BATCH_SIZE"), 100)
    assert str(fixed) == "100 x wor(256 of 60000, gaussian(0.55)) under replace_one"
    assert dpbudget.epsilon(from_jax_privacy(params(), 0), 1e-5) <= 0


def test_schedules_are_stretches():
    plan = from_jax_privacy(
        params(noise_multipliers=[(0, 1.0), (30, 2.0), (999, 3.0)], batch_sizes=[(0, 64), (10, 128)]), 50
    )
    steps = [
        "10 x poisson(64 of 60000, gaussian(1))",
        "20 x poisson(128 of 60000, gaussian(1))",
        "20 x poisson(128 of 60000, gaussian(2))",
    ]
    assert str(plan) == " + ".join(steps) + " under add_or_remove_one"


@pytest.mark.parametrize("change", [{"is_finite_guarantee": False}, {"noise_multipliers": 0}])
def test_what_protects_nothing_is_infinite(change):
    assert dpbudget.epsilon(from_jax_privacy(params(**change), 10), 1e-5).lower == math.inf


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"examples_per_user": 3}, "examples_per_user is 3, but must be None or 1"),
        ({"cycle_length": 2}, "cycle_length is 2"),
        ({"truncated_batch_size": 300}, "truncated_batch_size is 300, but must be None"),
        ({"method": "OTHER"}, "sampling_method is OTHER"),
        ({"noise_multipliers": None}, "noise_multipliers is None"),
        ({"noise_multipliers": -1}, "noise_multiplier is -1"),
        ({"noise_multipliers": [(5, 1.0)]}, "noise_multipliers begin at step 5"),
        ({"batch_sizes": 70000}, "drawn is 70000"),
    ],
)
def test_what_is_wrong_is_named(change, message):
    with pytest.raises(dpbudget.InvalidArgument, match=message):
        from_jax_privacy(params(**change), 10)


def test_it_agrees_with_its_accountant():
    analysis = pytest.importorskip("jax_privacy.accounting").analysis
    accountants = pytest.importorskip("jax_privacy.accounting").accountants
    given = analysis.DpParams(noise_multipliers=1.1, num_samples=60000, delta=1e-5, batch_size=256)
    theirs = analysis.DpsgdTrainingAccountant(accountants.PldAccountantConfig()).compute_epsilon(2000, given)
    found = dpbudget.epsilon(from_jax_privacy(given, 2000), 1e-5)
    assert found.lower <= theirs and found.upper <= theirs * (1 + 1e-3)
