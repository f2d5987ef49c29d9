#!/usr/bin/env python3
"""Writes tradeoff_vectors.jsonl: trade-off functions at inputs where a naive evaluation breaks.

Inputs are IEEE doubles, taken exactly. Each formula stays as its source prints it, and digits make up for what it
cancels: nothing is shared with the C++ code. A refused input has the expected value null.

    python3 validation/make_tradeoff_vectors.py       # about a minute
"""

import json
import os
import pathlib

from mpmath import erfc, exp, expm1, inf, isnan, log, log1p, mp, mpf, npdf, quad, sqrt

mp.dps = 60
PRINTED_DIGITS = 30
QUADRATURE_DIGITS = 45


class Refused(Exception):
    """An input outside the domain."""


def allow(holds):
    if not holds:
        raise Refused


def upper_tail(x):
    return erfc(x / sqrt(mpf(2))) / 2


def upper_tail_point(probability):
    """Newton's method for log P(Z > z), which is concave: from above the root it comes down to it."""
    if probability > mpf(1) / 2:
        return -upper_tail_point(1 - probability)
    target = log(probability)
    z = sqrt(-2 * target)  # P(Z > z) < exp(-z^2 / 2)
    while True:
        step = (log(upper_tail(z)) - target) * upper_tail(z) / npdf(z)
        z += step
        if abs(step) <= mpf(10) ** (8 - mp.dps) * (1 + abs(z)):
            return z


# Dong, Roth, Su 2019: equation (6), corollary 2.13, equation (5), section 2.1.


def root(function, low, high):
    """Regula falsi with halving (Illinois), until the bracket's better end does not move."""
    at_low, at_high = function(low), function(high)
    if at_low == 0:
        return low
    last = low
    while True:
        t = (low * at_high - high * at_low) / (at_high - at_low)
        at_t = function(t)
        if at_t == 0 or abs(t - last) <= mpf(10) ** -50 * abs(t):
            return t
        if (at_t > 0) == (at_high > 0):
            high, at_high, at_low = t, at_t, at_low / 2
        else:
            low, at_low, at_high = t, at_t, at_high / 2
        last = t


def gaussian(mu, type_one_error):
    allow(0 <= mu < inf and 0 <= type_one_error <= 1)
    if type_one_error in (0, 1):
        return 1 - type_one_error
    return upper_tail(mu - upper_tail_point(type_one_error))


def gaussian_to_delta(mu, epsilon):
    allow(0 <= mu < inf and abs(epsilon) < inf)
    if mu == 0:
        return max(mpf(0), -expm1(epsilon))
    with mp.workdps(160):
        value = upper_tail(epsilon / mu - mu / 2) - exp(epsilon) * upper_tail(epsilon / mu + mu / 2)
    return +value


def approximate(type_one_error, epsilon, delta):
    allow(0 <= type_one_error <= 1 and 0 <= epsilon < inf and 0 <= delta <= 1)
    with mp.workdps(1100):  # epsilon up to 1000, and numbers that differ in their last digit
        rest = 1 - delta - type_one_error
        value = max(mpf(0), 1 - delta - exp(epsilon) * type_one_error, exp(-epsilon) * rest)
    return +value


def laplace(type_one_error, epsilon):
    allow(0 <= type_one_error <= 1 and 0 <= epsilon < inf)
    with mp.workdps(700):
        a = type_one_error
        if a < exp(-epsilon) / 2:
            value = 1 - exp(epsilon) * a
        elif a <= mpf(1) / 2:
            value = exp(-epsilon) / (4 * a)
        else:
            value = exp(-epsilon) * (1 - a)
    return +value


# Theorem 4.2: f_p = p f + (1 - p) Id up to x* = f(x*), slope -1 to f_p(x*), then the inverse of f_p.


