"""The referee against closed forms, and against false claims."""

from __future__ import annotations

import itertools
import math
import random
import subprocess
import sys
from pathlib import Path

import pytest
from flint import arb, fmpq, fmpz

from allocation import allocated_atoms
from ask import Answer, Question
from balls import SCALE, ceil_mass, exact, floor_mass, mass_ball
from draw import Draw
from grid import Context, grid_of_law, grid_of_sorted
from judge import Judge
from laws import Gaussian, Laplace, PoissonSampled, Symmetrised
from plans import NotJudged, Reader
from products import Allocated, Curve, GridCurve, curve
from truncated import filled_by_others

GAUSSIAN = {"gaussian": {"noise_multiplier": 1.0}}
LAPLACE = {"laplace": {"scale": 2.0}}
RESPONSE = {"randomized_response": {"epsilon": 1.0}}


def poisson(rate, inner):
    return {"poisson_sampled": {"rate": rate, "inner": inner}}


def repeated(count, inner):
    return {"repeated": {"count": count, "inner": inner}}


def composed(*parts):
    return {"composed": {"parts": list(parts)}}


def response(epsilon, categories=2):
    return {"randomized_response": {"epsilon": epsilon, "categories": categories}}


def bracket(event, epsilon, scale=1e-5, adjacency="add_or_remove_one", length=2048):
    sides = Reader(adjacency, exact(scale) * arb(2) ** -70).sides(event)
    lower = max(curve(one, False, length, exact(scale)).delta(exact(epsilon)).lower() for one in sides.lower)
    uppers = sides.alone or [sides.upper]
    upper = max(curve(one, True, length, exact(scale)).delta(exact(epsilon)).upper() for one in uppers)
    return float(lower), float(upper)


