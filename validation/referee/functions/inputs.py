"""Inputs of the vectors: of each function, every extreme of every parameter with the others drawn, and as many more
draws as there is place for. Numbers are short, so that lines are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

Draw = Callable[[Random], object]


def _short(x: float, digits: int = 4) -> float:
    return float(f"{x:.{digits}g}")


def log_between(low: float, high: float) -> Draw:
    """Evenly on a logarithmic scale."""
    return lambda r: _short(low * (high / low) ** r.random())


def between(low: float, high: float) -> Draw:
    return lambda r: _short(r.uniform(low, high))


def whole(low: int, high: int) -> Draw:
    """Evenly on a logarithmic scale."""
    return lambda r: min(high, max(low, int(low * (high / low) ** r.random() + r.random())))


def one_of(*values) -> Draw:
    return lambda r: r.choice(values)


def mixed(*draws: Draw) -> Draw:
    return lambda r: r.choice(draws)(r)


def above_1(high: float) -> Draw:
    return lambda r: _short(1 + 10 ** r.uniform(-6, 1) if r.random() < 0.3 else 1.001 + (high - 1) * r.random() ** 2, 7)


def many(draw: Draw, least: int, most: int) -> Draw:
    return lambda r: [draw(r) for _ in range(r.randint(least, most))]


rate = mixed(log_between(1e-6, 1), between(0, 1))
EDGE_RATES = [0, 1e-12, 1e-6, 0.5, 0.999999, 1]
noise = log_between(0.3, 100)
delta = mixed(log_between(1e-12, 0.5), log_between(1e-300, 1e-12))
EDGE_DELTAS = [1e-300, 1e-15, 0.5, 0.999]
epsilon = mixed(log_between(1e-3, 30), log_between(0.05, 5))
EDGE_EPSILONS = [0, 1e-9, 1e-3, 50]


class Domain:
    """A parameter's draw, and its extremes; left out is a parameter that is optional in half of the draws."""

    def __init__(self, draw: Draw, extremes=(), optional: bool = False):
        self.draw, self.extremes, self.optional = draw, list(extremes), optional


D = Domain
Domains = dict[str, Domain]

_order = D(above_1(200), [1.000001, 1.5, 2, 64])
_sampled = {"rate": D(rate, EDGE_RATES), "noise_multiplier": D(noise, [0.3, 1e3])}
_whole_order = D(whole(2, 200), [2, 3, 200])
_direction = D(one_of("remove", "add"))
_mechanism = {"epsilon": D(log_between(1e-3, 3), [0, 1e-9, 20]), "delta": D(log_between(1e-12, 1e-3), [0, 1e-30, 0.1])}
_rho = D(log_between(1e-8, 30), [0, 1e-12, 1e3])
_omega = D(lambda r: _short(1 + 10 ** r.uniform(-2, 3)), [1.001, 1e6, "inf"])
_error = D(mixed(between(0, 1), log_between(1e-12, 1)), [0, 1e-200, 0.5, 0.999999, 1])
_mu = D(log_between(1e-3, 20), [0, 1e-9, 40])
_local = D(log_between(0.05, 6), [1e-3, 20])
_reports = D(whole(2, 3000), [1, 2, 3])
_reports_few = D(whole(2, 90), [1, 2])
_small_epsilon = D(log_between(1e-3, 2), [0, 1e-6])
_steps = D(whole(1, 100_000), [0, 1, 10**9])

