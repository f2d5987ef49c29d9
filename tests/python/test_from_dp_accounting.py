"""from_dp_accounting and to_dp_accounting, against dp_accounting's own accountants."""

import math
import os
import random
import sys
from functools import partial
from inspect import signature

import pytest

import dpbudget
from dpbudget import Unsupported, from_dp_accounting, to_dp_accounting

whole = pytest.importorskip("dp_accounting")
dp = whole.dp_event
pld = pytest.importorskip("dp_accounting.pld")
rdp = pytest.importorskip("dp_accounting.rdp")
pld_privacy_accountant = pytest.importorskip("dp_accounting.pld.pld_privacy_accountant")

RELATIONS = {
    "add_or_remove_one": whole.NeighboringRelation.ADD_OR_REMOVE_ONE,
    "replace_one": whole.NeighboringRelation.REPLACE_ONE,
    "zero_out_one": whole.NeighboringRelation.REPLACE_SPECIAL,
}
DELTA = 1e-5

# tools/python/test_others asks for hundreds.
TREES = range(int(os.environ.get("DPBUDGET_TREES", 12)))

# What a grid of dp_accounting adds to the truth at most, in these trees; it rounds losses up.
GRID = 1e-4


def by(accountant, event, delta=DELTA):
    return accountant.compose(event).get_epsilon(delta)


class RoundedDown:
    """What makes their privacy loss distributions, each of them no greater than the truth."""

    def __getattr__(self, name):
        make = getattr(pld.privacy_loss_distribution, name)
        options = {"pessimistic_estimate": False, "use_connect_dots": False}
        taken = signature(make).parameters
        return partial(make, **{key: value for key, value in options.items() if key in taken})


def attained(relation, event, delta, monkeypatch):
    """An epsilon that is at most the true one."""
    with monkeypatch.context() as patched:
        patched.setattr(pld_privacy_accountant, "PLD", RoundedDown())
        return by(pld.PLDAccountant(relation), event, delta)


def noise(draw, least, most):
    return least * (most / least) ** draw.random()


def gaussians(draw):
    """What both kinds of theirs take inside a sample: a Gaussian, or several for RdpAccountant."""
    return [dp.GaussianDpEvent(noise(draw, 0.7, 5)) for _ in range(draw.randint(1, 3))]


def leaf(draw, adjacency):
    kinds = [lambda: dp.GaussianDpEvent(noise(draw, 0.7, 20))]
    rate = noise(draw, 1e-3, 1)
    if adjacency == "replace_one":
        kinds += [
            lambda: dp.RandomizedResponseDpEvent(draw.uniform(0.4, 0.95), draw.randint(2, 9)),
            lambda: dp.PoissonSampledDpEvent(rate, gaussians(draw)[0]),
        ]
    elif draw.random() < 0.05:  # theirs takes seconds
        kinds = [lambda: dp.MixtureOfGaussiansDpEvent(noise(draw, 1, 9), [0.0, 1.5], [1 - rate, rate])]
    else:
        kinds += [
            lambda: dp.PoissonSampledDpEvent(rate, gaussians(draw)[0]),
            lambda: dp.LaplaceDpEvent(noise(draw, 1, 30)),
            lambda: dp.DiscreteLaplaceDpEvent(noise(draw, 0.03, 1), 1),
            lambda: dp.PoissonSampledDpEvent(rate, dp.LaplaceDpEvent(noise(draw, 0.5, 9))),
        ]
    return draw.choice(kinds)()


def renyi_leaf(draw, adjacency):
    kinds = [
        lambda: dp.GaussianDpEvent(noise(draw, 0.7, 20)),
        lambda: dp.ZCDpEvent(noise(draw, 1e-4, 0.3)),
        lambda: dp.NoOpDpEvent(),
    ]
    if adjacency == "replace_one":
        kinds += [
            lambda: dp.RandomizedResponseDpEvent(draw.uniform(0.4, 0.95), draw.randint(2, 9)),
            lambda: dp.SampledWithoutReplacementDpEvent(
                1000, draw.randint(1, 300), dp.ComposedDpEvent(gaussians(draw))
            ),
        ]
    else:
        kinds += [
            lambda: dp.LaplaceDpEvent(noise(draw, 1, 30)),
            lambda: dp.PoissonSampledDpEvent(noise(draw, 1e-3, 1), dp.ComposedDpEvent(gaussians(draw))),
        ]
    if adjacency == "zero_out_one":
        kinds += [lambda: dp.SingleEpochTreeAggregationDpEvent(noise(draw, 2, 20), draw.randint(1, 40))]
    return draw.choice(kinds)()