def phi(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def balle_wang(mu, epsilon):
    return phi(mu / 2 - epsilon / mu) - math.exp(epsilon) * phi(-mu / 2 - epsilon / mu)


# One release, or a few: closed forms.


def test_gaussians_add_up_to_one():
    event = composed(repeated(9, {"gaussian": {"noise_multiplier": 5.0}}), {"gaussian_dp": {"mu": 0.8}})
    lower, upper = bracket(event, 1.5)
    assert lower == pytest.approx(balle_wang(1.0, 1.5), rel=1e-11)
    assert upper == pytest.approx(lower, rel=1e-14)


def test_laplace_is_its_closed_form():
    lower, upper = bracket(LAPLACE, 0.25)
    assert lower == pytest.approx(-math.expm1((0.25 - 0.5) / 2), rel=1e-13)
    assert upper == pytest.approx(lower, rel=1e-14)


def test_one_poisson_sample_is_balle_barthe_gaboardi():
    lower, upper = bracket(poisson(0.1, GAUSSIAN), 0.5)
    inner = math.log1p(math.expm1(0.5) / 0.1)
    assert lower == pytest.approx(0.1 * balle_wang(1.0, inner), rel=1e-11)
    assert upper == pytest.approx(lower, rel=1e-14)


def test_nested_samples_multiply_their_rates():
    nested = bracket(poisson(0.5, poisson(0.25, LAPLACE)), 0.01)
    assert nested == pytest.approx(bracket(poisson(0.125, LAPLACE), 0.01), rel=1e-12)


def test_repeated_responses_are_a_binomial_sum():
    count, epsilon, at = 7, 0.3, 0.8
    truth = 1 / (1 + math.exp(-epsilon))
    total = 0.0
    for true in range(count + 1):
        ways = math.comb(count, true)
        p = truth**true * (1 - truth) ** (count - true)
        q = truth ** (count - true) * (1 - truth) ** true
        total += ways * max(0.0, p - math.exp(at) * q)
    lower, upper = bracket(repeated(count, response(epsilon)), at)
    assert lower == pytest.approx(total, rel=1e-12)
    assert upper == pytest.approx(total, rel=1e-12)


def test_discrete_gaussian_is_canonne_kamath_steinke():
    noise, at = 2.0, 0.7
    weights = {k: math.exp(-k * k / (2 * noise * noise)) for k in range(-60, 61)}
    whole = sum(weights.values())
    beyond = lambda x: sum(w for k, w in weights.items() if k > x) / whole  # noqa: E731
    expected = beyond(at * noise**2 - 0.5) - math.exp(at) * beyond(at * noise**2 + 0.5)
    lower, upper = bracket({"discrete_gaussian": {"noise_multiplier": noise}}, at)
    assert lower == pytest.approx(expected, rel=1e-11)
    assert upper == pytest.approx(expected, rel=1e-11)


def test_without_replacement_is_dong_roth_su():
    event = {"sampled_without_replacement": {"rate": {"drawn": 1, "population": 10}, "inner": GAUSSIAN}}
    inner = math.log1p(math.expm1(0.5) / 0.1)
    lower, upper = bracket(event, 0.5, adjacency="replace_one")
    assert lower == pytest.approx(0.1 * balle_wang(1.0, inner), rel=1e-11)
    assert upper == pytest.approx(lower, rel=1e-12)


@pytest.mark.parametrize("inner", [response(1.5, 3), {"discrete_gaussian": {"noise_multiplier": 1.0}}])
def test_outcomes_without_replacement_are_dong_roth_su(inner):
    event = {"sampled_without_replacement": {"rate": {"drawn": 1, "population": 4}, "inner": inner}}
    within = math.log1p(math.expm1(0.2) / 0.25)
    lower, upper = bracket(event, 0.2, adjacency="replace_one")
    assert lower == pytest.approx(0.25 * bracket(inner, within)[0], rel=1e-11)
    assert upper == pytest.approx(lower, rel=1e-11)


def test_poisson_under_replace_one_is_an_integral():
    rate, noise, at = 0.3, 0.8, 0.4
    density = lambda x, mean: math.exp(-((x - mean) ** 2) / (2 * noise**2)) / (noise * math.sqrt(2 * math.pi))  # noqa: E731
    step, total = 1e-4, 0.0
    for j in range(-80000, 80001):
        x = j * step
        p = (1 - rate) * density(x, 0) + rate * density(x, 0.5)
        q = (1 - rate) * density(x, 0) + rate * density(x, -0.5)
        total += step * max(0.0, p - math.exp(at) * q)
    event = poisson(rate, {"gaussian": {"noise_multiplier": noise}})
    lower, upper = bracket(event, at, adjacency="replace_one")
    assert lower == pytest.approx(total, rel=1e-6)
    assert upper == pytest.approx(lower, rel=1e-12)


def test_participation_is_the_rate_times_delta():
    event = {"participates": {"rate": 0.2, "inner": GAUSSIAN}}
    lower, upper = bracket(event, 1.0)
    assert lower == pytest.approx(0.2 * balle_wang(1.0, 1.0), rel=1e-11)
    assert upper == pytest.approx(lower, rel=1e-12)


def test_two_shuffled_responses_by_hand():
    # Counts 0, 1, 2 of two reports, the other user holding 0 (or 1, which is the mirror image).
    truth = 1 / (1 + math.exp(-1.0))
    p = [(1 - truth) * truth, truth * truth + (1 - truth) ** 2, truth * (1 - truth)]
    q = [truth * truth, 2 * truth * (1 - truth), (1 - truth) ** 2]
    at = 0.2
    expected = max(
        sum(max(0.0, x - math.exp(at) * y) for x, y in zip(p, q)),
        sum(max(0.0, y - math.exp(at) * x) for x, y in zip(p, q)),
    )
    event = {"shuffled": {"reports": 2, "inner": response(1.0)}}
    lower, upper = bracket(event, at, adjacency="replace_one")
    assert lower == pytest.approx(expected, rel=1e-12)
    assert upper == pytest.approx(expected, rel=1e-12)


def test_clones_dominate_shuffled_responses():
    event = {"shuffled": {"reports": 9, "inner": response(1.0)}}
    sides = Reader("replace_one", arb(1e-30)).sides(event)
    for at in (0.0, 0.3, 0.9):
        clones = curve(sides.upper, True, 64, arb(1)).delta(exact(at))
        attained = max(curve(one, False, 64, arb(1)).delta(exact(at)).lower() for one in sides.lower)
        assert attained < clones.upper()


def drawn(draws, population, inner):
    return {"sampled_with_replacement": {"draws": {"drawn": draws, "population": population}, "inner": inner}}


def test_draws_with_replacement_are_an_integral_and_balle_barthe_gaboardi():
    at, weights = 0.4, [math.comb(3, j) * 0.1**j * 0.9 ** (3 - j) for j in range(4)]
    total = 0.0
    for k in range(-150000, 200001):
        x = k * 1e-4
        q = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        p = q * sum(weight * math.exp(j * x - j * j / 2) for j, weight in enumerate(weights))
        total += 1e-4 * max(0.0, p - math.exp(at) * q)
    inner = math.log1p(math.expm1(at) / (1 - weights[0]))
    told = sum(weight * balle_wang(j, inner) for j, weight in enumerate(weights) if j > 0)
    lower, upper = bracket(drawn(3, 10, GAUSSIAN), at, adjacency="replace_one")
    assert lower == pytest.approx(total, rel=1e-6)
    assert upper == pytest.approx(told, rel=1e-11)


def group(records, inner):
    return {"grouped": {"records": records, "inner": inner}}


def mixture(noise, *shifts):
    named = [{"probability": probability, "offset": offset} for probability, offset in shifts]
    return {"mixture_of_gaussians": {"noise_multiplier": noise, "shifts": named}}


def half_lines(at, p, q):
    """The largest of P - e^at Q over half-lines to either side, in both directions; p and q as (probability, mean)."""
    above = lambda law, t: sum(chance * phi(mean - t) for chance, mean in law)  # noqa: E731
    most = 0.0
    for k in range(-120000, 120001):
        one, other = above(p, k * 1e-4), above(q, k * 1e-4)
        most = max(most, one - math.exp(at) * other, (1 - other) - math.exp(at) * (1 - one))
    return most


def test_groups_in_samples_and_mixtures_are_half_lines():
    shifted = [(0.729, 0), (0.243, 0.5), (0.027, 1), (0.001, 1.5)]
    expected = half_lines(0.3, shifted, [(1, 0)])
    event = group(3, poisson(0.1, {"gaussian": {"noise_multiplier": 2.0}}))
    for one in (event, mixture(2.0, (0.243, 1), (0.027, 2), (0.001, 3), (0.5, 0))):
        lower, upper = bracket(one, 0.3)
        assert lower == pytest.approx(expected, rel=1e-6)
        assert upper == pytest.approx(lower, rel=1e-12)
    p = [(chance, mean / 2) for chance, mean in shifted]
    lower, upper = bracket(event, 0.05, adjacency="replace_one")
    assert lower == pytest.approx(half_lines(0.05, p, [(chance, -mean) for chance, mean in p]), rel=1e-6)
    assert upper == pytest.approx(lower, rel=1e-12)


def test_a_mixture_of_one_shift_is_a_sample():
    one, other = (
        bracket(mixture(3.0, (0.25, 1.5), (0, 7)), 0.2),
        bracket(poisson(0.25, {"gaussian_dp": {"mu": 0.5}}), 0.2),
    )
    assert one == pytest.approx(other, rel=1e-12)


@pytest.mark.parametrize("records", [2, 5])
def test_groups_of_leaves_are_shifts_by_their_number(records):
    assert bracket(group(records, GAUSSIAN), 0.7)[0] == pytest.approx(balle_wang(records, 0.7), rel=1e-11)
    assert bracket(group(records, LAPLACE), 0.7)[1] == pytest.approx(-math.expm1((0.7 - records / 2) / 2), rel=1e-11)
    weights = {z: math.exp(-abs(z) / 2) for z in range(-300, 301)}
    whole = sum(weights.values())
    discrete = sum(max(0.0, weights[z - records] - math.exp(0.7) * weights[z]) for z in range(-200, 201)) / whole
    for inner in ({"discrete_laplace": {"scale": 2.0}}, {"pure_dp": {"epsilon": 0.5}}):
        lower, upper = bracket(group(records, inner), 0.7)
        assert lower == pytest.approx(discrete, rel=1e-11)
        assert upper == pytest.approx(discrete, rel=1e-11)
    squares = {z: math.exp(-z * z / 8) for z in range(-90, 91)}
    shifted = sum(max(0.0, squares[z - records] - math.exp(0.7) * squares[z]) for z in range(-60, 61))
    event = group(records, {"discrete_gaussian": {"noise_multiplier": 2.0}})
    (product,) = Reader("zero_out_one", arb(1e-30)).sides(event).lower
    found = curve(product, False, 64, exact(1e-5)).delta(exact(0.7))
    assert float(found.lower()) == pytest.approx(shifted / sum(squares.values()), rel=1e-11)


def test_groups_are_of_each_part_and_multiply():
    event = group(2, composed(group(3, GAUSSIAN), repeated(2, LAPLACE)))
    parts = composed({"gaussian_dp": {"mu": 6.0}}, repeated(2, {"laplace": {"scale": 1.0}}))
    assert bracket(event, 3.0) == pytest.approx(bracket(parts, 3.0), rel=1e-12)


def test_one_draw_with_replacement_is_one_without():
    without = {"sampled_without_replacement": {"rate": {"drawn": 1, "population": 10}, "inner": GAUSSIAN}}
    one, other = (bracket(event, 0.3, adjacency="replace_one") for event in (drawn(1, 10, GAUSSIAN), without))
    assert one == pytest.approx(other, rel=1e-12)


def allocated(steps, inner):
    return {"randomly_allocated": {"steps": steps, "inner": inner}}


def test_allocated_responses_are_summed_by_hand():
    truth, at = 1 / (1 + math.exp(-1.0)), 0.3
    laws = {1: (truth, 1 - truth), 0: (1 - truth, truth)}
    gained = lost = 0.0
    for outcome in itertools.product((0, 1), repeat=3):
        without = math.prod(laws[bit][1] for bit in outcome)
        within = sum(without * laws[bit][0] / laws[bit][1] for bit in outcome) / 3
        lost += max(0.0, within - math.exp(at) * without)
        gained += max(0.0, without - math.exp(at) * within)
    lower, upper = bracket(allocated(3, response(1.0)), at)
    assert lower == pytest.approx(max(lost, gained), rel=1e-12)
    assert upper == pytest.approx(lower, rel=1e-12)


@pytest.mark.parametrize(
    "noise, steps, epsilon, delta",
    # by integrals of another program's
    [(1.0, 2, 0.5, 0.1491775231355202), (1.0, 2, 2.0, 0.004745777633248314), (0.5, 2, 1.0, 0.4045775003778535)],
)
def test_allocated_gaussians_are_bracketed(noise, steps, epsilon, delta):
    event = allocated(steps, {"gaussian": {"noise_multiplier": noise}})
    lower, upper = bracket(event, epsilon, scale=1e-3)
    assert lower < delta < upper < lower * 1.06


@pytest.mark.parametrize("steps", [2, 3, 5])
def test_steps_on_grids_lie_about_those_that_are_summed(steps):
    sides = Reader("add_or_remove_one", arb(1e-30)).sides(response(1.0))
    at = exact(0.2)
    truth = float(curve([(allocated_atoms(sides.upper[0][0], steps), 1)], True, 64, arb(1)).delta(at))
    lower, upper = (curve([(Allocated(steps, sides.upper), 1)], upper, 1024, arb(1e-3)) for upper in (False, True))
    assert float(lower.delta(at).lower()) <= truth * (1 + 1e-15) and truth <= float(upper.delta(at).upper()) * (
        1 + 1e-15
    )
    assert float(upper.delta(at).upper()) < 1.5 * float(lower.delta(at).lower())


# Grids: from both sides, closer with a finer mesh, around values that other programs computed.


@pytest.mark.parametrize(
    "event, epsilon, delta, slack",
    [
        (repeated(10000, poisson(0.01, GAUSSIAN)), 6.18771239, 1e-5, 0.05),
        (repeated(500, poisson(0.2, GAUSSIAN)), 38.1702472, 1e-5, 0.05),
        (repeated(2, poisson(1.0, LAPLACE)), 0.5, None, 0.01),
    ],
)
def test_grids_bracket(event, epsilon, delta, slack):
    lower, upper = bracket(event, epsilon, length=8192)
    assert lower <= upper <= lower * (1 + slack)
    if delta is not None:
        assert lower < delta * (1 + 1e-6) and delta * (1 - 1e-6) < upper


def test_a_finer_grid_is_closer():
    event = repeated(60, poisson(0.1, GAUSSIAN))
    coarse, fine = bracket(event, 2.0, length=256), bracket(event, 2.0, length=4096)
    assert coarse[0] < fine[0] < fine[1] < coarse[1]


def test_outcomes_that_are_too_many_to_multiply_out_keep_their_number():
    # Each sampled outcome has a loss of its own, so that no two sums are the same.
    sample = poisson(0.3, {"discrete_gaussian": {"noise_multiplier": 2.0}})
    many, sums = repeated(24, sample), repeated(24, poisson(0.3, {"gaussian": {"noise_multiplier": 2.0}}))
    for at in (0.5, 2.0):
        lower, upper = bracket(many, at)
        assert lower <= upper <= lower * 1.05
        # Noise of this size hides whether it is discrete.
        assert lower < bracket(sums, at)[1] and bracket(sums, at)[0] < upper


def test_grid_agrees_with_what_is_multiplied_out():
    sample = poisson(0.5, response(0.4, 3))
    product = Reader("add_or_remove_one", arb(1e-30)).sides(repeated(6, sample)).upper
    (atoms, _), tail = product[0], floor_mass(arb(1e-20))
    exactly = atoms.power(6, arb(1e-30))
    for at in (0.1, 0.6):
        growth = exact(at).exp()
        truth = sum((p - growth * q for _, p, q in exactly.table.values() if p > growth * q), arb(0))
        sides = []
        for upper in (False, True):
            context = Context(upper, 4096, tail)
            vectors = [(p, q) for _, p, q in atoms.table.values()]
            sides.append(hockey_stick(grid_of_sorted(vectors, arb(0), arb(0), context).power(6), at))
        assert sides[0].upper() <= truth.upper() and truth.lower() <= sides[1].lower()
        assert sides[1].upper() < sides[0].lower() * 1.1


@pytest.mark.parametrize("least", [1e-40, 1e-9])
def test_outcomes_are_counted_as_they_are_multiplied_out(least):
    sample = poisson(0.3, response(0.7, 3))
    (atoms, _) = Reader("add_or_remove_one", arb(1e-30)).sides(repeated(2, sample)).upper[0]
    half = atoms.power(20, arb(1e-60), 5000)
    truth = half.times(half, arb(1e-60), 5000)
    assert not atoms._is_counted(20) and atoms._is_counted(40)
    counted = atoms.power(40, arb(least), 5000)
    assert (counted.cut_p > 0) == (least > 1e-30) and counted.cut_p < 1e-5 and counted.cut_q < 1e-5
    for column, cut in ((1, counted.cut_p), (2, counted.cut_q)):
        assert abs(sum(atom[column] for atom in counted.table.values()) + cut - 1) < cut + arb(1e-25)
    for at in (-1.0, 0.1, 3.0):
        growth = exact(at).exp()
        by_counts, by_products = (
            sum((p - growth * q for _, p, q in found.table.values() if p > growth * q), arb(0))
            for found in (counted, truth)
        )
        assert by_counts < by_products + arb(1e-25) and by_products < by_counts + counted.cut_p + arb(1e-25)


def test_directions_are_both_looked_at():
    # Twice a sample: losing the record costs more, so that the larger of both is above that of gaining it.
    product = Reader("add_or_remove_one", arb(1e-30)).sides(repeated(20, poisson(0.1, GAUSSIAN))).upper
    one = Curve(product, Context(True, 1024, floor_mass(arb(1e-20))))
    epsilon = exact(1.0)
    gained, lost = one.rest.reversed_hockey_stick(epsilon), one.rest.hockey_stick(epsilon)
    assert gained.upper() < lost.lower()
    assert one.delta(epsilon).upper() == lost.upper()


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("law", [Gaussian(arb(1)), Laplace(arb(3)), PoissonSampled(arb(1) / 10, Gaussian(arb(2)))])
def test_a_grid_keeps_its_side_when_it_is_made_coarser(law, upper):
    grid = grid_of_law(law, Context(upper, 300, floor_mass(arb(1e-25))))
    for _ in range(4):
        coarser = grid.coarser()
        for at in (0.0, 0.07, 0.3):
            before, after = (hockey_stick(one, at) for one in (grid, coarser))
            truth = law.hockey_stick(exact(at))
            if upper:
                assert truth.lower() <= before.upper() and before.lower() <= after.upper()
            else:
                assert truth.upper() >= before.lower() and before.upper() >= after.lower()
        grid = coarser


@pytest.mark.parametrize("at", [-0.01, -0.0014, -0.0005, 0.0, 0.0005, 0.001])
def test_a_grid_from_above_is_above_in_both_directions_between_its_places(at):
    law = PoissonSampled(arb(0.007), Gaussian(1 / arb(8.9) ** 2))
    one = GridCurve(grid_of_law(law, Context(True, 1024, floor_mass(arb(1e-14)))))
    assert one.hockey_stick(exact(at)).upper() >= law.hockey_stick(exact(at)).lower()
    assert one.reversed_hockey_stick(exact(at)).upper() >= law.reversed_hockey_stick(exact(at)).lower()


def hockey_stick(grid, at):
    growth = exact(at).exp()
    terms = (mass_ball(p) - growth * q for p, q in zip(grid.masses, grid.other_masses()))
    return sum((term for term in terms if term > 0), mass_ball(grid.top))


def test_symmetrised_law_is_its_own_mirror_image():
    law = Symmetrised(PoissonSampled(arb(1) / 3, Laplace(arb(2))))
    for at in (0.0, 0.1, 0.15):
        forward, backward = law.hockey_stick(exact(at)), law.reversed_hockey_stick(exact(at))
        assert float(forward) == pytest.approx(float(backward), rel=1e-14)


def test_masses_are_rounded_outwards():
    third = arb(1) / 3
    assert mass_ball(floor_mass(third)) < third < mass_ball(ceil_mass(third))
    assert floor_mass(arb(-1)) == ceil_mass(arb(-1)) == fmpz(0)
    assert ceil_mass(arb(2) ** (-SCALE - 9)) == fmpz(1)


# Verdicts.


def verdicts(event, delta, lower, upper, adjacency="add_or_remove_one"):
    question = Question("", adjacency, "delta", delta)
    answer = Answer({"event": event}, lower, upper, "none")
    return {end.name: end.contradicted for end in Judge([1024, 4096], 1e-4).judge(question, answer)}


TRUTHS = [
    (GAUSSIAN, 1e-3, 3.13867054858, 1e-8),
    (repeated(10, poisson(0.1, GAUSSIAN)), 1e-3, 1.57166682947, 2e-3),
    (repeated(10000, poisson(0.01, GAUSSIAN)), 1e-5, 6.18771239, 1e-2),
    (composed(GAUSSIAN, repeated(2, {"laplace": {"scale": 3.0}}), response(1.0, 4)), 1e-3, 4.2267645170, 1e-3),
]


@pytest.mark.parametrize("event, delta, epsilon, error", TRUTHS)
def test_true_brackets_are_not_contradicted(event, delta, epsilon, error):
    small = 1e-9
    assert verdicts(event, delta, epsilon - small, epsilon + small) == {"upper": False, "lower": False}


@pytest.mark.parametrize("event, delta, epsilon, error", TRUTHS)
def test_false_brackets_are_contradicted(event, delta, epsilon, error):
    assert verdicts(event, delta, epsilon * (1 - 3 * error), epsilon * (1 - 2 * error))["upper"]
    assert verdicts(event, delta, epsilon * (1 + 2 * error), epsilon * (1 + 3 * error))["lower"]


def test_false_deltas_are_contradicted():
    question = Question("", "add_or_remove_one", "epsilon", 1.0)
    truth = balle_wang(1.0, 1.0)
    low, high = (
        Answer({"event": GAUSSIAN}, 0.9 * truth, 0.99 * truth, ""),
        Answer({"event": GAUSSIAN}, 1.01 * truth, 1, ""),
    )
    assert [end.contradicted for end in Judge([256], 1e-4).judge(question, low)] == [True, False]
    assert [end.contradicted for end in Judge([256], 1e-4).judge(question, high)] == [True]


FAKE = """#!{python}
import json, sys
delta = float(sys.argv[sys.argv.index("--delta") + 1])
bound = dict(lower={lower}, upper={upper}, guarantee="{guarantee}", accountant="fake")
plan = dict(version=1, adjacency="add_or_remove_one", event=dict(gaussian=dict(noise_multiplier=1.0)))
print(json.dumps(dict(delta=delta, epsilon=bound, plan=plan)))
"""


@pytest.mark.parametrize(
    "lower, upper, guarantee, status, said",
    [
        (3.138, 3.139, "proven", 0, "1 asked, 1 judged, 0 contradicted"),
        (3.13, 3.138, "proven", 1, "is said to be at most 0.001"),
        (3.14, 3.2, "proven", 1, "is said to be at least 0.001"),
        (3.14, 3.2, "estimate", 0, "no proven answer, 1: best: an estimate"),
    ],
)
def test_the_program_is_contradicted_where_it_is_wrong(lower, upper, guarantee, status, said, tmp_path):
    program = tmp_path / "program"
    program.write_text(FAKE.format(python=sys.executable, lower=lower, upper=upper, guarantee=guarantee))
    program.chmod(0o755)
    referee = Path(__file__).with_name("referee.py")
    command = [sys.executable, referee, "gaussian(1)", "--delta", "1e-3", "--program", program]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert said in done.stdout


def test_a_program_that_fails_is_no_refusal(tmp_path):
    program = tmp_path / "program"
    referee = [sys.executable, Path(__file__).with_name("referee.py"), "gaussian(1)", "--delta", "1e-3"]
    for status, expected, said in ((2, 0, "no proven answer, 1: best: too loud"), (139, 1, "FAILED: status 139 of ")):
        program.write_text(f"#!/bin/sh\necho too loud >&2\nexit {status}\n")
        program.chmod(0o755)
        done = subprocess.run([*referee, "--program", program], capture_output=True, text=True)
        assert done.returncode == expected and said in done.stdout, done
    for bad in (["--program", tmp_path / "none"], ["--mesh", "fine"], ["--mesh", "8"]):
        done = subprocess.run([*referee, "--program", program, *bad], capture_output=True, text=True)
        assert done.returncode == 2 and bad[0] in done.stderr and "Traceback" not in done.stderr, done


def test_what_no_statement_is_about_is_said():
    with pytest.raises(NotJudged, match="with_replacement"):
        Reader("replace_one", arb(1e-30)).sides(drawn(3, 30, LAPLACE))
    with pytest.raises(NotJudged, match="something_new"):
        Reader("replace_one", arb(1e-30)).sides({"something_new": {"inner": GAUSSIAN}})
    with pytest.raises(NotJudged, match="wor"):
        Reader("add_or_remove_one", arb(1e-30)).sides({"sampled_without_replacement": {"rate": 0.1, "inner": GAUSSIAN}})


def test_draws_are_the_same_for_a_seed():
    first, second = (Draw(random.Random("18:3")).question() for _ in range(2))
    assert first == second
    assert Draw(random.Random("18:4")).question() != first


def selected(trials, inner):
    return {"selected": {"trials": trials, "inner": inner}}


def attained(event, epsilon):
    sides = Reader("add_or_remove_one", exact(1e-5) * arb(2) ** -70).sides(event)
    assert sides.upper is None
    return float(max(curve(one, False, 2048, exact(1e-5)).delta(exact(epsilon)).lower() for one in sides.lower))


def test_of_one_run_the_best_is_that_run():
    one = selected({"geometric": {"gamma": 1 - 2**-53}}, RESPONSE)
    assert attained(one, 0.5) == pytest.approx(bracket(RESPONSE, 0.5)[0], rel=1e-9)


def test_the_best_of_a_geometric_number_of_runs_is_a_sum_over_how_many():
    epsilon, gamma = 1.0, 0.25
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    largest = 0.0
    # The worse outcome under P and under Q; it is released where all runs end in it.
    for p, q in [(1 - truth, truth), (truth, 1 - truth)]:
        worse_p = sum(gamma * (1 - gamma) ** (k - 1) * p**k for k in range(1, 400))
        worse_q = sum(gamma * (1 - gamma) ** (k - 1) * q**k for k in range(1, 400))
        for e in (math.exp(0.5),):
            largest = max(largest, max(0, worse_p - e * worse_q) + max(0, (1 - worse_p) - e * (1 - worse_q)))
    assert attained(selected({"geometric": {"gamma": gamma}}, RESPONSE), 0.5) == pytest.approx(largest, rel=1e-9)


def test_what_is_selected_has_few_outcomes():
    with pytest.raises(NotJudged, match="select"):
        Reader("add_or_remove_one", arb(1e-30)).sides(selected({"poisson": {"mean": 3}}, GAUSSIAN))


def truncated(rate, places, records, inner):
    batch = {"drawn": places, "population": records}
    return {"truncated_poisson_sampled": {"rate": rate, "batch": batch, "inner": inner}}


def test_batches_with_a_place_for_everybody_are_poisson_samples():
    assert bracket(truncated(0.25, 7, 7, GAUSSIAN), 0.5) == bracket(poisson(0.25, GAUSSIAN), 0.5)


def test_batches_that_others_always_fill_hold_the_record_in_place_of_another():
    # Two of five at rate 1: 2/5 of N(2, 1) and 3/5 of N(0, 1), and a record that alone tells something.
    lower, upper = bracket(truncated(1, 2, 5, GAUSSIAN), 0)
    assert upper == pytest.approx(0.4 * balle_wang(2, 0), rel=1e-11)
    assert lower == pytest.approx(0.4 * balle_wang(1, 0), rel=1e-11)


def test_how_often_others_fill_a_batch_adds_up():
    # Both of two others are drawn with 1/9; of three records that are drawn then, one is left out.
    filled, in_filled = filled_by_others(2, 3, fmpq(1, 3))
    assert (filled, in_filled) == (fmpq(1, 9), fmpq(2, 81))
