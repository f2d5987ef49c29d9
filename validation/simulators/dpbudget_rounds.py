"""dpbudget, the program, on an IDX file of the workload's records, a fifth more of which test. A round's time is that

- of training and the ledger, from the moments when `simulate` prints the evaluations before and after so many rounds
  (on one client: they take no time worth mentioning), and
- of verification: of how much longer `verify` takes for the ledger of a longer run than for that of a shorter one. What
  is done once, the accounting for five adversaries above all, is told apart, as `once`: peers do none."""

import os
import subprocess
import sys
import tempfile
import time

from simulators.workloads import CLIP, NOISE, raw_features, raw_labels

PRECISIONS = {"float32": "single", "float64": "double"}
BEFORE = 20  # rounds of the shorter run: accounting for very few rounds may take another way, and longer


class Failed(Exception):
    """The program ended otherwise than well; the message is its own."""


def idx(kind, shape, body):
    return b"".join([bytes([0, 0, 8, len(shape)]), *(size.to_bytes(4, "big") for size in shape), body])


def cpu_time(process):
    """Of all threads of a process, by its clock, whose number is made of the process's: see clock_getcpuclockid."""
    return time.clock_gettime(~process << 3 | 2) if sys.platform == "linux" else time.perf_counter()


class Program:
    def __init__(self, workload, program, kind):
        self.workload, self.program, self.precision = workload, program, PRECISIONS[kind]
        self.folder = tempfile.TemporaryDirectory()
        self.images, self.labels, self.ledger = (
            os.path.join(self.folder.name, name) for name in ("images", "labels", "run.jsonl")
        )
        total = workload.clients * workload.records * 5 // 4
        side = next(s for s in range(int(workload.features**0.5), 0, -1) if workload.features % s == 0)
        with open(self.images, "wb") as file:
            file.write(idx(3, (total, side, workload.features // side), raw_features(workload, total)))
        with open(self.labels, "wb") as file:
            file.write(idx(1, (total,), raw_labels(total)))
        self.rounds = {"T1": 100, "T2": 10, "T3": 100}.get(workload.name, 20)
        self.seconds_a_round = self.simulate(BEFORE)["training"]

    def command(self, rounds):
        w = self.workload
        options = {
            "algorithm": "dp-scaffold" if w.scaffold else "dp-fedavg",
            "model": f"mlp:{w.hidden}" if w.hidden else "softmax",
            "precision": self.precision,
            "data": f"idx:{self.images},{self.labels}",
            "users": w.clients,
            "partition": "iid",
            "user-rate": w.participants / w.clients,
            "local-steps": w.steps,
            "batch-size": w.batch,
            "noise": NOISE,
            "clip": CLIP,
            "regularisation": 0,
            "threads": 1,
            "rounds": rounds,
            "evaluate-every": max(rounds - BEFORE, 1),
            "evaluate-clients": 1,
            "ledger": self.ledger,
        }
        words = (word for name, value in options.items() for word in (f"--{name}", str(value)))
        return [self.program, "simulate", *words]

    def run(self, command):
        """@return the CPU time at the first two evaluations and at the end, and the most memory that it held in MB"""
        began, moments, told = time.perf_counter(), [], ""
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
            for line in run.stdout:
                told = line.strip() or told
                if len(moments) < 2 and line.split()[:1] and line.split()[0].isdigit():
                    moments.append(cpu_time(run.pid))
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        if run.returncode != 0:
            raise Failed(told)
        seconds = usage.ru_utime + usage.ru_stime
        return {
            "moments": moments,
            "seconds": seconds,
            "busy": seconds / (time.perf_counter() - began),
            "memory": usage.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024),
        }

    def simulate(self, rounds):
        """@return also the time of all rounds but the last BEFORE ones, but of the first if there are no more"""
        done = self.run(self.command(rounds))
        return done | {"training": done["moments"][1] - done["moments"][0]}

    def verify(self):
        return self.run([self.program, "verify", self.ledger])["seconds"]

    def measure(self):
        """Of rounds + BEFORE rounds, of which the training of the first `rounds` is timed."""
        self.simulate(BEFORE)
        before = self.verify()
        done = self.simulate(self.rounds + BEFORE)
        verification = max(self.verify() - before, 0.0)
        answer = {
            "round": (done["training"] + verification) / self.rounds,
            "busy": done["busy"],
            "memory": done["memory"],
            "verification": verification / self.rounds,
            "once": before - BEFORE * verification / self.rounds,
        }
        return answer | {"twenty": self.rounds * answer["round"]} if self.workload.name == "T4" else answer