def tree(draw, adjacency, leaf=leaf, depth=2):
    choice = draw.random()
    if depth == 0 or choice < 0.3:
        return leaf(draw, adjacency)
    if choice < 0.6:
        return dp.SelfComposedDpEvent(tree(draw, adjacency, leaf, depth - 1), draw.randint(1, 5))
    return dp.ComposedDpEvent([tree(draw, adjacency, leaf, depth - 1) for _ in range(draw.randint(1, 3))])


def unrolled(event, count=1):
    """Without repetition of randomised response, which PLDAccountant overlooks."""
    if isinstance(event, dp.SelfComposedDpEvent):
        return unrolled(event.event, count * event.count)
    if isinstance(event, dp.ComposedDpEvent):
        return dp.ComposedDpEvent([unrolled(part, count) for part in event.events])
    if isinstance(event, dp.RandomizedResponseDpEvent):
        return dp.ComposedDpEvent([event] * count)
    return dp.SelfComposedDpEvent(event, count)


@pytest.mark.parametrize("adjacency", RELATIONS)
@pytest.mark.parametrize("seed", TREES)
def test_random_trees_cost_what_their_grids_say(adjacency, seed, monkeypatch):
    draw = random.Random(seed)
    event, delta = tree(draw, adjacency), noise(draw, 1e-8, 1e-2)
    found = dpbudget.epsilon(from_dp_accounting(event, adjacency), delta)
    most = by(pld.PLDAccountant(RELATIONS[adjacency]), unrolled(event), delta)
    least = attained(RELATIONS[adjacency], unrolled(event), delta, monkeypatch)
    assert found.lower <= most * (1 + 1e-9) + 1e-9 and found.upper <= most * (1 + 1e-3) + GRID
    assert least <= found.upper * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("adjacency", RELATIONS)
@pytest.mark.parametrize("seed", TREES)
def test_random_trees_are_no_dearer_than_by_renyi(adjacency, seed):
    draw = random.Random(seed)
    event, delta = tree(draw, adjacency, renyi_leaf), noise(draw, 1e-8, 1e-2)
    plan = from_dp_accounting(event, adjacency, replace_one_noise="sensitivity")
    found = dpbudget.epsilon(plan, delta)
    theirs = by(rdp.RdpAccountant(neighboring_relation=RELATIONS[adjacency]), event, delta)
    assert found.lower <= theirs * (1 + 1e-9) and found.upper <= theirs * (1 + 1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_samples_of_gaussians_are_no_dearer_than_by_renyi(seed):
    numbers = random.Random(seed)
    sample = dp.PoissonSampledDpEvent(numbers.uniform(0.001, 0.2), dp.GaussianDpEvent(numbers.uniform(0.7, 4)))
    event = dp.SelfComposedDpEvent(sample, numbers.randint(1, 2000))
    theirs = rdp.RdpAccountant(neighboring_relation=RELATIONS["add_or_remove_one"])
    assert dpbudget.epsilon(from_dp_accounting(event), DELTA).upper <= by(theirs, event) * (1 + 1e-3)


def test_sampling_without_replacement_counts_noise_as_they_do():
    event = dp.SelfComposedDpEvent(dp.SampledWithoutReplacementDpEvent(1000, 20, dp.GaussianDpEvent(2.0)), 100)
    assert str(from_dp_accounting(event)) == "100 x wor(20 of 1000, gaussian(1)) under replace_one"
    plan = from_dp_accounting(event, replace_one_noise="sensitivity")
    assert str(plan) == "100 x wor(20 of 1000, gaussian(2)) under replace_one"
    theirs = by(rdp.RdpAccountant(neighboring_relation=RELATIONS["replace_one"]), event)
    assert dpbudget.epsilon(plan, DELTA).upper <= theirs * (1 + 1e-3)
    assert to_dp_accounting(plan, replace_one_noise="sensitivity") == event
    assert to_dp_accounting(from_dp_accounting(event)) == event


@pytest.mark.parametrize(("noise", "buckets"), [(0.5, 2), (0.2, 2), (0.7, 5), (1e-3, 10)])
def test_randomised_response(noise, buckets):
    event = dp.RandomizedResponseDpEvent(noise, buckets)
    theirs = by(pld.PLDAccountant(RELATIONS["replace_one"]), event)
    assert dpbudget.epsilon(from_dp_accounting(event), DELTA).upper == pytest.approx(theirs, rel=1e-3)


def test_trees_of_nodes():
    event = dp.SingleEpochTreeAggregationDpEvent(4.0, [5, 8, 3])
    assert str(from_dp_accounting(event)) == "4 x gaussian(4) under zero_out_one"
    theirs = by(rdp.RdpAccountant(neighboring_relation=RELATIONS["zero_out_one"]), event)
    assert dpbudget.epsilon(from_dp_accounting(event), DELTA).upper <= theirs


def test_a_mixture_of_one_shift_and_none_is_a_sample():
    event = dp.MixtureOfGaussiansDpEvent(3.0, [0.0, 2.0], [0.75, 0.25])
    assert str(from_dp_accounting(event)) == "poisson(0.25, gaussian(1.5)) under add_or_remove_one"
    theirs = by(pld.PLDAccountant(RELATIONS["add_or_remove_one"]), event)
    assert dpbudget.epsilon(from_dp_accounting(event), DELTA).upper == pytest.approx(theirs, rel=1e-3)
    assert str(from_dp_accounting(dp.MixtureOfGaussiansDpEvent(0, [0], [1.0]))) == "nothing under add_or_remove_one"


def test_a_mixture_of_several_shifts():
    event = dp.MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0, 2.5], [0.75, 0.125, 0.125])
    plan = from_dp_accounting(event)
    assert str(plan) == "mixture(2; 0.125:1, 0.125:2.5) under add_or_remove_one"
    assert to_dp_accounting(plan) == dp.MixtureOfGaussiansDpEvent(2.0, [1.0, 2.5, 0.0], [0.125, 0.125, 0.75])
    theirs = by(pld.PLDAccountant(RELATIONS["add_or_remove_one"]), event)
    assert dpbudget.epsilon(plan, DELTA).upper == pytest.approx(theirs, rel=1e-3)
    assert str(from_dp_accounting(dp.MixtureOfGaussiansDpEvent(0, [0, 1, 2], [0.25, 0.25, 0.5]))) == (
        "poisson(0.75, approximate(0, 1)) under add_or_remove_one"
    )


