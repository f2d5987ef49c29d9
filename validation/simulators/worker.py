"""One tool on one workload, in a process of its own: checks and warms up, then measures once for each line it reads."""

import importlib
import json
import os
import resource
import sys
import time

from simulators.workloads import WORKLOADS

LONG = 10  # seconds of a round from which on it is timed as seldom as can be
MODULES = {
    "dpbudget-float32": "dpbudget",
    "dpbudget-float64": "dpbudget",
    "numpy-float32": "numpy",
    "numpy-float64": "numpy",
    "opacus": "opacus",
    "jax-privacy": "jax_privacy",
    "fedjax": "fedjax",
    "fedjax-plain": "fedjax",
    "pfl": "pfl",
}


def one_thread():
    """On one core: no library's threads, nor dpbudget's that verify, can do anything at the same time."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for library in "OMP", "OPENBLAS", "MKL":
        os.environ[f"{library}_NUM_THREADS"] = "1"
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["CUDA_VISIBLE_DEVICES"] = ""


class Timed:
    """The fastest of a tool's variants, each checked."""

    def __init__(self, workload, variants):
        from simulators.check import check

        self.workload, self.seconds_a_round = workload, float("inf")
        for name, run_of, trainer_of, dtype in variants:
            if trainer_of is not None:
                check(workload, trainer_of, dtype)
            run = run_of()
            seconds = self.seconds_of(run, 1)
            if seconds < LONG:  # else compilation is little of it
                seconds = min(self.seconds_of(run, 1) for _ in range(2 if seconds < 1 else 1))
            if seconds < self.seconds_a_round:
                self.seconds_a_round, self.variant, self.run = seconds, name, run
        self.rounds = max(1, min(20, int(1 / self.seconds_a_round)))

    @staticmethod
    def seconds_of(run, rounds):
        began = time.process_time()
        run(rounds)
        return time.process_time() - began

    def measure(self):
        began = time.perf_counter()
        twenty = self.workload.name == "T4" and self.seconds_a_round < LONG / 2
        rounds = 20 if twenty else self.rounds
        seconds = self.seconds_of(self.run, rounds)
        busy = seconds / (time.perf_counter() - began)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)
        answer = {"round": seconds / rounds, "busy": busy, "memory": memory}
        if twenty:
            answer |= {"round": self.seconds_of(self.run, 1), "twenty": seconds}
        return answer


def prepared(tool, workload, program):
    module = MODULES[tool]
    if module == "dpbudget":
        from simulators.dpbudget_rounds import Program

        return None if workload.central else Program(workload, program, tool.partition("-")[2])
    adapter = importlib.import_module(f"simulators.{module}_rounds")
    variants = adapter.prepare(workload, tool.partition("-")[2])
    return variants and Timed(workload, variants)


def serve(tool, workload, program):
    """Lines of JSON to standard output: what is ready, then a measurement for each line of standard input. In the place
    of either `failure`, and why."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever libraries print is no answer
    one_thread()
    try:
        ready = prepared(tool, WORKLOADS[workload], program)
        if ready is None:
            print(json.dumps({"none": True}), file=answers)
            return
        described = {"variant": getattr(ready, "variant", ""), "seconds": ready.seconds_a_round}
        print(json.dumps(described), file=answers)
        for _ in sys.stdin:
            print(json.dumps(ready.measure()), file=answers)
    except Exception as error:  # whichever a peer may raise: the others go on
        told = str(error).strip().splitlines()
        print(json.dumps({"failure": f"{type(error).__name__}: {told[0] if told else ''}"}), file=answers)
