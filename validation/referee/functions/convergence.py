"""How far federated runs end from the optimum: the statements of fl/convergence/proofs.md and of the papers."""

from __future__ import annotations

from .basics import Undecided, allow, arb, less


def _deviation(clip, noise, batch) -> arb:
    return 2 * arb(clip) * arb(noise) / arb(batch)


def _with_total(terms: list[arb], *steps) -> list[arb]:
    return [*terms, sum(terms, arb(0)), *map(arb, steps)]


# Noble, Bellet, Dieuleveut 2022: fl/convergence/proofs.md, 2 to 4.


class _NobleRound:
    def __init__(self, smoothness, users, participants, local_steps, local_step, server_step, mu, convex):
        k, self.server = arb(local_steps), arb(server_step)
        self.k, self.s, self.m, self.mu, self.convex = k, arb(participants), arb(users), mu, convex
        self.nu = arb(smoothness)
        self.eta = k * self.server * arb(local_step)
        self.z = self.nu * self.eta
        self.w = self.z + mu * self.eta if convex else self.z
        self.q = arb(0) if users == 1 else (self.m - self.s) / (self.m - 1)
        self.kappa_1 = (k - 1) * (2 * k - 1) / (3 * k * k)
        self.kappa_2 = (k - 1) / (k * k)
        rho = arb(1) if convex else (2 * self.z / self.server).exp()
        self.rho = rho / self.server**2

    def finished(self, start, rounds, variances, offset, gain, noise, sampling, drift):
        allow(bool(gain > 0.01))
        t = int(rounds)
        if self.convex:
            a = self.mu * self.eta / 2
            left = start**2 / (self.eta * t) if self.mu == 0 else a * start**2 / ((1 - a) ** -t - 1) / self.eta
            scale = 1 / (2 * gain)
        else:
            left, scale = 2 * start / (self.nu * self.eta * t), self.nu / gain
        by_noise = scale * self.eta * noise
        by_offset = scale * self.eta * offset**2
        return [scale * left, by_noise * variances[0], by_noise * variances[1], by_offset * sampling, by_offset * drift]


def _noble(values, is_scaffold):
    v = {"server_step": 1, "strong_convexity": 0, "dissimilarity_factor": 1, **values}
    users = v["users"]
    drawn = v.get("participants", users)
    convex = "distance" in v
    allow(drawn <= users and v["strong_convexity"] <= v["smoothness"])
    mu = arb(v["strong_convexity"]) if convex else arb(0)
    r = _NobleRound(v["smoothness"], users, drawn, v["local_steps"], v["local_step"], v["server_step"], mu, convex)
    allow(bool(r.z < 0.5))
    deviation = _deviation(v["clip"], v["noise"], v["batch"])
    variances = arb(v["gradient_variance"]) / arb(v["batch"]), arb(v["dimension"]) * deviation**2
    start = arb(v["distance"] if convex else v["gap"])
    z2 = r.z**2
    if not is_scaffold:
        b2, offset = arb(v["dissimilarity_factor"]) ** 2, arb(v.get("dissimilarity_offset", 0))
        big = (r.w + 2 * z2) * r.rho
        gain = 1 - r.z * (2 + 2 * r.q * (b2 - 1) / r.s + big * r.kappa_1 * b2)
        noise = 2 / (r.k * r.s) + big * r.kappa_2
        terms = r.finished(start, v["rounds"], variances, offset, gain, noise, 2 * r.q / r.s, big * r.kappa_1)
    else:
        l = r.s / r.m

        # The lag's weight P solves a linear equation: what P = 0 and P = 1 leave of both sides.
        def excess(p):
            lifted = 1 + (1 + 2 / l) * p
            big = (r.w + l * (1 + l / 2) * p + 2 * z2 * lifted) * r.rho
            return 4 * r.q * z2 * lifted / r.s + 2 * r.kappa_1 * z2 * big - p * (l / 2 + l * l / 2 - mu * r.eta / 2)

        at_0, at_1 = excess(arb(0)), excess(arb(1))
        allow(bool(at_1 < at_0))
        p = at_0 / (at_0 - at_1)
        lifted = 1 + (1 + 2 / l) * p
        big = (r.w + l * (1 + l / 2) * p + 2 * z2 * lifted) * r.rho
        gain = 1 - r.z * (2 * lifted + big * r.kappa_1)
        noise = (2 + 4 * r.q) * lifted / (r.k * r.s) + big * (2 * r.kappa_1 / r.k + r.kappa_2)
        terms = r.finished(start, v["rounds"], variances, arb(0), gain, noise, arb(0), arb(0))
    return _with_total(terms, v["local_step"], v["server_step"])