def test_concentrated_and_gaussian_guarantees():
    event = dp.SelfComposedDpEvent(dp.ZCDpEvent(0.01), 7)
    assert str(from_dp_accounting(event)) == "7 x zcdp(0.01) under add_or_remove_one"
    assert to_dp_accounting("7 x zcdp(0.01)") == event
    for relation, value in RELATIONS.items():
        theirs = by(rdp.RdpAccountant(neighboring_relation=value), event)
        assert dpbudget.epsilon(from_dp_accounting(event, relation), DELTA).upper <= theirs
    assert to_dp_accounting("gdp(0.5)") == dp.GaussianDpEvent(2.0)
    assert to_dp_accounting("gdp(0.5) under replace_one") == dp.GaussianDpEvent(4.0)
    assert to_dp_accounting("gdp(5e-324)").noise_multiplier == sys.float_info.max
    assert to_dp_accounting("gdp(0)") == dp.NoOpDpEvent()


def test_what_costs_nothing_or_everything():
    nothing = [
        dp.MixtureOfGaussiansDpEvent(1.0, [0.0], [1.0]),
        dp.NoOpDpEvent(),
        dp.RandomizedResponseDpEvent(1, 3),
        dp.RandomizedResponseDpEvent(0, 1),
        dp.ComposedDpEvent([]),
    ]
    for event in nothing:
        assert dpbudget.epsilon(from_dp_accounting(event), DELTA).upper == 0
    everything = [
        dp.NonPrivateDpEvent(),
        dp.GaussianDpEvent(0),
        dp.LaplaceDpEvent(0),
        dp.DiscreteLaplaceDpEvent(0, 1),
        dp.RandomizedResponseDpEvent(0, 2),
        dp.PoissonSampledDpEvent(0.1, dp.GaussianDpEvent(0)),
        dp.ComposedDpEvent([dp.GaussianDpEvent(1), dp.NonPrivateDpEvent()]),
        dp.ComposedDpEvent([dp.ZCDpEvent(0.1), dp.NonPrivateDpEvent()]),
        dp.ComposedDpEvent([dp.ZCDpEvent(0.1), dp.GaussianDpEvent(0)]),
        dp.RepeatAndSelectDpEvent(dp.NonPrivateDpEvent(), 3, 1),
        dp.ZCDpEvent(math.inf),
    ]
    for event in everything:
        assert dpbudget.epsilon(from_dp_accounting(event), DELTA).lower == math.inf
    # Who is not drawn tells nothing, and who is, everything.
    drawn = from_dp_accounting(dp.PoissonSampledDpEvent(0.1, dp.GaussianDpEvent(0)), "replace_one")
    assert dpbudget.epsilon(drawn, 0.09).lower == math.inf
    assert dpbudget.epsilon(drawn, 0.1).upper == 0


