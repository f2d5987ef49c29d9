"""The published numbers: one line of published.jsonl each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PAPERS = ("noble", "zheng", "chen", "chang", "lowy")

Steps = dict[str, dict[str, Any]]
"""Questions in their order; the last one's answer counts. A step is {"ask": words, "take": path}, {"eval": function,
"inputs": {...}, "take": path}, or {"value": expression}. In words and inputs {NAME} stands for an earlier answer."""


class Malformed(Exception):
    """A line that cannot be used; the message says where and why."""


@dataclass
class Reading:
    """Another formula that the number may come from."""

    name: str
    formula: Steps


@dataclass
class Claim:
    paper: str
    place: str
    """Table, figure or section, and what tells the number from its neighbours."""
    quantity: str
    unit: str
    formula: Steps
    """What the paper's formula gives."""
    printed: str | None = None
    """As it stands there; nothing where it does not, and `lacks` says so."""
    to: float | None = None
    """The unit of its last digit, where that is not what it looks like."""
    at_most: bool = False
    """Printed as what is not exceeded."""
    lacks: str = ""
    """Why nothing can be held against what is printed."""
    proven: Steps = field(default_factory=dict)
    """The bracket of what the same run spends, an epsilon."""
    claimed: Steps = field(default_factory=dict)
    """The epsilon that the number claims, where it is not one itself."""
    allows: Steps = field(default_factory=dict)
    """The most rounds that are proven to fit."""
    readings: list[Reading] = field(default_factory=list)
    why: str = ""

    @property
    def name(self) -> str:
        return f"{self.paper}: {self.place}"

    @property
    def value(self) -> float | None:
        return None if self.printed is None else float(_number_in(self.printed))

    @property
    def unit_of_last_digit(self) -> float:
        if self.to is not None or self.printed is None:
            return self.to or 0
        digits = _number_in(self.printed).partition(".")[2]
        return float(10 ** -len(digits))


def _number_in(printed: str) -> str:
    found = re.search(r"\d+(\.\d+)?", printed)
    if found is None:
        raise Malformed(f"{printed!r} has no number")
    return found[0]


def claims_in(file: Path) -> list[Claim]:
    """@throws Malformed"""
    return list(_read(file.read_text(encoding="utf-8").splitlines(), file.name))


def _read(lines: Iterable[str], name: str) -> Iterable[Claim]:
    seen: set[str] = set()
    for number, line in enumerate(lines, 1):
        try:
            claim = _claim(json.loads(line))
            if claim.name in seen:
                raise Malformed(f"{claim.name} stands twice")
        except (Malformed, TypeError, KeyError, ValueError) as error:
            raise Malformed(f"{name}, line {number}: {error}") from None
        seen.add(claim.name)
        yield claim


def _claim(given: dict[str, Any]) -> Claim:
    readings = [Reading(**reading) for reading in given.pop("readings", [])]
    claim = Claim(**given, readings=readings)
    if claim.paper not in PAPERS:
        raise Malformed(f"paper is {claim.paper}, but must be one of {', '.join(PAPERS)}")
    if claim.printed is not None:
        _number_in(claim.printed)
    elif not claim.lacks:
        raise Malformed("printed and lacks are both missing")
    if not claim.formula:
        raise Malformed("formula is empty")
    if claim.proven and claim.unit != "epsilon" and not claim.claimed:
        raise Malformed(f"proven is an epsilon, but nothing says which one {claim.unit} claims")
    for steps in (claim.formula, claim.proven, claim.claimed, claim.allows, *(one.formula for one in readings)):
        for step in steps.values():
            if not ({"ask", "take"} == set(step) or {"eval", "inputs", "take"} == set(step) or {"value"} == set(step)):
                raise Malformed(
                    f"a step has {', '.join(step)}, but must have ask and take, eval, inputs and take, or value"
                )
    return claim