def _noble_orders(values, is_scaffold, noise=None):
    """Theorems C.1 and C.2."""
    v = {"strong_convexity": 0, "dissimilarity_factor": 1, "dissimilarity_offset": 0, **values}
    users = v["users"]
    drawn = v.get("participants", users)
    allow(drawn <= users and v["strong_convexity"] <= v["smoothness"])
    t, k, m, lm, nu = arb(v["rounds"]), arb(v["local_steps"]), arb(users), arb(drawn), arb(v["smoothness"])
    l = lm / m
    mu, convex = arb(v["strong_convexity"]), "distance" in v
    noise = arb(v["noise"]) if noise is None else noise
    big = 2 * arb(v["clip"]) * (2 * arb(v["dimension"])).sqrt() * noise / arb(v["batch"])
    deviation = (arb(v["gradient_variance"]) / arb(v["batch"])).sqrt()
    g, b2 = arb(v["dissimilarity_offset"]), arb(v["dissimilarity_factor"]) ** 2
    steps, two_thirds = t * k * lm, lambda x: (2 * x.log() / 3).exp() if x > 0 else arb(0)
    d = arb(v["distance"]) if convex else None
    gap = None if convex else arb(v["gap"])
    if convex and v["strong_convexity"] > 0:
        by = [deviation**2 / (mu * steps), big**2 / (mu * steps)]
    elif convex:
        by = [d * deviation / steps.sqrt(), d * big / steps.sqrt()]
    else:
        by = [(nu * gap / steps).sqrt() * x for x in (deviation, big)]
    if is_scaffold:
        part = two_thirds(l)
        if convex and v["strong_convexity"] > 0:
            allow(bool(t >= (108 / l).max(48 * nu / (mu * part))))
            first = mu * d**2 * (-(l / 108).min(mu * part / (48 * nu)) * t).exp()
            allow(bool(first > arb("1e-280")))  # what a list of doubles holds
        elif convex:
            first = nu * d**2 / (part * t)
        else:
            first = nu * gap / (part * t)
        return [first, *by, arb(0), arb(0)]
    share = (1 - l) / (t * lm)
    if convex and v["strong_convexity"] > 0:
        allow(bool(t >= 8 * (1 + b2) * nu / mu))
        first = mu * d**2 * (-mu * t / (16 * (1 + b2) * nu)).exp()
        allow(bool(first > arb("1e-280")))
        return [first, *by, share * g**2 / mu, nu * g**2 / (mu * t) ** 2]
    if convex:
        return [b2 * nu * d**2 / t, *by, g * d * share.sqrt(), two_thirds(d**2 * (nu * g**2 / t**2).sqrt())]
    return [b2 * nu * gap / t, *by, g * (nu * gap * share).sqrt(), two_thirds(nu * gap * g / t)]


def _noble_theorem42(values, is_scaffold):
    """Theorem 4.2, at the noise that is said before it."""
    v = values
    drawn = v.get("participants", v["users"])
    t, k, m, l = arb(v["rounds"]), arb(v["local_steps"]), arb(v["users"]), arb(drawn) / arb(v["users"])
    d = arb(v["delta"])
    allow(v["batch"] <= v["records"] and bool(d < t * l * 0.99) and drawn <= v["users"])
    s = arb(v["batch"]) / arb(v["records"])
    noise = s * (l * t * k * (2 * t * l / d).log() * (2 / d).log() / m).sqrt() / arb(v["epsilon"])
    return _noble_orders(v, is_scaffold, noise)