@pytest.mark.parametrize(
    ("event", "adjacency", "name"),
    [
        (dp.UnsupportedDpEvent(), None, "UnsupportedDpEvent has no counterpart"),
        (dp.ZCDpEvent(0.1, 0.2), None, "ZCDpEvent with xi 0.2 has no counterpart: it must be 0"),
        (dp.MixtureOfGaussiansDpEvent(1.0, [-1], [1.0]), None, "MixtureOfGaussiansDpEvent has no"),
        (dp.MixtureOfGaussiansDpEvent(1.0, [1], [1.0]), "replace_one", "MixtureOfGaussiansDpEvent under replace_one"),
        (
            dp.TruncatedSubsampledGaussianDpEvent(100, 0.1, 20, 1.0),
            "replace_one",
            "under replace_one has no counterpart: it has one under add_or_remove_one",
        ),
        (dp.SelfComposedDpEvent(dp.UnsupportedDpEvent(), 3), None, "UnsupportedDpEvent has no counterpart"),
        (dp.RandomizedResponseDpEvent(0.5, 2), "zero_out_one", "RandomizedResponseDpEvent under zero_out_one"),
        (
            dp.RandomizedResponseDpEvent(0.5, 2),
            "add_or_remove_one",
            "RandomizedResponseDpEvent under add_or_remove_one",
        ),
        (dp.DiscreteLaplaceDpEvent(0.5, 3), None, "DiscreteLaplaceDpEvent with sensitivity 3"),
        (dp.DiscreteLaplaceDpEvent(0.5, 1), "replace_one", "DiscreteLaplaceDpEvent under replace_one"),
        (dp.SingleEpochTreeAggregationDpEvent(1.0, 3), "add_or_remove_one", "SingleEpochTreeAggregationDpEvent under"),
        (object(), None, "object has no counterpart"),
    ],
)
def test_the_others_are_refused_by_name(event, adjacency, name):
    with pytest.raises(Unsupported, match=name):
        from_dp_accounting(event, adjacency)


def test_numbers_out_of_range_are_named():
    with pytest.raises(dpbudget.InvalidArgument, match="noise_multiplier is -1"):
        from_dp_accounting(dp.GaussianDpEvent(-1))
    with pytest.raises(dpbudget.InvalidArgument, match="noise_parameter is 2"):
        from_dp_accounting(dp.RandomizedResponseDpEvent(2, 2))
    for counts in (-1, [], [3, -2]):
        with pytest.raises(dpbudget.InvalidArgument, match="step_counts is"):
            from_dp_accounting(dp.SingleEpochTreeAggregationDpEvent(1.0, counts))
    with pytest.raises(dpbudget.InvalidArgument, match="replace_one_noise is x"):
        from_dp_accounting(dp.GaussianDpEvent(1), replace_one_noise="x")


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (dp.GaussianDpEvent(10**400), "noise_multiplier is larger than any double"),
        (dp.DiscreteLaplaceDpEvent(math.nan, 1), "noise_parameter is nan"),
        (dp.DiscreteLaplaceDpEvent(-1.0, 1), "noise_parameter is -1"),
        (dp.RandomizedResponseDpEvent(0.5, -1), "num_buckets is -1"),
        (dp.RandomizedResponseDpEvent(0.5, 0), "num_buckets is 0"),
        (dp.MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0], [0.9]), "sampling_probs are"),
        (dp.MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0], [0.5, 0.2]), "sampling_probs are"),
        (dp.MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0], [math.nan, 1.0]), "sampling_probs are"),
        (dp.MixtureOfGaussiansDpEvent(1.0, [0.0, math.inf], [0.5, 0.5]), "sensitivities are"),
        (dp.MixtureOfGaussiansDpEvent(math.nan, [0.0, 1.0], [0.5, 0.5]), "standard_deviation is nan"),
    ],
)
def test_numbers_that_are_none_are_named(event, said):
    with pytest.raises(dpbudget.InvalidArgument, match=said):
        from_dp_accounting(event, "replace_one" if isinstance(event, dp.RandomizedResponseDpEvent) else None)


