"""What `functions/` states, against definitions, enumerations and other forms of the same; and that vectors repeat."""

from __future__ import annotations

import itertools
import json
import pathlib
import re
from math import comb

import pytest
from flint import acb, arb, ctx, fmpq

from functions import approximate, convergence, profiles, renyi, shuffle, tradeoff
from functions.basics import Refused, density, fraction, integral, tail
from functions.inputs import DOMAINS
from functions.stated import FUNCTIONS, NOT_STATED, answer
from vectors import vectors_of

FILE = pathlib.Path(__file__).resolve().parents[2] / "tools/cli/eval/vectors.jsonl"


@pytest.fixture(autouse=True)
def many_bits():
    before, ctx.prec = ctx.prec, 256
    yield
    ctx.prec = before


def agree(x, y, digits=25):
    x, y = arb(x), arb(y)
    assert abs(x - y) <= abs(y) * arb(10) ** -digits + arb(10) ** -60, (x, y)


def test_every_function_has_inputs():
    assert set(DOMAINS) == set(FUNCTIONS)
    assert not set(NOT_STATED) & set(FUNCTIONS)


@pytest.mark.parametrize("order", [2, 3, 7])
def test_poisson_sums_are_their_integrals(order):
    q, s = 0.03, 0.8
    agree(renyi._sampled(q, s, order, arb(order)), renyi.poisson_gaussian(q, s, order))


def test_fixed_size_at_rate_1_is_the_gaussian():
    agree(renyi.without_replacement_gaussian(1, 1.3, 3.5), renyi.gaussian(3.5, 1.3))


def test_laplace_is_its_integral():
    a, b = arb(2.5), arb(0.7)
    parts = [
        integral(lambda x, _, f=f: (f(x) / b).exp() / (2 * b), points)
        for f, points in (
            (lambda x: a * x + (1 - a) * (x - 1), [arb(-200), arb(0)]),
            (lambda x: -a * x + (1 - a) * (x - 1), [arb(0), arb(1)]),
            (lambda x: -a * x + (1 - a) * (1 - x), [arb(1), arb(200)]),
        )
    ]
    agree(sum(parts, arb(0)).log() / (a - 1), renyi.laplace(2.5, 0.7))


@pytest.mark.parametrize(("e0", "n", "epsilon"), [(1.0, 5, 0.25), (0.5, 12, 0.1), (3.0, 8, 0.0), (1.0, 1, 0.5)])
def test_clones_are_their_definition(e0, n, epsilon):
    """Counts (A + D, C - A + 1 - D) against (A + 1 - D, C - A + D), one by one."""
    odds, growth = arb(e0).exp(), arb(epsilon).exp()
    truth, clone = odds / (odds + 1), 1 / odds
    found = arb(0)
    for c in range(n):
        weight = comb(n - 1, c) * clone**c * (1 - clone) ** (n - 1 - c)
        for b in range(c + 2):
            one = comb(c, b - 1) * arb(2) ** -c if b >= 1 else arb(0)
            none = comb(c, b) * arb(2) ** -c
            p, q = truth * one + (1 - truth) * none, (1 - truth) * one + truth * none
            found += weight * arb(0).max(p - growth * q)
    agree(shuffle.clones_delta(e0, n, epsilon), found)


def test_divergences_of_clones_are_their_definition():
    odds, n, a = arb(0.75).exp(), 6, arb(3.5)
    truth, clone = odds / (odds + 1), 2 / (odds + 1)
    moment = arb(0)
    for c in range(n):
        weight = comb(n - 1, c) * clone**c * (1 - clone) ** (n - 1 - c)
        for b in range(c + 2):
            one = comb(c, b - 1) * arb(2) ** -c if b >= 1 else arb(0)
            none = comb(c, b) * arb(2) ** -c
            p, q = truth * one + (1 - truth) * none, (1 - truth) * one + truth * none
            moment += weight * p**a * q ** (1 - a)
    agree(shuffle.stronger_clones_renyi(0.75, n, 3.5), moment.log() / (a - 1))


def test_shuffled_responses_are_counted_alike():
    e0, n, epsilon = 0.75, 9, 0.25
    truth = 1 / (1 + (-arb(e0)).exp())
    share = float(truth.mid())
    laws = [share, 1 - share], [1 - share, share]
    counted = shuffle.exact_delta(laws[0], laws[1], laws[0], n, epsilon)
    agree(shuffle.randomized_response_delta(e0, n, epsilon), counted, 12)


def test_optimal_composition_is_an_enumeration():
    e, k, x = 0.5, 7, 1.25
    truth = 1 / (1 + (-arb(e)).exp())
    total = arb(0)
    for signs in itertools.product((1, -1), repeat=k):
        ones = signs.count(1)
        p, q = truth**ones * (1 - truth) ** (k - ones), truth ** (k - ones) * (1 - truth) ** ones
        total += arb(0).max(p - arb(x).exp() * q)
    agree(approximate.optimal_composition_delta(e, 0, k, x), total)
    agree(approximate.optimal_composition_heterogeneous_delta([e] * k, [0] * k, x), total)
    agree(approximate.optimal_composition_delta(e, 0, k, approximate_epsilon(e, k, 0.01)), 0.01, 12)


