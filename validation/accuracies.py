#!/usr/bin/env python3
"""The accuracies that three papers print, beside those of the same settings here.

    accuracies.py [--seeds COUNT] [--sparse] PROGRAM DATA_FOLDER [NAME...]

PROGRAM is dpbudget, DATA_FOLDER holds the MNIST digits (10,000, in IDX). NAME is one of

    noble-table1, noble-table4    DP-SCAFFOLD on synthetic data at sigma_g 10 to 160, 1 to 40 local steps
    noble-steps                   corners of both tables at steps from 0.01 to 3
    noble-figure9, noble-figure10 DP-SCAFFOLD and DP-FedAvg at three user rates, and at three record rates
    zheng-table1, zheng-table2    PriFedSync on shards of the digits, with batches of 16 and of 8
    chen-table2                   five algorithms on synthetic data of three kinds

and prints a table in Markdown. Step sizes are those that the papers print; Noble et al. print none, and 1 is taken; for
Chen et al. the best of three by training loss on seed 100. Runs have the seeds 1 to COUNT, 1 if left out. --sparse
takes the ends and the middle of what varies alone, in a third of the time or less. Every run's ledger is verified, and
epsilons are what is proven of what it executed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

Options = dict[str, Any]
Run = dict[str, Any]

TUNING_SEED = 100


class Failed(Exception):
    """The program ended otherwise than well; the message is its own."""


class Runner:
    def __init__(self, program: str, folder: str, seeds: int, threads: int, sparse: bool):
        self.program, self.folder, self.seeds, self.threads = program, folder, range(1, seeds + 1), threads
        self.sparse = sparse

    def some(self, values: Iterable[Any]) -> list[Any]:
        """All of them, or the ends and what is in the middle."""
        known = list(values)
        return known if not self.sparse or len(known) < 3 else [known[0], known[len(known) // 2], known[-1]]

    def digits(self) -> str:
        files = (os.path.join(self.folder, f"mnist-10k-{kind}-ubyte.gz") for kind in ("images-idx3", "labels-idx1"))
        return "idx:" + ",".join(files)

    def ask(self, words: Iterable[str]) -> Any:
        done = subprocess.run([self.program, *words, "--json"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(f"{' '.join(words)}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def run(self, options: Options, seed: int) -> Run:
        with tempfile.TemporaryDirectory() as folder:
            ledger = os.path.join(folder, "ledger.jsonl")
            words = [part for key, value in options.items() for part in ("--" + key.replace("_", "-"), str(value))]
            run: Run = self.ask(["simulate", "--threads", "1", "--ledger", ledger, "--seed", str(seed), *words])
            return run

    def runs(self, cells: list[Options]) -> list[list[Run]]:
        """Each cell's runs, one a seed."""
        with ThreadPoolExecutor(self.threads) as pool:
            rows = [[pool.submit(self.run, options, seed) for seed in self.seeds] for options in cells]
            return [[future.result() for future in row] for row in rows]

    def tuned(self, options: Options, steps: list[float]) -> float:
        """The step of the least training loss on a seed of its own; one that fails, as where it diverges, has none."""

        def loss(step: float) -> float:
            try:
                return float(self.run({**options, "step": step}, TUNING_SEED)["train_loss"])
            except Failed:
                return math.inf

        with ThreadPoolExecutor(self.threads) as pool:
            losses = list(pool.map(loss, steps))
        return steps[losses.index(min(losses))]


def per_cent(runs: list[Run], score: str = "test_score_of_last_tenth") -> str:
    values = [100 * run[score] for run in runs]
    text = f"{statistics.mean(values):.1f}"
    return f"{text} +- {statistics.stdev(values):.1f}" if len(values) > 1 else text


def spent(run: Run, adversary: str) -> str:
    """What is proven of the executed run, rounded up."""
    for view in run["views"]:
        if view["adversary"] == adversary and view["executed"]:
            upper = float(view["executed"]["epsilon"]["upper"])
            return f"{math.ceil(upper * 1000) / 1000:.3f}"
    return "none"


def table(heading: list[str], rows: Iterable[list[str]]) -> None:
    print("| " + " | ".join(heading) + " |\n|" + " --- |" * len(heading))
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)


