#!/usr/bin/env python3
"""Writes renyi_vectors.jsonl: the functions of renyi_reference.py at the inputs of renyi_inputs.py.

Inputs are IEEE doubles, taken exactly. A refused input has the expected value null, an unbounded one "inf".

    python3 validation/make_vectors.py                    # writes validation/renyi_vectors.jsonl
    python3 validation/make_vectors.py --check FILE ...   # compares with the values in other files of the same form
"""

import argparse
import json
import os
import pathlib
import sys

from mpmath import inf, mp, mpf

from renyi_inputs import INPUTS
from renyi_reference import (FUNCTIONS, Refused, gaussian_central_moment, laplace, poisson_gaussian,
                             poisson_gaussian_pair, poisson_gaussian_reverse)

PRINTED_DIGITS = 30


def evaluate(function, inputs):
    exact = {name: mpf(float(value)) for name, value in inputs.items()}
    try:
        return FUNCTIONS[function](**exact)
    except Refused:
        return None


def printed(value):
    if isinstance(value, list):
        return [printed(v) for v in value]
    return None if value is None else mp.nstr(value, PRINTED_DIGITS)


def compare(path):
    """@return the number of values that differ from the file's by more than 1e-20 relatively"""
    compared, worst, wrong = 0, mpf(0), 0
    for line in pathlib.Path(path).read_text().splitlines():
        vector = json.loads(line)
        if vector["function"] not in FUNCTIONS:
            continue
        ours, theirs = evaluate(vector["function"], vector["inputs"]), vector["expected"]
        compared += 1
        if ours is None or theirs is None:
            error = mpf(0) if ours is theirs else inf
        else:
            pairs = zip(ours, theirs) if isinstance(theirs, list) else [(ours, theirs)]
            error = max(abs(a - mpf(b)) / abs(mpf(b)) if mpf(b) else abs(a) for a, b in pairs)
        worst = max(worst, error)
        if error > mpf(10) ** -20:
            wrong += 1
            print(f"{vector['id']}: {vector['inputs']}: {ours} here, {theirs} there", file=sys.stderr)
    print(f"{path}: {compared} values compared, worst relative difference {mp.nstr(worst, 3)}")
    return wrong


def check_by_definition():
    """The divergence integrals themselves, by Gauss-Legendre quadrature: none of the formulas above is used."""

    def divergence(order, log_p, log_q, points):
        return mp.log(mp.quad(lambda z: mp.exp(order * log_p(z) + (1 - order) * log_q(z)), points)) / (order - 1)

    def normal(mean, s):
        return lambda z: -((z - mean) ** 2) / (2 * s**2) - mp.log(s * mp.sqrt(2 * mp.pi))

    def mixture(q, s):
        one, other = normal(0, s), normal(1, s)
        return lambda z: mp.log((1 - q) * mp.exp(one(z)) + q * mp.exp(other(z)))

    with mp.workdps(45):
        for a, b in ((1.5, 0.3), (2.0000001, 1.0), (17.3, 5.0)):
            a, b = mpf(a), mpf(b)
            integral = divergence(a, lambda z: -abs(z) / b - mp.log(2 * b), lambda z: -abs(z - 1) / b - mp.log(2 * b),
                                  [-inf, 0, 1, inf])
            assert abs(integral / laplace(a, b) - 1) < mpf(10) ** -30, (a, b)
        for q, s, a in ((0.2, 1, 3), (0.01, 2, 2.5), (0.5, 0.7, 5.25), (0.999999, 2, 1.5)):
            q, s, a = mpf(q), mpf(s), mpf(a)
            points = [s * k for k in range(-16, 17, 4)] + [a + s * k for k in range(0, 17, 4)]
            points = sorted(set([-inf, *points, inf]))
            forward = divergence(a, mixture(q, s), normal(0, s), points)
            reverse = divergence(a, normal(0, s), mixture(q, s), sorted(set([1 - a - 16 * s, *points])))
            assert abs(forward / poisson_gaussian(q, s, a) - 1) < mpf(10) ** -25, (q, s, a, forward)
            assert abs(reverse / poisson_gaussian_reverse(q, s, a) - 1) < mpf(10) ** -25, (q, s, a, reverse)
        for q, s, a in ((0.2, 1, 8), (0.01, 10, 64), (0.9, 0.7, 3)):  # the sum against the quadrature
            q, s, a = mpf(q), mpf(s), mpf(a)
            assert abs(poisson_gaussian_pair(q, s, a, a) / poisson_gaussian(q, s, a) - 1) < mpf(10) ** -30, (q, s, a)
        for s, l in ((1, 4), (60, 10), (0.7, 6)):
            s = mpf(s)
            points = mp.linspace(-20, 20 + l / s, 30)
            integral = mp.quad(lambda u: mp.npdf(u) * mp.expm1(u / s - 1 / (2 * s**2)) ** l, points)
            assert abs(integral / gaussian_central_moment(s, {})(l) - 1) < mpf(10) ** -25, (s, l)


def main():
    arguments = argparse.ArgumentParser(description="Reference values of the Rényi functions.")
    arguments.add_argument("--check", nargs="+", metavar="FILE", help="compare with these files, write nothing")
    options = arguments.parse_args()
    if options.check:
        sys.exit(1 if sum(map(compare, options.check)) else 0)

    check_by_definition()
    lines = []
    for function, (names, note, rows) in INPUTS.items():
        for index, row in enumerate(rows):
            inputs = dict(zip(names, row, strict=True))
            vector = {"id": f"{function}/edge-{index:02d}", "function": function, "inputs": inputs}
            if function.startswith("algorithm."):
                vector["outputs"] = ["epsilon", "order"]
            expected = printed(evaluate(function, inputs))
            vector |= {"expected": expected, "note": note if expected else "outside the domain"}
            lines.append(json.dumps(vector))
    target = pathlib.Path(__file__).resolve().with_name("renyi_vectors.jsonl")
    beside = target.with_suffix(".partial")
    beside.write_text("\n".join(lines) + "\n")
    os.replace(beside, target)
    print(f"{target.name}: {len(lines)} values")


if __name__ == "__main__":
    main()
