"""What the program under examination answers."""

from __future__ import annotations

import json
import shlex
import subprocess
from dataclasses import dataclass

from plan_rules import check_plan
from schema import Invalid

BAD_INPUT = 2
"""The program's exit status where it has no answer."""


class Refused(Exception):
    """The program has no proven answer; the message is its own."""


class Failed(Exception):
    """The program ended as it never should."""


@dataclass
class Answer:
    plan: dict
    """The plan as the program read it, in its JSON form."""
    lower: float
    upper: float
    accountant: str


@dataclass
class Question:
    """`given` is "delta" or "epsilon"; asked for is the other one."""

    plan: str
    adjacency: str
    given: str
    value: float
    accountant: str = "best"

    @property
    def wanted(self) -> str:
        return "epsilon" if self.given == "delta" else "delta"

    def command(self, program: str) -> list[str]:
        words = [program, self.wanted, self.plan, "--" + self.given, repr(self.value), "--json"]
        return words + ["--adjacency", self.adjacency, "--accountant", self.accountant]


def ask(program: str, question: Question, seconds: float) -> Answer:
    """@throws Refused, Failed"""
    try:
        done = subprocess.run(question.command(program), capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Refused(f"no answer within {seconds:g} s") from None
    if done.returncode == BAD_INPUT:
        raise Refused(done.stderr.strip())
    if done.returncode != 0:
        raise Failed(f"status {done.returncode} of {shlex.join(question.command(program))}: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    bound = answer[question.wanted]
    if bound["guarantee"] != "proven":
        raise Refused("an estimate")
    try:
        check_plan(answer["plan"])
    except Invalid as reason:
        raise Failed(f"{reason}, answered {shlex.join(question.command(program))}") from None
    return Answer(answer["plan"], _number(bound["lower"]), _number(bound["upper"]), bound["accountant"])


def _number(value) -> float:
    return float("inf") if value is None or value == "inf" else float(value)