def approximate_epsilon(e, k, delta) -> float:
    return float(approximate.optimal_composition_epsilon(e, 0, k, delta).mid())


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("epsilon", [-0.5, 0.0, 0.375])
def test_two_steps_are_a_double_integral(direction, epsilon):
    """The outer integral of one step's delta, where the first leaves the threshold elsewhere."""
    q, s = 0.25, 1.5
    steps = 1500

    def loss(x):
        return ((1 - q) + q * ((2 * x - 1) / (2 * s * s)).exp()).log()

    total, h = arb(0), arb(40) / steps
    for i in range(steps):
        x = -20 + (i + arb(0.5)) * h
        w = loss(x) if direction == "remove" else -loss(x)
        law = (q * density((x - 1) / s) + (1 - q) * density(x / s)) / s if direction == "remove" else density(x / s) / s
        total += h * law * profiles.poisson_gaussian_delta(q, s, arb(epsilon) - w, direction)
    agree(profiles.poisson_gaussian_composed_delta(q, s, epsilon, 2, direction), total, 5)


def test_profiles_and_trade_off_functions_are_dual():
    for epsilon in (0.0, 0.25, 1.5):
        agree(profiles.gaussian_delta(epsilon, 0.5), tradeoff.gaussian_to_delta(2, epsilon))
        agree(tradeoff.subsampled_gaussian_to_delta(1, 2, epsilon), tradeoff.gaussian_to_delta(2, epsilon))
    for a in (0.001, 0.25, 0.75):
        agree(tradeoff.subsampled_gaussian(1, 2, a), tradeoff.gaussian(2, a))
        # 1 - delta - e^epsilon a is nowhere above the curve, for the profile's epsilons
        for epsilon in (-1.0, 0.5, 2.0):
            line = 1 - tradeoff.subsampled_gaussian_to_delta(0.25, 2, epsilon) - arb(epsilon).exp() * a
            assert line <= tradeoff.subsampled_gaussian(0.25, 2, a)


def test_moments_at_rate_1_are_the_gaussian_s():
    kl, second, third = tradeoff.subsampled_gaussian_moments(1, 2)
    agree(kl, 2)
    agree(second, 4 + 2**2)
    agree(third, 8 * 4 / (2 * arb.pi()).sqrt())  # E|Z|^3 = 4 / sqrt(2 pi)


def test_the_discrete_gaussian_is_a_sum():
    e, s, d = arb(0.5), arb(2), 3
    weights = {z: (-arb(z * z) / (2 * s * s)).exp() for z in range(-200, 201)}
    whole = sum(weights.values(), arb(0))
    found = sum((arb(0).max(weights[z] - e.exp() * weights[z + d]) for z in range(-190, 190)), arb(0)) / whole
    agree(profiles.discrete_gaussian_delta(0.5, 2, 3), found)


def test_bounds_are_those_that_the_proof_sums_round_by_round():
    """Noble's weighted sum over rounds in the place of its closed form."""
    v = {
        "smoothness": 2,
        "distance": 3,
        "strong_convexity": 0.5,
        "noise": 1.5,
        "clip": 0.7,
        "batch": 10,
        "dimension": 5,
        "users": 12,
        "participants": 4,
        "local_steps": 6,
        "gradient_variance": 0.9,
        "rounds": 50,
        "local_step": 0.004,
        "dissimilarity_offset": 0.4,
    }
    found = FUNCTIONS["convergence.noble_fedavg_bound"](**v)
    eta = arb(6) * arb(0.004)
    a = arb(0.5) * eta / 2
    weights = sum(((1 - a) ** -t for t in range(1, 51)), arb(0))
    z = 2 * eta
    big = z + arb(0.5) * eta + 2 * z * z
    gain = 1 - z * (2 + big * arb(5) * 11 / (3 * 36))
    agree(found[0], arb(9) / (2 * eta * gain * weights))


def test_a_chosen_step_is_the_best():
    v = {
        "smoothness": 2,
        "distance": 3,
        "noise": 1.5,
        "clip": 0.7,
        "batch": 10,
        "dimension": 5,
        "users": 12,
        "participants": 4,
        "local_steps": 6,
        "gradient_variance": 0.9,
        "rounds": 5000,
        "control_error": 0.2,
    }
    best = convergence._chang(v, False)
    for factor in (0.9, 1.1):
        step = float((best[5] * factor).mid())
        try:
            assert convergence._chang({**v, "local_step": step}, False)[4] > best[4] * (1 - arb(10) ** -12)
        except Refused:
            assert factor > 1  # beyond the theorem's largest step


def test_tails_are_right():
    agree(tail(arb(0)), 0.5)
    agree(acb.integral(lambda x, _: density(x), acb(1), acb(30)).real, tail(arb(1)))
    assert fraction(0.1) == fmpq(3602879701896397, 36028797018963968)


@pytest.mark.parametrize("function", ["renyi.gaussian", "shuffle.exact_delta", "convergence.chen_theorem1"])
def test_vectors_repeat(function):
    lines = [line for line in FILE.read_text().splitlines() if line.startswith(f'{{"id":"{function}/')]
    assert vectors_of(function) == lines


def test_digits_are_certain():
    """Twenty-five of them, at whatever precision."""
    assert answer("gaussian.delta", {"epsilon": 1, "noise_multiplier": 3})["value"].startswith("0.000207512202")
    far = answer("renyi.to_delta.mironov", {"order": 10000.5, "rdp": 1, "epsilon": 3})
    assert float(far["ln_value"]) == -19999


def test_the_file_follows_its_schema():
    schema = json.loads(FILE.with_name("vectors.schema.json").read_text())
    number = re.compile(schema["$defs"]["number"]["pattern"])
    head, *lines = map(json.loads, FILE.read_text().splitlines())
    assert set(head) == set(schema["$defs"]["head"]["required"])
    assert head["vectors"] == len(lines) >= 3000
    assert head["not_stated"] == NOT_STATED
    for line in lines:
        assert set(line) in ({"id", "function", "inputs", "value"}, {"id", "function", "inputs", "ln_value"})
        values = line.get("value", line.get("ln_value"))
        assert all(number.match(value) for value in (values if isinstance(values, list) else [values]))
