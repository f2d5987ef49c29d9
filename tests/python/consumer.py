"""Code of somebody who uses the package: test_typing.py holds it to mypy --strict."""

from fractions import Fraction

import numpy as np

import dpbudget
from dpbudget import Accountant, Bound, Bounds, Plan, from_opacus, gaussian, laplace, poisson


def spent(noise: float) -> float:
    plan: Plan = 100 * poisson(0.01, gaussian(noise)) + laplace(10)
    bound: Bound = dpbudget.epsilon(plan, delta=1e-5)
    if bound <= 3:
        return bound.upper
    return dpbudget.solve("100 x poisson(0.01, gaussian(?))", epsilon=3, delta=1e-5).value or 0.0


def curve(noises: "np.typing.NDArray[np.float64]") -> "np.typing.NDArray[np.float64]":
    found: Bounds = dpbudget.epsilon("poisson(0.01, gaussian(?))", delta=1e-5, count=1000, at=noises)
    return found.upper


def several(deltas: list[float]) -> list[float]:
    account = Accountant("gaussian(2)", adjacency="zero_out_one")
    account.add(dpbudget.wor((5, 100), gaussian("?")).at(2.0), count=3)
    total: float = account.epsilon(1e-5).upper + account.delta(1.0).ln_upper
    return [total, *account.epsilon(deltas).upper.tolist()]


def rounds() -> int:
    found = dpbudget.rounds("poisson(0.02, gaussian(1.5))", 3, 1e-6)
    return found.rounds if found.at_next is None else int(found)


def tuned(steps: list[float]) -> Bound:
    found = dpbudget.tune({"step": steps}, algorithm="dp-fedavg", noise=5)
    spent: Bound = found["spending"][0]["both"]
    return spent


def texts() -> list[str]:
    try:
        run = dpbudget.dpsgd(records=60000, batch=256, epochs=60, noise="?", epsilon=3)
        plan = from_opacus([(run.noise, 256 / 60000, run.steps)])
        return [
            str(plan),
            plan.json(),
            plan.adjacency,
            *(line.accountant for line in dpbudget.compare(plan, delta=1e-5)),
        ]
    except (dpbudget.InvalidArgument, dpbudget.PlanError, dpbudget.Unsupported) as error:
        return [str(error)]


def numbers_of_other_kinds() -> Plan:
    grid: Bounds = dpbudget.epsilon("poisson(0.01, gaussian(1))", delta=[1e-3, 1e-5], count=[[100], [1000]])
    plan = np.int64(3) * gaussian(Fraction(3, 2)) + gaussian(np.float32(1.1)) * np.int64(2)
    run = dpbudget.dpsgd(records=np.int64(60000), batch=256, epochs=Fraction(3, 2), noise=1.1)
    total = sum([plan, run.plan.under("add_or_remove_one")])
    return total if isinstance(total, Plan) and len(grid) else plan


class Own(dpbudget.Algorithm):
    name = "own"

    def client(
        self,
        round: dpbudget.Round,
        server: dpbudget.ServerState,
        state: dpbudget.ClientState,
        release: dpbudget.Release,
    ) -> "np.typing.NDArray[np.float64]":
        return release.gradient(server.model)
