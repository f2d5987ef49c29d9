"""Python and the program give the same answers, to the bit; and what is asked of the program."""

import gzip
import json
import re
import subprocess

import numpy as np
import pytest

import dpbudget
from golden import golden_plans
from program import PROGRAM, as_printed, printed, without_theorem


@pytest.mark.parametrize(("plan", "delta", "adjacency"), golden_plans(300))
def test_epsilon_is_the_programs(plan, delta, adjacency):
    answer = printed("epsilon", plan, "--delta", delta, "--adjacency", adjacency)
    bound = dpbudget.epsilon(plan, float(delta), adjacency=adjacency)
    assert as_printed(bound) == without_theorem(answer["epsilon"])
    assert json.loads(dpbudget.Plan(plan, adjacency).json()) == answer["plan"]
    assert all(theorem in answer["epsilon"]["theorem"] for theorem in bound.theorems)


def test_the_other_questions_are_the_programs():
    step = "poisson(0.02, gaussian(1.5))"
    rounds = printed("rounds", step, "--epsilon", "3", "--delta", "1e-6")
    found = dpbudget.rounds(step, 3, 1e-6)
    assert found.rounds == rounds["rounds"]
    assert as_printed(found.at_next) == without_theorem(rounds["at_next"])
    solved = printed("solve", "100 x poisson(0.02, gaussian(?))", "--epsilon", "1", "--delta", "1e-6")
    assert dpbudget.solve("100 x poisson(0.02, gaussian(?))", 1, 1e-6).value == solved["value"]
    delta = printed("delta", step, "--epsilon", "2")["delta"]
    assert dpbudget.delta(step, 2).ln_upper == delta["ln_upper"]


def test_errors_are_the_programs():
    run = subprocess.run(
        [PROGRAM, "epsilon", "gaussian(", "--delta", "1e-5"], capture_output=True, text=True, check=False
    )
    with pytest.raises(dpbudget.PlanError) as caught:
        dpbudget.epsilon("gaussian(", 1e-5)
    assert run.stderr == f"dpbudget: {caught.value}\n"


def test_frequency_is_the_programs():
    found = dpbudget.frequency(users=1000, categories=4, epsilon=1, delta=1e-6, frequency=0.5)
    answer = printed("frequency", "--users=1000", "--categories=4", "--epsilon=1", "--delta=1e-6", "--frequency=0.5")
    assert [oracle.variance for oracle in found] == [oracle["variance"] for oracle in answer["oracles"]]
    texts = ["rr(1, 4)", "subset_selection(1, 4, 1)", "rappor(1, 4)", "oue(1, 4)", "hadamard(1, 4)"]
    assert [str(oracle.local) for oracle in found] == [text + " under replace_one" for text in texts]
    for oracle in found:
        assert oracle.local_epsilon.upper == 1
        alone = dpbudget.epsilon(dpbudget.shuffle(1000, oracle.local), delta=1e-6)
        assert oracle.shuffled_epsilon.upper == alone.upper < 1 and oracle.shuffled_epsilon.guarantee == "proven"
    with pytest.raises(dpbudget.InvalidArgument, match="categories is 1"):
        dpbudget.frequency(users=1000, categories=1, epsilon=1, delta=1e-6)


def test_risk_converge_and_heterogeneity_are_the_programs():
    plan = dpbudget.Plan("100 x rr(0.1)", "replace_one")
    found = dpbudget.risk(plan, fpr=0.02)
    answer = printed("risk", "100 x rr(0.1) under replace_one", "--fpr", "0.02")
    for name in ("advantage", "balanced_error", "true_positive_rate", "posterior"):
        bound = getattr(found, name)
        assert (bound.lower, bound.upper) == (answer[name]["lower"], answer[name]["upper"])
        assert bound.theorems == tuple(answer["theorems"]) and bound.guarantee == "proven"
    assert found.reconstruction.upper == answer["reconstruction"]["upper"] and found.reconstruction.lower == 0
    assert (found.fpr, found.prior, found.baseline) == (0.02, 0.5, 0.1) and found.plan == plan
    with pytest.raises(dpbudget.InvalidArgument, match="fpr is 2"):
        dpbudget.risk(plan, fpr=2)
    options = {
        "rounds": 50,
        "smoothness": 1,
        "distance": 5,
        "gradient_variance": 1,
        "batch": 4,
        "clip": 1,
        "noise": 2,
        "users": 10,
        "dimension": 5,
    }
    flags = [f"--{key.replace('_', '-')}={value}" for key, value in options.items()]
    assert dpbudget.converge("mb-sgd", **options) == printed("converge", "mb-sgd", *flags)
    found = dpbudget.heterogeneity(users=3, records=50)
    assert found == printed("heterogeneity", "--users=3", "--records=50")


