"""Rényi divergences of single releases, and what they are converted to."""

from __future__ import annotations

from functools import cache

from .basics import acb, allow, arb, around_zero, binomial, density, inf, integral, less, positive, reach, tail


def gaussian(order, noise_multiplier):
    """Mironov 2017, Corollary 3."""
    return arb(order) / (2 * arb(noise_multiplier) ** 2)


def laplace(order, scale):
    """Mironov 2017, Table II; the limits at 1 and infinity."""
    b = arb(scale)
    if order == 1:
        return 1 / b + (-1 / b).exp() - 1
    if order == inf:
        return 1 / b
    a = arb(order)
    return (a / (2 * a - 1) * ((a - 1) / b).exp() + (a - 1) / (2 * a - 1) * (-a / b).exp()).log() / (a - 1)


def response(order, truth):
    """Mironov 2017, Proposition 5, of any truth."""
    lie = 1 - truth
    if order == 1:
        return (truth - lie) * (truth / lie).log()
    if order == inf:
        return abs((truth / lie).log())
    a = arb(order)
    return (truth**a * lie ** (1 - a) + lie**a * truth ** (1 - a)).log() / (a - 1)


def randomized_response(order, truth_probability):
    return response(order, arb(truth_probability))


def pure(order, epsilon):
    """Bun, Steinke 2016, Lemma B.1: randomised response attains it."""
    if epsilon == 0:
        return arb(0)
    return response(order, 1 / (1 + (-arb(epsilon)).exp()))


# Mironov, Talwar, Zhang 2019: the moments of (1 - q) + q e^{u/s - 1/(2 s^2)} for a standard normal u.


def _moment(q: arb, s: arb, exponent: arb) -> arb:
    """E[ratio^exponent], between two points and what lies beyond."""
    width = reach()

    def integrand(u, analytic):
        ratio = (1 - q) + q * (u / s - 1 / (2 * s * s)).exp()
        return density(u) * acb(ratio).log(analytic=analytic).__mul__(exponent).exp()

    if exponent > 0:
        # left the ratio is at most 1; right of 1/(2 s) at most the exponential
        left, right = -width, exponent / s + width
        beyond = tail(width) + (exponent * (exponent - 1) / (2 * s * s)).exp() * tail(width)
        beyond += tail(right)
        marks = [arb(0), exponent / s]
    else:
        t = -exponent
        by_rest = (2 * t * -(1 - q).log()).sqrt()
        by_inside = t / s + positive(2 * t * -q.log()).sqrt()
        first = bool(by_rest < by_inside)
        left, right = -(width + (by_rest if first else by_inside)), width
        if first:
            beyond = (1 - q) ** exponent * tail(-left) + tail(right)
        else:
            beyond = q**exponent * (t * (t + 1) / (2 * s * s)).exp() * tail(-left - t / s) + tail(right)
        marks = [left / 2, arb(0)]
    points = [left, *sorted((mark for mark in marks if left < mark < right), key=float), right]
    return integral(integrand, [point.mid() for point in points]) + around_zero(beyond)


def _sampled(rate, noise, order, exponent):
    q, s, a = arb(rate), arb(noise), arb(order)
    if rate == 0:
        return arb(0)
    if rate == 1:
        return a / (2 * s * s)
    return _moment(q, s, exponent).log() / (a - 1)


def poisson_gaussian(rate, noise_multiplier, order):
    """Section 3.3, by the binomial sum at whole orders and the integral at others."""
    if rate in (0, 1) or order != int(order):
        allow(order <= 300 and order / noise_multiplier**2 <= 100)
        return _sampled(rate, noise_multiplier, order, arb(order))
    allow(order <= 2000)
    q, s, a = arb(rate), arb(noise_multiplier), int(order)
    total = arb(0)
    for k in range(a + 1):
        total += binomial(a, k) * (1 - q) ** (a - k) * q**k * (k * (k - 1) / (2 * s * s)).exp()
    return total.log() / (a - 1)


def poisson_gaussian_reverse(rate, noise_multiplier, order):
    allow(order <= 300 and order / noise_multiplier <= 60)
    return _sampled(rate, noise_multiplier, order, 1 - arb(order))


def poisson_laplace(rate, scale, order, odd_moment_factor):
    """Zhu, Wang 2019, Theorem 5; Theorem 6 for factor 1."""
    q, a = arb(rate), int(order)
    allow(a <= 1000)
    total = (1 - q) ** (a - 1) * (a * q - q + 1)
    for j in range(2, a + 1):
        moment = ((j - 1) * laplace(j, scale)).exp()
        total += (1 if j == 2 else int(odd_moment_factor)) * binomial(a, j) * q**j * (1 - q) ** (a - j) * moment
    return total.log() / (a - 1)


