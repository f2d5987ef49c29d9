"""The theorems on samples against samples whose divergences are sums of a few terms."""

from __future__ import annotations

import random

import pytest
from flint import arb

from amplified import at_real_order, batch_moment, poisson_moment


def law(rng: random.Random) -> list[arb]:
    weights = [rng.expovariate(1) + 0.01 for _ in range(rng.randint(2, 4))]
    return [arb(weight) for weight in weights]


def laws(seed: int) -> tuple[list[arb], list[arb]]:
    rng = random.Random(seed)
    p = law(rng)
    q = [arb(rng.expovariate(1) + 0.01) for _ in p]
    return [x / sum(p) for x in p], [x / sum(q) for x in q]


def moment(p, q, order) -> arb:
    """e^{(order - 1) D(P || Q)}"""
    return sum((x**order * y ** (1 - order) for x, y in zip(p, q)), arb(0))


def both(p, q, order) -> arb:
    return moment(p, q, order).max(moment(q, p, order))


def mixed(p, q, rate):
    return [rate * x + (1 - rate) * y for x, y in zip(p, q)]


@pytest.mark.parametrize("seed", range(60))
def test_samples_of_a_few_outcomes_do_not_exceed_the_theorems(seed):
    rng = random.Random(1000 + seed)
    p, q = laws(seed)
    rate, order = arb(rng.choice([0.01, 0.1, 0.5, 0.9])), rng.randint(2, 9)

    def inner(k):
        return both(p, q, k).log() / (k - 1)

    attained = both(mixed(p, q, rate), q, order)
    largest = max((abs((x / y).log()) for x, y in zip(p, q)), key=float)
    assert not attained > poisson_moment(rate, order, inner)
    assert not attained > batch_moment(rate, order, inner, largest)
    assert not batch_moment(rate, order, inner, largest) > batch_moment(rate, order, inner, arb("inf"))
    real = arb(order + rng.random())
    assert not both(mixed(p, q, rate), q, real) > at_real_order(real, lambda k: poisson_moment(rate, k, inner))


def test_of_order_2_the_theorem_is_the_divergence_itself():
    p, q = laws(3)
    rate = arb(0.25)
    found = poisson_moment(rate, 2, lambda k: moment(p, q, k).log())
    assert abs(found - moment(mixed(p, q, rate), q, 2)) < 1e-30
