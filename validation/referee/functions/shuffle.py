"""Shuffled reports."""

from __future__ import annotations

import itertools
from math import comb

from .basics import allow, arb, binomial_masses, fmpz, fraction, less, root

# accounting/shuffle/proofs.md, 1.1: m = C + 1 fair signs of mean X, (1 + tau X) of their law against (1 - tau X).


def _clone_delta(odds: arb, reports: int, cloned: arb, epsilon: arb, share: arb) -> arb:
    """share (1 + e^epsilon) tau E[(X - x0)_+] for C ~ Bin(reports - 1, cloned)"""
    tau = (odds - 1) / (odds + 1)
    x0 = (epsilon / 2).tanh() / tau
    if not less(x0, 1):
        return arb(0)
    # E[(X_m - x0)_+] = f / 2 - x0 P(B >= k): B of m signs, k the first with 2 k / m - 1 > x0, f of k - 1 among m - 1
    total, half = arb(0), arb(0.5)
    k = 1  # of m = 1
    at_least = half  # P(B_m >= k)
    mass = arb(1)  # of k - 1 among m - 1
    for m, weight in enumerate(binomial_masses(reports - 1, cloned), 1):
        total += weight * (mass / 2 - x0 * at_least)
        # from m to m + 1 with the same k, then k + 1 where that is the first
        after = mass * m / (2 * (m - (k - 1))) if k - 1 < m else arb(0)  # of k - 1 among m
        at_k = after * (m - k + 1) / k  # of k among m
        at_least = at_least + after / 2  # P(B_{m+1} >= k)
        mass = after
        if not less((m + 1) * (1 + x0), 2 * k):
            # k is no longer above the level: take it away
            at_least = at_least - (after + at_k) / 2  # P(B_{m+1} = k)
            mass = at_k
            k += 1
    return share * (1 + epsilon.exp()) * tau * total


def _clone_renyi(odds: arb, reports: int, cloned: arb, order) -> arb:
    tau, a, total = (odds - 1) / (odds + 1), arb(order), arb(0)
    for m, weight in enumerate(binomial_masses(reports - 1, cloned), 1):
        given = arb(0)
        for b in range(m + 1):
            y = tau * arb(2 * b - m) / m
            given += comb(m, b) * ((a * (1 + y).log()) + (1 - a) * (1 - y).log()).exp()
        total += weight * given * arb(2) ** -m
    return total.log() / (a - 1)


def clones_delta(local_epsilon, reports, epsilon):
    """Feldman, McMillan, Talwar 2021, Theorem 3.2 and Lemma 3.3."""
    allow(reports <= 5000)
    odds = arb(local_epsilon).exp()
    return _clone_delta(odds, int(reports), 1 / odds, arb(epsilon), arb(1))


def clones_epsilon(local_epsilon, reports, delta):
    allow(reports <= 1000)
    odds, target, most = arb(local_epsilon).exp(), arb(delta), arb(local_epsilon)

    def excess(e):
        return _clone_delta(odds, int(reports), 1 / odds, e, arb(1)) - target

    if not less(0, excess(arb(0))):
        return arb(0)
    low = most * arb(2) ** -80
    return root(excess, low, most * (1 - arb(2) ** -150))


def clones_renyi(local_epsilon, reports, order):
    allow(reports <= 120)
    odds = arb(local_epsilon).exp()
    return _clone_renyi(odds, int(reports), 1 / odds, order)


def _closed_form(local_epsilon, copied: arb, reports, delta):
    a, n = arb(local_epsilon), arb(reports)
    deviation = 8 * (copied.exp() * (4 / arb(delta)).log() / n).sqrt()
    return (((a.exp() - 1) / (a.exp() + 1)) * (deviation + 8 * copied.exp() / n)).log1p()


def _enough(copied: arb, reports, delta):
    most = (arb(reports) / (16 * (2 / arb(delta)).log())).log()
    allow(bool(copied < most))


def clones_epsilon_closed_form(local_epsilon, reports, delta):
    """Theorem 3.1."""
    _enough(arb(local_epsilon), reports, delta)
    return _closed_form(local_epsilon, arb(local_epsilon), reports, delta)


def clones_closed_form_approximate(local_epsilon, local_delta, reports, delta):
    """Theorem 3.8."""
    e = clones_epsilon_closed_form(local_epsilon, reports, delta)
    failures = (e.exp() + 1) * (1 + (-arb(local_epsilon)).exp() / 2) * arb(reports) * arb(local_delta)
    return [e, arb(1).min(arb(delta) + failures)]


def girgis_renyi(local_epsilon, reports, order):
    """Girgis et al. 2021, Theorem 2."""
    e, n, a = arb(local_epsilon), arb(reports), arb(order)
    allow(bool(a**4 * (5 * e).exp() <= n / 9))
    return (1 + a * (a - 1) / 2 * 4 * (e.exp() - 1) ** 2 / n).log() / (a - 1)


def stronger_clones_delta(local_epsilon, reports, epsilon):
    """accounting/shuffle/proofs.md, 3.1: clones of probability 2 / (e^epsilon_0 + 1)."""
    allow(reports <= 5000)
    odds = arb(local_epsilon).exp()
    return _clone_delta(odds, int(reports), 2 / (odds + 1), arb(epsilon), arb(1))