# Chang, Seif, Tandon 2022


def _chang(values, is_theorem):
    v = {"server_step": 1, **values}
    users, rounds, tau = arb(v["users"]), int(v["rounds"]), int(v["local_steps"])
    drawn = arb(v.get("participants", v["users"]))
    allow(v.get("participants", 1) <= v["users"])
    eta_g, big_l, d = arb(v["server_step"]), arb(v["smoothness"]), arb(v["distance"])
    variance = arb(v["dimension"]) * _deviation(v["clip"], v["noise"], v["batch"]) ** 2
    scheme, beta, hold = 0, arb(1), 0
    text = v.get("schedule", "constant")
    if text != "constant":
        name, given = text.split(":")
        given = dict(item.split("=") for item in given.split(","))
        scheme, beta, hold = int(name[-1]), arb(float(given["beta"])), int(given["hold"])
        allow(hold <= rounds)
    if is_theorem:
        allow(rounds * tau <= 20000)
        growth = arb(0) if tau == 1 else 1 + arb(1) / (tau - 1)
        first, second, decayed = arb(0), arb(0), variance
        for r in range(1, rounds + 1):
            carried = arb(0)
            now = variance * beta ** (r - hold) if scheme == 1 and r > hold else variance
            for _ in range(tau):
                if scheme == 2 and r > hold:
                    now, decayed = decayed, decayed * beta
                carried = growth * carried + now
                first += now
                second += carried
        noise = users / drawn * (16 * first / (tau * rounds) + second / (25 * eta_g**2 * arb(tau) ** 3 * rounds))
    else:
        drift = 3 / (25 * eta_g**2)
        n = rounds - hold

        def powers(count):
            return arb(count) if beta == 1 else (1 - beta**count) / (1 - beta)

        if scheme == 0:
            noise = users / drawn * (16 + drift / tau) * variance
        elif scheme == 1:
            noise = users / drawn / rounds * (hold + beta * powers(n)) * (16 + drift / tau) * variance
        else:
            noise = (
                users / drawn / rounds * variance * (hold * (16 + drift / tau) + (16 + drift) / tau * powers(tau * n))
            )
    control = 11 * users * arb(v["control_error"]) / (drawn * rounds)
    sampling = 15 * (1 + tau / eta_g**2) * arb(v["gradient_variance"]) / (tau * drawn * arb(v["batch"]))
    cap, scale = 1 / (81 * big_l), tau * eta_g
    if "local_step" in v:
        rate = arb(v["local_step"]) * scale
        allow(bool(rate <= cap))
    else:
        together = noise + control + sampling
        rate = cap.min(d / (rounds * together).sqrt()) if together > 0 else cap
    terms = [d**2 / (rate * rounds), rate * noise, rate * control, rate * sampling]
    return _with_total(terms, rate / scale, eta_g)


# Chen et al. 2024


class _Chen:
    def __init__(self, v):
        allow(v.get("participants", 1) <= v["users"])
        self.l, self.g2 = arb(v["smoothness"]), arb(v["gradient_bound"]) ** 2
        self.g = arb(v["gradient_bound"])
        self.noise = arb(v["dimension"]) * _deviation(v["clip"], v["noise"], v["batch"]) ** 2
        self.share = arb(v["users"]) / arb(v.get("participants", v["users"]))
        self.tau, self.t, self.d = arb(v["local_steps"]), arb(v["rounds"]), arb(v["dimension"])


