"""Nodes and masses by which moments are sums: of mass y^(i s), y at the node, off by no more than `error`."""

from __future__ import annotations

from dataclasses import dataclass

from flint import acb, acb_mat, arb

from balls import ZERO

BITS = 140
"""Of a moment that are certain, roughly."""

BLOCK = 32
ROWS = 64
"""Of blocks that are held at once."""


@dataclass
class Nodes:
    """For the powers p = a + i s of y, |s| up to some reach: `masses` are what y^a has at the nodes, `logs` log y."""

    masses: list[arb]
    logs: list[arb]
    error: arb

    def times(self, factor: arb, power: arb) -> Nodes:
        """Of y times a factor."""
        size, log = factor**power, factor.log()
        return Nodes([size * mass for mass in self.masses], [log + one for one in self.logs], size * self.error)

    def weighed(self, weight: arb) -> Nodes:
        return Nodes([weight * mass for mass in self.masses], self.logs, weight * self.error)

    def beside(self, other: Nodes) -> Nodes:
        return Nodes(self.masses + other.masses, self.logs + other.logs, self.error + other.error)

    def real(self) -> arb:
        return with_error(sum(self.masses, ZERO), self.error)

    def along(self, step: arb, terms: int) -> list[acb]:
        """Of the powers a + i k step for k = 0 to `terms`; for those a - i k step take the conjugates."""
        found = along(self.masses, self.logs, step, terms)
        return [acb(with_error(one.real, self.error), with_error(one.imag, self.error)) for one in found]


def along(masses: list[arb], logs: list[arb], step: arb, terms: int) -> list[acb]:
    """The sums of mass e^{i k step log} for k = 0 to `terms`."""
    # Not turned from point to point, for a ball grows whenever it is turned.
    turns = acb_mat([[acb(0, step * log * k).exp() for k in range(BLOCK)] for log in logs])
    found: list[acb] = []
    while len(found) <= terms:
        firsts = range(len(found), min(len(found) + ROWS * BLOCK, terms + 1), BLOCK)
        starts = [[mass * acb(0, step * log * k).exp() for mass, log in zip(masses, logs)] for k in firsts]
        found += (acb_mat(starts) * turns).entries()
    return found[: terms + 1]


def with_error(value: arb, error: arb) -> arb:
    return value + arb(0, error.upper())
