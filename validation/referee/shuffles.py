"""Shuffled randomised response: the laws of how many reports of each value there are."""

from __future__ import annotations

from flint import arb, fmpq, fmpz

from atoms import Atoms
from balls import ONE, ZERO
from work import take


def _binomial(count: int, rate: arb) -> list[arb]:
    rest = 1 - rate
    return [arb(fmpz.bin_uiui(count, k)) * rate**k * rest ** (count - k) for k in range(count + 1)]


def _convolved(x: list[arb], y: list[arb]) -> list[arb]:
    result = [ZERO] * (len(x) + len(y) - 1)
    for i, p in enumerate(x):
        for j, q in enumerate(y):
            result[i + j] += p * q
    return result


def ones_among_others(reports: int, epsilon: fmpq) -> list[Atoms]:
    """For each number of the others who hold a 1: the law of the reported ones, the first user's value 1 or 0."""
    take(2 * reports**3, "shuffled reports")
    truth = 1 / (1 + (-arb(epsilon)).exp())
    result = []
    for ones in range(reports):
        others = _convolved(_binomial(ones, truth), _binomial(reports - 1 - ones, 1 - truth))
        holds_one = _convolved(others, [1 - truth, truth])
        holds_zero = _convolved(others, [truth, 1 - truth])
        result.append(Atoms.of_vectors(list(zip(holds_one, holds_zero))))
    return result


def clones(reports: int, epsilon: fmpq, hidden: arb) -> Atoms:
    """Each other report is, with probability `hidden`, one that either of the first user's two values could have made,
    by a fair coin; else it tells nothing. What is known are the counts of those (README.md, statement 9)."""
    truth = 1 / (1 + (-arb(epsilon)).exp())
    vectors = []
    for clones_there, weight in enumerate(_binomial(reports - 1, hidden)):
        coins = [*_binomial(clones_there, arb(0.5)), ZERO]
        before = ZERO
        for ones in range(clones_there + 2):
            # the first user's report counted in
            with_one, without = before, coins[ones] if ones <= clones_there else ZERO
            p = weight * (truth * with_one + (1 - truth) * without)
            q = weight * ((1 - truth) * with_one + truth * without)
            if p > 0 and q > 0:
                vectors.append((p, q))
            before = without
    return Atoms.of_vectors(vectors, symmetric=True)


def fair_share(epsilon: fmpq) -> arb:
    """The share of k-ary randomised response that both of any two values could have made: 2 / (e^epsilon + 1)."""
    return 2 / (1 + arb(epsilon).exp())


def least_share(epsilon: fmpq) -> arb:
    """That of any epsilon-DP randomiser."""
    return ONE * (-arb(epsilon)).exp()