# Of runs
_rounds = D(whole(1, 3000), [1, 2])
_many_rounds = D(whole(100, 10**6), [1, 2])
_positive = D(log_between(0.05, 50), [1e-3, 1e3])
_run = {
    "smoothness": D(log_between(0.1, 20), [1e-3, 1e3]),
    "noise": D(log_between(0.05, 20), [0]),
    "clip": _positive,
    "batch": D(whole(1, 300), [1]),
    "dimension": D(whole(1, 10**5), [1, 10**7]),
    "users": D(whole(1, 300), [1]),
    "participants": D(whole(1, 100), [1], optional=True),
}
_local_steps = {"local_steps": D(whole(1, 40), [1])}
_variance = {"gradient_variance": D(log_between(1e-3, 20), [0])}
_noble = {**_run, "rounds": _rounds, **_local_steps, **_variance}
_server = {"server_step": D(between(1, 4), [1, 10], optional=True)}
_differ = {
    "dissimilarity_offset": D(log_between(1e-3, 10), [0]),
    "dissimilarity_factor": D(between(1, 3), [1], optional=True),
}
_losses = {
    "distance": D(log_between(0.05, 50), []),
    "gap": D(log_between(0.05, 50), []),
    "strong_convexity": D(log_between(1e-3, 1), [0], optional=True),
}
_small_step = {"local_step": D(log_between(1e-7, 1e-2), [1e-12])}
_chen_convex = {
    "strong_convexity": D(log_between(1e-3, 1)),
    **_variance,
    "optima_gap": D(log_between(1e-3, 3), [0]),
    "distance": D(log_between(0.05, 50)),
}
_chen = {**_run, "rounds": _rounds, **_local_steps, "gradient_bound": D(log_between(0.05, 20), [1e-3])}
_chen_rest = {"heterogeneity": D(log_between(1e-3, 10), [0]), "gap": D(log_between(0.05, 50)), **_small_step}
_chen_server = {"second_momentum": D(between(0.5, 0.999), [], True), "adaptivity": D(log_between(1e-3, 1), [], True)}
_lowy = {**_run, **_variance, "heterogeneity": D(log_between(1e-3, 10), [0]), "rounds": _rounds}
_bound = {"gradient_bound": D(log_between(0.05, 20))}
_far = {"distance": D(log_between(0.05, 50))}
_mu_of_losses = {"strong_convexity": D(log_between(1e-3, 1))}
_risk = {
    **{name: _run[name] for name in ("smoothness", "dimension", "users", "participants")},
    **_variance,
    "heterogeneity": D(log_between(1e-3, 10), [0]),
    "rounds": _rounds,
    **_bound,
    **_far,
    "strong_convexity": D(log_between(1e-3, 0.1), [0], True),
    "records": D(whole(1, 10**6), [1]),
    "epsilon": D(log_between(0.01, 30), [1e-6]),
    "delta": D(delta, EDGE_DELTAS),
}
_budget = {
    "epsilon": D(between(0.01, 0.99), [1e-6]),
    "delta": D(log_between(1e-12, 1e-3), [1e-300]),
    "records": D(whole(300, 10**5)),
    "distance": D(log_between(0.05, 50)),
}
_no_noise = {name: domain for name, domain in _noble.items() if name != "noise"}
_schedule = D(
    mixed(
        lambda r: f"chang1:beta={_short(r.uniform(0.5, 1), 3)},hold={r.randint(0, 20)}",
        lambda r: f"chang2:beta={_short(r.uniform(0.9, 1), 3)},hold={r.randint(0, 20)}",
        one_of("constant"),
    ),
    ["chang1:beta=1,hold=0", "chang2:beta=1,hold=0"],
    optional=True,
)
_chang = {
    **_run,
    "rounds": D(whole(1, 300), [1]),
    **_local_steps,
    **_variance,
    "distance": D(log_between(0.05, 50)),
    "control_error": D(log_between(1e-3, 10), [0]),
    **_server,
    "local_step": D(log_between(1e-9, 1e-5), [], True),
    "schedule": _schedule,
}
_chang_privacy = {
    "user_rate": D(rate, [1e-9, 1]),
    "record_rate": D(rate, [1e-9, 1]),
    "lipschitz": _positive,
    "local_steps": D(whole(1, 50), [1]),
    "batch": D(whole(1, 300), [1]),
    "sigma0": D(log_between(0.3, 100), [1e-3, 1e4]),
    "hold": D(whole(1, 50), [0]),
    "rounds": D(whole(1, 300), [1]),
    "beta": D(between(0.9, 1), [0.5, 0.999999, 1]),
}


