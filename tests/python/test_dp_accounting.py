"""The accountant of dp_accounting's interface, in dp_accounting."""

import math

import pytest

import dpbudget

dp = pytest.importorskip("dp_accounting")

from dpbudget.dp_accounting import Accountant  # noqa: E402

STEP = dp.PoissonSampledDpEvent(0.01, dp.GaussianDpEvent(1.0))


def test_it_composes():
    account = Accountant().compose(STEP, 100).compose(dp.SelfComposedDpEvent(STEP, 900))
    assert account.get_epsilon(1e-5) == pytest.approx(dpbudget.epsilon("1000 x poisson(0.01, gaussian(1))", 1e-5).upper)
    assert account.get_delta(1.0) == pytest.approx(dpbudget.delta("1000 x poisson(0.01, gaussian(1))", 1.0).upper)
    assert account.ledger == dp.SelfComposedDpEvent(STEP, 1000)


def test_edges_are_theirs():
    nothing, everything = Accountant(), Accountant().compose(dp.NonPrivateDpEvent())
    laplace = Accountant().compose(dp.LaplaceDpEvent(2.0), 3)
    assert nothing.get_epsilon(0) == 0 and everything.get_epsilon(0) == math.inf
    assert 1.5 <= laplace.get_epsilon(0) <= 1.5 + 1e-12
    assert [account.get_epsilon(1) for account in (nothing, laplace, everything)] == [0, 0, math.inf]
    assert [account.get_delta(0) for account in (nothing, everything)] == [0, 1]
    assert [account.get_delta(math.inf) for account in (nothing, laplace, everything)] == [0, 0, 1]


def test_it_refuses_what_no_theorem_answers():
    replace_one = Accountant(dp.NeighboringRelation.REPLACE_ONE)
    assert replace_one.supports(dp.GaussianDpEvent(1.0)) and replace_one.supports(STEP)
    assert not replace_one.supports(dp.PoissonSampledDpEvent(0.1, dp.LaplaceDpEvent(1.0)))
    assert replace_one.supports(dp.SampledWithoutReplacementDpEvent(100, 10, dp.GaussianDpEvent(1.0)))
    unsupported = dp.ComposedDpEvent([STEP, dp.UnsupportedDpEvent()])
    assert not Accountant().supports(unsupported)
    with pytest.raises(dp.UnsupportedEventError, match=r"caused by subevent UnsupportedDpEvent\(\)"):
        Accountant().compose(unsupported)


def test_noise_is_relative_to_what_is_said():
    relation = dp.NeighboringRelation.REPLACE_ONE
    by_clip = Accountant(relation).compose(dp.GaussianDpEvent(2.0))
    by_sensitivity = Accountant(relation, replace_one_noise="sensitivity").compose(dp.GaussianDpEvent(1.0))
    assert by_clip.get_epsilon(1e-5) == by_sensitivity.get_epsilon(1e-5)
    assert Accountant().compose(dp.NonPrivateDpEvent()).get_epsilon(1e-5) == math.inf


def test_it_calibrates():
    found = dp.calibrate_dp_mechanism(
        Accountant,
        lambda noise: dp.SelfComposedDpEvent(dp.GaussianDpEvent(noise), 100),
        1.0,
        1e-5,
        dp.ExplicitBracketInterval(1, 1000),
    )
    ours = dpbudget.solve("100 x gaussian(?)", 1.0, 1e-5).value
    assert found == pytest.approx(ours, rel=1e-3)


@pytest.mark.parametrize("plan", ["gaussian(?)", "? x gaussian(1)"])
def test_an_unknown_is_no_event(plan):
    with pytest.raises(dpbudget.InvalidArgument, match="must have no `\\?`"):
        dpbudget.to_dp_accounting(plan)
