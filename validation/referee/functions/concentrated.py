"""Concentrated DP."""

from __future__ import annotations

from .basics import allow, arb, inf, less, root


def zcdp_to_epsilon(rho, delta):
    """Bun, Steinke 2016, Proposition 1.3."""
    r = arb(rho)
    return r + 2 * (-r * arb(delta).log()).sqrt()


def zcdp_to_epsilon_optimal(rho, delta):
    """Canonne, Kamath, Steinke 2020, Proposition 12, at its best order: rho (a - 1)^2 + log a = log(1 / delta)."""
    r, d = arb(rho), arb(delta)
    if rho == 0:
        return arb(0)
    goal = -d.log()
    low, high = arb(1), arb(2)
    while less(goal, r * low * low + (1 + low).log()):
        low = low / 2
    while less(r * high * high + (1 + high).log(), goal):
        high = high * 2
    b = root(lambda b: r * b * b + (1 + b).log() - goal, low, high)
    a = 1 + b
    found = r * a + (b / a).log() - (d.log() + a.log()) / b
    return found if less(0, found) else arb(0)


def zcdp_to_delta(rho, epsilon):
    if rho == 0:
        return arb(0)
    r, e = arb(rho), arb(epsilon)
    return (-((e - r) ** 2) / (4 * r)).exp() if epsilon > rho else arb(1)


def tcdp_to_epsilon(rho, omega, delta):
    """Bun, Dwork, Rothblum, Steinke 2018, Lemma 6."""
    if rho == 0:
        return arb(0)
    if omega == inf:
        return zcdp_to_epsilon(rho, delta)
    r, w, l = arb(rho), arb(omega), -arb(delta).log()
    if less((w - 1) ** 2 * r, l):
        return r * w + l / (w - 1)
    return r + 2 * (r * l).sqrt()


def tcdp_to_delta(rho, omega, epsilon):
    if rho == 0:
        return arb(0)
    if omega == inf:
        return zcdp_to_delta(rho, epsilon)
    r, w, e = arb(rho), arb(omega), arb(epsilon)
    if epsilon <= rho:
        return arb(1)
    if less((2 * w - 1) * r, e):
        return ((w - 1) * (r * w - e)).exp()
    return (-((e - r) ** 2) / (4 * r)).exp()


def tcdp_amplify(rate, rho, omega):
    """Chen et al. 2024, Lemma 4."""
    q, r = arb(rate), arb(rho)
    rare = -q.log()
    allow(rate <= 0.1 and rho <= 0.1 and bool(rare >= 3 * r * (2 - r.log() / arb(2).log())))
    allow(omega == inf or bool(arb(omega) >= rare / (2 * r)))
    allow(bool(rare / (2 * r) >= 3))
    return [13 * q * q * r, rare / (4 * r)]


def dpnfl_theorem5(participations, local_steps, gradient_bound, records, batch, noise_std):
    """Chen et al. 2024, Theorem 5."""
    g, n, b, s = arb(gradient_bound), arb(records), arb(batch), arb(noise_std)
    step = 2 * g * g / (b * b * s * s)
    q = b / n
    allow(bool(q <= 0.1) and bool(step <= 0.1))
    allow(bool(-q.log() >= 3 * step * (2 - step.log() / arb(2).log())) and bool(-q.log() / (2 * step) >= 3))
    rho = 26 * arb(participations) * arb(local_steps) * g * g / (n * n * s * s)
    omega = b * b * s * s * (n / b).log() / (8 * g * g)
    return [rho, omega, rho * (2 * omega - 1), -rho * (omega - 1) ** 2]


FUNCTIONS = {
    "concentrated.zcdp_to_epsilon": zcdp_to_epsilon,
    "concentrated.zcdp_to_epsilon.optimal": zcdp_to_epsilon_optimal,
    "concentrated.zcdp_to_delta": zcdp_to_delta,
    "concentrated.tcdp_to_epsilon": tcdp_to_epsilon,
    "concentrated.tcdp_to_delta": tcdp_to_delta,
    "concentrated.tcdp_amplify": tcdp_amplify,
    "concentrated.dpnfl_theorem5": dpnfl_theorem5,
}
