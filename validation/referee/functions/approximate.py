"""Composition, sampling and groups of (epsilon, delta)-DP."""

from __future__ import annotations

import itertools

from .basics import Refused, allow, arb, binomial_masses, exact_fraction, fmpq, fraction, less, positive, root
from .profiles import gaussian_delta


def _summed(numbers) -> arb:
    return sum((arb(x) for x in numbers), arb(0))


def basic_composition(epsilons, deltas):
    """Dwork, Roth 2014, Theorem 3.16."""
    return [_summed(epsilons), arb(1).min(_summed(deltas))]


def advanced_composition(epsilon, delta, count, slack):
    """Dwork, Rothblum, Vadhan 2010, Theorem III.3."""
    e, k = arb(epsilon), arb(count)
    return [e * (-2 * k * arb(slack).log()).sqrt() + k * e * e.expm1(), k * arb(delta) + arb(slack)]


def kairouz_heterogeneous_epsilon(epsilons, slack):
    """Kairouz, Oh, Viswanath 2015, Theorem 3.5."""
    exact = [arb(e) for e in epsilons]
    mean = sum((e * (e / 2).tanh() for e in exact), arb(0))
    squares = sum((e * e for e in exact), arb(0))
    found = sum(exact, arb(0))
    if slack > 0:
        d = arb(slack)
        found = found.min(mean + (2 * squares * (arb(1).exp() + squares.sqrt() / d).log()).sqrt())
        found = found.min(mean + (2 * squares * positive(-d.log())).sqrt())
    return found


def group(epsilon, delta, size):
    """Vadhan 2017, Lemma 2.2: delta (e^{k e} - 1) / (e^e - 1)."""
    e, k = arb(epsilon), arb(size)
    return [k * e, arb(delta) * (k if epsilon == 0 else (k * e).expm1() / e.expm1())]


def _responses(epsilon, count: int, x: arb, first: int) -> arb:
    """Sum of P(j) (1 - e^{x - loss_j}) over j from `first` on, P(j) of `count` randomised responses."""
    e = arb(epsilon)
    masses = binomial_masses(count, 1 / (1 + (-e).exp()))
    return sum((masses[j] * (1 - (x - (2 * j - count) * e).exp()) for j in range(first, count + 1)), arb(0))


def _failed(delta, count: int, rest: arb) -> arb:
    return 1 - (1 - arb(delta)) ** count * (1 - rest)


def _optimal_delta(epsilon, delta, count: int, x: fmpq) -> arb:
    """Kairouz, Oh, Viswanath 2015, Theorems 3.2 and 3.3."""
    if epsilon == 0:
        return _failed(delta, count, arb(0))
    first = int(((x / fraction(epsilon) + count) / 2).floor()) + 1
    return _failed(delta, count, _responses(epsilon, count, arb(x), max(first, 0)))


def optimal_composition_delta(epsilon, delta, count, total_epsilon):
    allow(count <= 5000)
    return _optimal_delta(epsilon, delta, int(count), fraction(total_epsilon))


def optimal_composition_epsilon(epsilon, delta, count, total_delta):
    allow(count <= 1000)
    target, k = arb(total_delta), int(count)
    if epsilon == 0:
        return arb(0) if not less(target, _failed(delta, k, arb(0))) else arb("inf")
    if not less(target, _optimal_delta(epsilon, delta, k, fraction(0))):
        return arb(0)
    if less(target, _failed(delta, k, arb(0))):
        return arb("inf")
    end = k * arb(epsilon)

    def excess(x):
        return _optimal_delta(epsilon, delta, k, exact_fraction(x)) - target

    low = end * arb(2) ** -200
    if not excess(low) > 0:
        raise Refused
    return root(excess, low, end * (1 + arb(2) ** -60))


def optimal_composition_at(epsilon, delta, count, index):
    allow(count <= 5000 and 2 * index <= count)
    k, i = int(count), int(index)
    x = (k - 2 * i) * arb(epsilon)
    rest = arb(0) if epsilon == 0 else _responses(epsilon, k, x, k - i + 1)
    return [x, _failed(delta, k, rest)]


def optimal_composition_heterogeneous_delta(epsilons, deltas, total_epsilon):
    """Murtagh, Vadhan 2016, equation (1)."""
    allow(len(epsilons) <= 12)
    x, total = fraction(total_epsilon), arb(0)
    for signs in itertools.product((1, -1), repeat=len(epsilons)):
        loss = sum((sign * fraction(e) for sign, e in zip(signs, epsilons)), fraction(0))
        if loss > x:
            mass = arb(1)
            for sign, e in zip(signs, epsilons):
                mass /= 1 + (-sign * arb(e)).exp()
            total += mass * (1 - arb(x - loss).exp())
    none = arb(1)
    for delta in deltas:
        none *= 1 - arb(delta)
    return 1 - none * (1 - total)


def amplify_by_sampling(epsilon, delta, rate):
    """Balle, Barthe, Gaboardi 2018, Theorems 8 and 9."""
    q = arb(rate)
    return [(q * arb(epsilon).expm1()).log1p(), q * arb(delta)]


def amplify_with_replacement_gaussian(epsilon, mu, population, draws):
    """Balle, Barthe, Gaboardi 2018, Theorem 10: the record is drawn j times."""
    allow(draws <= 1500)
    n, m = int(population), int(draws)
    masses = binomial_masses(m, arb(1) / n)
    met = 1 - (1 - arb(1) / n) ** m
    epsilon_met = (met * arb(epsilon).expm1()).log1p()
    delta = sum((masses[j] * gaussian_delta(epsilon, 1 / (j * arb(mu))) for j in range(1, m + 1)), arb(0))
    return [epsilon_met, delta]


FUNCTIONS = {
    "approximate.basic_composition": basic_composition,
    "approximate.advanced_composition": advanced_composition,
    "approximate.kairouz_heterogeneous_epsilon": kairouz_heterogeneous_epsilon,
    "approximate.group": group,
    "approximate.optimal_composition_delta": optimal_composition_delta,
    "approximate.optimal_composition_epsilon": optimal_composition_epsilon,
    "approximate.optimal_composition_at": optimal_composition_at,
    "approximate.optimal_composition_heterogeneous_delta": optimal_composition_heterogeneous_delta,
    "approximate.amplify_by_sampling": amplify_by_sampling,
    "approximate.amplify_with_replacement_gaussian": amplify_with_replacement_gaussian,
}
