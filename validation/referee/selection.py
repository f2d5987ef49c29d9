"""The best of a random number of runs, by its definition: for outcomes in the order of a score, differences of the
generating function of how many runs there are."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from flint import arb

from atoms import Atoms
from balls import exact

MOST_RANKED = 4
"""Outcomes of which every order is looked at."""


def generating_function(trials: dict) -> Callable[[arb], arb]:
    """E s^K."""
    ((law, numbers),) = trials.items()
    if law == "poisson":
        mean = exact(float(numbers["mean"]))
        return lambda s: (mean * (s - 1)).exp()
    eta, gamma = exact(float(numbers.get("eta", 1))), exact(float(numbers["gamma"]))
    if eta == 0:
        return lambda s: (1 - (1 - gamma) * s).log() / gamma.log()
    return lambda s: ((1 - (1 - gamma) * s) ** -eta - 1) / (gamma**-eta - 1)


def best_of(ranked: list[tuple[arb, arb]], of: Callable[[arb], arb]) -> Atoms:
    """Of outcomes (probability under P, under Q), the last the best."""
    vectors = []
    p = q = arb(0)
    for more_p, more_q in ranked:
        vectors.append((of(p + more_p) - of(p), of(q + more_q) - of(q)))
        p, q = p + more_p, q + more_q
    none = of(arb(0))
    if none > 0:
        vectors.append((none, none))
    return Atoms.of_vectors(vectors)


def rankings(atoms: Atoms, trials: dict) -> Iterator[Atoms]:
    """The best of the runs by every score."""
    of = generating_function(trials)
    outcomes = [(p, q) for _, p, q in atoms.table.values()]
    for ranked in itertools.permutations(outcomes):
        yield best_of(list(ranked), of)