def subsampled_gaussian(sampling_rate, mu, type_one_error):
    p, a = sampling_rate, type_one_error
    allow(0 <= p <= 1 and 0 <= mu < inf and 0 <= a <= 1)
    if a in (0, 1) or mu == 0 or p == 0:
        return 1 - a
    with mp.workdps(100):
        fixed_point = upper_tail(mu / 2)
        with mp.workdps(9000):  # a may be 1 - p
            middle = p * fixed_point + (1 - p) * (1 - fixed_point)
            on_the_line = fixed_point + middle - a
        if a <= fixed_point:
            value = p * gaussian(mu, a) + (1 - p) * (1 - a)
        elif a <= middle:
            value = on_the_line
        else:  # x = P(Z > t) with f_p(x) = a; the search is done in the logarithm of what is small
            def excess(t):
                return log((p * upper_tail(t - mu) + (1 - p) * upper_tail(t)) / (1 - a))

            def deficit(t):
                return log((p * upper_tail(mu - t) + (1 - p) * upper_tail(-t)) / a)

            value = upper_tail(root(excess if a > mpf(1) / 2 else deficit, mu / 2, mu + 60))
    return +value


def subsampled_gaussian_to_delta(sampling_rate, mu, epsilon):
    p = sampling_rate
    allow(0 <= p <= 1 and 0 <= mu < inf and abs(epsilon) < inf)
    if p == 0 or mu == 0:
        return max(mpf(0), -expm1(epsilon))
    if epsilon < 0:
        return 1 - exp(epsilon) * (1 - subsampled_gaussian_to_delta(p, mu, -epsilon))
    with mp.workdps(160):
        value = p * gaussian_to_delta(mu, log1p(expm1(epsilon) / p))
    return +value


# Bu, Dong, Long, Su 2020, equation (4); Dong, Roth, Su 2019, corollary 5.4 and theorem 3.4.


def clt_mu_poisson(sampling_rate, noise_multiplier, steps):
    allow(0 <= sampling_rate <= 1 and 0 < noise_multiplier < inf and 0 <= steps < inf)
    return sampling_rate * sqrt(steps * expm1(1 / noise_multiplier**2))


def clt_mu_without_replacement(sampling_rate, noise_multiplier, steps):
    allow(0 <= sampling_rate <= 1 and 0 < noise_multiplier < inf and 0 <= steps < inf)
    s = noise_multiplier
    with mp.workdps(120):
        bracket = exp(1 / s**2) * upper_tail(-3 / (2 * s)) + 3 * upper_tail(1 / (2 * s)) - 2
        value = sqrt(mpf(2)) * sampling_rate * sqrt(steps) * sqrt(bracket)
    return +value


MOMENTS = {}


def subsampled_gaussian_moments(sampling_rate, mu):
    """Over the type I error a = P(Z > t): |f'| is e^l up to x*, 1 on the line, e^-l on the mirrored part, where
    da is |f_p'| times the da of the mirrored point."""
    p = sampling_rate
    allow(0 <= p <= 1 and 0 <= mu <= 1000)
    if p == 0 or mu == 0:
        return [mpf(0)] * 3
    if (p, mu) in MOMENTS:
        return MOMENTS[p, mu]
    # Quadrature stops at an absolute error, so losses are measured by that at one standard deviation. Where the inside
    # and the outside are as likely, the loss bends over a length of 1 / mu.
    bend = mu / 2 + log(1 / p) / mu
    marks = [mu / 2 + k for k in (0, 1, 3, 7, 15, 30)] + [mu + k for k in (-15, -7, -3, -1, 0, 1, 3, 7, 15, 30)]
    marks += [bend + k / mu for k in (-20, -6, -2, 0, 2, 6, 20)]

    def rise(t):
        return p * expm1(mu * (t - mu / 2))

    def integral(function, also=()):
        points = sorted({t for t in (*marks, *also) if mu / 2 <= t <= mu + 30})
        value, error = quad(lambda t: function(log1p(rise(t)) / scale, rise(t)) * npdf(t), points, error=True)
        assert error < mpf(10) ** -22 * max(abs(value), mpf("1e-12"))  # less adds nothing
        return value

    with mp.workdps(QUADRATURE_DIGITS):
        scale = log1p(rise(mu / 2 + 1))
        kl = integral(lambda loss, more: loss * more / scale)
        second = integral(lambda loss, more: loss**2 * (2 + more))
        centre = kl * scale
        kink = mu / 2 + log1p(expm1(centre * scale) / p) / mu
        third = integral(lambda loss, more: (loss + centre) ** 3)
        third += integral(lambda loss, more: abs(loss - centre) ** 3 * (1 + more), (kink,))
        third += centre**3 * (1 - p) * (1 - 2 * upper_tail(mu / 2))
    MOMENTS[p, mu] = [kl * scale**2, second * scale**2, third * scale**3]
    return MOMENTS[p, mu]


