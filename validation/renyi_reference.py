"""The Rényi functions, each written from its source in the plainest form: nothing here is shared with the C++ code.

What the library must rearrange to keep its digits stays as the paper prints it; 120 digits make up for it.
"""

from mpmath import inf, isinf, mp, mpf

mp.dps = 120
AGREEMENT = mpf(10) ** -40  # two mesh widths must agree to this, relatively


class Refused(Exception):
    """An input that no theorem covers."""


def allow(holds):
    if not holds:
        raise Refused


# Mironov 2017, Proposition 6 and Corollary 3.


def gaussian(order, noise_multiplier):
    allow(order >= 1 and 0 < noise_multiplier < inf)
    return order / (2 * noise_multiplier**2)


def laplace(order, scale):
    allow(order >= 1 and 0 < scale < inf)
    a, b = order, scale
    if a == 1:
        return 1 / b + mp.exp(-1 / b) - 1
    if isinf(a):
        return 1 / b
    return mp.log(a / (2 * a - 1) * mp.exp((a - 1) / b) + (a - 1) / (2 * a - 1) * mp.exp(-a / b)) / (a - 1)


def randomized_response(order, truth_probability):
    p, a = truth_probability, order
    allow(a >= 1 and 0 < p < 1)
    if a == 1:
        return (2 * p - 1) * mp.log(p / (1 - p))
    if isinf(a):
        return abs(mp.log(p / (1 - p)))
    return mp.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)


def pure(order, epsilon):
    """Randomised response with odds e^epsilon is the worst epsilon-DP mechanism at every order."""
    allow(order >= 1 and 0 <= epsilon < inf)
    with mp.workdps(int(mp.dps + 2 * abs(epsilon))):  # 1 - p must keep its digits
        truth = 1 / (1 + mp.exp(-epsilon))
        value = randomized_response(order, truth)
    return +value


# Mironov, Talwar, Zhang 2019: N0 = N(0, s^2), mixture = (1 - q) N0 + q N(1, s^2).


def trapezoid(integrand, lower, upper, step):
    """Halves the step until the sum settles; the integrands are analytic, so it converges geometrically."""

    def nodes(first):
        return mp.fsum(integrand(lower + (first + k) * step) for k in range(int((upper - lower) / step) + 1))

    value = nodes(mpf(0)) * step
    while True:
        refined = (value + nodes(mpf(1) / 2) * step) / 2
        if abs(refined - value) <= AGREEMENT * abs(refined):
            return refined
        value, step = refined, step / 2


def moment_excess(exponent, q, s):
    """E_{N0}[(mixture / N0)^exponent] - 1; the linear term has mean 0 and is taken off under the integral."""

    def integrand(u):
        x = q * mp.expm1(u / s - 1 / (2 * s**2))
        return mp.npdf(u) * ((1 + x) ** exponent - 1 - exponent * x)

    width = mpf(19)  # the normal density is below 1e-78 there
    return trapezoid(integrand, min(0, exponent / s) - width, max(1, exponent) / s + width,
                     min(mpf(1) / 2, 2 * mp.pi**2 * s / 110))


def poisson_gaussian_pair(q, s, a, exponent):
    allow(0 <= q <= 1 and 0 < s < inf and 1 < a < inf)
    if q == 0:
        return mpf(0)
    if q == 1:
        return a / (2 * s**2)
    return mp.log(1 + moment_excess(exponent, q, s)) / (a - 1)


def poisson_gaussian(sampling_rate, noise_multiplier, order):
    q, s, a = sampling_rate, noise_multiplier, order
    if not (mp.isint(a) and a >= 2 and 0 < q < 1 and 0 < s < inf):
        return poisson_gaussian_pair(q, s, a, a)
    total, choose = mpf(0), mpf(1)
    for k in range(int(a) + 1):
        total += choose * (1 - q) ** (a - k) * q**k * mp.exp(k * (k - 1) / (2 * s**2))
        choose = choose * (a - k) / (k + 1)
    return mp.log(total) / (a - 1)


def poisson_gaussian_reverse(sampling_rate, noise_multiplier, order):
    return poisson_gaussian_pair(sampling_rate, noise_multiplier, order, 1 - order)


# Zhu, Wang 2019, Theorem 5 (odd_moment_factor 3) and Theorems 6, 8 (factor 1).


def poisson_laplace(sampling_rate, scale, order, odd_moment_factor):
    q, a = sampling_rate, order
    allow(0 <= q <= 1 and 0 < scale < inf and mp.isint(a) and a >= 2)
    total = (1 - q) ** (a - 1) * (a * q - q + 1)
    for j in range(2, int(a) + 1):
        factor = 1 if j == 2 else odd_moment_factor
        moment = mp.exp((j - 1) * laplace(mpf(j), scale))
        total += factor * mp.binomial(a, j) * q**j * (1 - q) ** (a - j) * moment
    return mp.log(total) / (a - 1)


# Wang, Balle, Kasiviswanathan 2020, Theorem 9 and Theorem 27, without the cap by the unsampled curve.


def without_replacement(q, a, curve, pure_epsilon, central_moment=None):
    """curve(j) is the base mechanism's Rényi curve under replace_one, pure_epsilon its limit at order infinity."""
    allow(0 <= q <= 1 and mp.isint(a) and a >= 2)

    def limit(j):
        return mpf(2) if isinf(pure_epsilon) else min(mpf(2), mp.expm1(pure_epsilon) ** j)

    second = mp.exp(curve(2))
    total = 1 + q**2 * mp.binomial(a, 2) * min(4 * (second - 1), second * limit(2))
    power, choose = q**2, mp.binomial(a, 2)
    for j in range(3, int(a) + 1):
        power, choose = power * q, choose * (a - j + 1) / j
        term = mp.exp((j - 1) * curve(j)) * limit(j)
        if central_moment:
            term = min(term, 4 * mp.sqrt(central_moment(j - j % 2) * central_moment(j + j % 2)))
        total += power * choose * term
    return mp.log(total) / (a - 1)


