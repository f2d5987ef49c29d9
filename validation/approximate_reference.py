#!/usr/bin/env python3
"""Writes approximate_vectors.jsonl: the functions of accounting/approximate from their definitions, in mpmath.

Nothing here is shared with the C++ code: sums run term by term, masses come from loggamma, precision makes up for
cancellation. Inputs are IEEE doubles, taken exactly. Where a value leaves [1e-290, 1e290] its logarithm is given too.

    python3 validation/approximate_reference.py     # about ten seconds
"""

import itertools
import json
import pathlib

from mpmath import erfc, exp, expm1, floor, inf, log, log1p, loggamma, mp, mpf, sqrt, tanh

mp.dps = 60


def digits_for(epsilon):
    """Enough digits for differences of exponentials of so small an epsilon."""
    return 80 if epsilon == 0 else 80 + int(max(0, -2 * mp.log10(mpf(epsilon))))


def with_failures(delta, count, s):
    return mpf(1) if delta == 1 else -expm1(count * log1p(-mpf(delta))) + exp(count * log1p(-mpf(delta))) * s


def response_delta(epsilon, count, total_epsilon, first=None):
    """Sum of P(j) (1 - exp(total_epsilon - loss_j)) over the losses above total_epsilon, from 14 deviations below the mean.

    With `first`, total_epsilon is the loss of first - 1, exactly."""
    e, x = mpf(epsilon), mpf(total_epsilon)
    if e == 0:
        return mpf(0)
    if first is None:
        first = max(int(floor((x / e + count) / 2)) + 1, 0)
        while first > 0 and x < (2 * (first - 1) - count) * e:
            first -= 1
        while first <= count and x >= (2 * first - count) * e:
            first += 1
    else:
        x = (2 * (first - 1) - count) * e
    success = 1 / (1 + exp(-e))
    mean, deviation = count * success, sqrt(count * success * (1 - success))
    start = max(first, int(mean - 14 * deviation) - 5)
    if start > count:
        return mpf(0)
    mass = exp(loggamma(count + 1) - loggamma(start + 1) - loggamma(count - start + 1)
               + (start - count) * e - count * log1p(exp(-e)))
    kept, odds, fall, total = exp(x - (2 * start - count) * e), exp(e), exp(-2 * e), mpf(0)
    for j in range(start, count + 1):
        total += mass * (1 - kept)
        if j > mean + 2 and mass < total * mpf(10) ** -30:
            break
        mass *= mpf(count - j) / (j + 1) * odds
        kept *= fall
    return total


def optimal_composition_delta(epsilon, delta, count, total_epsilon):
    return with_failures(delta, count, response_delta(epsilon, count, total_epsilon))


def optimal_composition_at(epsilon, delta, count, index):
    s = mpf(0) if index == 0 else response_delta(epsilon, count, 0, first=count - index + 1)
    return [(count - 2 * index) * mpf(epsilon), with_failures(delta, count, s)]


def optimal_composition_epsilon(epsilon, delta, count, total_delta):
    """The cell between two lattice points by bisection; inside it delta is affine in exp(total_epsilon)."""
    excess = lambda x: optimal_composition_delta(epsilon, delta, count, x) - mpf(total_delta)
    loss = lambda j: (2 * j - count) * mpf(epsilon)
    if excess(0) <= 0:
        return mpf(0)
    if excess(loss(count)) > 0:
        return inf
    low, high = (count - 1) // 2, count
    while high - low > 1:
        middle = (low + high) // 2
        if loss(middle) > 0 and excess(loss(middle)) <= 0:
            high = middle
        else:
            low = middle
    left, right = max(mpf(0), loss(low)), loss(high)
    slope = (excess(left) - excess(right)) / (exp(right) - exp(left))
    return log(excess(left) / slope + exp(left))


def optimal_composition_heterogeneous_delta(epsilons, deltas, total_epsilon):
    s, none = mpf(0), mpf(1)
    for signs in itertools.product((1, -1), repeat=len(epsilons)):
        mass, loss = mpf(1), mpf(0)
        for sign, epsilon in zip(signs, epsilons):
            mass /= 1 + exp(-sign * mpf(epsilon))
            loss += sign * mpf(epsilon)
        if loss > total_epsilon:
            s -= mass * expm1(mpf(total_epsilon) - loss)
    for delta in deltas:
        none *= 1 - mpf(delta)
    return 1 - none * (1 - s)


def kairouz_heterogeneous_epsilon(epsilons, slack):
    exact, d = [mpf(e) for e in epsilons], mpf(slack)
    mean = sum(e * tanh(e / 2) for e in exact)
    squares = sum(e * e for e in exact)
    return min(sum(exact), mean + sqrt(2 * squares * log(mp.e + sqrt(squares) / d)),
               mean + sqrt(2 * squares * log(1 / d)))


def advanced_composition(epsilon, delta, count, slack):
    e = mpf(epsilon)
    return [e * sqrt(2 * count * log(1 / mpf(slack))) + count * e * expm1(e), count * mpf(delta) + mpf(slack)]