def chen_theorem1(**v):
    c = _Chen(v)
    allow(v["strong_convexity"] <= v["smoothness"])
    lam, phi = arb(v["strong_convexity"]), arb(v["gradient_variance"]) / arb(v["batch"])
    below = 16 * c.l / lam + c.t
    h = 2 * c.l / lam**2 / below
    return _with_total(
        [
            8 * c.l**2 / lam * arb(v["distance"]) ** 2 / below,
            h * (40 * (1 + 4 * c.tau) + lam / c.l) * c.g2,
            h * 4 * c.share * phi,
            h * (8 * c.l * c.share + 16 * c.l) * arb(v["optima_gap"]),
            h * (40 + 4 * c.share + lam / c.l) * c.noise,
        ]
    )


def chen_theorem2(**v):
    c, a = _Chen(v), arb(v["local_step"])
    allow(bool(a < 1 / (200 * c.tau * c.l)))
    upsilon = a * c.tau / 2 - 15 * a**3 * c.tau**3 * c.l**2
    upsilon += -90 * c.share * a**4 * c.tau**4 * c.l**3 - c.share * a**2 * c.tau**2 * c.l
    allow(bool(upsilon > 0.05 * a * c.tau))
    q = a / upsilon
    per = q * (1 + c.share * c.tau + c.share)
    terms = [
        arb(v["gap"]) / (c.t * upsilon),
        per * c.g2,
        arb(0),
        q * (2 * c.share + 1) * c.tau * arb(v["heterogeneity"]),
        per * c.noise,
    ]
    return _with_total(terms, v["local_step"])


def chen_theorem3(**v):
    c, b, pi = _Chen(v), arb(v.get("second_momentum", 0.99)), arb(v.get("adaptivity", 0.001))
    allow(v["strong_convexity"] <= v["smoothness"])
    lam, phi, gap = arb(v["strong_convexity"]), arb(v["gradient_variance"]) / arb(v["batch"]), arb(v["optima_gap"])
    k, damped = 3 * c.l / 2, b * pi**2
    both = 2 * c.tau * lam * c.d / (b * c.l**2 * c.g)
    sampled = c.share * c.tau**2 / c.l**2 / damped
    return _with_total(
        [
            c.l / (2 * c.t) * arb(v["distance"]) ** 2,
            k * (20 * (1 + 4 * c.tau) / c.l**2 + both + sampled) * c.g2,
            k * sampled * 2 * phi,
            k * ((4 * c.share * c.tau**2 / c.l + 4 * c.tau / c.l) / damped + 4 * c.d / (b * c.g)) * gap,
            k * (20 / c.l**2 + both + 3 * sampled) * c.noise,
        ]
    )


def chen_theorem4(**v):
    c, b, pi = _Chen(v), arb(v.get("second_momentum", 0.99)), arb(v.get("adaptivity", 0.001))
    a, ag, gamma = arb(v["local_step"]), arb(v.get("server_step", 1)), arb(v["heterogeneity"])
    r, n = arb(v.get("participants", v["users"])), arb(v["users"])
    allow(bool(a < (1 / c.l).min(pi * r / (10 * n * (c.g + ag * c.l))) / (8 * c.tau)))
    scale = b.sqrt() * a * c.tau * c.g / c.d.sqrt() + pi
    update = (c.g + ag * c.l) / r
    per = 1 / (c.tau * pi) + update * (6 * c.tau * a / pi**2 + a / pi**2)
    return [
        scale * arb(v["gap"]) / (a * ag * c.tau * c.t),
        scale * per * c.g2,
        scale * (6 / pi + update * (a / pi**2 * 6 * c.tau + 6 * c.tau * a / pi**2)) * gamma,
        scale * per * c.noise,
        a,
        ag,
    ]


# Lowy, Razaviyayn 2023: fl/convergence/proofs.md, 6.


def _lowy_variance(v):
    """6.1"""
    n, m = arb(v["users"]), arb(v.get("participants", v["users"]))
    allow(v.get("participants", 1) <= v["users"])
    spread = arb(0) if v["users"] == 1 else (n - m) / (n - 1)
    noise = arb(v["dimension"]) * _deviation(v["clip"], v["noise"], v["batch"]) ** 2 / m
    return [arb(v["gradient_variance"]) / (m * arb(v["batch"])), spread * arb(v.get("heterogeneity", 0)) / m, noise]