def test_ledger_is_the_programs(tmp_path):
    plain, packed = tmp_path / "run.jsonl", tmp_path / "run.jsonl.gz"
    dpbudget.simulate(algorithm="dp-fedavg", users=3, records=40, rounds=2, user_rate=1, noise=5, clip=1, ledger=plain)
    found = dpbudget.ledger(plain, to=packed)
    assert found == printed("ledger", str(plain))
    assert found["rounds"] == 2 and found["participations"] == 6 and not found["packed"]
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert dpbudget.verify(packed)["passed"]


TUNE = {
    "algorithm": "dp-fedavg",
    "users": 3,
    "records": 40,
    "rounds": 2,
    "user_rate": 1,
    "noise": 5,
    "clip": 1,
    "folds": 2,
}


def test_tune_is_the_programs(tmp_path):
    grid = {"step": [0.1, 1], "step_schedule": ["constant", "inverse:1,1"]}
    found = dpbudget.tune(grid, results=tmp_path / "results.csv", **TUNE)
    flags = [f"--{key.replace('_', '-')}={value}" for key, value in TUNE.items()]
    answer = printed("tune", *flags, "--grid=step=0.1,1", "--grid=step_schedule=constant|inverse:1,1")
    assert found["verified"] and found["runs"] == 8
    assert found["best"] == answer["best"] and found["combinations"] == answer["combinations"]
    assert dpbudget.tune("step=0.1,1;step_schedule=constant|inverse:1,1", **TUNE)["best"] == found["best"]
    assert len((tmp_path / "results.csv").read_text().splitlines()) == 1 + 8
    for spent, line in zip(found["spending"], answer["spending"], strict=True):
        assert spent["adversary"] == line["adversary"]
        for name in ("last", "tuning", "both"):
            assert as_printed(spent[name]) == without_theorem(line[name]) and spent[name].guarantee == "proven"
        assert spent["both"].upper > spent["tuning"].upper > spent["last"].upper
    private = dpbudget.tune({"step": np.array([0.1, 1])}, selection_epsilon=1, **TUNE)
    assert private["selection_epsilon"] == 1 and all("scores" not in tried for tried in private["combinations"])


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"step": 0.1}, "grid has 0.1 for step, but must have a list of values"),
        ({"step": "0.1"}, "grid has '0.1' for step, but must have a list of values"),
        ({"step": ["1|2", 3]}, "grid has '1|2' for step, but no value may hold ; or |"),
        ({"schedule": ["table:1,2"]}, "grid has 'table:1,2' alone for schedule: give it as an option"),
        ([0.1], r"grid is [0.1], but must be a dict of lists of values"),
        ({}, "grid is '', but must be a text"),
        ({"steps": [1, 2]}, "--grid has steps, which is no option of a run; the nearest is"),
        ({"step": [1, -2]}, "step is -2"),
    ],
)
def test_tune_says_what_is_wrong_with_a_grid(grid, message):
    with pytest.raises(dpbudget.InvalidArgument, match=re.escape(message)):
        dpbudget.tune(grid, **TUNE)


def test_failures_of_a_run_have_names_of_their_own(tmp_path):
    run = {"algorithm": "mb-sgd", "users": 2, "records": 20, "user_rate": 1, "rounds": 50}
    with pytest.raises(dpbudget.Diverged, match="smaller --step"):
        dpbudget.simulate(**run, step=1e300, ledger=tmp_path / "run.jsonl")
    with pytest.raises(dpbudget.Diverged, match="^the training diverged with every combination"):
        dpbudget.tune({"step": [1e300, 1e301]}, **run)
    with pytest.raises(dpbudget.CannotWrite, match="/dev/full could not be written"):
        dpbudget.simulate(**run, step=0.1, ledger="/dev/full")