def without_replacement_gaussian(sampling_rate, noise_multiplier, order):
    allow(0 < noise_multiplier < inf)
    return without_replacement(sampling_rate, order, lambda j: gaussian(mpf(j), noise_multiplier), inf)


def gaussian_central_moment(noise_multiplier, known):
    """E_Q[(P/Q - 1)^l] by the alternating sum, with the digits that it loses added."""

    def moment(l):
        if l not in known:
            with mp.workdps(mp.dps + int(l * (1 + abs(mp.log10(noise_multiplier))))):
                known[l] = mp.fsum((-1) ** (l - i) * mp.binomial(l, i) * mp.exp(i * (i - 1) / (2 * noise_multiplier**2))
                                   for i in range(l + 1))
        return known[l]

    return moment


def without_replacement_gaussian_ternary(sampling_rate, noise_multiplier, order):
    s = noise_multiplier
    allow(0 < s < inf)
    return without_replacement(sampling_rate, order, lambda j: gaussian(mpf(j), s), inf, gaussian_central_moment(s, {}))


def without_replacement_laplace(sampling_rate, scale, order):
    allow(0 < scale < inf)
    return without_replacement(sampling_rate, order, lambda j: laplace(mpf(j), scale), 1 / scale)


def without_replacement_gaussian_interpolated(sampling_rate, noise_multiplier, order):
    """Noble, Bellet, Dieuleveut 2022, equation 8: (a - 1) epsilon(a) is convex and 0 at order 1."""
    q, s, a = sampling_rate, noise_multiplier, order
    allow(0 <= q <= 1 and 0 < s < inf and 1 < a < inf)
    below, above = mp.floor(a), mp.ceil(a)

    def cgf(j):
        return mpf(0) if j == 1 else (j - 1) * without_replacement_gaussian(q, s, j)

    return ((1 - a + below) * cgf(below) + (a - below) * cgf(above)) / (a - 1)


# Mironov 2017, Proposition 3; Canonne, Kamath, Steinke 2020, Proposition 12 (Balle et al. 2020, Theorem 21).


def to_epsilon_mironov(order, rdp, delta):
    allow(1 < order < inf and 0 <= rdp and 0 < delta < 1)
    return rdp + mp.log(1 / delta) / (order - 1)


def to_epsilon_canonne(order, rdp, delta):
    allow(1 < order < inf and 0 <= rdp and 0 < delta < 1)
    return max(mpf(0), rdp + mp.log((order - 1) / order) - (mp.log(delta) + mp.log(order)) / (order - 1))


def to_delta_mironov(order, rdp, epsilon):
    allow(1 < order < inf and 0 <= rdp and 0 <= epsilon)
    return min(mpf(1), mp.exp((order - 1) * (rdp - epsilon)))


def to_delta_canonne(order, rdp, epsilon):
    allow(1 < order < inf and 0 <= rdp and 0 <= epsilon)
    return min(mpf(1), mp.exp((order - 1) * (rdp - epsilon)) / order * (1 - 1 / order) ** (order - 1))


def noble_third_party(rounds, local_steps, users, user_rate, record_rate, noise_multiplier, delta, max_order):
    """Noble, Bellet, Dieuleveut 2022, Claim 4.1 as their script evaluates it, over the integer orders."""
    allow(rounds >= 1 and local_steps >= 1 and users >= 1 and 0 < user_rate <= 1 and 0 < record_rate <= 1)
    allow(0 < noise_multiplier < inf and 0 < delta < 1 and max_order >= 2)
    aggregated = noise_multiplier * mp.sqrt(user_rate * users)
    orders = range(2, int(max_order) + 1)
    local = {j: local_steps * without_replacement_gaussian(record_rate, aggregated, mpf(j)) for j in orders}

    def epsilon(j):
        return to_epsilon_mironov(mpf(j), rounds * without_replacement(user_rate, mpf(j), local.get, inf), delta)

    best = min(orders, key=epsilon)
    return [epsilon(best), mpf(best)]


FUNCTIONS = {
    "renyi.gaussian": gaussian,
    "renyi.laplace": laplace,
    "renyi.randomized_response": randomized_response,
    "renyi.pure": pure,
    "renyi.poisson_gaussian": poisson_gaussian,
    "renyi.poisson_gaussian_reverse": poisson_gaussian_reverse,
    "renyi.poisson_laplace": poisson_laplace,
    "renyi.without_replacement_gaussian.uncapped": without_replacement_gaussian,
    "renyi.without_replacement_gaussian.ternary_uncapped": without_replacement_gaussian_ternary,
    "renyi.without_replacement_gaussian.interpolated_uncapped": without_replacement_gaussian_interpolated,
    "renyi.without_replacement_laplace.uncapped": without_replacement_laplace,
    "renyi.to_epsilon.mironov": to_epsilon_mironov,
    "renyi.to_epsilon.canonne": to_epsilon_canonne,
    "renyi.to_delta.mironov": to_delta_mironov,
    "renyi.to_delta.canonne": to_delta_canonne,
    "algorithm.noble_third_party_epsilon_as_published": noble_third_party,
}