def _shares(r: Random, outputs: int) -> list[float]:
    cuts = sorted(r.randint(1, 63) for _ in range(outputs - 1))
    return [(right - left) / 64 for left, right in zip([0, *cuts], [*cuts, 64])]


def _laws(r: Random) -> dict:
    outputs = r.choice([1, 2, 2, 2, 3, 3, 4])
    inputs = {name: _shares(r, outputs) for name in ("r0", "r1", "others")}
    if r.random() < 0.2:  # whose sum is not quite 1
        third = r.choice(["r0", "r1", "others"])
        inputs[third] = [x * (1 + 2**-40) if x * (1 + 2**-40) <= 1 else x for x in inputs[third]]
    most = {1: 1000, 2: 300, 3: 40, 4: 12}[outputs]
    return {**inputs, "reports": r.randint(1, most), "epsilon": r.choice([0, 0.01, 0.1, 0.5, 1, 2])}


def _mechanisms(r: Random, total: bool) -> dict:
    count = r.randint(1, 9)
    inputs = {
        "epsilons": [_short(10 ** r.uniform(-3, 0.7), 3) for _ in range(count)],
        "deltas": [r.choice([0, _short(10 ** r.uniform(-12, -2), 3)]) for _ in range(count)],
    }
    if total:
        inputs["total_epsilon"] = _short(r.uniform(0, 1) * sum(inputs["epsilons"]))
    return inputs


def _random_lists(r: Random) -> dict:
    return {
        "epsilons": [_short(10 ** r.uniform(-4, 0.5), 3) for _ in range(r.randint(1, 25))],
        "slack": r.choice([0, 1, _short(10 ** r.uniform(-12, 0), 3)]),
    }


