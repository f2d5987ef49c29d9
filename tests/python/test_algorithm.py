"""Federated algorithms that are written in Python run in the simulator, and their ledgers verify."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dpbudget
from dpbudget import Algorithm, add_algorithm
from dpbudget._program import with_bounds

RUN = dict(users=6, user_rate=0.5, records=200, rounds=12, record_rate=0.25, noise=2, clip=1, seed=3)


class SignSgd(Algorithm):
    """Each participant sends one released gradient; the server goes against the sign of their mean."""

    name = "py-sign-sgd"
    one_step = True
    released_mean = True

    def client(self, round, server, state, release):
        assert round.noise_std > 0 and server.model.shape == (round.dimension,)
        self.kept, self.told = release, round
        return release.gradient(server.model)

    def server(self, round, updates, state):
        state.model -= 0.1 / round.number**0.25 * np.sign(sum(update.weight * update.model for update in updates))


class Averaging(Algorithm):
    """FedAvg with a server's momentum, a control that is sent along, and a count that each client keeps."""

    name = "py-averaging"
    takes_step = True

    def client(self, round, server, state, release):
        model = server.model.copy()
        self.steps = round.step_sizes
        assert round.step_size == round.step_sizes[0] and len(round.step_sizes) == 3
        for step in round.step_sizes:
            model -= step * release.gradient(model)
        state.control = np.ones(round.dimension) if state.control.size == 0 else state.control + 1
        return model - server.model, state.control

    def server(self, round, updates, state):
        mean = sum(update.weight * update.model for update in updates)
        assert all(update.control[0] >= 1 for update in updates)
        state.memory = [mean + 0.5 * state.memory[0] if state.memory else mean]
        state.model = state.model + state.memory[0]


class Greedy(SignSgd):
    """Asks for a second gradient, which nobody planned."""

    name = "py-greedy"

    def client(self, round, server, state, release):
        release.gradient(server.model)
        return release.gradient(server.model)


class Plain(SignSgd):
    """Adds no noise."""

    name = "py-plain"
    adds_noise = False

    def client(self, round, server, state, release):
        assert round.noise_std == 0
        return release.gradient(server.model)


class Misshapen(SignSgd):
    name = "py-misshapen"

    def client(self, round, server, state, release):
        return np.zeros(3)


class Diverging(SignSgd):
    name = "py-diverging"

    def client(self, round, server, state, release):
        return np.full(round.dimension, np.nan)


class Failing(SignSgd):
    name = "py-failing"

    def server(self, round, updates, state):
        raise ZeroDivisionError("of the algorithm's own")


@pytest.fixture(scope="module")
def algorithms():
    all_of_them = {kind: kind() for kind in (SignSgd, Averaging, Greedy, Plain, Misshapen, Diverging, Failing)}
    for algorithm in all_of_them.values():
        add_algorithm(algorithm)
    return all_of_them


@pytest.mark.parametrize(("name", "options"), [("py-sign-sgd", {}), ("py-averaging", {"local_steps": 3, "step": 0.1})])
def test_it_trains_and_its_ledger_verifies(algorithms, tmp_path, name, options):
    ledger = tmp_path / "run.jsonl"
    (run,) = dpbudget.simulate(algorithm=name, ledger=ledger, **RUN, **options)
    assert run["passed"] and len(run["history"]) == 3
    assert run["train_loss"] < np.log(10)  # of guessing
    report = dpbudget.verify(ledger)
    assert report["passed"] and report["views"] == run["views"] and report["rounds_executed"] == RUN["rounds"]
    for view in report["views"]:
        assert view["executed"]["epsilon"].guarantee == "proven"
    # The same run again is the same to the bit.
    (again,) = dpbudget.simulate(algorithm=name, ledger=tmp_path / "again.jsonl", **RUN, **options)
    assert again["train_loss"] == run["train_loss"] and ledger.read_text() == (tmp_path / "again.jsonl").read_text()


def test_a_step_is_the_runs(algorithms, tmp_path):
    ledger = tmp_path / "run.jsonl"
    run = {"algorithm": "py-averaging", "local_steps": 3, "step": 0.25, "ledger": ledger, **RUN}
    (trained,) = dpbudget.simulate(**run)
    assert algorithms[Averaging].steps == (0.25,) * 3
    assert trained["train_loss"] < 0.98 * np.log(10)  # of guessing, which a step of 0 leaves it at
    # In round 12 t is 34 to 36, or 12.
    dpbudget.simulate(**run, step_schedule="inverse:1,0", step_clock="steps")
    assert algorithms[Averaging].steps == pytest.approx([0.25 / t for t in (34, 35, 36)], rel=1e-12)
    assert dpbudget.verify(ledger)["passed"]
    dpbudget.simulate(**run, step_schedule="inverse:1,0")
    assert algorithms[Averaging].steps == pytest.approx([0.25 / 12] * 3, rel=1e-12)
    with pytest.raises(
        dpbudget.InvalidArgument, match="step_schedule is theorem, but must be another for py-averaging"
    ):
        dpbudget.simulate(**run, step_schedule="theorem")


