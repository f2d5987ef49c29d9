"""The JSON schema of answers says what every command prints."""

import copy
import json
import subprocess
from pathlib import Path

import pytest

from program import PROGRAM

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "docs/answers.schema.json").read_text())

RUN = ["--users", "4", "--records", "50", "--rounds", "2", "--user-rate", "0.5", "--noise", "5", "--clip", "1"]
CONSTANTS = (
    "--smoothness 1 --distance 5 --noise 30 --clip 1 --batch 800 --dimension 410 --users 100 --participants 20 "
    "--local-steps 10 --gradient-variance 1 --dissimilarity-offset 0.5"
).split()
CHANG = "smoothness=2,distance=1,clip=1,batch=500,dimension=50,users=40,gradient_variance=1,control_error=1"

ROUND = "--user-rate 1 --record-rate 1 --noise 2 --clip 1".split()
ASKED = [
    ("epsilon", ["epsilon", "10 x poisson(0.1, gaussian(2))", "--delta", "1e-5"]),
    ("epsilon", ["epsilon", "laplace(1)", "--delta", "0", "--claim", "1"]),
    ("epsilon", ["epsilon", "approximate(1, 0.1)", "--delta", "1e-5"]),
    ("delta", ["delta", "gaussian(2)", "--epsilon", "1", "--claim", "1e-9"]),
    ("delta", ["delta", "laplace(2)", "--epsilon", "9"]),
    ("rounds", ["rounds", "gaussian(9)", "--epsilon", "1", "--delta", "1e-6"]),
    ("rounds", ["rounds", "gaussian(1e200)", "--epsilon", "1", "--delta", "1e-6"]),
    ("rounds", ["rounds", "gaussian(2)", "--epsilon", "1", "--delta", "1e-6", "--accountant", "renyi"]),
    ("risk", ["risk", "gaussian(2)"]),
    ("audit", ["audit", "gaussian(1)", "--delta", "0.1", "--runs", "10", "--canaries", "50"]),
    ("audit", ["audit", "gaussian(0.2)", "--against", "gaussian(9)", "--runs", "10", "--canaries", "50"]),
    ("audit", ["audit", "laplace(1)", "--delta", "0", "--runs", "1", "--canaries", "40"]),
    ("audit", ["audit", "--algorithm", "dp-fedavg", "--runs", "4", "--canaries", "3", *ROUND]),
    ("solve", ["solve", "gaussian(?)", "--epsilon", "1", "--delta", "1e-6"]),
    ("solve", ["solve", "gaussian(?)", "--advantage", "0.1"]),
    ("solve", ["solve", "gaussian(?)", "--tpr", "0.1", "--fpr", "0.01"]),
    ("solve", ["solve", "100 x laplace(1) + ? x laplace(1)", "--epsilon", "1", "--delta", "1e-6"]),
    ("dpsgd", "dpsgd --records 6000 --batch 256 --epochs 1 --noise 1.1 --delta 1e-5".split()),
    ("dpsgd", "dpsgd --records 6000 --batch 256 --epochs 1 --noise ? --delta 1e-5 --epsilon 3".split()),
    ("compare", ["compare", "poisson(0.1, gaussian(2))", "--delta", "1e-5"]),
    ("compare", ["compare", "gaussian(2)", "--epsilon", "1"]),
    ("compare", ["compare", "gaussian(2)", "--delta", "1e-5", "--rounds", "1..2"]),
    ("schedule", "schedule chang1:beta=0.99,hold=2 --noise 30 --rounds 3 --epsilon 2".split()),
    ("schedule", "schedule exponential:? --noise 40 --rounds 5 --record-rate 0.1 --epsilon 2".split()),
    ("schedule", f"schedule chang1:beta=0.99,hold=2 --noise 30 --rounds 4 --user-rate 0.2 --constants {CHANG}".split()),
    ("unsolved_schedule", "schedule exponential:? --noise 1 --rounds 5 --epsilon 0.1".split()),
    ("converge", ["converge", "dp-fedavg", "--rounds", "3", *CONSTANTS]),
    ("frequency", "frequency --users 1000 --categories 4 --epsilon 1 --delta 1e-6 --frequency 0.2".split()),
    ("heterogeneity", ["heterogeneity", "--users", "3", "--records", "50"]),
    ("federated_plan", ["plan", "dp-scaffold", *RUN[:10], "--epsilon", "3", "--delta", "1e-5"]),
    ("federated_plan", ["plan", "shuffled-mb-sgd", *RUN[:10]]),
    ("simulate", ["simulate", *RUN, "--epsilon", "9"]),
    ("simulate", ["simulate", "--algorithm", "dp-mb-sgd", *RUN[:8], "--clip", "1", "--silo-epsilon", "1,1,2,2"]),
    ("sweep", ["sweep", "--algorithm", "dp-fedavg", *RUN[:10], "--grid", "clip=0.5,1", "--seeds", "2"]),
    ("sweep", ["sweep", "--algorithm", "fedavg", *RUN[:8]]),
    ("tune", ["tune", "--algorithm", "dp-fedavg", *RUN[:10], "--grid", "clip=0.5,1", "--folds", "2"]),
    ("tune", ["tune", "--algorithm", "dp-fedavg", *RUN[:10], "--grid", "clip=0.5,1", "--folds", "2",
              "--selection-epsilon", "0.5"]),
    ("tune_trials", ["tune", "--algorithm", "dp-fedavg", *RUN[:10], "--grid", "clip=0.5,1", "--trials",
                     "geometric:0.5"]),
    ("matrix", ["verify", "--matrix"]),
    ("functions", ["eval", "--list"]),
]  # fmt: skip


