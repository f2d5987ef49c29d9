#!/usr/bin/env python3
"""Prints the reference values of tests/fl/convergence: Noble et al. 2022 and Chen et al. 2024, in 40 digits.

Nothing is shared with the C++ code: averages over local steps and weights of rounds are summed term by term, the lag's
weight P is found as a root, and the printed theorems are typed as they stand.

    python3 validation/convergence_reference.py
"""

from mpmath import cbrt, exp, findroot, log, mp, mpf, nstr, sqrt

mp.dps = 40

nu, variance, clip, sigma, d, users, drawn, batch, steps = map(mpf, "2 0.9 0.7 1.5 5 12 4 10 6".split())
offset, factor, distance, convexity = map(mpf, "1.3 1.7 3 0.4".split())
rate = drawn / users


def show(name, values):
    print(name, *(nstr(mpf(value), 17) for value in values))


def frame(mu, convex, local, server):
    eta = steps * server * local
    z = nu * eta
    kappa1 = sum(2 * mpf(k) ** 2 for k in range(int(steps))) / steps**3
    kappa2 = sum(2 * mpf(k) for k in range(int(steps))) / steps**2
    growth = 1 if convex else exp(2 * z / server)
    return eta, z, z + mu * eta, (users - drawn) / (users - 1), kappa1, kappa2 / steps, growth / server**2


def terms(mu, convex, eta, rounds, start, gain, noise, sampling=0, drift=0):
    weights = sum((1 - mu * eta / 2) ** -(t + 1) for t in range(rounds))
    if convex:
        first, scale = start**2 / (2 * eta * gain * weights), eta / (2 * gain)
    else:
        first, scale = 2 * start / (eta * gain * rounds), nu * eta / gain
    added = d * (2 * clip * sigma / batch) ** 2
    by_noise = (scale * noise * variance / batch, scale * noise * added)
    return first, *by_noise, scale * sampling * offset**2, scale * drift * offset**2


def fedavg(mu, convex, local, server, rounds):
    eta, z, w, q, kappa1, kappa2, growth = frame(mu, convex, local, server)
    big = (w + 2 * z**2) * growth
    gain = 1 - z * (2 + 2 * q * (factor**2 - 1) / drawn + big * kappa1 * factor**2)
    noise = 2 / (steps * drawn) + big * kappa2
    return terms(mu, convex, eta, rounds, distance, gain, noise, 2 * q / drawn, big * kappa1)


def scaffold(mu, convex, local, server, rounds):
    eta, z, w, q, kappa1, kappa2, growth = frame(mu, convex, local, server)

    def lifted(p):
        return 1 + (1 + 2 / rate) * p

    def big(p):
        return (w + rate * (1 + rate / 2) * p + 2 * z**2 * lifted(p)) * growth

    def balance(p):
        grows = 4 * q * z**2 * lifted(p) / drawn + 2 * kappa1 * z**2 * big(p)
        return grows - p * (rate / 2 + rate**2 / 2 - mu * eta / 2)

    p = findroot(balance, mpf("0.01"))
    gain = 1 - z * (2 * lifted(p) + big(p) * kappa1)
    noise = (2 + 4 * q) * lifted(p) / (steps * drawn) + big(p) * (2 * kappa1 / steps + kappa2)
    return terms(mu, convex, eta, rounds, distance, gain, noise)


for name, mu, convex in ("convex", mpf(0), True), ("strongly convex", convexity, True), ("non-convex", mpf(0), False):
    show(f"DP-FedAvg, {name}:", fedavg(mu, convex, mpf("0.004"), mpf("1.5"), 50))
    show(f"DP-SCAFFOLD-warm, {name}:", scaffold(mu, convex, mpf("0.004"), mpf("1.5"), 50))