NOBLE_STEPS = (1, 5, 10, 20, 40)
NOBLE_ROUNDS = {
    10: (542, 488, 428, 324, 72),
    20: (545, 502, 451, 352, 83),
    40: (546, 505, 457, 360, 86),
    80: (546, 506, 458, 362, 87),
    160: (546, 506, 458, 362, 87),
}
NOBLE_ACCURACIES = {
    "5,5": {
        10: (27.41, 45.53, 43.52, 42.51, 21.80),
        20: (27.34, 44.39, 43.47, 42.33, 20.14),
        40: (21.05, 34.50, 36.85, 33.24, 14.85),
        80: (17.61, 24.41, 27.33, 19.42, 14.08),
        160: (13.97, 15.99, 19.27, 14.86, 14.17),
    },
    "0,0": {
        10: (31.29, 44.37, 44.17, 41.71, 25.92),
        20: (28.31, 41.97, 43.27, 41.13, 28.20),
        40: (21.07, 33.01, 35.96, 32.82, 23.49),
        80: (17.09, 21.84, 25.92, 24.02, 17.95),
        160: (15.24, 15.37, 20.09, 18.09, 15.38),
    },
}
MEDIAN: Options = {"clipping": "median", "clip": 1}
FIXED: Options = {"clip": 0.5}
SYNTHETIC: Options = {"users": 100, "records": 5000, "delta": 2.5e-6, "evaluate_every": 5}


def noble_table(runner: Runner, heterogeneity: str) -> None:
    common: Options = {**SYNTHETIC, "algorithm": "dp-scaffold", "user_rate": 0.05, "record_rate": 0.2, "step": 1}
    settings = [
        (noise, steps, NOBLE_ROUNDS[noise][NOBLE_STEPS.index(steps)], NOBLE_STEPS.index(steps))
        for noise in runner.some(NOBLE_ROUNDS)
        for steps in runner.some(NOBLE_STEPS)
    ]
    cells = [
        {
            **common,
            **clipping,
            "data": f"synthetic:{heterogeneity}",
            "local_steps": steps,
            "noise": noise,
            "rounds": rounds,
        }
        for noise, steps, rounds, _ in settings
        for clipping in (MEDIAN, FIXED)
    ]
    runs = runner.runs(cells)
    print("test accuracy in per cent over the last tenth of the rounds, step 1")
    table(
        ["sigma_g", "K", "T", "paper", "median clipping", "norm 0.5", "proven epsilon of it"],
        (
            [str(noise), str(steps), str(rounds), f"{NOBLE_ACCURACIES[heterogeneity][noise][place]:.2f}"]
            + [per_cent(of_median), per_cent(of_fixed), spent(of_fixed[0], "third_party")]
            for (noise, steps, rounds, place), of_median, of_fixed in zip(settings, runs[::2], runs[1::2])
        ),
    )


def noble_steps(runner: Runner) -> None:
    """Their step is tuned, by a grid and data that are not printed, once for all cells."""
    steps = runner.some((0.01, 0.03, 0.1, 0.3, 1, 3))
    lines = []
    for heterogeneity, accuracies in NOBLE_ACCURACIES.items():
        settings = [(noise, place) for noise in (10, 160) for place in (0, 2, 4)]
        cells = [
            {
                **SYNTHETIC,
                **MEDIAN,
                "algorithm": "dp-scaffold",
                "user_rate": 0.05,
                "record_rate": 0.2,
                "data": f"synthetic:{heterogeneity}",
                "local_steps": NOBLE_STEPS[place],
                "noise": noise,
                "rounds": NOBLE_ROUNDS[noise][place],
                "step": step,
            }
            for noise, place in settings
            for step in steps
        ]
        runs = iter(runner.runs(cells))
        lines += [
            [heterogeneity, str(noise), str(NOBLE_STEPS[place]), f"{accuracies[noise][place]:.2f}"]
            + [per_cent(next(runs)) for _ in steps]
            for noise, place in settings
        ]
    print("test accuracy in per cent over the last tenth of the rounds, median clipping")
    table(["data", "sigma_g", "K", "paper", *(f"step {step:g}" for step in steps)], lines)


