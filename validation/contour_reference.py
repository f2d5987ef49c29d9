#!/usr/bin/env python3
"""Writes contour_vectors.jsonl: log delta of compositions, by the contour integral in 50 digits.

Nothing is shared with the C++ code: no error is bounded, no term is subtracted; both steps are halved until 25 digits
agree. A plan is a list of releases [count, name, ...], each direction by itself.

    python3 validation/contour_reference.py    # writes validation/contour_vectors.jsonl
"""

import json
import pathlib

from mpmath import inf, mp, mpc, mpf

mp.dps = 50
AGREEMENT = mpf(10) ** -25
DECAY = 130  # e^-130 < 10^-56


def power_mean(q, s, exponent, refinement):
    """E[((1 - q) + q e^{u/s - 1/(2 s^2)})^exponent], u ~ N(0, 1): an integrand analytic in |Im u| < pi s."""
    width = min(mp.sqrt(2 * DECAY), mp.pi * s / 2)
    rise = width**2 / 2 + abs(exponent.imag) * width / s + max(0, -exponent.real) * min(mpf(1), 10 * q) / 3
    step = 2 * mp.pi * width / (DECAY + rise) / refinement
    reach = mp.sqrt(2 * DECAY)
    shift = exponent.real / s
    left = -reach - (max(0, -shift) if q > 0.5 else mp.sqrt(max(0, 2 * exponent.real * mp.log(1 - q))))
    right = reach + max(0, shift)
    total = mpf(0)
    for k in range(int((right - left) / step) + 1):
        u = left + k * step
        total += mp.exp(-(u**2) / 2 + exponent * mp.log((1 - q) + q * mp.exp(u / s - 1 / (2 * s**2))))
    return total * step / mp.sqrt(2 * mp.pi)


def log_moment(releases, direction, z, refinement):
    total = mpc(0)
    for count, name, *numbers in releases:
        if name == "gaussian":
            one = z * (z + 1) / (2 * mpf(numbers[0]) ** 2)
        elif name == "poisson_gaussian":
            q, s = (mpf(number) for number in numbers)
            one = mp.log(power_mean(q, s, z + 1 if direction == "remove" else -z, refinement))
        else:
            rate, inner = mpf(numbers[0]), numbers[1]
            one = mp.log(1 - rate + rate * mp.exp(log_moment(inner, direction, z, refinement)))
        total += count * one
    return total


def integral(releases, direction, epsilon, c, step, refinement):
    total, k, largest = mpf(0), 0, -inf
    while True:
        z = mpc(c, k * step)
        log_term = log_moment(releases, direction, z, refinement) - z * epsilon - mp.log(z) - mp.log(z + 1)
        total += mp.exp(log_term).real * (1 if k == 0 else 2)
        largest = max(largest, log_term.real)
        if log_term.real < largest - 62:
            return mp.log(total * step / (2 * mp.pi))
        k += 1


def log_delta(releases, direction, epsilon, c):
    """`c` may be any positive number; near the saddle it is quick."""
    epsilon, c = mpf(epsilon), mpf(c)
    moments = [log_moment(releases, direction, c + d, 1).real for d in (-c / 100, 0, c / 100)]
    deviation = mp.sqrt((moments[0] - 2 * moments[1] + moments[2]) / (c / 100) ** 2 + 1 / c**2)
    step, refinement = 1 / (2 * deviation), mpf(1)
    value = integral(releases, direction, epsilon, c, step, refinement)
    while True:
        step, refinement = step / 2, refinement * mpf("1.25")
        finer = integral(releases, direction, epsilon, c, step, refinement)
        if abs(finer - value) < AGREEMENT * max(1, abs(value)):
            return finer
        value = finer


# releases, epsilon, c for remove and for add
CASES = [
    ([[10000, "poisson_gaussian", 0.01, 1.0]], 6.1875, 3.0, 4.0),
    ([[14100, "poisson_gaussian", 256 / 60000, 1.1]], 2.385, 6.0, 8.0),
    ([[1000000, "poisson_gaussian", 1e-4, 0.8]], 0.708, 5.5, 20.0),
    ([[500, "poisson_gaussian", 0.2, 1.0]], 38.17, 0.65, 2.0),
    ([[1000, "poisson_gaussian", 0.5, 0.3]], 2752.7, 0.042, None),
    ([[1000, "poisson_gaussian", 0.01, 1.0]], 29.6, 7.7, None),
    ([[1000, "poisson_gaussian", 0.01, 10000.0]], 5.63e-6, 50000.0, 50000.0),
    ([[100000000, "poisson_gaussian", 0.01, 1.0]], 8939.0, 0.035, 0.05),
    ([[9007199254740992, "poisson_gaussian", 1e-6, 1000.0]], 0.3218, 44.0, 44.0),
    ([[200, "poisson_gaussian", 0.05, 2.0], [300, "poisson_gaussian", 0.02, 1.0], [2, "gaussian", 3.0]], 4.0, 3.0, 3.5),
    ([[300, "participates", 0.5, [[2, "poisson_gaussian", 0.2, 5.0]]]], 3.0, 4.0, 4.0),
    ([[100, "participates", 0.5, [[1, "gaussian", 2.0]]]], 21.5, 0.8, 0.8),
]


def main():
    path = pathlib.Path(__file__).with_name("contour_vectors.jsonl")
    with path.open("w") as file:
        for releases, epsilon, *points in CASES:
            vector = {"releases": releases, "epsilon": epsilon}
            for direction, c in zip(("remove", "add"), points):
                vector[direction] = None if c is None else mp.nstr(log_delta(releases, direction, epsilon, c), 25)
            print(vector, flush=True)
            print(json.dumps(vector), file=file)


if __name__ == "__main__":
    main()