def berry_esseen(sampling_rate, mu, steps):
    allow(1 <= steps <= 2**53)
    kl, second, third = subsampled_gaussian_moments(sampling_rate, mu)
    variance = steps * (second - kl**2)
    allow(variance > 0)
    return [2 * steps * kl / sqrt(variance), mpf(56) / 100 * steps * third / variance ** mpf("1.5")]


# Zheng et al. 2021, theorem 1; accounting/tradeoff/proofs.md, section 4.


def reach(client_rate, rounds):
    allow(0 <= client_rate <= 1 and 0 <= rounds <= 2**53 and rounds == int(rounds))
    with mp.workdps(160):
        value = 1 - (1 - client_rate) ** rounds * (1 + rounds * client_rate)
    return +value


def reach_as_published(client_rate, rounds):
    allow(0 <= client_rate <= 1 and 0 <= rounds <= 2**53 and rounds == int(rounds))
    with mp.workdps(160):
        value = 1 - (1 - client_rate**2) ** rounds
    return +value


def around(value):
    """A double and its neighbours at a relative distance of 1e-9."""
    return [float(value * (1 + mpf(k) / 10**9)) for k in (-1, 0, 1)]


def fixed_points(p, mu):
    x = upper_tail(mpf(mu) / 2)
    return around(x) + around(p * x + (1 - p) * (1 - x))


ERRORS = [0.0, 1e-300, 1e-200, 1e-30, 1e-3, 0.3, 0.5, 0.9, 1 - 1e-15, 1.0]
MUS = [0.0, 1e-12, 1e-3, 1.0, 8.0, 40.0, 200.0]
BAD_ERRORS = [-1e-300, 1 + 1e-15, "nan"]
SAMPLED = [(1e-9, 1.0), (1e-9, 40.0), (1e-3, 1e-3), (0.01, 8.0), (0.35, 1e-12), (0.5, 2.0), (0.5, 1e-3), (0.75, 40.0),
           (1 - 1e-12, 3.0), (1 - 1e-12, 40.0), (1.0, 1.0), (1.0, 40.0), (1.0, 200.0), (0.3, 200.0), (0.0, 1.0),
           (0.2, 0.0)]
LIMITS = [(q, s, t) for q in (1e-9, 0.01, 1.0) for s, t in ((0.02, 1), (0.04, 1e6), (0.3, 1e9), (1.0, 1e4), (4.0, 7),
                                                           (4.3, 1e9), (100.0, 1e9), (1e3, 3), (1e6, 1e9))]
LIMITS += [(0.0, 1.0, 5), (0.5, 1.0, 0), (1.5, 1.0, 5), (0.5, 0.0, 5), (0.5, -1.0, 5), (0.5, 1.0, -1), ("nan", 1.0, 1)]
MOMENTS_AT = [(1e-9, 1e-12), (1e-9, 1.0), (1e-9, 8.0), (1e-9, 40.0), (0.01, 1e-3), (0.01, 1.0), (0.01, 200.0),
              (0.5, 1e-12), (0.5, 2.0), (0.5, 40.0), (1 - 1e-12, 1.0), (1 - 1e-12, 40.0), (1.0, 1e-3), (1.0, 1.0),
              (1.0, 8.0), (1.0, 200.0), (1.0, 1000.0)]
CLIENTS = [(p, r) for p in (1e-12, 1e-6, 0.05, 0.5, 1 - 1e-12) for r in (1, 2, 100, 1e9)]
CLIENTS += [(0.0, 5), (1.0, 1), (1.0, 5), (0.3, 0), (0.1, 1.5), (0.1, -1), (1.1, 2), (-0.1, 2), ("nan", 2)]

