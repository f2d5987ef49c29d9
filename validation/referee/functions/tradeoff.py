"""Trade-off functions, their limits, and what reaches another client."""

from __future__ import annotations

from .basics import acb, allow, arb, around_zero, density, integral, less, positive, reach, root, tail


def _tail_point(a: arb) -> arb:
    """z with P(Z > z) = a."""
    if less(arb(0.5), a):
        return -_tail_point(1 - a)
    if a == arb(0.5):
        return arb(0)
    goal = a.log()
    return root(lambda z: tail(z).log() - goal, arb(0) - arb(2) ** -20, (-2 * goal).sqrt().upper().mid() + 1)


def gaussian(mu, type_one_error):
    """Dong, Roth, Su 2019, equation (6)."""
    a = arb(type_one_error)
    if type_one_error in (0, 1):
        return 1 - a
    if type_one_error > 0.5:
        # by the mirrored point, whose probability 1 - a is exact in a ball
        return tail(arb(mu) + _tail_point(1 - a))
    return tail(arb(mu) - _tail_point(a))


def gaussian_to_delta(mu, epsilon) -> arb:
    """Corollary 2.13."""
    m, e = arb(mu), arb(epsilon)
    if not less(0, m):
        return positive(-e.expm1())
    return tail(e / m - m / 2) - e.exp() * tail(e / m + m / 2)


def approximate(type_one_error, epsilon, delta):
    """Equation (5)."""
    a, e, d = arb(type_one_error), arb(epsilon), arb(delta)
    found = (1 - d - e.exp() * a).max((-e).exp() * (1 - d - a))
    return found if less(0, found) else arb(0)


def laplace(type_one_error, epsilon):
    """Section 2.1 and appendix A."""
    a, e = arb(type_one_error), arb(epsilon)
    if type_one_error > 0.5:
        return (-e).exp() * (1 - a)
    if epsilon == 0:
        return 1 - a
    if less(a, (-e).exp() / 2):
        return 1 - e.exp() * a
    return (-e).exp() / (4 * a)


def subsampled_gaussian(rate, mu, type_one_error):
    """Theorem 4.2: p f + (1 - p) Id to its fixed point, a line, and the inverse of the first."""
    p, m, a = arb(rate), arb(mu), arb(type_one_error)
    if type_one_error in (0, 1) or mu == 0 or rate == 0:
        return 1 - a
    fixed = tail(m / 2)
    middle = p * fixed + (1 - p) * (1 - fixed)
    if less(a, fixed):
        return p * gaussian(mu, type_one_error) + (1 - p) * (1 - a)
    if less(a, middle):
        return fixed + middle - a
    # x = P(Z > t) with p f(x) + (1 - p)(1 - x) = a, where f(x) = P(Z > mu - t)
    if type_one_error > 0.5:
        goal = (1 - a).log()
        t = root(lambda t: (p * tail(t - m) + (1 - p) * tail(t)).log() - goal, m / 2 - arb(2) ** -30, m + 60)
    else:
        goal = a.log()
        t = root(lambda t: (p * tail(m - t) + (1 - p) * tail(-t)).log() - goal, m / 2 - arb(2) ** -30, m + 60)
    return tail(t)


def subsampled_gaussian_to_delta(rate, mu, epsilon):
    p, e = arb(rate), arb(epsilon)
    if rate == 0 or mu == 0:
        return positive(-e.expm1())
    if epsilon < 0:
        return 1 - e.exp() * (1 - subsampled_gaussian_to_delta(rate, mu, -epsilon))
    return p * gaussian_to_delta(mu, (e.expm1() / p).log1p())


def clt_mu_poisson(rate, noise_multiplier, steps):
    """Bu, Dong, Long, Su 2020, equation (4)."""
    s = arb(noise_multiplier)
    return arb(rate) * (arb(steps) * (1 / (s * s)).expm1()).sqrt()


def clt_mu_without_replacement(rate, noise_multiplier, steps):
    """Dong, Roth, Su 2019, Corollary 5.4."""
    if rate == 0 or steps == 0:
        return arb(0)
    s = arb(noise_multiplier)
    bracket = (1 / (s * s)).exp() * tail(-3 / (2 * s)) + 3 * tail(1 / (2 * s)) - 2
    return arb(2).sqrt() * arb(rate) * (arb(steps) * bracket).sqrt()