def basic_composition(epsilons, deltas):
    return [sum(map(mpf, epsilons), mpf(0)), min(mpf(1), sum(map(mpf, deltas), mpf(0)))]


def amplified(rate, epsilon):
    if epsilon < 1e5:
        return log1p(rate * expm1(mpf(epsilon)))
    return mpf(epsilon) + log(rate) if rate > 0 else mpf(0)  # the 1 beside exp(epsilon) is gone


def amplify_by_sampling(epsilon, delta, sampling_rate):
    return [amplified(mpf(sampling_rate), epsilon), mpf(sampling_rate) * mpf(delta)]


def gaussian_delta(epsilon, mu):
    above = lambda x: erfc(x / sqrt(mpf(2))) / 2
    return above(epsilon / mu - mu / 2) - exp(mpf(epsilon)) * above(epsilon / mu + mu / 2)


def amplify_with_replacement_gaussian(epsilon, mu, population, draws):
    if population == 1:
        return [mpf(epsilon), gaussian_delta(epsilon, draws * mpf(mu))]
    unlucky = log1p(-mpf(1) / population)
    mean = mpf(draws) / population
    first, last = max(1, int(mean - 20 * sqrt(mean))), min(draws, int(mean + 20 * sqrt(mean)) + 6000)
    mass = exp(loggamma(draws + 1) - loggamma(first + 1) - loggamma(draws - first + 1)
               - first * log(mpf(population)) + (draws - first) * unlucky)
    total = mpf(0)
    for k in range(first, last + 1):
        total += mass * gaussian_delta(epsilon, k * mpf(mu))
        mass *= mpf(draws - k) / (k + 1) / (population - 1)
        if k > mean and mass < total * mpf(10) ** -40:
            break
    return [amplified(-expm1(draws * unlucky), epsilon), total]


def group(epsilon, delta, size):
    series = mpf(size) if epsilon == 0 else expm1(size * mpf(epsilon)) / expm1(mpf(epsilon))
    return [size * mpf(epsilon), mpf(delta) * series]


DELTA_AT = [(0.5, 4000000, 1e6), (1e-3, 4000000, 5), (1e-3, 4000000, 0), (1e-3, 4000000, 12.3), (1e-4, 100000000, 8),
            (1e-4, 100000000, 1.5), (0.01, 100000000, 12000), (0.01, 100000000, 5500), (0.05, 30000000, 4e4),
            (1e-6, 1000000, 1e-5), (1e-6, 1000000, 0), (20, 50, 900), (20, 50, 999.9999), (700, 10, 6999),
            (700, 10, 10), (5, 1000000, 4933000), (1e-8, 1000, 1e-7), (1e-200, 5, 1e-200), (1e-310, 3, 0), (2, 1, 1.5),
            (2, 1, 0), (2, 2, 3.999999999), (0.1, 3, 0.1), (0.1, 3, 0.3), (0.1, 3, 0.30000000000000004), (0.1, 7, 0.3),
            (0.3, 1000, 300 - 1e-9), (1e-3, 123457, 17), (3, 100, 250), (40, 1000, 39990), (1e-5, 1000000, 9.99999),
            (1e-3, 10000000, 100)]
EPSILON_AT = [(0.1, 1e-8, 100, 1e-5), (0.01, 0, 1000, 1e-6), (0.5, 0, 30, 1e-12), (0.5, 0, 30, 0.999),
              (0.5, 0, 30, 0.9999999), (2, 0, 1, 0.3), (30, 0, 1, 1 - 1e-9), (2, 0, 1, 0.7), (1, 1e-3, 50, 0.06),
              (1, 1e-6, 10, 9.999955000120e-06), (0.01, 0, 1000, 1e-200), (3, 0, 200, 1e-300), (3, 0, 200, 0.5),
              (1e-5, 0, 1000, 1e-4), (1e-5, 0, 1000, 1e-10), (0.5, 0.1, 4, 0.3439), (0.5, 0.1, 4, 0.35),
              (0.5, 0.5, 2, 0.75), (10, 0, 20, 0.99), (0.001, 0, 20000, 1e-8), (0.001, 1e-10, 20000, 1e-5),
              (1e-300, 0, 4, 1e-301), (20, 0, 10, 1e-8), (100, 0, 3, 1e-50), (0.3, 1e-300, 40, 1e-299)]
