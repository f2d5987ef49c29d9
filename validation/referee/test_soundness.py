"""False certificates that were made to be believed: none is certified, and true ones beside them still are."""

from __future__ import annotations

import pytest
from flint import arb

from balls import ZERO, any_of, either, exact
from laws import Gaussian, Laplace, Participates, PoissonSampled
from losses import losses_of
from verdicts import Checker

RESPONSE = {"randomized_response": {"epsilon": 1.0, "categories": 2}}
APPROXIMATE = {"approximate_dp": {"epsilon": 1.0, "delta": 1e-5}}
GAUSSIAN = {"gaussian": {"noise_multiplier": 1.0}}
ZCDP = {"concentrated_dp": {"rho": 0.5}}

SUM = {"kind": "composition"}
OUTCOMES = {"kind": "outcomes", "number": 2}
MESH = {"kind": "mesh", "mesh": 1e-3, "tail": 1e-30}
CONTOUR = {
    "kind": "contour",
    "direction": "remove",
    "abscissa": 1.0,
    "step": 0.25,
    "terms": 40,
    "truncated_at": 10.0,
    "ln_tail": -40.0,
    "alias_orders": [0.1, 2.0],
    "smoothing": 0.0,
}


def poisson(rate, inner):
    return {"poisson_sampled": {"rate": rate, "inner": inner}}


def composed(*parts):
    return {"composed": {"parts": list(parts)}}


def repeated(count, inner):
    return {"repeated": {"count": count, "inner": inner}}


def answered(event, end, epsilon, delta, witness, adjacency="add_or_remove_one"):
    """The verdict on that end of an epsilon that was answered; the other end says nothing."""
    return verdict(event, end, {"lower": 0, "upper": "inf"} | {end: epsilon}, delta, witness, adjacency)


def verdict(event, end, epsilon, delta, witness, adjacency="add_or_remove_one"):
    none = {"accountant": "best", "theorems": [], "witness": None}
    certificate = {
        "format": "dpbudget certificate",
        "version": 1,
        "program": "dpbudget",
        "plan": {"version": 1, "adjacency": adjacency, "event": event},
        "epsilon": epsilon,
        "delta": delta,
        "lower": none,
        "upper": none,
    }
    certificate[end] = none | {"witness": witness}
    checker = Checker(certificate)
    return next(checker.verdict(claim) for claim in checker.claims if claim.name == end).word


# Where delta does not fall with epsilon, that it is as much there shows nothing of what it is before.


@pytest.mark.parametrize("witness", [SUM, OUTCOMES, MESH, CONTOUR], ids=lambda witness: witness["kind"])
def test_no_lower_end_is_beyond_what_can_be_told(witness):
    assert answered(RESPONSE, "lower", 1000, 0, witness) == "contradicted"
    assert answered(RESPONSE, "lower", 1.001, 0, witness) == "contradicted"
    assert answered(RESPONSE, "lower", 1, 0, witness) == "certified"
    assert answered(RESPONSE, "lower", "inf", 0, witness) != "certified"


def test_no_lower_end_is_beyond_where_delta_reaches_its_floor():
    assert answered(APPROXIMATE, "lower", 1000, 1e-5, SUM) == "contradicted"
    assert answered(APPROXIMATE, "lower", "inf", 1e-5, SUM) != "certified"
    assert answered(APPROXIMATE, "lower", 1, 1e-5, SUM) == "certified"
    assert answered(APPROXIMATE, "lower", "inf", 0.99e-5, SUM) == "certified"
    assert answered(APPROXIMATE, "lower", 1000, 0.99e-5, SUM) == "certified"
    assert answered(APPROXIMATE, "upper", 1, 1e-5, SUM) == "certified"


@pytest.mark.parametrize(
    ("event", "largest"),
    [
        ({"laplace": {"scale": 3.0}}, 0.3333333333333333),
        (repeated(3, {"laplace": {"scale": 3.0}}), 0.9999999999999999),
        ({"pure_dp": {"epsilon": 0.1}}, 0.1),
        (repeated(3, {"pure_dp": {"epsilon": 0.125}}), 0.375),
        (poisson(0.1, {"laplace": {"scale": 1.0}}), 0.1585650787404),
    ],
)
def test_at_delta_0_the_largest_loss_is_epsilon(event, largest):
    assert answered(event, "lower", largest, 0, SUM) == "certified"
    assert answered(event, "lower", largest * 1.0001, 0, SUM) == "contradicted"


def test_losses_without_end_make_epsilon_infinite_at_delta_0():
    assert answered(GAUSSIAN, "lower", "inf", 0, SUM) == "certified"
    assert answered(GAUSSIAN, "lower", "inf", 1e-300, SUM) != "certified"


