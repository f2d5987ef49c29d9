#!/usr/bin/env python3
"""Times private federated training of the same workloads by dpbudget and by others, in one run on one core.

    python3 -m venv DIRECTORY
    DIRECTORY/bin/pip install numpy==2.4.6 opacus==1.6.0 torch==2.15.0 jax==0.10.2 fedjax==0.0.17 pfl==0.6.0
    DIRECTORY/bin/pip install optax==0.2.8 dp-accounting==0.5.1
    DIRECTORY/bin/pip install --no-deps jax-privacy==2.0.0
    DIRECTORY/bin/python validation/compare_simulators.py [--program DPBUDGET] [--only T1,T3] [--tools numpy,opacus]

What is not installed is left out, and a line says so. (pfl asks for an older dp-accounting than jax-privacy, which
works with it all the same.) The workloads are printed above the table; T1 and T3 are those of simulator_benchmark.cc
but for the number of features. Records are random and of norm 1; a record's gradient is clipped to 0.5, and noise has
the sensitivity as its standard deviation: 2 x 0.5 / batch at each local step.

dpbudget   the program, in single and in double precision, its ledger written and verified
           (simulators/dpbudget_rounds.py); not counted are data, and what is done once a run, its accounting: that is
           listed apart as `once`
numpy      norms of gradients from factors; the fastest of several numbers of clients side by side and of two generators
opacus     its ghost clipping
jax-privacy its clipped_grad; the fastest of microbatches and of all clients in one call
fedjax     with clipping of each record's gradient and noise that are written here; `plain` trains without any
pfl        its central privacy, which clips clients' updates and adds noise to their mean: less work on T1 to T4

Each tool trains each workload in a process of its own, pinned to one core, whose peak of resident memory is given, data
included. dpbudget draws its own batches, all others' come from the same draws; none but dpbudget accounts or writes.
Imports, data and compilation are not timed. numpy, opacus, jax-privacy and fedjax are first held to a loop over records
(simulators/check.py). Processes take turns, one repetition each. Times are CPU time, that of the clock where nothing
else uses the core; `CPU / time` says how far that was so, and `spread` is the largest less the smallest.
"""

import argparse
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys

from simulators.worker import LONG, MODULES, serve
from simulators.workloads import WORKLOADS

PACKAGES = {
    "numpy": ("numpy",),
    "opacus": ("opacus", "torch"),
    "jax_privacy": ("jax-privacy", "jax"),
    "fedjax": ("fedjax", "jax"),
    "pfl": ("pfl", "torch"),
}
STATED = (
    "Stated, not run here: the program of DP-SCAFFOLD's authors takes 6,500 ms of CPU time a round of T1 with 40 "
    "features, by a review of this simulator."
)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Worker:
    """A process that waits until it is asked for a repetition. `ready` is what it says of itself."""

    def __init__(self, tool, workload, program):
        self.answers = []
        command = [sys.executable, __file__, "--worker", tool, "--only", workload, "--program", program]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.ready = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"failure": f"its process ended with status {self.process.wait()}"}

    def measure(self):
        """@return why it failed, if so"""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        answer = self.answer()
        if "failure" in answer:
            return answer["failure"]
        self.answers.append(answer)
        return None

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def median(self, what):
        return statistics.median(answer[what] for answer in self.answers)


def measured(workload, tools, program, repetitions):
    """@return workers that measured, by tool, and why others did not"""
    workers, failures = {}, {}
    for tool in tools:
        worker = Worker(tool, workload, program)
        if "seconds" in worker.ready:
            workers[tool] = worker
            continue
        worker.close()
        if "failure" in worker.ready:
            failures[tool] = worker.ready["failure"]
    for repetition in range(repetitions):
        for tool, worker in list(workers.items()):
            if repetition and worker.ready["seconds"] >= LONG:
                continue
            failure = worker.measure()
            if failure:
                failures[tool] = failure
                workers.pop(tool).close()
    for worker in workers.values():
        worker.close()
    return workers, failures