def noble_figure(runner: Runner, varied: str, values: tuple[float, ...]) -> None:
    """The first row, synthetic data at (5, 5), and the third on the digits that there are: a sixth of theirs."""
    rows: list[tuple[str, Options, float, int, int]] = [
        ("synthetic", {**SYNTHETIC, "data": "synthetic:5,5", "noise": 60}, 5, 100, 4000),
        (
            "MNIST, 10,000 digits",
            {
                "data": runner.digits(),
                "users": 60,
                "similarity": 0,
                "model": "mlp:200",
                "pca": 60,
                "noise": 30,
                "delta": 1 / (60 * 132),
                "evaluate_every": 5,
            },
            3,
            60,
            132,
        ),
    ]
    lines = []
    for name, data, epsilon, users, records in rows:
        for value in runner.some(values):
            rates: Options = {"user_rate": 0.1, "record_rate": 0.2, "local_steps": 10, varied: value}
            question = {**rates, "users": users, "records": records, "noise": data["noise"], "delta": data["delta"]}
            words = [part for key, one in question.items() for part in ("--" + key.replace("_", "-"), str(one))]
            rounds = runner.ask(
                [
                    "plan",
                    "dp-scaffold",
                    *words,
                    "--epsilon",
                    str(epsilon),
                    "--adversary",
                    "third_party",
                    "--basis",
                    "published",
                ]
            )[0]["rounds"]
            common = {**data, **rates, **FIXED, "rounds": rounds, "step": 1}
            scaffold, averaging = runner.runs(
                [{**common, "algorithm": algorithm} for algorithm in ("dp-scaffold", "dp-fedavg")]
            )
            lines.append(
                [
                    name,
                    f"{value:g}",
                    str(rounds),
                    per_cent(scaffold),
                    per_cent(averaging),
                    spent(scaffold[0], "third_party"),
                ]
            )
    print("test accuracy in per cent over the last tenth of the rounds, K = 10, clipping norm 0.5, step 1")
    table(["data", varied, "T by the paper's formula", "DP-SCAFFOLD", "DP-FedAvg", "proven epsilon"], lines)


ZHENG_TABLE1 = (
    (1.0, 1.0, 93, 90.03),
    (1.0, 0.9, 83, 90.25),
    (1.0, 0.75, 64, 90.10),
    (0.5, 1.0, 194, 90.02),
    (0.5, 0.9, 176, 90.02),
    (0.5, 0.75, 127, 90.11),
    (0.25, 1.0, 386, 90.00),
    (0.25, 0.9, 325, 90.00),
    (0.25, 0.75, 245, 90.04),
)
ZHENG_TABLE2 = ((8, 1.0, 266), (16, 1.0, 194), (8, 0.9, 229), (16, 0.9, 176), (8, 0.75, 191), (16, 0.75, 127))


def zheng_options(runner: Runner, rate: float, noise: float, batch: int, rounds: int) -> Options:
    """13 clients of 769 digits, of which 615 train, where they have 100 of 600: a record spends nearly the same."""
    return {
        "algorithm": "dp-prifedsync",
        "optimiser": "adam",
        "data": runner.digits(),
        "users": 13,
        "partition": "shards:4",
        "client_sampling": "poisson",
        "user_rate": rate,
        "batch_size": batch,
        "local_steps": 608 // batch,
        "rounds": rounds,
        "noise": noise,
        "clip": 1,
        "step": 0.001,
        "interpolation": 0.1,
        "regularisation": 0,
        "delta": 1e-5,
        "evaluate_every": 5,
    }


def first_round(run: Run, score: str, least: float) -> str:
    return next((str(at["round"]) for at in run["history"] if at.get(score, 0) >= least), "never")


def zheng_table(runner: Runner, rows: list[tuple[float, float, int, int, str]]) -> None:
    """@param rows  client rate, noise, batch, rounds, and the paper's accuracy there"""
    rows = runner.some(rows)
    cells = [zheng_options(runner, *row[:4]) for row in rows]
    plain = [{**cell, "algorithm": "prifedsync"} for cell in cells]
    for cell in plain:
        del cell["noise"], cell["clip"]
    all_runs = runner.runs(cells + plain)
    lines = []
    for (rate, noise, batch, rounds, paper), private, other in zip(rows, all_runs, all_runs[len(rows) :]):
        history = private[0]["history"]
        lines.append(
            [f"{rate:g}", f"{noise:g}", str(batch), str(rounds), paper]
            + [f"{100 * history[-1]['personal_score']:.1f}", f"{100 * history[-1]['test_score']:.1f}"]
            + [f"{100 * other[0]['history'][-1]['personal_score']:.1f}", first_round(private[0], "personal_score", 0.9)]
            + [spent(private[0], "one_client")]
        )
    print("accuracy in per cent on each client's own test records, softmax, Adam at 0.001, seed 1")
    heading = ["p", "sigma", "B", "R", "paper", "personalised", "common", "personalised, no noise", "90 % at round"]
    table([*heading, "proven epsilon"], lines)