def test_losses_come_as_close_to_their_ends_as_one_likes():
    forward, backward = losses_of([(PoissonSampled(arb(0.5), Gaussian(arb(1))), 2), (Laplace(arb(4)), 1)])
    assert not forward.largest.is_finite()
    assert abs(backward.largest - (2 * arb(2).log() + 0.25)) < 1e-30
    (seen, _) = losses_of([(Participates(arb(0.5), Laplace(arb(2))), 4)])
    assert seen.largest == 2 and seen.told == 0


# What is known by its Rényi divergences alone may tell more in a sample than a Gaussian that has as large ones.


def renyi(order, divergence):
    return {"kind": "renyi", "order": order, "divergence": divergence}


TRUNCATED = {"truncated_poisson_sampled": {"rate": 0.1, "batch": {"drawn": 3, "population": 9}, "inner": ZCDP}}
REPLACED = {"sampled_with_replacement": {"draws": {"drawn": 3, "population": 9}, "inner": ZCDP}}


def wor(rate, inner):
    return {"sampled_without_replacement": {"rate": rate, "inner": inner}}


@pytest.mark.parametrize(("event", "adjacency"), [(TRUNCATED, "add_or_remove_one"), (REPLACED, "replace_one")])
def test_other_batches_of_what_is_known_by_divergences_have_no_statement(event, adjacency):
    # Far above what the same batch of a Gaussian has.
    assert answered(repeated(10, event), "upper", 60, 1e-5, renyi(3, 50), adjacency) == "not checked"


@pytest.mark.parametrize(
    ("event", "adjacency", "gaussian", "proven"),
    [
        # By hand: of order 3 the moment is 1 + 3 q^2 (1-q) (e^D(2) - 1) + q^3 (3 e^{2 D(3)} - 1), D(l) = l / 2.
        (poisson(0.1, ZCDP), "add_or_remove_one", 0.032, 0.050217),
        # And 1 + 3 q^2 min(4 (e - 1), 2 e) + 2 q^3 e^3.
        (wor(0.1, ZCDP), "replace_one", 0.032, 0.092521),
        (poisson(0.2, poisson(0.5, ZCDP)), "add_or_remove_one", 0.032, 0.050217),
        (poisson(0.1, {"discrete_gaussian": {"noise_multiplier": 1.0}}), "add_or_remove_one", 0.032, 0.050217),
    ],
)
def test_samples_of_what_is_known_by_divergences_are_not_samples_of_gaussians(event, adjacency, gaussian, proven):
    for divergence, word in ((gaussian, "not checked"), (proven - 1e-5, "not checked"), (proven, "certified")):
        assert answered(repeated(10, event), "upper", 60, 1e-5, renyi(3, 10 * divergence), adjacency) == word


def test_divergences_of_samples_of_real_order_lie_below_the_chord():
    whole = repeated(10, poisson(0.1, ZCDP))
    at_2, at_3 = 0.017037, 0.050217
    chord = (at_2 + 2 * at_3) / 2 / 1.5
    assert answered(whole, "upper", 60, 1e-5, renyi(2.5, 10 * chord + 1e-5)) == "certified"
    assert answered(whole, "upper", 60, 1e-5, renyi(2.5, 10 * chord - 1e-4)) == "not checked"


def test_samples_of_what_is_truncated_have_orders_below_omega():
    event = repeated(10, poisson(0.1, {"truncated_concentrated_dp": {"rho": 0.5, "omega": 3.5}}))
    assert answered(event, "upper", 60, 1e-5, renyi(3, 0.50217)) == "certified"
    assert answered(event, "upper", 60, 1e-5, renyi(4, 30)) == "not checked"


def test_what_is_known_by_divergences_adds_up_and_may_participate():
    both = {"composed": {"parts": [ZCDP, {"participates": {"rate": 0.5, "inner": ZCDP}}]}}
    assert answered(both, "upper", 20, 1e-5, renyi(3, 3.5)) == "certified"
    # Divergences of rho times the order, which a Gaussian attains.
    assert answered(ZCDP, "upper", 60, 1e-5, renyi(3, 1.4)) == "contradicted"


def concentrated(rho, omega, excess):
    return {"kind": "concentrated", "rho": rho, "omega": omega, "order_minus_1": excess}


def test_named_numbers_may_be_rounded():
    for rho, excess in ((0.1, 9.568215360956783), (0.3, 3.7)):
        event = {"concentrated_dp": {"rho": rho}}
        assert answered(event, "upper", 8, 1e-5, concentrated(rho, "inf", excess)) == "certified"
        assert answered(event, "upper", 8, 1e-5, concentrated(rho * 0.99, "inf", excess)) == "contradicted"


def test_omega_is_the_plan_s():
    event = {"truncated_concentrated_dp": {"rho": 0.1, "omega": 10.0}}
    assert answered(event, "upper", 8, 1e-5, concentrated(0.1, 10, 8.5)) == "certified"
    assert answered(event, "upper", 8, 1e-5, concentrated(0.1, 11, 8.5)) == "contradicted"