INPUTS = [
    (optimal_composition_delta, ("epsilon", "delta", "count", "total_epsilon"),
     [(e, d, k, x) for e, k, x in DELTA_AT for d in (0, 1e-9, 1e-30)] + [(1, 1, 3, 1), (0, 1e-20, 1000, 0)]),
    (optimal_composition_at, ("epsilon", "delta", "count", "index"),
     [(0.1, 1e-8, 10, 0), (0.1, 0, 10, 5), (0.01, 0, 1000, 499), (0.01, 1e-10, 1000, 500), (1, 0, 1000, 3),
      (700, 0, 5, 1), (1e-300, 0, 5, 2), (0.001, 1e-12, 1000000, 499000), (0.001, 0, 1000000, 400000), (1e-9, 0, 9, 4),
      (0, 0.1, 4, 2)]),
    (optimal_composition_epsilon, ("epsilon", "delta", "count", "total_delta"), EPSILON_AT),
    (optimal_composition_heterogeneous_delta, ("epsilons", "deltas", "total_epsilon"),
     [([0.1, 0.2, 0.3], [0, 0, 0], 0.6 - 1e-14), ([0.1, 0.2, 0.3], [0, 0, 0], 0.1), ([0.1, 0.2, 0.3], [0, 0, 1e-3], 0.6),
      ([50, 60, 70], [0, 0, 0], 100), ([50, 60, 70], [0, 0, 0], 179.5), ([500, 600, 700], [0, 0, 0], 1000),
      ([1e-9, 1e-8], [0, 0], 1e-9), ([0.5] * 4 + [0.25] * 5 + [1.0], [1e-7] * 10, 2.0),
      ([0.5] * 4 + [0.25] * 5 + [1.0], [0] * 10, 4.2), ([0, 0.3], [0.1, 0], 0.1), ([], [], 0.0), ([1.0], [0.5], 0.2)]),
    (kairouz_heterogeneous_epsilon, ("epsilons", "slack"),
     [([0.01] * 500, 1e-6), ([0.01] * 500, 0.5), ([0.001 * i for i in range(1, 200)], 1e-5), ([1e-200] * 400, 0.5),
      ([1e-5] * 3000, 0.9), ([0.1] * 1000, 1e-300), ([200, 300], 0.3), ([0.01] * 5000, 1.0)]),
    (advanced_composition, ("epsilon", "delta", "count", "slack"),
     [(0.1, 1e-6, 100, 1e-6), (1e-12, 1e-30, 10**12, 1e-300), (3, 0, 5, 0.5), (0.5, 0, 1, 1e-10)]),
    (basic_composition, ("epsilons", "deltas"), [([1, 0.5], [0.1, 0.2]), ([], []), ([1e-300, 2], [0.7, 0.6])]),
    (amplify_by_sampling, ("epsilon", "delta", "sampling_rate"),
     [(1, 1e-5, 0.01), (1e-9, 0, 1e-6), (1e-12, 1e-300, 1e-9), (800, 1e-3, 1e-300), (800, 0, 0.5), (1e6, 1e-9, 1e-9),
      (1e300, 1e-9, 0.3), (40, 1e-5, 1e-20), (700, 1e-5, 1e-305), (710, 1e-5, 1e-308), (5, 0.3, 0), (5, 0.3, 1),
      (0, 0.3, 0.5), (1e-300, 1e-200, 1e-100), (35, 0.1, 0.999999)]),
    (amplify_with_replacement_gaussian, ("epsilon", "mu", "population", "draws"),
     [(1, 0.5, 1000, 10), (0.5, 0.2, 100, 100), (2, 0.01, 50, 20), (1, 1e-3, 1000, 100), (0.1, 1, 10**6, 10**5),
      (0, 0.3, 100, 50), (3, 0.05, 1, 7), (1, 0.001, 1000, 200000), (5, 100, 10, 4), (1, 1e-5, 10**9, 10**6),
      (0.5, 2, 10**12, 1000), (1, 0.3, 2, 30), (1e-3, 1e-4, 10**4, 10**3)]),
    (group, ("epsilon", "delta", "size"),
     [(0.1, 1e-8, 5), (1e-8, 1e-9, 1000), (0, 1e-9, 1000), (1, 1e-5, 10), (2, 1e-300, 400), (1e-300, 1e-9, 7),
      (1e-17, 1e-9, 10**9), (5, 0, 3), (30, 1e-10, 1), (0.5, 0.1, 50)]),
]


def vector(function, names, inputs, number):
    smallest = inputs[0] if isinstance(inputs[0], (int, float)) else min(inputs[0], default=0)
    mp.dps = max(digits_for(smallest), 420 if function in (group, amplify_by_sampling) else 0)
    value = function(*inputs)
    values = value if isinstance(value, list) else [value]
    printed = [mp.nstr(v, 30) if v != inf else "inf" for v in values]
    made = {"id": f"approximate.{function.__name__}/{number:03}", "function": f"approximate.{function.__name__}",
            "inputs": dict(zip(names, inputs)), "expected": printed if isinstance(value, list) else printed[0]}
    if any(v != 0 and v != inf and not 1e-290 <= v <= 1e290 for v in values):
        logs = [mp.nstr(log(v), 30) if v > 0 else "-inf" for v in values]
        made["expected_ln"] = logs if isinstance(value, list) else logs[0]
    return made


if __name__ == "__main__":
    target = pathlib.Path(__file__).resolve().with_name("approximate_vectors.jsonl")
    lines = [json.dumps(vector(function, names, inputs, number))
             for function, names, all_inputs in INPUTS for number, inputs in enumerate(all_inputs)]
    target.write_text("\n".join(lines) + "\n")