def lowy_minibatch_bound(**v):
    """6.2"""
    eta, beta, d = arb(v["local_step"]), arb(v["smoothness"]), arb(v["distance"])
    allow(bool(eta * beta < 0.99))
    gain = 2 * (1 - beta * eta)
    parts = [eta * part / gain for part in _lowy_variance(v)]
    return _with_total([d**2 / (eta * arb(v["rounds"]) * gain), *parts], v["local_step"])


def _moment(v):
    return [arb(v["gradient_bound"]) ** 2, arb(0), _lowy_variance(v)[2]]


def lowy_lemma_d7(**v):
    eta, d = arb(v["local_step"]), arb(v["distance"])
    parts = [eta * part / 2 for part in _moment(v)]
    return _with_total([d**2 / (2 * eta * arb(v["rounds"])), *parts], v["local_step"])


def lowy_stich_bound(**v):
    """6.2, at the steps and weights of Stich 2019 (the paper's Lemma D.6)."""
    mu, h, rounds = arb(v["strong_convexity"]), arb(v["smoothness"]), int(v["rounds"])
    allow(rounds <= 3000 and v["strong_convexity"] <= v["smoothness"])
    steps = []
    if not less(h / mu, rounds):
        steps = [(1 / h, (1 - mu / h) ** (rounds - 1 - r)) for r in range(rounds)]
    else:
        half = (rounds + 1) // 2
        steps = [(1 / h, arb(0))] * half
        for r in range(half, rounds):
            shifted = 2 * h / mu + r - half
            steps.append((2 / (mu * shifted), shifted**2))
    # E|w_r - w*|^2 is at most start + noise times the second moment.
    start, noise = arb(v["distance"]) ** 2, arb(0)
    sums, weights, carried = [arb(0), arb(0)], arb(0), arb(0)
    for step, weight in steps:
        counts = arb(0).max(weight * (1 / step - mu) / 2 - carried)
        sums = [sums[0] + counts * start, sums[1] + counts * noise + weight * step / 2]
        weights += weight
        carried = weight / (2 * step)
        shrinks = 1 - mu * step
        start, noise = start * shrinks, noise * shrinks + step**2
    return _with_total([sums[0] / weights, *(sums[1] / weights * part for part in _moment(v))])


def _accelerated(beta, mu, gamma, rounds):
    """6.3: what multiplies D^2 and V^2."""
    noise = arb(0)
    for r in range(1, rounds + 1):
        alpha, falls = arb(2) / (r + 1), arb(2) / (r * (r + 1))
        margin = mu + 4 * gamma / (r * (r + 1)) - beta * alpha**2
        allow(bool(margin > 0))
        noise += alpha**2 / (2 * falls * margin)
    falls = arb(2) / (rounds * (rounds + 1))
    return falls * gamma, falls * noise


def lowy_accelerated_bound(**v):
    beta, mu, gamma = arb(v["smoothness"]), arb(v.get("strong_convexity", 0)), arb(v["gamma"])
    allow(v["rounds"] <= 3000 and v.get("strong_convexity", 0) <= v["smoothness"] and bool(gamma >= 2 * beta))
    start, noise = _accelerated(beta, mu, gamma, int(v["rounds"]))
    return _with_total([start * arb(v["distance"]) ** 2, *(noise * part for part in _lowy_variance(v))], v["gamma"])


def _ceiling(x: arb) -> int:
    found = x.ceil().unique_fmpz()
    if found is None:
        raise Undecided
    return int(found)


