"""Plans that many tests ask about."""

from random import Random

_HANDFUL = [
    ("100 x gaussian(10)", "1e-5", "add_or_remove_one"),
    ("10000 x poisson(0.01, gaussian(1))", "1e-5", "add_or_remove_one"),
    ("9 x pure(0.175893)", "2.38195e-09", "add_or_remove_one"),
    ("9 x wor(22 of 50, gaussian(0.874735))", "2.4868e-07", "replace_one"),
    ("400 x participates(5 of 100, 10 x wor(800 of 4000, gaussian(10)))", "2.5e-6", "replace_one"),
    ("27 x poisson(0.0028915, discrete_laplace(1.26402)) + 74 x gaussian(1.52335)", "1.0444e-10", "add_or_remove_one"),
    (
        "43 x rr(0.0326372) + 6 x participates(0.237309, poisson(0.00495614, 12 x rr(0.224013)))",
        "4.739e-08",
        "zero_out_one",
    ),
    ("10 x shuffle(1000, rr(1)) + laplace(4)", "1e-6", "replace_one"),
    ("20 x approximate(0.1, 1e-9) + discrete_gaussian(5)", "1e-6", "add_or_remove_one"),
    ("nothing", "1e-5", "add_or_remove_one"),
]

_ADJACENCY = {"poisson": "add_or_remove_one", "wor": "replace_one", "participates": "zero_out_one"}


def _number(draw: Random, least: float, most: float) -> str:
    return f"{least * (most / least) ** draw.random():.6g}"


def _leaf(draw: Random) -> str:
    kind = draw.choice(["gaussian", "laplace", "discrete_gaussian", "discrete_laplace", "rr", "pure", "approximate"])
    if kind == "approximate":
        return f"approximate({_number(draw, 0.01, 1)}, {_number(draw, 1e-12, 1e-9)})"
    if kind in ("rr", "pure"):
        return f"{kind}({_number(draw, 0.01, 1)})"
    return f"{kind}({_number(draw, 0.7, 30)})"


def _plan(draw: Random, depth: int, sampling: str) -> str:
    if depth == 0:
        return _leaf(draw)
    kind = draw.randrange(4)
    inner = _plan(draw, depth - 1, sampling)
    if kind == 0:
        return f"{draw.randint(1, 200)} x ({inner})"
    if kind == 1:
        return f"{inner} + {_plan(draw, depth - 1, sampling)}"
    population = draw.randint(10, 10000)
    return f"{sampling}({draw.randint(1, population)} of {population}, {inner})"


def golden_plans(count: int) -> list[tuple[str, str, str]]:
    """Plan, delta as text, and adjacency: a handful of every kind, and random ones, the same in every run."""
    draw = Random(16)
    plans = list(_HANDFUL)
    while len(plans) < count:
        sampling = draw.choice(list(_ADJACENCY))
        plans.append((_plan(draw, draw.randrange(4), sampling), _number(draw, 1e-10, 1e-3), _ADJACENCY[sampling]))
    return plans