CHEN_TABLE2 = {
    "synthetic:iid": ("Syn-IID", 69.84, 76.81, 78.35, 82.54, 90.12),
    "synthetic:1,1": ("Syn (1, 1)", 67.14, 77.15, 81.90, 84.18, 89.72),
    "synthetic:5,5": ("Syn (5, 5)", 66.41, 77.08, 81.99, 84.68, 90.39),
}
CHEN_ALGORITHMS = ("dp-fedavg", "dp-scaffold", "dpnfl", "addpnfl", "adnfl")


def chen_table(runner: Runner) -> None:
    """T, G, the noise and the steps on these data are not printed: 30 rounds, norm 1, the noise that is proven to spend
    epsilon 0.3 at delta 0.01, clients' steps from a grid, and 0.1 for the server's."""
    records, rounds = 600, 30
    noise = runner.ask(
        ["solve", f"{rounds} x participates(10 of 100, 300 x wor(10 of {records}, gaussian(?)))"]
        + ["--adjacency", "replace_one", "--epsilon", "0.3", "--delta", "0.01"]
    )["value"]
    lines = []
    for data in CHEN_TABLE2:
        name, *paper = CHEN_TABLE2[data]
        cells = []
        for algorithm in CHEN_ALGORITHMS:
            options: Options = {
                "algorithm": algorithm,
                "data": data,
                "users": 100,
                "records": records * 5 // 4,
                "user_rate": 0.1,
                "batch_size": 10,
                "local_steps": 300,
                "rounds": rounds,
                "regularisation": 0.001,
                "standardise": "none",
                "normalise": "no",
                "delta": 0.01,
                "step_schedule": "inverse-sqrt",
                "evaluate_every": 5,
            }
            if algorithm in ("addpnfl", "adnfl"):
                options |= {"server_step": 0.1, "server_step_schedule": "inverse-sqrt"}
            if algorithm != "adnfl":
                options |= {"noise": noise, "clip": 1}
            scale = 1.0 if "nfl" in algorithm else 10 / records * 300  # a local step of theirs is eta_0 / (s K)
            cells.append({**options, "step": runner.tuned(options, [0.01 * scale, 0.1 * scale, scale])})
        found = runner.runs(cells)
        lines += [
            [name, algorithm, f"{accuracy:.2f}", per_cent(runs, "test_score")]
            for algorithm, accuracy, runs in zip(CHEN_ALGORITHMS, paper, found)
        ]
    print(f"test accuracy in per cent after {rounds} rounds, noise {noise:.4g}, proven epsilon 0.3 at delta 0.01")
    table(["data", "algorithm", "paper", "here"], lines)


EXPERIMENTS = {
    "noble-table1": lambda runner: noble_table(runner, "5,5"),
    "noble-table4": lambda runner: noble_table(runner, "0,0"),
    "noble-steps": noble_steps,
    "noble-figure9": lambda runner: noble_figure(runner, "user_rate", (0.08, 0.1, 0.12)),
    "noble-figure10": lambda runner: noble_figure(runner, "record_rate", (0.05, 0.1, 0.2)),
    "zheng-table1": lambda runner: zheng_table(
        runner, [(p, noise, 16, rounds, f"{paper:.2f}") for p, noise, rounds, paper in ZHENG_TABLE1]
    ),
    "zheng-table2": lambda runner: zheng_table(
        runner, [(0.5, noise, batch, rounds, "90 reached") for batch, noise, rounds in ZHENG_TABLE2]
    ),
    "chen-table2": chen_table,
}


def main() -> int:
    names = "|".join(EXPERIMENTS)
    parser = argparse.ArgumentParser(usage=f"accuracies.py [--seeds COUNT] [--sparse] PROGRAM DATA_FOLDER [{names}...]")
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--sparse", action="store_true")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"there is no {unknown[0]}")
    if not 1 <= given.seeds < TUNING_SEED:
        parser.error(f"--seeds is {given.seeds}, but must be in [1, {TUNING_SEED - 1}]: {TUNING_SEED} is for tuning")
    if given.threads < 1:
        parser.error(f"--threads is {given.threads}, but must be at least 1")
    runner = Runner(given.program, given.folder, given.seeds, given.threads, given.sparse)
    for name in given.names or EXPERIMENTS:
        print(f"\n{name}\n", flush=True)
        try:
            EXPERIMENTS[name](runner)
        except (OSError, Failed) as error:
            print(f"accuracies.py: {error}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