def without_replacement_gaussian(rate, noise_multiplier, order):
    """Dong, Roth, Su 2019, Theorem 4.2, by the integral of accounting/renyi/proofs.md, 5.2."""
    q, s, a = arb(rate), arb(noise_multiplier), arb(order)
    allow(order <= 200 and order / noise_multiplier**2 <= 100)
    if rate == 0:
        return arb(0)
    start, width = 1 / (2 * s), reach()
    end = a / s + 1 / s + width

    def integrand(u, analytic):
        x = q * (u / s - 1 / (2 * s * s)).expm1()
        log = acb(1 + x).log(analytic=analytic)
        return density(u) * ((a * log).exp() + ((1 - a) * log).exp() - 2 - x)

    # beyond: both excesses are at most a e^{a (u/s - 1/(2 s^2))} each
    beyond = 2 * a * (a * (a - 1) / (2 * s * s)).exp() * tail(end - a / s)
    marks = [start, *(mark for mark in (start + 1, a / s) if start < mark < end), end]
    return (
        1 + integral(integrand, [mark.mid() if mark is not start else start for mark in marks]) + around_zero(beyond)
    ).log() / (a - 1)


# Wang, Balle, Kasiviswanathan 2019, Theorems 9 and 27, without the cap by the unsampled curve.


def theorem_9(q: arb, a: int, curve, pure_epsilon=None, central=None) -> arb:
    def limit(j):
        return arb(2) if pure_epsilon is None else arb(2).min(pure_epsilon.expm1() ** j)

    second = arb(curve(2)).exp()
    total = 1 + q**2 * binomial(a, 2) * (4 * (second - 1)).min(second * limit(2))
    for j in range(3, a + 1):
        term = ((j - 1) * curve(j)).exp() * limit(j)
        if central is not None:
            term = term.min(4 * (central(j - j % 2) * central(j + j % 2)).sqrt())
        total += q**j * binomial(a, j) * term
    return total.log() / (a - 1)


def uncapped(rate, noise_multiplier, order):
    allow(order <= 1000)
    return theorem_9(arb(rate), int(order), lambda j: gaussian(j, noise_multiplier))


def ternary_uncapped(rate, noise_multiplier, order):
    allow(order <= 120)
    s = arb(noise_multiplier)

    @cache
    def central(l):
        """E_Q[(P/Q - 1)^l]"""
        terms = ((-1) ** (l - i) * binomial(l, i) * (i * (i - 1) / (2 * s * s)).exp() for i in range(l + 1))
        return sum(terms, arb(0))

    return theorem_9(arb(rate), int(order), lambda j: gaussian(j, noise_multiplier), central=central)


def interpolated_uncapped(rate, noise_multiplier, order):
    """Noble, Bellet, Dieuleveut 2022, equation 8: (a - 1) times the divergence is convex, and 0 at order 1."""
    allow(order <= 1000)
    below = int(order)
    above = below if below == order else below + 1
    a = arb(order)

    def cumulant(j):
        return arb(0) if j == 1 else (j - 1) * uncapped(rate, noise_multiplier, j)

    return ((1 - a + below) * cumulant(below) + (a - below) * cumulant(above)) / (a - 1)


def laplace_uncapped(rate, scale, order):
    allow(order <= 1000)
    return theorem_9(arb(rate), int(order), lambda j: laplace(j, scale), pure_epsilon=1 / arb(scale))


# Mironov 2017, Proposition 3; Canonne, Kamath, Steinke 2020, Proposition 12.


def to_epsilon_mironov(order, rdp, delta):
    return arb(rdp) - arb(delta).log() / (arb(order) - 1)


def to_epsilon_canonne(order, rdp, delta):
    a = arb(order)
    found = arb(rdp) + ((a - 1) / a).log() - (arb(delta).log() + a.log()) / (a - 1)
    return arb(0) if not less(0, found) else found


def to_delta_mironov(order, rdp, epsilon):
    return arb(1).min(((arb(order) - 1) * (arb(rdp) - arb(epsilon))).exp())


def to_delta_canonne(order, rdp, epsilon):
    a = arb(order)
    return arb(1).min(((a - 1) * (arb(rdp) - arb(epsilon))).exp() / a * (1 - 1 / a) ** (a - 1))


FUNCTIONS = {
    "renyi.gaussian": gaussian,
    "renyi.laplace": laplace,
    "renyi.randomized_response": randomized_response,
    "renyi.pure": pure,
    "renyi.poisson_gaussian": poisson_gaussian,
    "renyi.poisson_gaussian_reverse": poisson_gaussian_reverse,
    "renyi.poisson_laplace": poisson_laplace,
    "renyi.without_replacement_gaussian": without_replacement_gaussian,
    "renyi.without_replacement_gaussian.uncapped": uncapped,
    "renyi.without_replacement_gaussian.ternary_uncapped": ternary_uncapped,
    "renyi.without_replacement_gaussian.interpolated_uncapped": interpolated_uncapped,
    "renyi.without_replacement_laplace.uncapped": laplace_uncapped,
    "renyi.to_epsilon.mironov": to_epsilon_mironov,
    "renyi.to_epsilon.canonne": to_epsilon_canonne,
    "renyi.to_delta.mironov": to_delta_mironov,
    "renyi.to_delta.canonne": to_delta_canonne,
}