INPUTS = {
    "tradeoff.gaussian": (
        gaussian, ("mu", "type_one_error"), "1 - a is not formed for tiny a",
        [(mu, a) for mu in MUS for a in ERRORS] + [(1.0, a) for a in BAD_ERRORS]
        + [(-1.0, 0.5), ("inf", 0.5), ("nan", 0.5)]),
    "tradeoff.gaussian_to_delta": (
        gaussian_to_delta, ("mu", "epsilon"), "two terms that cancel",
        [(mu, e) for mu in MUS for e in (0.0, 1e-12, 1e-3, 1.0, 30.0, 700.0, -1e-12, -2.0)]
        + [(-1.0, 1.0), (1.0, "inf"), (1.0, "nan")]),
    "tradeoff.approximate": (
        approximate, ("type_one_error", "epsilon", "delta"), "differences close to 0, factors beyond a double",
        [(a, e, d) for a in (0.0, 1e-300, 0.3, 1 - 1e-15, 1.0) for e in (1e-12, 1.0, 40.0, 700.0)
         for d in (0.0, 1e-300, 0.7)]
        + [(float(exp(-mpf(e))), e, 0.0) for e in (1e-12, 0.5, 3.0, 40.0, 600.0)]
        + [(0.2, 1000.0, 0.1), (0.5, 1.0, 1.0), (0.5, 1.0, 1.1), (0.5, -1.0, 0.1), (1.5, 1.0, 0.1), (0.5, 1.0, "nan")]),
    "tradeoff.laplace": (
        laplace, ("type_one_error", "epsilon"), "three branches, around their ends too",
        [(a, e) for e in (0.0, 1e-12, 1.0, 40.0, 700.0)
         for a in (0.0, 1e-300, 1e-30, 0.3, 0.5, 0.5 + 1e-15, 1 - 1e-15, 1.0, *around(exp(-mpf(e)) / 2))]
        + [(0.5, -1.0), (0.5, "inf")] + [(a, 1.0) for a in BAD_ERRORS]),
    "tradeoff.subsampled_gaussian": (
        subsampled_gaussian, ("sampling_rate", "mu", "type_one_error"), "three branches, around their ends too",
        [(p, mu, a) for p, mu in SAMPLED
         for a in sorted({1e-300, 1e-30, 0.5, 1 - 1e-15, float(1 - mpf(p)), *fixed_points(p, mu)})]
        + [(1.0, 40.0, 1e-80), (0.5, 400.0, 0.5), (0.75, 400.0, 0.25), (0.3, 1.0, 0.0), (0.3, 1.0, 1.0)]
        + [(1.1, 1.0, 0.5), (-0.1, 1.0, 0.5), (0.5, -1.0, 0.5), ("nan", 1.0, 0.5)]
        + [(0.5, 1.0, a) for a in BAD_ERRORS]),
    "tradeoff.subsampled_gaussian_to_delta": (
        subsampled_gaussian_to_delta, ("sampling_rate", "mu", "epsilon"), "p delta(log(1 + (e^epsilon - 1) / p))",
        [(p, mu, e) for p in (1e-9, 0.3, 1.0) for mu in (1e-3, 1.0, 40.0) for e in (0.0, 1e-12, 1.0, 700.0, -1.0)]
        + [(0.0, 1.0, 1.0), (1.1, 1.0, 1.0), (0.5, "nan", 1.0)]),
    "tradeoff.clt_mu.poisson": (
        clt_mu_poisson, ("sampling_rate", "noise_multiplier", "steps"), "e^{1/s^2} beyond a double, or next to 1",
        LIMITS),
    "tradeoff.clt_mu.without_replacement": (
        clt_mu_without_replacement, ("sampling_rate", "noise_multiplier", "steps"), "a bracket that cancels", LIMITS),
    "tradeoff.subsampled_gaussian_moments": (
        subsampled_gaussian_moments, ("sampling_rate", "mu"), "quadrature of 45 digits",
        [*MOMENTS_AT, (0.0, 1.0), (0.5, 0.0), (1.1, 1.0), (0.5, -1.0), (0.5, "nan")]),
    "tradeoff.berry_esseen": (
        berry_esseen, ("sampling_rate", "mu", "steps"), "from the moments; their variance cancels for large mu",
        [(p, mu, t) for p, mu in MOMENTS_AT for t in (1, 1e9)]
        + [(0.5, 1.0, 0), (0.0, 1.0, 5), (0.5, 0.0, 5), (0.5, 1.0, "nan")]),
    "tradeoff.federated_reach_probability": (
        reach, ("client_rate", "rounds"), "1 - (1-p)^R (1 + R p)", CLIENTS),
    "tradeoff.federated_reach_probability_as_published": (
        reach_as_published, ("client_rate", "rounds"), "1 - (1-p^2)^R: an estimate, too small", CLIENTS),
}
OUTPUTS = {"tradeoff.subsampled_gaussian_moments": ["kl", "kappa2", "kappa3_centred"],
           "tradeoff.berry_esseen": ["mu", "gamma"]}


