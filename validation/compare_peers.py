#!/usr/bin/env python3
"""Times other accountants on shared workloads, in one run on one machine, and prints a table beside dpbudget's benchmarks.

    python3 -m venv DIRECTORY && DIRECTORY/bin/pip install dp-accounting==0.6.0 prv-accountant==0.2.0
    DIRECTORY/bin/python validation/compare_peers.py [--benchmark PROGRAM]... [--repetitions N]

    W1  10,000 x poisson(0.01, gaussian(1)), delta 1e-5, by Renyi DP; W2 the same by privacy-loss distribution
    W4  1e6 x poisson(1e-4, gaussian(0.8)), delta 1e-5
    W7  noise of 1000 x poisson(0.01, gaussian(?)) for epsilon 1, delta 1e-6
    W8  the most rounds of poisson(0.02, gaussian(1.5)) for epsilon 3, delta 1e-6
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
from dp_accounting.pld import PLDAccountant
from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism
from dp_accounting.rdp import RdpAccountant
from prv_accountant import PRVAccountant
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


def dp_accounting_pld(rate, noise, steps, mesh):
    step = from_gaussian_mechanism(noise, sampling_prob=rate, value_discretization_interval=mesh)
    return step.self_compose(steps).get_epsilon_for_delta(DELTA)


def prv_bracket(rate, noise, steps, error):
    step = PoissonSubsampledGaussianMechanism(noise_multiplier=noise, sampling_probability=rate)
    accountant = PRVAccountant(prvs=[step], max_self_compositions=[steps], eps_error=error, delta_error=DELTA / 1000)
    return accountant.compute_epsilon(delta=DELTA, num_self_compositions=[steps])[2]


def dp_accounting_w7():
    def after(noise):
        event = SelfComposedDpEvent(PoissonSampledDpEvent(0.01, GaussianDpEvent(noise)), 1_000)
        return PLDAccountant().compose(event).get_epsilon(1e-6)

    low, high = 1.0, 3.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if after(middle) <= 1 else (middle, high)
    return high


def dp_accounting_w8():
    step = from_gaussian_mechanism(1.5, sampling_prob=0.02, value_discretization_interval=1e-4)
    low, high = 1, 4_096
    while high - low > 1:
        middle = (low + high) // 2
        if step.self_compose(middle).get_epsilon_for_delta(1e-6) <= 3:
            low = middle
        else:
            high = middle
    return low


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
    arguments.add_argument("--benchmark", metavar="PROGRAM", action="append", default=[],
                           help="a dpbudget benchmark, run at the end; may be given more than once")
    arguments.add_argument("--repetitions", type=int, default=5, help="of the runs shorter than a second (5)")
    options = arguments.parse_args()

    absl.logging.set_verbosity(absl.logging.ERROR)  # dp-accounting warns of every order it leaves out, 2,000 times over
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.2f}; median of the repetitions, imports apart\n")
    print(f"{'peer':<24}{'workload':<10}{'epsilon':>14}{'seconds':>12}{'spread':>12}{'runs':>6}")
    for package, workload, run, repetitions in (("dp-accounting", "W1", dp_accounting_w1, options.repetitions),
                                                ("prv-accountant", "W1", prv_accountant_w1, options.repetitions),
                                                ("dp-accounting", "W2", lambda: dp_accounting_pld(0.01, 1, 10_000, 1e-4), 3),
                                                ("prv-accountant", "W2", lambda: prv_bracket(0.01, 1, 10_000, 0.01), 3),
                                                ("dp-accounting", "W4", lambda: dp_accounting_pld(1e-4, 0.8, 10**6, 1e-5), 1),
                                                ("prv-accountant", "W4", lambda: prv_bracket(1e-4, 0.8, 10**6, 0.01), 1),
                                                ("dp-accounting", "W7", dp_accounting_w7, 1),
                                                ("dp-accounting", "W8", dp_accounting_w8, 1),
                                                ("dp-accounting", "W5", dp_accounting_w5, 1)):
        value, median, spread = timed(run, repetitions)
        peer = f"{package} {importlib.metadata.version(package)}"
        print(f"{peer:<24}{workload:<10}{value:>14.8g}{median:>12.4g}{spread:>12.2g}{repetitions:>6}", flush=True)
    for program in options.benchmark:
        print(f"\n{os.path.basename(program)}", flush=True)
        subprocess.run([os.path.abspath(program)], check=True)


if __name__ == "__main__":
    main()