def lowy_multi_stage_bound(**v):
    """6.4, at the stages of the paper's appendix E.1."""
    beta, mu, gap = arb(v["smoothness"]), arb(v["strong_convexity"]), arb(v["gap"])
    allow(v["rounds"] <= 3000 and v["strong_convexity"] <= v["smoothness"])
    parts = _lowy_variance(v)
    variance, left, start, noise, k = sum(parts, arb(0)), int(v["rounds"]), gap, arb(0), 0
    while left > 0:
        k += 1
        at = 128 * variance / (3 * mu * gap) * arb(2) ** (k + 1)
        length = (4 * (2 * beta / mu).sqrt()).max(at)
        # no integer is so near to the edge that doubles take another one
        allow(
            not bool(abs(length - length.mid().floor()) < 1e-6) and not bool(abs(length.mid().ceil() - length) < 1e-6)
        )
        length = _ceiling(length)
        gamma = mu * variance * length * (length + 1) * (length + 2) / (3 * gap) * arb(2) ** (k - 1)
        ran = min(length, left)
        by_start, by_noise = _accelerated(beta, mu, (2 * beta).max(gamma.sqrt()), ran)
        shrinks = 2 * by_start / mu
        start, noise = start * shrinks, noise * shrinks + by_noise
        left -= length
    return _with_total([start, *(noise * part for part in parts)])


def _lowy_rate(v):
    m = arb(v.get("participants", v["users"]))
    allow(v.get("participants", 1) <= v["users"] and v.get("strong_convexity", 0) <= v["smoothness"])
    rate = (arb(v["dimension"]) * -arb(v["delta"]).log() / m).sqrt() / (arb(v["epsilon"]) * arb(v["records"]))
    return rate, arb(v["records"]) * m


def lowy_theorem21(**v):
    rate, records = _lowy_rate(v)
    l, d = arb(v["gradient_bound"]), arb(v["distance"])
    if v.get("strong_convexity", 0) == 0:
        return [l * d / records.sqrt(), l * d * rate]
    scale = l**2 / arb(v["strong_convexity"])
    return [scale / records, scale * rate**2]


def lowy_theorem31(**v):
    allow(v.get("participants", v["users"]) == v["users"])
    rate, records = _lowy_rate(v)
    l, d, beta, phi2 = (arb(v[x]) for x in ("gradient_bound", "distance", "smoothness", "gradient_variance"))
    if v.get("strong_convexity", 0) == 0:
        privacy = (4 * (beta.log() / 4 + l.log() + 3 * d.log() / 2 + rate.log()) / 5).exp()
        return [phi2.sqrt() * d / records.sqrt(), privacy]
    mu = arb(v["strong_convexity"])
    return [phi2 / (mu * records), (beta / mu).sqrt() * l**2 / mu * rate**2]


FUNCTIONS = {
    "convergence.noble_fedavg_bound": lambda **v: _noble(v, False),
    "convergence.noble_scaffold_bound": lambda **v: _noble(v, True),
    "convergence.noble_fedavg_orders": lambda **v: _noble_orders(v, False),
    "convergence.noble_scaffold_orders": lambda **v: _noble_orders(v, True),
    "convergence.noble_fedavg_theorem42": lambda **v: _noble_theorem42(v, False),
    "convergence.noble_scaffold_theorem42": lambda **v: _noble_theorem42(v, True),
    "convergence.chang_theorem3": lambda **v: _chang(v, True),
    "convergence.chang_corollary": lambda **v: _chang(v, False),
    "convergence.chen_theorem1": chen_theorem1,
    "convergence.chen_theorem2": chen_theorem2,
    "convergence.chen_theorem3": chen_theorem3,
    "convergence.chen_theorem4": chen_theorem4,
    "convergence.lowy_minibatch_bound": lowy_minibatch_bound,
    "convergence.lowy_lemma_d7": lowy_lemma_d7,
    "convergence.lowy_stich_bound": lowy_stich_bound,
    "convergence.lowy_accelerated_bound": lowy_accelerated_bound,
    "convergence.lowy_multi_stage_bound": lowy_multi_stage_bound,
    "convergence.lowy_theorem21": lowy_theorem21,
    "convergence.lowy_theorem31": lowy_theorem31,
}