T, D, F, mu, G, B = mpf(20000), distance, distance, convexity, offset, factor
part = cbrt(rate) ** 2
all_steps = T * steps * rate * users
by_records = sqrt(variance / batch)
by_noise = 2 * clip * sqrt(2 * d) * sigma / batch
left = mu * D**2 * exp(-min(rate / 108, mu * part / (48 * nu)) * T)
show("C.1.1:", (left, by_records**2 / (mu * all_steps), by_noise**2 / (mu * all_steps)))
show("C.1.2:", (nu * D**2 / (part * T), by_records * D / sqrt(all_steps), by_noise * D / sqrt(all_steps)))
show("C.1.3:", (nu * F / (part * T), by_records * sqrt(nu * F / all_steps), by_noise * sqrt(nu * F / all_steps)))
left = mu * D**2 * exp(-mu * T / (16 * (1 + B**2) * nu))
show("C.2.1:", (left, (1 - rate) * G**2 / (mu * T * drawn), nu * G**2 / (mu * T) ** 2))
show("C.2.2:", (B**2 * nu * D**2 / T, G * D * sqrt((1 - rate) / (T * drawn)), cbrt(D**4 * nu * G**2 / T**2)))
show("C.2.3:", (B**2 * nu * F / T, sqrt(nu * F) * G * sqrt((1 - rate) / (T * drawn)), cbrt(F * nu * G / T) ** 2))
epsilon, delta, records = mpf("0.5"), mpf("1e-6"), mpf(40)
logs = log(2 * T * rate / delta) * log(2 / delta)
show("sigma_g*:", [batch / records * sqrt(rate * T * steps * logs / users) / epsilon])
show("4.2, privacy:", [D * clip * sqrt(8 * d * logs) / (epsilon * users * records)])

L, G, s, d, n, r, tau, lam, phi, gap_s, w1, T = map(mpf, "3 2 0.5 7 20 4 5 0.6 1.1 0.8 2.5 90".split())
H = (
    40 * (G**2 + d * s**2 + 4 * tau * G**2)
    + (8 * L * n / r + 16 * L) * gap_s
    + 4 * n / r * d * s**2
    + lam / L * (G**2 + d * s**2)
    + 4 * n / r * phi
)
show("Chen 1:", [(2 * L / lam**2 * H + 8 * L**2 / lam * w1**2) / (16 * L / lam + T)])
a, gap_n, gap = mpf("0.0002"), mpf("0.8"), mpf("2.5")
upsilon = a * tau / 2 - 15 * a**3 * tau**3 * L**2 - 90 * n / r * a**4 * tau**4 * L**3 - n / r * a**2 * tau**2 * L
Q = (1 + n / r * tau + n / r) * a * (G**2 + d * s**2) + (2 * n / r + 1) * a * tau * gap_n
show("Chen 2, and its first term:", (gap / (T * upsilon) + Q / upsilon, gap / (T * upsilon)))
b, pi, ag, a = mpf("0.9"), mpf("0.3"), mpf("0.2"), mpf("0.00001")
K = (
    20 * (G**2 + d * s**2 + 4 * tau * G**2) / L**2
    + ((4 * n * tau**2 / (r * L) + 4 * tau / L) / (b * pi**2) + 4 * d / (b * G)) * gap_s
    + 2 * tau * lam * d * (G**2 + d * s**2) / (b * L**2 * G)
    + n * tau**2 / (r * L**2) * (2 * d * s**2 + 2 * phi + G**2 + d * s**2) / (b * pi**2)
)
show("Chen 3:", [L / (2 * T) * w1**2 + 3 * L / 2 * K])
of_server = (3 * sqrt(L * G) * (G / L + pi) / (2 * lam), 2 * b * G / (d * tau * lam))
of_clients = (sqrt(d / (b * L * G)), 1 / (4 * L * tau))
show("Chen 3, steps:", (*of_server, *of_clients, r * b * pi**2 / (2 * n * tau * (G + L))))
theta = gap / (a * ag * tau * T) + (G**2 + d * s**2 + 6 * tau * gap_n) / (tau * pi)
one_more = (
    6 * tau * a / pi**2 * (G**2 + d * s**2)
    + a / pi**2 * (G**2 + d * s**2 + 6 * tau * gap_n)
    + 6 * tau * a * gap_n / pi**2
)
show("Chen 4:", [(sqrt(b) * a * tau * G / sqrt(d) + pi) * (theta + (G + ag * L) / r * one_more)])
