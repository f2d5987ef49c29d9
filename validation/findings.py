#!/usr/bin/env python3
"""The findings of the papers, with budgets made honest: pairs of algorithms at one proven epsilon, on the same seeds.

    findings.py [--seeds COUNT] DPBUDGET DATA_FOLDER [NAME...]

DATA_FOLDER holds the files that the papers' data come from (MNIST digits in IDX, insurance.csv, obesity.csv);
experiments whose file is missing are left out. The noise of each run is the least whose proven epsilon against the
server, who sees all that a client sends, is the experiment's, found by bisection on `dpbudget plan`. Steps, and
clipping norms where the papers tune them, are tried on a grid with seeds from 100 on and the best by mean training loss
is used for seeds 1 to COUNT, 3 if left out; no budget covers that choice. A seed decides data, split, sampling and
noise, so that runs of one seed are compared: their mean difference is printed with its standard error and, in brackets,
Student's interval of confidence 95 %. Needs mpmath. Takes minutes.
"""
import argparse
import collections
import csv
import gzip
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

import mpmath

EPSILON = 2.0


class Diverged(Exception):
    pass


def call(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if "the training diverged" in done.stderr:
        raise Diverged
    if done.returncode == 2:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def options(settings):
    return [part for key, value in settings.items() for part in ("--" + key.replace("_", "-"), str(value))]


def planned_epsilon(program, settings, users, sizes, noise):
    plan = {k: v for k, v in settings.items()
            if k in ("rounds", "local_steps", "user_rate", "record_rate", "batch_size", "batches", "schedule", "delta",
                     "client_sampling")}

    def epsilon_of(records):
        text = call(program, "plan", settings["algorithm"], *options(plan), "--users", str(users), "--records",
                    str(records), "--noise", repr(noise), "--adversary", "server", "--basis", "proven", "--json")
        return json.loads(text)[0]["epsilon"]

    return max(map(epsilon_of, set(sizes)))


def least_noise(program, settings, users, sizes, epsilon):
    def fits(noise):
        return planned_epsilon(program, settings, users, sizes, noise) <= epsilon

    low, high = 0.1, 0.2
    while not fits(high):
        low, high = high, 2 * high
    while high / low > 1.01:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def run(program, settings, data, seed):
    with tempfile.TemporaryDirectory() as folder:
        text = call(program, "simulate", "--json", "--threads", "1", "--ledger", os.path.join(folder, "ledger.jsonl"),
                    *options({**settings, **data, "seed": seed}))
    return json.loads(text)


def tuned(program, settings, data, grid, seeds):
    best = None
    for values in itertools.product(*grid.values()):
        tried = {**settings, **dict(zip(grid, values))}
        try:
            loss = statistics.mean(run(program, tried, data, seed)["train_loss"] for seed in seeds)
        except Diverged:
            continue
        if best is None or loss < best[0]:
            best = (loss, tried)
    if best is None:
        raise RuntimeError(f"{settings['algorithm']} diverges on all of {grid}")
    return best[1]


def measured(program, seeds, name, settings, data, users, sizes, grid, epsilon=EPSILON, score="test_score",
             tuning=(100,)):
    """One score per seed; epsilon None is for an algorithm without noise, which does not clip."""
    settings = {"delta": 1e-4, "evaluate_every": 1000, "clip": 0.5, **settings}
    if epsilon is not None:
        settings["noise"] = f"{least_noise(program, settings, users, sizes, epsilon):.6g}"
    else:
        settings["clip"] = "inf"
        grid = {"step": grid["step"]}
    settings = tuned(program, settings, data, grid, tuning)
    answers = [run(program, settings, data, seed) for seed in seeds]
    scores = [1 - answer["test_score"] if score == "test_error" else answer["history"][-1][score] for answer in answers]
    spent = max((view["executed"]["epsilon"]["upper"] for answer in answers for view in answer["views"]
                 if view["adversary"] == "server" and view["executed"]), default=math.inf)
    print(f"  {name:34} {statistics.mean(scores):8.4f} +- {statistics.stdev(scores):.4f}   epsilon {spent:.4f}   "
          f"noise {settings.get('noise', 0)}, {', '.join(f'{key} {settings[key]:g}' for key in grid)}, "
          f"{settings['rounds']} rounds", flush=True)
    if epsilon is not None and spent > epsilon:
        raise RuntimeError(f"{spent} was spent: no size in {sizes} is that of the smallest client")
    return scores


def student_quantile(degrees):
    """Which |t| stays below with probability 0.95."""
    beyond = lambda t: mpmath.betainc(degrees / 2, 0.5, 0, degrees / (degrees + t * t), regularized=True)
    return float(mpmath.findroot(lambda t: beyond(t) - 0.05, (1.9, 13), solver="anderson"))


def compared(name, first, second):
    """Seed by seed, first minus second."""
    differences = [a - b for a, b in zip(first, second)]
    mean = statistics.mean(differences)
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    reach = student_quantile(len(differences) - 1) * error
    print(f"  {name:34} {mean:+8.4f}, standard error {error:.4f} [{mean - reach:+.4f}, {mean + reach:+.4f}], "
          f"{len(differences)} seeds", flush=True)
    return differences


STEPS = {"step": (0.05, 0.15, 0.5, 1.5, 5.0, 15.0)}


def scaffold(program, _, seeds):
    print("DP-SCAFFOLD and DP-FedAvg on heterogeneous users (Noble et al. 2022), test accuracy")
    data = {"data": "synthetic:1,1", "users": 40, "records": 500}
    gains = []
    for steps in (5, 25):
        averaging, scaffold_ = [
            measured(program, seeds, f"{algorithm}, K = {steps}",
                     {"algorithm": algorithm, "rounds": 100, "local_steps": steps, "user_rate": 0.2,
                      "record_rate": 0.2}, data, 40, [400], STEPS) for algorithm in ("dp-fedavg", "dp-scaffold")]
        gains.append(compared(f"gain of dp-scaffold, K = {steps}", scaffold_, averaging))
    compared("gain at K = 25 over gain at K = 5", gains[1], gains[0])


def decay(program, _, seeds):
    print("constant and decaying noise at one budget (Chang et al. 2022), test accuracy")
    data = {"data": "synthetic:1,1", "users": 40, "records": 500}
    for rounds in (40, 80):
        constant, *decaying = [
            measured(program, seeds, f"{schedule}, {rounds} rounds",
                     {"algorithm": "dp-scaffold", "rounds": rounds, "local_steps": 10, "user_rate": 0.2,
                      "record_rate": 0.2, "schedule": schedule}, data, 40, [400], STEPS)
            for schedule in ("constant", "chang1:beta=0.97,hold=20", "chang2:beta=0.996,hold=20")]
        for scheme, scores in enumerate(decaying, 1):
            compared(f"gain of scheme {scheme}, {rounds} rounds", scores, constant)


def adaptive(program, _, seeds):
    print("AdDPNFL, DPNFL and DP-FedAvg (Chen et al. 2024), test accuracy")
    data = {"data": "synthetic:1,1", "users": 40, "records": 500}
    halved = {"step": tuple(step / 2 for step in STEPS["step"])}  # eta_0 / (s K) against eta_0
    scores = {algorithm: measured(program, seeds, algorithm,
                                  {"algorithm": algorithm, "rounds": 100, "local_steps": 10, "user_rate": 0.2,
                                   "record_rate": 0.2, **more}, data, 40, [400], grid)
              for algorithm, more, grid in (("dp-fedavg", {}, STEPS), ("dpnfl", {}, halved),
                                            ("addpnfl", {"server_step": 0.03}, halved))}
    compared("gain of dpnfl over dp-fedavg", scores["dpnfl"], scores["dp-fedavg"])
    compared("gain of addpnfl over dpnfl", scores["addpnfl"], scores["dpnfl"])


def mnist(folder):
    files = [os.path.join(folder, f"mnist-10k-{kind}-ubyte.gz") for kind in ("images-idx3", "labels-idx1")]
    return files if all(os.path.exists(file) for file in files) else None


def personalised(program, folder, seeds):
    files = mnist(folder)
    if files is None:
        return
    print("global and personalised models on shards of MNIST (Zheng et al. 2021), clients' own test accuracy")
    with gzip.open(files[1]) as labels:
        records = len(labels.read()) - 8
    users, shards = 40, 4
    sizes = [shards * (records // (users * shards)) * 4 // 5]
    data = {"data": f"idx:{files[0]},{files[1]}", "users": users, "partition": f"shards:{shards}"}
    common, own = [
        measured(program, seeds, f"dp-prifedsync, alpha = {alpha}",
                 {"algorithm": "dp-prifedsync", "rounds": 40, "local_steps": 10, "user_rate": 0.5, "record_rate": 0.1,
                  "client_sampling": "poisson", "interpolation": alpha}, data, users, sizes, STEPS,
                 epsilon=8, score="personal_score") for alpha in (1, 0.1)]
    compared("gain of alpha = 0.1", own, common)


def silos(program, folder, seeds):
    files = mnist(folder)
    if files is None:
        return
    print("noisy minibatch SGD and local SGD on MNIST odd/even, 25 silos (Lowy and Razaviyayn 2023), test accuracy")
    with gzip.open(files[1]) as labels:
        held = collections.Counter(labels.read()[8:])
    sizes = [(held[odd] // 5 + held[even] // 5) * 4 // 5 for odd in range(1, 10, 2) for even in range(0, 10, 2)]
    data = {"data": f"idx:{files[0]},{files[1]}", "partition": "digit-pairs", "model": "logistic"}
    common = {"rounds": 25, "user_rate": 1, "delta": 1e-5}
    minibatch = measured(program, seeds, "dp-mb-sgd", {"algorithm": "dp-mb-sgd", "record_rate": 0.1, **common}, data,
                         25, sizes, {"step": (0.5, 1.5, 5, 15, 50)}, tuning=(100, 101, 102))
    local = measured(program, seeds, "dp-local-sgd, K = 20", {"algorithm": "dp-local-sgd", "local_steps": 20, **common},
                     data, 25, sizes, STEPS, tuning=(100, 101, 102))
    compared("gain of dp-mb-sgd", minibatch, local)


def minibatch_and_local(program, seeds, data, users, sizes, rounds, grids, epsilons, score):
    """The two algorithms with K gradients in a round, about a tenth of a silo's, at each epsilon and without noise."""
    steps = min(sizes) // 10
    common = {"rounds": rounds, "user_rate": 1, "delta": f"{1 / max(sizes) ** 2:.3g}", "regularisation": 0}
    forms = {"mb-sgd": {"batch_size": steps}, "local-sgd": {"local_steps": steps}}
    for epsilon in (*epsilons, None):
        prefix, privacy = ("", "no noise") if epsilon is None else ("dp-", f"epsilon {epsilon}")
        minibatch, local = [
            measured(program, seeds, f"{prefix}{form}, K = {steps}, {privacy}",
                     {"algorithm": prefix + form, **forms[form], **common}, data, users, sizes, grids[form], epsilon,
                     score, tuning=(100, 101, 102)) for form in forms]
        compared("minibatch less local", minibatch, local)


def regression(program, folder, seeds):
    file = os.path.join(folder, "insurance.csv")
    if not os.path.exists(file):
        return
    print("noisy minibatch SGD and local SGD on insurance.csv, sorted by charges, 5 silos (Lowy and Razaviyayn 2023), "
          "relative RMSE")
    users = 5
    with open(file, encoding="utf-8") as lines:
        records = sum(1 for _ in csv.DictReader(lines))
    silo = records // users
    sizes = [held * 4 // 5 for held in (silo, records - (users - 1) * silo)]
    data = {"data": f"csv:{file},target=charges,categorical=sex|smoker|region", "users": users, "partition": "sorted",
            "model": "linear"}
    clips = (300, 1e3, 3e3, 1e4, 3e4, 1e5)
    grids = {"mb-sgd": {"step": (0.03, 0.1, 0.2, 0.3, 0.5, 1, 3, 10), "clip": clips},
             "local-sgd": {"step": (0.001, 0.003, 0.01, 0.02, 0.03, 0.05, 0.1, 0.3, 1), "clip": clips}}
    minibatch_and_local(program, seeds, data, users, sizes, 35, grids, (0.5, 1, 4), "relative_rmse")


def obesity(program, folder, seeds):
    file = os.path.join(folder, "obesity.csv")
    if not os.path.exists(file):
        return
    print("noisy minibatch SGD and local SGD on obesity.csv, a silo per class (Lowy and Razaviyayn 2023), test error")
    with open(file, encoding="utf-8") as lines:
        classes = collections.Counter(record["NObesity"] for record in csv.DictReader(lines))
    sizes = [held * 4 // 5 for held in classes.values()]
    names = "Gender|family_history_with_overweight|FAVC|CAEC|SMOKE|SCC|CALC|MTRANS|NObesity"
    data = {"data": f"csv:{file},target=NObesity,categorical={names}", "partition": "by-label", "model": "softmax"}
    clips = (0.2, 0.5, 2, 8)
    grids = {"mb-sgd": {"step": (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5), "clip": clips},
             "local-sgd": {"step": (0.0003, 0.001, 0.003, 0.01, 0.02, 0.05, 0.1, 0.3), "clip": clips}}
    minibatch_and_local(program, seeds, data, len(classes), sizes, 35, grids, (0.5, 1, 4), "test_error")


EXPERIMENTS = {"scaffold": scaffold, "decay": decay, "adaptive": adaptive, "personalised": personalised, "silos": silos,
               "regression": regression, "obesity": obesity}


def main():
    parser = argparse.ArgumentParser(usage="findings.py [--seeds COUNT] DPBUDGET DATA_FOLDER "
                                           f"[{'|'.join(EXPERIMENTS)}...]")
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"there is no {unknown[0]}")
    if not 2 <= given.seeds < 100:
        parser.error(f"--seeds is {given.seeds}, but must be in [2, 99]: 100 is for tuning, and one has no deviation")
    for name in given.names or EXPERIMENTS:
        EXPERIMENTS[name](given.program, given.folder, range(1, given.seeds + 1))


if __name__ == "__main__":
    main()