# What is no easier to tell apart than two Gaussians may be further from what is without the record.


@pytest.mark.parametrize("inner", [{"gaussian_dp": {"mu": 1.0}}, {"grouped": {"records": 2, "inner": GAUSSIAN}}])
def test_samples_under_replace_one_are_of_gaussian_queries(inner):
    grouped = {"grouped": {"records": 2, "inner": poisson(0.1, inner)}}
    for event in (poisson(0.1, inner), poisson(0.5, poisson(0.2, inner)), grouped):
        assert answered(event, "upper", 3, 1e-2, SUM, "replace_one") == "not checked"
    for event in (poisson(0.1, GAUSSIAN), poisson(0.5, poisson(0.2, repeated(2, GAUSSIAN)))):
        assert answered(event, "upper", 3, 1e-2, SUM, "replace_one") == "certified"


def test_what_is_cut_again_and_again_still_counts():
    """Each release tells all with a probability below what is worth an outcome; together they do with 7e-5."""
    rare = {"participates": {"rate": 1e-40, "inner": {"pure_dp": {"epsilon": 100.0}}}}
    event = {"composed": {"parts": [GAUSSIAN, repeated(2**53, repeated(2**46, repeated(2**20, rare)))]}}
    for witness in (root(1, 4.9), SUM):
        assert answered(GAUSSIAN, "upper", 4.4, 1e-5, witness) == "certified"
        assert answered(event, "upper", 4.4, 1e-5, witness) != "certified"


# Only what is proven false is contradicted.


def root(mu, at):
    return {"kind": "normal_root", "mu": mu, "root": at}


def test_all_records_participating_and_one_step_are_what_is_inside():
    for event in (
        {"participates": {"rate": 1, "inner": GAUSSIAN}},
        {"randomly_allocated": {"steps": 1, "inner": GAUSSIAN}},
    ):
        assert answered(event, "upper", 2.5, 0.01, root(1, 3)) == "certified"
        assert answered(event, "lower", 2, 0.01, root(1, 2.5)) == "certified"


def test_only_what_is_proven_false_is_contradicted():
    assert answered(GAUSSIAN, "upper", 0.5, 0.01, root(1, 1)) == "contradicted"
    # A bad root of a true claim, and numbers beyond the balls.
    assert answered(GAUSSIAN, "upper", 2.5, 0.01, root(1, -9)) == "not checked"
    assert (
        answered({"gaussian": {"noise_multiplier": 1e-100}}, "upper", 1e200, 1e-5, root(1e100, 1e100)) == "not checked"
    )
    # Of which only a guarantee is known, the responses of the whole epsilon are not attained.
    assert answered({"bounded_range": {"epsilon": 1.0}}, "upper", 0.6, 1e-3, SUM) == "not checked"
    assert answered(GAUSSIAN, "upper", 4, 1e-5, renyi(9, 4.5)) == "not checked"


# However unlikely it is that all is told, it is not certain that nothing is.

FINITE = {"laplace": {"scale": 1.0}}
RARE = {"approximate_dp": {"epsilon": 1.0, "delta": 1e-150}}
FAR = CONTOUR | {"abscissa": 200.0, "step": 0.5, "terms": 400, "truncated_at": 200.0, "alias_orders": [150.0, 250.0]}


@pytest.mark.parametrize(
    ("event", "witness", "adjacency"),
    [
        (RARE, renyi(201, 3), "add_or_remove_one"),
        (composed(RARE, FINITE), renyi(201, 3), "add_or_remove_one"),
        (poisson(0.5, composed(RARE, FINITE)), renyi(201, 3), "add_or_remove_one"),
        (poisson(0.5, composed(RARE, FINITE)), FAR, "add_or_remove_one"),
        (repeated(7, RARE), renyi(201, 30), "add_or_remove_one"),
        ({"sampled_without_replacement": {"rate": 0.5, "inner": RARE}}, renyi(201, 3), "replace_one"),
        ({"participates": {"rate": 0.5, "inner": composed(RARE, FINITE)}}, FAR, "add_or_remove_one"),
        ({"participates": {"rate": 0.5, "inner": composed(RARE, GAUSSIAN)}}, FAR, "add_or_remove_one"),
    ],
)
def test_what_rarely_tells_everything_is_counted(event, witness, adjacency):
    little = {"ln_lower": "-inf", "lower": 0, "ln_upper": -370.0, "upper": 1e-160}
    assert verdict(event, "upper", 5.0, little, witness, adjacency) != "certified"


def test_small_chances_of_many_are_not_lost():
    assert either(exact(1e-150), ZERO) == exact(1e-150)
    assert abs(any_of(exact(1e-150), 9) / exact(9e-150) - 1) < 1e-15
    assert any_of(ZERO, 5) == 0 and any_of(arb(1), 0) == 0 and any_of(arb(1), 3) == 1
    assert abs(any_of(arb(0.75), 2) - 0.9375) < 1e-60