def figure(number):
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def cell(workload, worker):
    if worker is None:
        return "-"
    text = figure(1000 * worker.median("round"))
    if "twenty" in worker.answers[0]:
        text += f" / {figure(worker.median('twenty'))} s"
    if workload.name == "T2":
        text += f", {workload.gradients / worker.median('round') / 1000:.1f}k gradients/s"
    return f"{text} ({worker.median('memory'):,.0f} MB)"


def line_of(workload, tool, worker):
    rounds = [1000 * answer["round"] for answer in worker.answers]
    once = figure(worker.median("once")) if "once" in worker.answers[0] else ""
    cells = (
        workload,
        tool,
        figure(statistics.median(rounds)),
        figure(max(rounds) - min(rounds)),
        str(len(rounds)),
        f"{worker.median('busy'):.2f}",
        once,
        worker.ready["variant"],
    )
    return f"| {' | '.join(cells)} |"


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def choice(known, of):
    def parse(text):
        names = text.split(",")
        for name in names:
            if not any(k == name or k.startswith(name + "-") for k in known):
                raise argparse.ArgumentTypeError(f"{name!r} is no {of}: one of {', '.join(known)}")
        return [k for k in known if any(k == name or k.startswith(name + "-") for name in names)]

    return parse


def positive(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive whole number")
    return int(text)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")


def options():
    parser = Parser(description="Times private federated training by dpbudget and by others.")
    parser.add_argument(
        "--program",
        default=os.path.join(ROOT, "build", "release", "tools", "dpbudget"),
        help="dpbudget (that of build/release)",
    )
    parser.add_argument(
        "--only",
        metavar="WORKLOADS",
        type=choice(WORKLOADS, "workload"),
        default=list(WORKLOADS),
        help=f"of {', '.join(WORKLOADS)}, separated by commas (all)",
    )
    parser.add_argument(
        "--tools",
        type=choice(MODULES, "tool"),
        default=list(MODULES),
        help=f"of {', '.join(MODULES)}, or what such a name begins with, separated by commas (all)",
    )
    parser.add_argument(
        "--repetitions",
        metavar="N",
        type=positive,
        default=5,
        help=f"of each measurement (5); 1 where a round takes {LONG} s",
    )
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser.parse_args()


def installed(tools, program):
    """@return those of the tools that are here, and a line for each of the others and each package's version"""
    here, lines = [], []
    for tool in tools:
        try:
            if MODULES[tool] == "dpbudget":
                done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
                versions = f"dpbudget {done.stdout.strip()}"
            else:
                versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES[MODULES[tool]])
            here.append(tool)
            if versions not in lines:
                lines.append(versions)
        except (importlib.metadata.PackageNotFoundError, OSError, subprocess.CalledProcessError) as error:
            lines.append(f"{tool} is left out: {error}")
    return here, lines


def main():
    given = options()
    if given.worker:
        serve(given.worker, given.only[0], given.program)
        return
    tools, lines = installed(given.tools, given.program)
    print(f"{processor()}, one core; load {os.getloadavg()[0]:.2f}; Python {platform.python_version()}\n")
    print("\n".join(lines) + "\n")
    for name in given.only:
        print(f"- {name}: {WORKLOADS[name]}")
    columns = "workload", "tool", "ms a round", "spread", "runs", "CPU / time", "once, s", "variant"
    print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)
    results, failures = {}, []
    for name in given.only:
        results[name], failed = measured(name, tools, given.program, given.repetitions)
        failures += [f"{tool} failed on {name}: {failure}" for tool, failure in failed.items()]
        for tool, worker in results[name].items():
            print(line_of(name, tool, worker), flush=True)
    twenty = " / seconds of 20 rounds on T4" if "T4" in given.only else ""
    print(f"\nMilliseconds a round{twenty} (peak memory), medians of {given.repetitions}:\n")
    print(f"| tool | {' | '.join(given.only)} |\n|---|{'---|' * len(given.only)}")
    for tool in tools:
        print(f"| {tool} | {' | '.join(cell(WORKLOADS[w], results[w].get(tool)) for w in given.only)} |")
    print("\n".join(["", *([STATED] if "T1" in given.only else []), *failures]))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)  # processes that wait for a line end by themselves
