"""Claims of papers, as they state them."""

from __future__ import annotations

from functools import cache

from .basics import allow, arb, less
from .renyi import theorem_9


def noble_third_party_epsilon_as_published(
    rounds, local_steps, users, user_rate, record_rate, noise_multiplier, delta, max_order=100
):
    """Noble, Bellet, Dieuleveut 2022, appendix B.4 and their program: Theorem 9 twice, Mironov's conversion."""
    allow(max_order <= 100)
    aggregated = arb(noise_multiplier) * (arb(user_rate) * arb(users)).sqrt()

    @cache
    def local(j):
        return arb(local_steps) * theorem_9(arb(record_rate), j, lambda i: arb(i) / (2 * aggregated**2))

    best = order = None
    for j in range(2, int(max_order) + 1):
        found = arb(rounds) * theorem_9(arb(user_rate), j, local) - arb(delta).log() / (j - 1)
        if best is None or less(found, best):
            best, order = found, j
    return [best, arb(order)]


# Chang, Seif, Tandon 2022


def _powers(base: arb, count: int) -> arb:
    """1 + base + ... + base^(count - 1)"""
    return arb(count) if base == 1 else (base**count - 1) / (base - 1)


def _inverse_variances(scheme, local_steps, sigma0, hold, rounds, beta) -> arb:
    """Equations (6) and (7)."""
    held = min(int(hold), int(rounds))
    decaying, tau, growth = int(rounds) - held, int(local_steps), 1 / arb(beta)
    if scheme == 1:
        total = tau * (held + growth * _powers(growth, decaying)) / arb(sigma0) ** 2
    else:
        total = (tau * held + _powers(growth, tau * decaying)) / arb(sigma0) ** 2
    allow(bool(total < arb("1e280")))
    return total


def sum_inverse_variance(scheme, local_steps, sigma0, hold, rounds, beta):
    return _inverse_variances(int(scheme), local_steps, sigma0, hold, rounds, beta)


def _theorem(scheme):
    def claimed(order, user_rate, record_rate, lipschitz, local_steps, batch, sigma0, hold, rounds, beta):
        allow(hold <= rounds)
        scale = arb(user_rate) * arb(record_rate) * arb(lipschitz) / arb(batch)
        return 24 * scale**2 * arb(order) * _inverse_variances(scheme, local_steps, sigma0, hold, rounds, beta)

    return claimed


# Lowy, Razaviyayn 2023


def lowy_advanced_composition_variance(lipschitz, rounds, batch, records, epsilon, delta):
    """Theorem D.1 by way of appendix D.8."""
    r, d = arb(rounds), arb(delta)
    failures = (arb(2.5) * r * arb(batch) / (d * arb(records))).log()
    allow(batch <= records and bool(failures > 0.01))
    return 256 * arb(lipschitz) ** 2 * r * failures * (2 / d).log() / (arb(records) * arb(epsilon)) ** 2


def lowy_experiment_variance(lipschitz, rounds, records, epsilon, delta):
    """Section 4."""
    return -8 * arb(lipschitz) ** 2 * arb(rounds) * arb(delta).log() / (arb(records) * arb(epsilon)) ** 2


FUNCTIONS = {
    "algorithm.noble_third_party_epsilon_as_published": noble_third_party_epsilon_as_published,
    "schedule.sum_inverse_variance": sum_inverse_variance,
    "schedule.chang_theorem1": _theorem(1),
    "schedule.chang_theorem2": _theorem(2),
    "algorithm.lowy_advanced_composition_variance": lowy_advanced_composition_variance,
    "algorithm.lowy_experiment_variance": lowy_experiment_variance,
}