def test_its_values_are_tuned(algorithms):
    run = {**RUN, "rounds": 4, "local_steps": 3}
    found = dpbudget.tune({"step": [1e-9, 0.25]}, algorithm="py-averaging", folds=2, **run)
    assert found["verified"] and found["best"] == {"step": "0.25"}
    with pytest.raises(dpbudget.Diverged, match="^the training diverged with every combination, a smaller"):
        dpbudget.tune({"clip": [1, 2]}, algorithm="py-diverging", folds=2, **{**RUN, "clip": None})


def test_no_step_is_told_where_none_is_taken(algorithms, tmp_path):
    dpbudget.simulate(algorithm="py-sign-sgd", ledger=tmp_path / "run.jsonl", **RUN)
    assert algorithms[SignSgd].told.step_size == 0 and algorithms[SignSgd].told.step_sizes == ()
    with pytest.raises(dpbudget.InvalidArgument, match="step"):
        dpbudget.simulate(algorithm="py-sign-sgd", step=0.1, ledger=tmp_path / "run.jsonl", **RUN)


def test_it_has_plans_for_every_adversary(algorithms):
    plans = {plan.adversary: plan for plan in dpbudget.plan("py-sign-sgd", users=6, user_rate=0.5, noise=2, rounds=12)}
    assert len(plans) == 5 and all(plan.guarantee == "proven" for plan in plans.values())
    # The mean of three participants hides each of them from who sees no more.
    assert plans["third_party"].epsilon.upper < plans["server"].epsilon.lower


def test_no_more_is_released_than_was_planned(algorithms, tmp_path):
    with pytest.raises(dpbudget.InvalidArgument, match="steps is 2, but must be those that were planned"):
        dpbudget.simulate(algorithm="py-greedy", ledger=tmp_path / "run.jsonl", **RUN)


def test_an_edited_ledger_is_found(algorithms, tmp_path):
    ledger = tmp_path / "run.jsonl"
    dpbudget.simulate(algorithm="py-sign-sgd", ledger=ledger, **RUN)
    before, after = ledger.read_text().rsplit('"noise_std":', 1)
    end = min(after.index(mark) for mark in ",}" if mark in after)
    ledger.write_text(f'{before}"noise_std":{float(after[:end]) * 0.99}{after[end:]}')
    assert not dpbudget.verify(ledger)["passed"]


def test_without_noise_nothing_is_proven(algorithms, tmp_path):
    plain = {key: value for key, value in RUN.items() if key not in ("noise", "clip")}
    (run,) = dpbudget.simulate(algorithm="py-plain", ledger=tmp_path / "run.jsonl", **plain)
    assert run["train_loss"] < np.log(10)


def test_mistakes_are_said(algorithms, tmp_path):
    with pytest.raises(dpbudget.InvalidArgument, match="algorithm.*py-sign-sgd"):
        add_algorithm(SignSgd())
    with pytest.raises(Exception, match="the update has shape \\(3,\\), but must have \\("):
        dpbudget.simulate(algorithm="py-misshapen", ledger=tmp_path / "a.jsonl", **RUN)
    with pytest.raises(dpbudget.Diverged, match="the training diverged, .*the update is not finite"):
        dpbudget.simulate(algorithm="py-diverging", ledger=tmp_path / "d.jsonl", **RUN)
    with pytest.raises(ZeroDivisionError, match="of the algorithm's own"):
        dpbudget.simulate(algorithm="py-failing", ledger=tmp_path / "b.jsonl", **RUN)
    dpbudget.simulate(algorithm="py-sign-sgd", ledger=tmp_path / "c.jsonl", **RUN)
    with pytest.raises(ValueError, match="for the call of `client`"):
        algorithms[SignSgd].kept.gradient(np.zeros(1))
    with pytest.raises(dpbudget.InvalidArgument, match="--rounds is x"):
        dpbudget.simulate(algorithm="py-sign-sgd", rounds="x")


def test_what_the_program_has_runs_as_before(algorithms, tmp_path):
    options = {**RUN, "algorithm": "dp-fedavg", "local_steps": 2}
    (inside,) = dpbudget.simulate(ledger=tmp_path / "run.jsonl", **options)
    program = Path(dpbudget.__file__).parent / "bin" / "dpbudget"
    given = [f"--{key.replace('_', '-')}={value}" for key, value in options.items()]
    outside = subprocess.run(
        [program, "simulate", *given, f"--ledger={tmp_path / 'run.jsonl'}", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert with_bounds(json.loads(outside.stdout)) == inside


def test_the_process_ends_well(tmp_path):
    code = f"""
import dpbudget, numpy as np
class Still(dpbudget.Algorithm):
    name, one_step = "py-still", True
    def client(self, round, server, state, release): return release.gradient(server.model)
    def server(self, round, updates, state): pass
dpbudget.add_algorithm(Still())
dpbudget.simulate(algorithm="py-still", ledger={str(tmp_path / "run.jsonl")!r}, **{RUN!r})
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