def test_plan():
    plans = dpbudget.plan(
        "dp-scaffold",
        users=100,
        records=4000,
        user_rate=0.05,
        record_rate=0.2,
        local_steps=10,
        noise=10,
        rounds=428,
        epsilon=3,
        delta=2.5e-6,
    )
    proven = next(plan for plan in plans if plan.adversary == "third_party" and plan.basis == "proven")
    assert proven.rounds == 2042 and proven.guarantee == "proven" and proven.plan.adjacency == "replace_one"
    assert dpbudget.epsilon(proven.plan, 2.5e-6).upper == pytest.approx(proven.epsilon.upper, rel=1e-3)
    assert proven.epsilon.lower > 0.9 * proven.epsilon.upper and proven.epsilon.theorems
    published = next(plan for plan in plans if plan.adversary == "third_party" and plan.basis == "published")
    assert published.epsilon.guarantee == "estimate"
    with pytest.raises(TypeError, match="an estimate proves nothing"):
        assert published.epsilon <= 100
    with pytest.raises(dpbudget.InvalidArgument, match="algorithm is `x`, but must be one of"):
        dpbudget.plan("x")


def test_schedule():
    spent = dpbudget.schedule("exponential:0.99", noise=20, rounds=10, record_rate=0.1, delta=1e-5)
    assert spent["base_noise"] == 20
    assert all(isinstance(bound, dpbudget.Bound) for row in spent["rounds"] for bound in row["epsilon"].values())
    assert spent["rounds"][-1]["epsilon"]["loss_distribution"] <= 0.05


def test_check(tmp_path):
    claims = [
        {"claim": "too little", "plan": "100 x gaussian(10)", "epsilon": 4.3, "delta": 1e-5},
        {"plan": 100 * dpbudget.gaussian(10), "epsilon": np.float64(4.5), "delta": 1e-5},
    ]
    too_little, enough = dpbudget.check(claims, slack=0.1)
    assert (too_little.claim, too_little.verdict, too_little.is_safe) == ("too little", "unsafe", False)
    assert (
        too_little.spent > 4.3
        and too_little.hints
        and str(too_little.plan) == "100 x gaussian(10) under add_or_remove_one"
    )
    assert enough.verdict == "safe_and_tight" and enough.is_safe and enough.claimed == {"epsilon": 4.5, "delta": 1e-5}
    file = tmp_path / "claims.jsonl"
    file.write_text("".join(json.dumps(claim) + "\n" for claim in claims[:1]))
    assert dpbudget.check(file) == [too_little]
    (other,) = dpbudget.check([{**claims[0], "plan": "poisson(0.1, gaussian(1)) under replace_one", "delta": 0}])
    assert other.verdict == "not_covered" or other.spent.upper > 0
    with pytest.raises(dpbudget.InvalidArgument, match="line 1"):
        dpbudget.check([{"plan": "gaussian(", "epsilon": 1, "delta": 1e-5}])
    with pytest.raises(dpbudget.InvalidArgument, match="no JSON object"):
        dpbudget.check([{"plan": object(), "epsilon": 1, "delta": 1e-5}])


def test_simulate_and_verify(tmp_path):
    ledger = tmp_path / "run.ledger.jsonl"
    (run,) = dpbudget.simulate(
        algorithm="dp-mb-sgd", users=3, user_rate=1, records=100, rounds=2, noise=3, clip=0.5, ledger=ledger
    )
    assert run["passed"] and run["ledger"] == str(ledger) and run["history"]
    report = dpbudget.verify(ledger)
    assert report["passed"] and report["views"] == run["views"]
    assert all(view["executed"]["epsilon"] >= 0.1 for view in report["views"])
    assert "verdict" in dpbudget.verify(ledger, epsilon=1e-3)
    with pytest.raises(dpbudget.InvalidArgument, match="cannot be read|is not"):
        dpbudget.verify(tmp_path / "none.jsonl")


def test_a_process_of_mpirun_asks_as_any_other(monkeypatch):
    alone = dpbudget.plan("dp-fedavg", users=10, user_rate=0.5, records=100, rounds=3, noise=5)
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "1")
    assert dpbudget.plan("dp-fedavg", users=10, user_rate=0.5, records=100, rounds=3, noise=5) == alone