@pytest.mark.parametrize("adjacency", RELATIONS)
@pytest.mark.parametrize("seed", range(6))
def test_there_and_back(adjacency, seed):
    plan = from_dp_accounting(tree(random.Random(seed), adjacency), adjacency)
    again = from_dp_accounting(to_dp_accounting(plan), adjacency)
    before, after = dpbudget.epsilon(plan, DELTA), dpbudget.epsilon(again, DELTA)
    assert after.upper == pytest.approx(before.upper, rel=1e-3)  # discrete Laplace noise is a double's rounding away


@pytest.mark.parametrize(
    "text",
    [
        "10 x wor(2 of 50, gaussian(1)) under replace_one",
        "10 x with_replacement(2 of 50, gaussian(1)) under replace_one",
        "10 x truncated_poisson(0.1, 12 of 100, gaussian(2)) under add_or_remove_one",
        "select(poisson(10), gaussian(4)) under add_or_remove_one",
        "3 x select(geometric(0.25), 2 x gaussian(4)) under add_or_remove_one",
        "nothing under add_or_remove_one",
        "approximate(0, 1) under add_or_remove_one",
        "3 x (gaussian(1) + laplace(2)) under zero_out_one",
    ],
)
def test_these_come_back_as_they_were(text):
    assert str(from_dp_accounting(to_dp_accounting(text), dpbudget.Plan(text).adjacency)) == text


@pytest.mark.parametrize(
    "text",
    [
        "pure(1)",
        "approximate(1, 1e-9)",
        "discrete_gaussian(2)",
        "participates(0.5, gaussian(1))",
        "shuffle(9, rr(1))",
        "rr(1) under zero_out_one",
        "wor(0.1, gaussian(1))",
        "discrete_laplace(1) under replace_one",
        "select(negative_binomial(-0.5, 0.1), gaussian(1))",
        "profile(1:0.1, 2:0)",
    ],
)
def test_plans_without_a_counterpart_are_refused(text):
    with pytest.raises(Unsupported, match="has no counterpart among dp_accounting's events"):
        to_dp_accounting(text)


@pytest.mark.parametrize(("shape", "mean"), [(0.0, 5.0), (2.5, 20.0), (0.5, 1.5), (1.0, 7.0), (math.inf, 0.5)])
def test_selection_is_no_more_private(shape, mean):
    event = dp.RepeatAndSelectDpEvent(dp.GaussianDpEvent(4.0), mean, shape)
    plan = from_dp_accounting(event)
    back = to_dp_accounting(plan)
    assert back.shape == shape and mean <= back.mean <= mean * (1 + 1e-9)
    theirs = rdp.RdpAccountant().compose(event).get_epsilon(1e-6) if mean >= 1 else math.inf
    ours = dpbudget.epsilon(plan, 1e-6, accountant="renyi").upper
    assert ours <= theirs * (1 + 1e-3)
    assert dpbudget.epsilon(plan, 1e-6, accountant="loss_distribution").upper <= ours


def test_selection_of_one_run_is_that_run():
    assert from_dp_accounting(dp.RepeatAndSelectDpEvent(dp.GaussianDpEvent(4.0), 1.0, 1.0)) == from_dp_accounting(
        dp.GaussianDpEvent(4.0)
    )
    for mean, shape, said in [(0.5, 1.0, "mean is 0.5"), (2.0, -1.0, "shape is -1"), (math.nan, 1.0, "mean is nan")]:
        with pytest.raises(dpbudget.InvalidArgument, match=said):
            from_dp_accounting(dp.RepeatAndSelectDpEvent(dp.GaussianDpEvent(4.0), mean, shape))


def test_randomised_response_comes_back_no_more_private():
    for epsilon, categories in [(1.0, 2), (0.1, 7), (5.0, 100)]:
        plan = dpbudget.rr(epsilon, categories).under("replace_one")
        again = from_dp_accounting(to_dp_accounting(plan))
        assert 0 <= dpbudget.epsilon(again, 1e-9).upper - dpbudget.epsilon(plan, 1e-9).upper <= 1e-12


def test_noise_is_refused_as_it_was_given():
    with pytest.raises(dpbudget.InvalidArgument, match="is -1,"):
        from_dp_accounting(dp.GaussianDpEvent(-1.0), "replace_one")