def stronger_clones_renyi(local_epsilon, reports, order):
    allow(reports <= 120)
    odds = arb(local_epsilon).exp()
    return _clone_renyi(odds, int(reports), 2 / (odds + 1), order)


def variation_ratio_revealed_delta(ratio, total_variation, background_ratio, reports, epsilon):
    """accounting/shuffle/proofs.md, 4.1."""
    p, beta, q = arb(ratio), arb(total_variation), arb(background_ratio)
    component = beta / (p - 1)
    allow(reports <= 3000 and bool(beta <= (p - 1) / (p + 1)) and bool(2 * component * p / q <= 1))
    return _clone_delta(p, int(reports), 2 * component * p / q, arb(epsilon), component * (p + 1))


def silo_clones_delta(local_epsilon, records, silos, epsilon):
    """accounting/shuffle/proofs.md, 2.1."""
    allow(silos <= 5000)
    e = arb(local_epsilon)
    return _clone_delta(e.exp(), int(silos), (-e * int(records)).exp(), arb(epsilon), arb(1))


def silo_clones_epsilon_closed_form(local_epsilon, records, silos, delta):
    """Lowy, Razaviyayn 2023, Theorem D.14, equation (21)."""
    copied = arb(local_epsilon) * int(records)
    _enough(copied, silos, delta)
    return _closed_form(local_epsilon, copied, silos, delta)


# By counting


def _histograms(outputs: int, reports: int):
    """All that have this sum."""
    for bars in itertools.combinations(range(reports + outputs - 1), outputs - 1):
        ends = (-1, *bars, reports + outputs - 1)
        yield tuple(right - left - 1 for left, right in zip(ends, ends[1:]))


def exact_delta(r0, r1, others, reports, epsilon):
    """Its definition; probabilities are divided by their sum."""
    n = int(reports)
    allow(comb(n + len(r0) - 1, len(r0) - 1) <= 4000)

    def shares(row):
        whole = sum((fraction(x) for x in row), fraction(0))
        return [fraction(x) / whole for x in row]

    first, second, rest = shares(r0), shares(r1), shares(others)

    def mass(counts):
        if min(counts) < 0:
            return fraction(0)
        left, product = n - 1, fraction(1)
        for count, share in zip(counts, rest):
            product *= fmpz(comb(left, count)) * share**count
            left -= count
        return product

    growth, one, other = arb(epsilon).exp(), arb(0), arb(0)
    for counts in _histograms(len(r0), n):
        lowered = [mass(tuple(c - (i == j) for j, c in enumerate(counts))) for i in range(len(r0))]
        p = sum((share * m for share, m in zip(first, lowered)), fraction(0))
        q = sum((share * m for share, m in zip(second, lowered)), fraction(0))
        if p == q:
            continue  # no excess where epsilon is at least 0
        one += arb(0).max(arb(p) - growth * arb(q)) if p > q else arb(0)
        other += arb(0).max(arb(q) - growth * arb(p)) if q > p else arb(0)
    return one.max(other)


def randomized_response_delta(local_epsilon, reports, epsilon):
    """Balle, Bell, Gascon, Nissim 2019, section 5: the ratio is a line in the number of ones."""
    allow(reports <= 3000)
    if epsilon >= local_epsilon:
        return arb(0)
    n, e = int(reports), arb(local_epsilon)
    growth, one, other = arb(epsilon).exp(), arb(0), arb(0)
    for ones, mass in enumerate(binomial_masses(n, 1 / (1 + e.exp()))):
        ratio = (-e).exp() + 2 * e.sinh() * ones / n
        one += mass * arb(0).max(ratio - growth)
        other += mass * arb(0).max(1 - growth * ratio)
    return one.max(other)


def binomial_shift_delta(trials, probability, shift, epsilon):
    """Its definition, of successes and of failures."""
    allow(trials <= 3000)
    n, d, growth = int(trials), int(shift), arb(epsilon).exp()
    if d == 0:
        return arb(0)
    if d > n:
        return arb(1)
    found = arb(0)
    masses = binomial_masses(n, arb(probability))
    for law in (masses, masses[::-1]):
        shifted = law[d:] + [arb(0)] * d
        found = found.max(sum((arb(0).max(p - growth * q) for p, q in zip(law, shifted)), arb(0)))
    return found


FUNCTIONS = {
    "shuffle.clones_delta": clones_delta,
    "shuffle.clones_epsilon": clones_epsilon,
    "shuffle.clones_renyi": clones_renyi,
    "shuffle.clones_epsilon_closed_form": clones_epsilon_closed_form,
    "shuffle.clones_closed_form_approximate": clones_closed_form_approximate,
    "shuffle.girgis_renyi": girgis_renyi,
    "shuffle.stronger_clones_delta": stronger_clones_delta,
    "shuffle.stronger_clones_renyi": stronger_clones_renyi,
    "shuffle.variation_ratio_revealed_delta": variation_ratio_revealed_delta,
    "shuffle.silo_clones_delta": silo_clones_delta,
    "shuffle.silo_clones_epsilon_closed_form": silo_clones_epsilon_closed_form,
    "shuffle.exact_delta": exact_delta,
    "shuffle.randomized_response_delta": randomized_response_delta,
    "shuffle.binomial_shift_delta": binomial_shift_delta,
}