def valid(name):
    return jsonschema.Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{name}"}]})


def answers(arguments, folder, given=None, json_flag=("--json",)):
    command = [PROGRAM, *arguments, *json_flag]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, input=given)
    assert ran.returncode in (0, 1), ran.stderr
    lines = ran.stdout.splitlines()
    assert lines
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    ("name", "arguments"), ASKED, ids=lambda value: "-".join(value)[:60] if isinstance(value, list) else value
)
def test_what_is_printed_is_described(name, arguments, tmp_path):
    for answer in answers(arguments, tmp_path):
        valid(name).validate(answer)


def test_a_ledger_is_described(tmp_path):
    answers(["simulate", *RUN, "--ledger", "run.jsonl"], tmp_path)
    for more in ([], ["--epsilon", "3", "--claim", "1"]):
        for answer in answers(["verify", "run.jsonl", *more], tmp_path):
            valid("verify").validate(answer)
    for answer in answers(["ledger", "run.jsonl"], tmp_path):
        valid("ledger").validate(answer)


CERTIFICATES = json.loads((Path(__file__).resolve().parents[2] / "docs/certificate.schema.json").read_text())
CERTIFIED = [
    ["epsilon", "gaussian(2)", "--delta", "1e-5"],
    ["delta", "gaussian(0.5)", "--epsilon", "90"],
    ["epsilon", "5 x rr(1)", "--delta", "1e-5"],
    ["epsilon", "laplace(2)", "--delta", "0"],
    ["epsilon", "approximate(1, 0.1)", "--delta", "1e-5"],
    ["epsilon", "10 x poisson(0.1, gaussian(2))", "--delta", "1e-5", "--accountant", "renyi"],
    ["epsilon", "gaussian(2)", "--delta", "1e-5", "--accountant", "concentrated"],
    ["epsilon", "1000 x poisson(0.01, gaussian(1))", "--delta", "1e-6"],
    ["epsilon", "10 x poisson(0.1, gaussian(2))", "--delta", "1e-5", "--accountant", "loss_distribution"],
    ["epsilon", "shuffle(100, gaussian(1))", "--delta", "1e-6"],
]


@pytest.mark.parametrize("arguments", CERTIFIED, ids=lambda arguments: "-".join(arguments)[:60])
def test_certificates_are_described(arguments, tmp_path):
    (answer,) = answers([*arguments, "--certificate", "certificate.json"], tmp_path)
    certificate = json.loads((tmp_path / "certificate.json").read_text())
    schema = jsonschema.Draft202012Validator(CERTIFICATES)
    schema.check_schema(CERTIFICATES)
    schema.validate(certificate)
    wanted = arguments[0]
    assert certificate["plan"] == answer["plan"]
    assert certificate[wanted]["upper"] == answer[wanted]["upper"]
    assert not schema.is_valid({**certificate, "more": 1})
    assert not schema.is_valid({**certificate, "upper": {**certificate["upper"], "witness": {"kind": "faith"}}})


def test_results_are_described(tmp_path):
    answers(["simulate", *RUN, "--results", "results.jsonl"], tmp_path)
    lines = (tmp_path / "results.jsonl").read_text().splitlines()
    assert len(lines) > 1
    for line in lines:
        valid("evaluation").validate(json.loads(line))


def test_lines_of_check_and_eval_are_described(tmp_path):
    claims = [
        {"plan": "gaussian(1)", "epsilon": 1, "delta": 1e-5},
        {"plan": "gaussian(1)", "epsilon": 9, "delta": 1e-5},
        {"renyi": [[2, 1], [4, 2]], "epsilon": 9, "delta": 1e-5},
        {"plan": "10 x wor(0.1, gaussian(2)) under add_or_remove_one", "epsilon": 9, "delta": 1e-5},
    ]
    found = answers(["check", "-"], tmp_path, "".join(json.dumps(claim) + "\n" for claim in claims))
    for finding in found:
        valid("finding").validate(finding)
    assert {finding["verdict"] for finding in found} >= {"unsafe", "safe_but_loose", "not_covered"}

    queries = [("renyi.gaussian", 2), ("renyi.gaussian", 0.5)]
    asked = [{"id": 1, "function": name, "inputs": {"order": order, "noise": 3}} for name, order in queries]
    asked.append({"id": "far", "function": "gaussian.delta", "inputs": {"epsilon": 60, "noise_multiplier": 1}})
    found = answers(["eval", "-"], tmp_path, "".join(json.dumps(query) + "\n" for query in asked), ())
    for answer in found:
        valid("eval").validate(answer)
    assert "refused" in found[1] and "ln_value" in found[2]


def test_every_command_is_described(tmp_path):
    text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
    listed = text.split("Subcommands:\n")[1].split("\n\n")[0].splitlines()
    commands = {line.split()[0] for line in listed if not line.startswith("   ")}
    asked = {arguments[0] for _, arguments in ASKED} | {"check", "ledger", "vectors"}  # vectors prints its own schema
    assert commands == asked


def test_what_is_no_answer_is_not_described(tmp_path):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    (answer,) = answers(ASKED[0][1], tmp_path)
    assert valid("epsilon").is_valid(answer)
    for change in (
        lambda changed: changed.update(more=1),
        lambda changed: changed.pop("delta"),
        lambda changed: changed["epsilon"].update(guarantee="likely"),
        lambda changed: changed["epsilon"].pop("theorems"),
        lambda changed: changed["epsilon"].update(upper="nan"),
        lambda changed: changed["plan"].update(adjacency="none"),
    ):
        changed = copy.deepcopy(answer)
        change(changed)
        assert not valid("epsilon").is_valid(changed), changed