def _optimal_at(r: Random) -> dict:
    count = whole(1, 2000)(r)
    return {
        "epsilon": r.choice([0, 1e-9, log_between(1e-3, 3)(r), log_between(1e-3, 3)(r)]),
        "delta": r.choice([0, 1e-30, log_between(1e-12, 1e-3)(r)]),
        "count": count,
        "index": r.randint(0, count // 2),
    }


def _optimal_delta(r: Random) -> dict:
    inputs = {**_optimal_at(r)}
    del inputs["index"]
    share = r.choice([0, 1e-6, r.random(), r.random(), 0.999, 1])
    return {**inputs, "total_epsilon": _short(share * inputs["count"] * inputs["epsilon"])}


def _with_replacement(r: Random) -> dict:
    return {
        "epsilon": r.choice([0, log_between(1e-3, 5)(r), log_between(1e-3, 5)(r)]),
        "mu": log_between(1e-3, 3)(r),
        "population": r.choice([1, 2, 10**9, whole(2, 10**5)(r), whole(2, 10**5)(r)]),
        "draws": whole(1, 300)(r),
    }


DOMAINS: dict[str, Domains | Callable[[Random], dict]] = {
    "renyi.gaussian": {"order": D(above_1(1e4), [1, 1.000001, 1e9]), "noise_multiplier": D(noise, [1e-6, 1e9])},
    "renyi.laplace": {
        "order": D(above_1(1e3), [1, 1.000001, 1e6, "inf"]),
        "scale": D(log_between(0.01, 1e4), [1e-3, 1e6]),
    },
    "renyi.randomized_response": {
        "order": D(above_1(1e3), [1, 1.000001, 1e6, "inf"]),
        "truth_probability": D(between(0.001, 0.999), [1e-12, 0.5, 0.500000000001, 0.999999999999]),
    },
    "renyi.pure": {"order": D(above_1(1e3), [1, 1.000001, 1e6, "inf"]), "epsilon": D(epsilon, [0, 1e-12, 700])},
    "renyi.poisson_gaussian": {**_sampled, "order": _order},
    "renyi.poisson_gaussian_reverse": {**_sampled, "order": D(above_1(60), [1.000001, 1.5, 2, 60])},
    "renyi.poisson_laplace": {
        "rate": D(rate, EDGE_RATES),
        "scale": D(log_between(0.05, 1e3), [0.01, 1e5]),
        "order": _whole_order,
        "odd_moment_factor": D(one_of(1, 3), [1, 3]),
    },
    "renyi.without_replacement_gaussian": {**_sampled, "order": D(above_1(60), [1.000001, 1.5, 2, 60])},
    "renyi.without_replacement_gaussian.uncapped": {**_sampled, "order": _whole_order},
    "renyi.without_replacement_gaussian.ternary_uncapped": {**_sampled, "order": D(whole(2, 60), [2, 3, 60])},
    "renyi.without_replacement_gaussian.interpolated_uncapped": {**_sampled, "order": _order},
    "renyi.without_replacement_laplace.uncapped": {
        "rate": D(rate, EDGE_RATES),
        "scale": D(log_between(0.05, 1e3), [0.01, 1e5]),
        "order": _whole_order,
    },
    "renyi.to_epsilon.mironov": {
        "order": D(above_1(1e3), [1.000001, 1e6]),
        "rdp": D(epsilon, [0, 1e-9, 1e6]),
        "delta": D(delta, EDGE_DELTAS),
    },
    "renyi.to_epsilon.canonne": {
        "order": D(above_1(1e3), [1.000001, 1e6]),
        "rdp": D(epsilon, [0, 1e-9, 1e6]),
        "delta": D(delta, EDGE_DELTAS),
    },
    "renyi.to_delta.mironov": {
        "order": D(above_1(1e3), [1.000001, 1e6]),
        "rdp": D(epsilon, [0, 1e-9]),
        "epsilon": D(epsilon, [*EDGE_EPSILONS, 1e6]),
    },
    "renyi.to_delta.canonne": {
        "order": D(above_1(1e3), [1.000001, 1e6]),
        "rdp": D(epsilon, [0, 1e-9]),
        "epsilon": D(epsilon, [*EDGE_EPSILONS, 1e6]),
    },
    "gaussian.delta": {"epsilon": D(epsilon, [-3, *EDGE_EPSILONS]), "noise_multiplier": D(noise, [1e-3, 1e6])},
    "gaussian.epsilon": {"noise_multiplier": D(noise, [1e-3, 1e4]), "delta": D(delta, EDGE_DELTAS)},
    "gaussian.noise_multiplier": {"epsilon": D(epsilon, [*EDGE_EPSILONS, 1e6]), "delta": D(delta, EDGE_DELTAS)},
    "discrete_gaussian.delta": {
        "epsilon": D(epsilon, [-2, *EDGE_EPSILONS]),
        "sigma": D(log_between(0.1, 100), [0.01, 300]),
        "sensitivity": D(whole(1, 50), [1, 1000]),
    },
    "poisson_gaussian.delta": {**_sampled, "epsilon": D(epsilon, [-1, *EDGE_EPSILONS]), "direction": _direction},
    "poisson_gaussian.composed_delta": {
        "rate": D(mixed(log_between(1e-3, 1), between(0, 1), one_of(0, 1)), [0, 1e-6, 0.999999, 1]),
        "noise_multiplier": D(log_between(0.5, 3), [0.3, 5]),
        "epsilon": D(log_between(0.01, 5), [-0.5, 0]),
        "steps": D(one_of(1, 2, 2, 3), [1, 3]),
        "direction": _direction,
    },
    "approximate.basic_composition": lambda r: _mechanisms(r, False),
    "approximate.advanced_composition": {
        **_mechanism,
        "count": D(whole(1, 10**6), [0, 1, 2**53]),
        "slack": D(log_between(1e-12, 1), [1e-300, 1]),
    },
    "approximate.kairouz_heterogeneous_epsilon": _random_lists,
    "approximate.group": {**_mechanism, "size": D(whole(1, 100), [1, 500])},
    "approximate.optimal_composition_delta": _optimal_delta,
    "approximate.optimal_composition_epsilon": {
        **_mechanism,
        "count": D(whole(1, 300), [1, 2]),
        "total_delta": D(log_between(1e-9, 0.5), [0, 1e-30, 1]),
    },
    "approximate.optimal_composition_at": _optimal_at,
    "approximate.optimal_composition_heterogeneous_delta": lambda r: _mechanisms(r, True),
    "approximate.amplify_by_sampling": {**_mechanism, "rate": D(rate, EDGE_RATES)},
    "approximate.amplify_with_replacement_gaussian": _with_replacement,
    "concentrated.zcdp_to_epsilon": {"rho": _rho, "delta": D(delta, EDGE_DELTAS)},
    "concentrated.zcdp_to_epsilon.optimal": {"rho": _rho, "delta": D(delta, EDGE_DELTAS)},
    "concentrated.zcdp_to_delta": {"rho": _rho, "epsilon": D(epsilon, EDGE_EPSILONS)},
    "concentrated.tcdp_to_epsilon": {"rho": _rho, "omega": _omega, "delta": D(delta, EDGE_DELTAS)},
    "concentrated.tcdp_to_delta": {"rho": _rho, "omega": _omega, "epsilon": D(epsilon, EDGE_EPSILONS)},
    "concentrated.tcdp_amplify": {
        "rate": D(log_between(1e-6, 0.1), [1e-300, 0.1]),
        "rho": D(log_between(1e-6, 0.1), [1e-12, 0.1]),
        "omega": D(log_between(100, 1e9), ["inf"]),
    },
    "concentrated.dpnfl_theorem5": {
        "participations": D(whole(1, 1000), [1]),
        "local_steps": D(whole(1, 50), [1]),
        "gradient_bound": _positive,
        "records": D(whole(100, 10**6)),
        "batch": D(whole(1, 1000), [1]),
        "noise_std": D(log_between(0.01, 1e3)),
    },
    "tradeoff.gaussian": {"mu": _mu, "type_one_error": _error},
    "tradeoff.gaussian_to_delta": {"mu": _mu, "epsilon": D(epsilon, [-2, *EDGE_EPSILONS])},
    "tradeoff.approximate": {
        "type_one_error": _error,
        "epsilon": D(epsilon, EDGE_EPSILONS),
        "delta": D(log_between(1e-12, 0.5), [0, 0.5, 1]),
    },
    "tradeoff.laplace": {"type_one_error": _error, "epsilon": D(epsilon, EDGE_EPSILONS)},
    "tradeoff.subsampled_gaussian": {"rate": D(rate, EDGE_RATES), "mu": _mu, "type_one_error": _error},
    "tradeoff.subsampled_gaussian_to_delta": {
        "rate": D(rate, EDGE_RATES),
        "mu": _mu,
        "epsilon": D(epsilon, [-1, *EDGE_EPSILONS]),
    },
    "tradeoff.clt_mu.poisson": {
        "rate": D(rate, EDGE_RATES),
        "noise_multiplier": D(noise, [0.02, 1e6]),
        "steps": _steps,
    },
    "tradeoff.clt_mu.without_replacement": {
        "rate": D(rate, EDGE_RATES),
        "noise_multiplier": D(noise, [0.02, 1e6]),
        "steps": _steps,
    },
    "tradeoff.subsampled_gaussian_moments": {
        "rate": D(rate, EDGE_RATES),
        "mu": D(log_between(0.01, 10), [0, 1e-3, 20]),
    },
    "tradeoff.berry_esseen": {
        "rate": D(rate, [1e-6, 0.999999, 1]),
        "mu": D(log_between(0.01, 10), [1e-3, 20]),
        "steps": D(whole(1, 10**9), [1]),
    },
    "tradeoff.federated_reach_probability": {"client_rate": D(rate, EDGE_RATES), "rounds": _steps},
    "tradeoff.federated_reach_probability_as_published": {"client_rate": D(rate, EDGE_RATES), "rounds": _steps},
    "shuffle.clones_delta": {"local_epsilon": _local, "reports": _reports, "epsilon": _small_epsilon},
    "shuffle.clones_epsilon": {
        "local_epsilon": _local,
        "reports": D(whole(2, 300), [1, 2]),
        "delta": D(log_between(1e-12, 0.1), [1e-100, 0.9]),
    },
    "shuffle.clones_renyi": {"local_epsilon": _local, "reports": _reports_few, "order": D(above_1(60), [1.000001, 2])},
    "shuffle.clones_epsilon_closed_form": {
        "local_epsilon": _local,
        "reports": D(whole(1000, 10**9), [2**53]),
        "delta": D(delta, EDGE_DELTAS),
    },
    "shuffle.clones_closed_form_approximate": {
        "local_epsilon": _local,
        "local_delta": D(log_between(1e-20, 1e-3), [0, 1]),
        "reports": D(whole(1000, 10**9), [2**53]),
        "delta": D(delta, EDGE_DELTAS),
    },
    "shuffle.girgis_renyi": {
        "local_epsilon": D(log_between(0.01, 3), [1e-6]),
        "reports": D(whole(1000, 10**9), [2**53]),
        "order": D(whole(2, 30), [2]),
    },
    "shuffle.stronger_clones_delta": {"local_epsilon": _local, "reports": _reports, "epsilon": _small_epsilon},
    "shuffle.stronger_clones_renyi": {
        "local_epsilon": _local,
        "reports": _reports_few,
        "order": D(above_1(60), [1.000001, 2]),
    },
    "shuffle.variation_ratio_revealed_delta": {
        "ratio": D(log_between(1.1, 30), [1000]),
        "total_variation": D(log_between(0.01, 0.9)),
        "background_ratio": D(log_between(1, 30), [1000]),
        "reports": D(whole(2, 2000), [1, 2]),
        "epsilon": _small_epsilon,
    },
    "shuffle.silo_clones_delta": {
        "local_epsilon": D(log_between(0.01, 2), [1e-3]),
        "records": D(whole(1, 30), [1]),
        "silos": _reports,
        "epsilon": _small_epsilon,
    },
    "shuffle.silo_clones_epsilon_closed_form": {
        "local_epsilon": D(log_between(0.01, 2), [1e-6]),
        "records": D(whole(1, 30), [1]),
        "silos": D(whole(1000, 10**9), [2**53]),
        "delta": D(delta, EDGE_DELTAS),
    },
    "shuffle.exact_delta": _laws,
    "shuffle.randomized_response_delta": {
        "local_epsilon": D(log_between(0.01, 6), [0, 20]),
        "reports": D(whole(1, 2000), [1, 2]),
        "epsilon": _small_epsilon,
    },
    "shuffle.binomial_shift_delta": {
        "trials": D(whole(1, 2000), [1]),
        "probability": D(between(0.01, 0.99), [1e-9, 0.5]),
        "shift": D(whole(1, 20), [0, 1]),
        "epsilon": D(log_between(1e-3, 5), [0]),
    },
    "algorithm.noble_third_party_epsilon_as_published": {
        "rounds": D(whole(1, 3000), [1]),
        "local_steps": D(whole(1, 50), [1]),
        "users": D(whole(1, 1000), [1]),
        "user_rate": D(log_between(0.01, 1), [1]),
        "record_rate": D(log_between(0.01, 1), [1]),
        "noise_multiplier": D(log_between(3, 300)),
        "delta": D(log_between(1e-12, 0.1), [1e-300]),
        "max_order": D(whole(2, 40), [2]),
    },
    "schedule.chang_theorem1": {"order": D(above_1(100), [1.000001]), **_chang_privacy},
    "schedule.chang_theorem2": {"order": D(above_1(100), [1.000001]), **_chang_privacy},
    "schedule.sum_inverse_variance": {
        "scheme": D(one_of(1, 2), [1, 2]),
        "rounds": D(whole(1, 300), [0, 1]),
        **{name: _chang_privacy[name] for name in ("local_steps", "sigma0", "hold", "beta")},
    },
    "algorithm.lowy_advanced_composition_variance": {
        "lipschitz": _positive,
        "rounds": D(whole(1, 10**4), [1]),
        "batch": D(whole(1, 1000), [1]),
        "records": D(whole(1, 10**6)),
        "epsilon": D(log_between(1e-3, 30), [1e-9]),
        "delta": D(delta, [1e-300]),
    },
    "algorithm.lowy_experiment_variance": {
        "lipschitz": _positive,
        "rounds": D(whole(1, 10**4), [1]),
        "records": D(whole(1, 10**6), [1]),
        "epsilon": D(log_between(1e-3, 30), [1e-9]),
        "delta": D(delta, EDGE_DELTAS),
    },
    "convergence.noble_fedavg_bound": {**_noble, **_losses, **_differ, **_server, **_small_step},
    "convergence.noble_scaffold_bound": {**_noble, **_losses, **_server, **_small_step},
    "convergence.noble_fedavg_orders": {**_noble, "rounds": _many_rounds, **_losses, **_differ},
    "convergence.noble_scaffold_orders": {**_noble, "rounds": _many_rounds, **_losses},
    "convergence.noble_fedavg_theorem42": {**_no_noise, **_differ, **_budget},
    "convergence.noble_scaffold_theorem42": {**_no_noise, **_budget},
    "convergence.chang_theorem3": _chang,
    "convergence.chang_corollary": _chang,
    "convergence.chen_theorem1": {**_chen, **_chen_convex},
    "convergence.chen_theorem2": {**_chen, **_chen_rest},
    "convergence.chen_theorem3": {**_chen, **_chen_convex, **_chen_server},
    "convergence.chen_theorem4": {
        **_chen,
        **_chen_rest,
        **_chen_server,
        "server_step": D(log_between(0.1, 10), [], True),
    },
    "convergence.lowy_minibatch_bound": {**_lowy, **_far, "local_step": D(log_between(1e-6, 0.3))},
    "convergence.lowy_lemma_d7": {**_lowy, **_bound, **_far, "local_step": D(log_between(1e-6, 3))},
    "convergence.lowy_stich_bound": {**_lowy, **_bound, **_far, **_mu_of_losses, "rounds": D(whole(1, 300), [1, 2])},
    "convergence.lowy_accelerated_bound": {
        **_lowy,
        **_far,
        "strong_convexity": D(log_between(1e-3, 0.1), [0], True),
        "gamma": D(log_between(1, 1e4)),
        "rounds": D(whole(1, 300), [1, 2]),
    },
    "convergence.lowy_multi_stage_bound": {
        **_lowy,
        **_mu_of_losses,
        "gap": D(log_between(0.05, 50)),
        "rounds": D(whole(1, 300), [1, 2]),
    },
    "convergence.lowy_theorem21": _risk,
    "convergence.lowy_theorem31": {**_risk, "participants": D(one_of("all"), [], True)},
}


def _one(random: Random, domains: Domains) -> dict:
    inputs = {}
    for name, domain in domains.items():
        if domain.optional and random.random() < 0.5:
            continue
        inputs[name] = domain.draw(random)
    if "distance" in inputs and "gap" in inputs:  # losses are convex, or they are not
        inputs.pop("gap" if random.random() < 0.7 else "distance")
        if "gap" in inputs:
            inputs.pop("strong_convexity", None)
    return inputs


def _settled(inputs: dict) -> dict:
    """Where all users are to take part, how many these are."""
    return {**inputs, "participants": inputs["users"]} if inputs.get("participants") == "all" else inputs


def draws(function: str, random: Random) -> Iterator[dict]:
    """Without an end; the extremes come first, each twice."""
    domains = DOMAINS[function]
    if callable(domains):
        while True:
            yield domains(random)
    for _ in range(2):
        for name, domain in domains.items():
            for extreme in domain.extremes:
                inputs = _one(random, domains)
                if name == "strong_convexity" and "gap" in inputs:
                    continue
                yield _settled({**inputs, name: extreme})
    while True:
        yield _settled(_one(random, domains))
