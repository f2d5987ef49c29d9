#!/usr/bin/env python3
"""Times other accountants on two workloads, in one run on one machine, and prints a table beside dpbudget's benchmark.

    python3 -m venv DIRECTORY && DIRECTORY/bin/pip install dp-accounting==0.6.0 prv-accountant==0.2.0
    DIRECTORY/bin/python validation/compare_peers.py [--benchmark PROGRAM] [--repetitions N]

    W1  10,000 x poisson(0.01, gaussian(1)), delta 1e-5
    W5  2,000 rounds of poisson(0.02, gaussian(4 * 0.999^t)), t = 0 .. 1999, delta 1e-5
"""

import argparse
import importlib.metadata
import os
import statistics
import subprocess
import time

import absl.logging
from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent
from dp_accounting.rdp import RdpAccountant
from prv_accountant.other_accountants import RDP
from prv_accountant.privacy_random_variables import PoissonSubsampledGaussianMechanism

DELTA = 1e-5


def dp_accounting_w1():
    step = PoissonSampledDpEvent(0.01, GaussianDpEvent(1.0))
    return RdpAccountant().compose(SelfComposedDpEvent(step, 10_000)).get_epsilon(DELTA)


def dp_accounting_w5():
    accountant = RdpAccountant()
    for t in range(2_000):
        accountant.compose(PoissonSampledDpEvent(0.02, GaussianDpEvent(4 * 0.999**t)))
    return accountant.get_epsilon(DELTA)


def prv_accountant_w1():
    step = PoissonSubsampledGaussianMechanism(noise_multiplier=1.0, sampling_probability=0.01)
    return RDP(prvs=[step]).compute_epsilon(delta=DELTA, num_self_compositions=[10_000])[-1]


def timed(run, repetitions):
    """@return the value, the median and the spread (largest less smallest) of the seconds"""
    seconds = []
    for _ in range(repetitions):
        began = time.perf_counter()
        value = run()
        seconds.append(time.perf_counter() - began)
    return value, statistics.median(seconds), max(seconds) - min(seconds)


def main():
    arguments = argparse.ArgumentParser(description="Times other accountants on two workloads.")
    arguments.add_argument("--benchmark", metavar="PROGRAM", help="a dpbudget benchmark, run at the end")
    arguments.add_argument("--repetitions", type=int, default=5, help="of the runs shorter than a second (5)")
    options = arguments.parse_args()

    absl.logging.set_verbosity(absl.logging.ERROR)  # dp-accounting warns of every order it leaves out, 2,000 times over
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.2f}; median of the repetitions, imports apart\n")
    print(f"{'peer':<24}{'workload':<10}{'epsilon':>14}{'seconds':>12}{'spread':>12}{'runs':>6}")
    for package, workload, run, repetitions in (("dp-accounting", "W1", dp_accounting_w1, options.repetitions),
                                                ("prv-accountant", "W1", prv_accountant_w1, options.repetitions),
                                                ("dp-accounting", "W5", dp_accounting_w5, 1)):
        value, median, spread = timed(run, repetitions)
        peer = f"{package} {importlib.metadata.version(package)}"
        print(f"{peer:<24}{workload:<10}{value:>14.8g}{median:>12.4g}{spread:>12.2g}{repetitions:>6}", flush=True)
    if options.benchmark:
        print(f"\n{os.path.basename(options.benchmark)}", flush=True)
        subprocess.run([os.path.abspath(options.benchmark)], check=True)


if __name__ == "__main__":
    main()