def _moments(rate, mu):
    """The equations before Theorem 3.4. With the loss l = log(1 + p (e^{m (t - m/2)} - 1)) of t > m/2: on one side of
    the curve -l has the mass of the standard normal, on the other l that times e^l; on the line between it is 0."""
    p, m = arb(rate), arb(mu)
    width = reach()
    start, end = m / 2, m + width + 4

    def loss(t, analytic):
        return acb(1 + p * (m * (t - m / 2)).expm1()).log(analytic=analytic)

    def mean(function, left=start, right=end):
        marks = [left, *(x for x in (start + 1 / (1 + m), start + 1, m) if left < x < right), right]
        return integral(lambda t, analytic: density(t) * function(loss(t, analytic)), marks)

    # beyond: cubes of l <= m t, under N(m, 1) and N(0, 1); t^3 falls more slowly than the law
    beyond = around_zero(64 * (1 + m) ** 3 * (1 + end) ** 3 * tail(width + 3))
    kl = mean(lambda l: l * l.expm1()) + beyond
    second = mean(lambda l: l * l * (1 + l.exp())) + beyond
    # |l - kl|^3 changes its sign where l = kl
    kink = m / 2 + (kl.expm1() / p).log1p() / m
    ends = kink.mid()
    margin = arb(2) ** -(90)
    third = mean(lambda l: (l + kl) ** 3)
    low, high = (ends - margin * (1 + abs(ends))).max(start), ends + margin * (1 + abs(ends))
    if low > start:
        third += mean(lambda l: (kl - l) ** 3 * l.exp(), start, low.mid())
    third += mean(lambda l: (l - kl) ** 3 * l.exp(), high.mid(), end)
    # between, the cube is at most this
    third += around_zero((8 * (m + 1) * margin * (1 + abs(ends))) ** 3)
    third += kl**3 * (1 - p) * (1 - 2 * tail(m / 2)) + beyond
    return [kl, second, third]


def subsampled_gaussian_moments(rate, mu):
    if rate == 0 or mu == 0:
        return [arb(0)] * 3
    allow(mu <= 40)
    return _moments(rate, mu)


def berry_esseen(rate, mu, steps):
    """Theorem 3.4."""
    allow(rate > 0 and 0 < mu <= 40)
    kl, second, third = _moments(rate, mu)
    variance = arb(steps) * (second - kl * kl)
    return [2 * arb(steps) * kl / variance.sqrt(), arb(56) / 100 * arb(steps) * third / (variance * variance.sqrt())]


def federated_reach_probability(client_rate, rounds):
    """accounting/tradeoff/proofs.md, 4.1."""
    p, r = arb(client_rate), arb(rounds)
    if client_rate == 1:
        return arb(1 if rounds > 1 else 0)
    return 1 - (1 - p) ** r * (1 + r * p)


def federated_reach_probability_as_published(client_rate, rounds):
    """Zheng et al. 2021, Theorem 1."""
    p = arb(client_rate)
    if client_rate == 1:
        return arb(1 if rounds > 0 else 0)
    return 1 - (1 - p * p) ** arb(rounds)


FUNCTIONS = {
    "tradeoff.gaussian": gaussian,
    "tradeoff.gaussian_to_delta": gaussian_to_delta,
    "tradeoff.approximate": approximate,
    "tradeoff.laplace": laplace,
    "tradeoff.subsampled_gaussian": subsampled_gaussian,
    "tradeoff.subsampled_gaussian_to_delta": subsampled_gaussian_to_delta,
    "tradeoff.clt_mu.poisson": clt_mu_poisson,
    "tradeoff.clt_mu.without_replacement": clt_mu_without_replacement,
    "tradeoff.subsampled_gaussian_moments": subsampled_gaussian_moments,
    "tradeoff.berry_esseen": berry_esseen,
    "tradeoff.federated_reach_probability": federated_reach_probability,
    "tradeoff.federated_reach_probability_as_published": federated_reach_probability_as_published,
}