def check_by_definition():
    """C_p(G_mu) by duality from its profile, and its moments from differences of the curve itself."""
    for p, mu, a in ((0.35, 1.8, 0.01), (0.35, 1.8, 0.3), (0.1, 2, 0.9), (0.8, 0.5, 0.4), (0.8, 0.5, 0.97)):
        p, mu, a = mpf(p), mpf(mu), mpf(a)

        def height(e):
            rest = 1 - subsampled_gaussian_to_delta(p, mu, e)
            return max(rest - exp(e) * a, exp(-e) * (rest - a))

        low, high = mpf(0), mpf(20)  # ternary search: concave in e^e, in e^-e
        for _ in range(150):
            third = (high - low) / 3
            low, high = (low + third, high) if height(low + third) < height(high - third) else (low, high - third)
        assert abs(height(low) / subsampled_gaussian(p, mu, a) - 1) < mpf(10) ** -30, (p, mu, a)
    p, mu = mpf(3) / 10, mpf(3) / 2
    ends = [upper_tail(mu / 2), subsampled_gaussian(p, mu, upper_tail(mu / 2))]
    with mp.workdps(15):
        step = mpf(10) ** -9

        def log_slope(a):
            return log(-(subsampled_gaussian(p, mu, a + step) - subsampled_gaussian(p, mu, a - step)) / (2 * step))

        def integral(function):
            return sum(quad(lambda u: function(log_slope(1 / (1 + exp(-u)))) * exp(-u) / (1 + exp(-u)) ** 2, span)
                       for span in ([-16, -4, log(ends[0] / (1 - ends[0]))], [log(ends[1] / (1 - ends[1])), 4, 16]))

        kl, second, _ = subsampled_gaussian_moments(p, mu)
        assert abs(integral(lambda l: -l) / kl - 1) < 1e-4 and abs(integral(lambda l: l**2) / second - 1) < 1e-4


def vector_of(function, index, names, note, row, formula):
    inputs = dict(zip(names, row, strict=True))
    vector = {"id": f"{function}/edge-{index:03d}", "function": function, "inputs": inputs}
    exact = [mpf(float(value)) for value in row]
    try:
        allow(not any(isnan(value) for value in exact))
        value = formula(*exact)
    except Refused:
        return vector | {"expected": None, "note": "outside the domain"}
    if isinstance(value, list):
        vector |= {"outputs": OUTPUTS[function], "expected": [mp.nstr(v, PRINTED_DIGITS) for v in value]}
    else:
        vector["expected"] = mp.nstr(value, PRINTED_DIGITS)
        if value != 0 and not mpf("1e-290") <= value <= mpf("1e290"):
            vector["expected_ln"] = mp.nstr(log(value), PRINTED_DIGITS)
    return vector | {"note": note}


def main():
    check_by_definition()
    lines = [json.dumps(vector_of(function, index, names, note, row, formula))
             for function, (formula, names, note, rows) in INPUTS.items() for index, row in enumerate(rows)]
    target = pathlib.Path(__file__).resolve().with_name("tradeoff_vectors.jsonl")
    beside = target.with_suffix(".partial")
    beside.write_text("\n".join(lines) + "\n")
    os.replace(beside, target)
    print(f"{target.name}: {len(lines)} values")


if __name__ == "__main__":
    main()
