#!/usr/bin/env python3
"""The findings of the papers, with budgets made honest: pairs of algorithms at one proven epsilon, three seeds each.

    findings.py DPBUDGET DATA_FOLDER [NAME...]

DATA_FOLDER holds the files that the papers' data come from (MNIST digits in IDX, insurance.csv, obesity.csv); experiments
whose file is missing are left out. The noise of each run is the least whose proven epsilon against the server is the
experiment's, found by bisection on `dpbudget plan`. Step sizes are tried on a grid with seed 100 and the best by training
loss is used for seeds 1 to 3; no budget covers that choice. Takes minutes.
"""
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

EPSILON = 2.0


def call(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def options(settings):
    return [part for key, value in settings.items() for part in ("--" + key.replace("_", "-"), str(value))]


def planned_epsilon(program, settings, users, records, noise):
    plan = {k: v for k, v in settings.items()
            if k in ("rounds", "local_steps", "user_rate", "record_rate", "batch_size", "batches", "schedule", "delta",
                     "client_sampling")}
    text = call(program, "plan", settings["algorithm"], *options(plan), "--users", str(users), "--records", str(records),
                "--noise", repr(noise), "--adversary", "server", "--basis", "proven", "--json")
    return json.loads(text)[0]["epsilon"]


def least_noise(program, settings, users, records, epsilon):
    low, high = 0.1, 0.2
    while planned_epsilon(program, settings, users, records, high) > epsilon:
        low, high = high, 2 * high
    while high / low > 1.01:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if planned_epsilon(program, settings, users, records, middle) <= epsilon else (middle, high)
    return high


def run(program, settings, data, seed):
    with tempfile.TemporaryDirectory() as folder:
        text = call(program, "simulate", "--json", "--ledger", os.path.join(folder, "ledger.jsonl"),
                    *options({**settings, **data, "seed": seed}))
    return json.loads(text)


def tuned(program, settings, data, steps):
    best = None
    for step in steps:
        try:
            loss = run(program, {**settings, "step": step}, data, 100)["train_loss"]
        except (RuntimeError, json.JSONDecodeError):  # diverged
            continue
        if best is None or loss < best[0]:
            best = (loss, step)
    return {**settings, "step": best[1]}


def measured(program, name, settings, data, users, records, steps, epsilon=EPSILON, personal=False):
    settings = {"delta": 1e-4, "evaluate_every": 1000, "clip": 0.5, **settings}
    settings["noise"] = f"{least_noise(program, settings, users, records, epsilon):.6g}"
    settings = tuned(program, settings, data, steps)
    answers = [run(program, settings, data, seed) for seed in (1, 2, 3)]
    scores = [answer["history"][-1]["personal_score"] if personal else answer["test_score"] for answer in answers]
    spent = max(view["executed"]["epsilon"]["upper"] for answer in answers for view in answer["views"]
                if view["adversary"] == "server")
    print(f"  {name:34} {statistics.mean(scores):10.4f} +- {statistics.stdev(scores):.4f}   epsilon {spent:.4f}   "
          f"noise {settings['noise']}, step {settings['step']}, {settings['rounds']} rounds", flush=True)
    return scores


GRID = (0.05, 0.15, 0.5, 1.5, 5.0)


def scaffold(program, _):
    print("DP-SCAFFOLD and DP-FedAvg on heterogeneous users (Noble et al. 2022), test accuracy")
    data = {"data": "synthetic:1,1", "users": 40, "records": 500}
    for steps in (5, 25):
        for algorithm in ("dp-fedavg", "dp-scaffold"):
            measured(program, f"{algorithm}, K = {steps}",
                     {"algorithm": algorithm, "rounds": 100, "local_steps": steps, "user_rate": 0.2, "record_rate": 0.2},
                     data, 40, 400, GRID)


def decay(program, _):
    print("constant and decaying noise at one budget (Chang et al. 2022), test accuracy")
    data = {"data": "synthetic:1,1", "users": 40, "records": 500}
    for schedule in ("constant", "chang1:beta=0.97,hold=20", "chang2:beta=0.996,hold=20"):
        for rounds in (40, 80):
            measured(program, f"{schedule}, {rounds} rounds",
                     {"algorithm": "dp-scaffold", "rounds": rounds, "local_steps": 10, "user_rate": 0.2,
                      "record_rate": 0.2, "schedule": schedule}, data, 40, 400, GRID)


def adaptive(program, _):
    print("AdDPNFL, DPNFL and DP-FedAvg (Chen et al. 2024), test accuracy")
    data = {"data": "synthetic:1,1", "users": 40, "records": 500}
    for algorithm, more in (("dp-fedavg", {}), ("dpnfl", {}), ("addpnfl", {"server_step": 0.03})):
        steps = GRID if algorithm == "dp-fedavg" else tuple(step / 2 for step in GRID)  # eta_0 / (s K) against eta_0
        measured(program, algorithm, {"algorithm": algorithm, "rounds": 100, "local_steps": 10, "user_rate": 0.2,
                                      "record_rate": 0.2, **more}, data, 40, 400, steps)


def mnist(folder):
    files = [os.path.join(folder, f"mnist-10k-{kind}-ubyte.gz") for kind in ("images-idx3", "labels-idx1")]
    return files if all(os.path.exists(file) for file in files) else None


def personalised(program, folder):
    files = mnist(folder)
    if files is None:
        return
    print("global and personalised models on shards of MNIST (Zheng et al. 2021), clients' own test accuracy")
    data = {"data": f"idx:{files[0]},{files[1]}", "users": 40, "partition": "shards:4"}
    for alpha in (1, 0.1):
        measured(program, f"dp-prifedsync, alpha = {alpha}",
                 {"algorithm": "dp-prifedsync", "rounds": 40, "local_steps": 10, "user_rate": 0.5, "record_rate": 0.1,
                  "client_sampling": "poisson", "interpolation": alpha}, data, 40, 200, GRID, epsilon=8, personal=True)


def silos(program, folder):
    files = mnist(folder)
    if files is None:
        return
    print("noisy minibatch SGD and local SGD on MNIST odd/even, 25 silos (Lowy and Razaviyayn 2023), test accuracy")
    data = {"data": f"idx:{files[0]},{files[1]}", "partition": "digit-pairs", "model": "logistic"}
    common = {"rounds": 25, "user_rate": 1, "delta": 1e-5}
    measured(program, "dp-mb-sgd", {"algorithm": "dp-mb-sgd", "record_rate": 0.1, **common}, data, 25, 300, GRID)
    measured(program, "dp-local-sgd, K = 20", {"algorithm": "dp-local-sgd", "local_steps": 20, **common}, data, 25, 300,
             GRID)


def regression(program, folder):
    file = os.path.join(folder, "insurance.csv")
    if not os.path.exists(file):
        return
    print("noisy minibatch SGD and local SGD on insurance.csv, sorted by charges, 5 silos, squared error")
    data = {"data": f"csv:{file},target=charges,categorical=sex|smoker|region", "users": 5, "partition": "sorted",
            "model": "linear", "clip": 1000}
    common = {"rounds": 35, "user_rate": 1, "delta": 1e-5}
    measured(program, "dp-mb-sgd", {"algorithm": "dp-mb-sgd", "record_rate": 0.1, **common}, data, 5, 210, GRID)
    measured(program, "dp-local-sgd, K = 20", {"algorithm": "dp-local-sgd", "local_steps": 20, **common}, data, 5, 210,
             GRID)


EXPERIMENTS = {"scaffold": scaffold, "decay": decay, "adaptive": adaptive, "personalised": personalised, "silos": silos,
               "regression": regression}


def main():
    if len(sys.argv) < 3 or any(name not in EXPERIMENTS for name in sys.argv[3:]):
        sys.exit(f"usage: findings.py DPBUDGET DATA_FOLDER [{'|'.join(EXPERIMENTS)}...]")
    for name in sys.argv[3:] or EXPERIMENTS:
        EXPERIMENTS[name](sys.argv[1], sys.argv[2])


if __name__ == "__main__":
    main()
