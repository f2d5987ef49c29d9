"""What becomes of a published number: asked, and judged by the answers."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from claims import Claim, Steps
from expressions import value_of
from program import Program, Refused, number, steps_of, taken


class Verdict(Enum):
    REPRODUCES = "reproduces"
    DIFFERS = "differs"
    UNSAFE = "unsafe"
    NOT_COMPARABLE = "not comparable"


class Safety(Enum):
    SAFE = "safe"
    OPEN = "open"
    UNSAFE = "unsafe"


@dataclass
class Bracket:
    """What is proven to be spent: at least `lower`, at most `upper`."""

    lower: float
    upper: float
    theorems: list[str]


@dataclass
class Answered:
    value: Any
    commands: list[str]


@dataclass
class Judged:
    claim: Claim
    verdict: Verdict
    computed: float | None
    """What the paper's formula gives; nothing where the program refuses, and `refusal` says why."""
    refusal: str = ""
    readings: list[tuple[str, float, bool]] = field(default_factory=list)
    """Each other formula by its name, what it gives, and whether that is what is printed."""
    bracket: Bracket | None = None
    claimed: float | None = None
    safety: Safety | None = None
    allowed: float | None = None
    commands: list[str] = field(default_factory=list)


def judged(program: Program, claims: Iterable[Claim], threads: int) -> list[Judged]:
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda claim: judge(program, claim), claims))


def judge(program: Program, claim: Claim) -> Judged:
    result = Judged(claim, Verdict.NOT_COMPARABLE, None)
    known: dict[str, float] = {}
    if claim.value is not None:
        known["printed"] = claim.value
        known["most"] = claim.value + claim.unit_of_last_digit / 2
    try:
        result.computed = number(_answer(program, claim.formula, known, result.commands))
    except Refused as refused:
        result.refusal = str(refused)
    for reading in claim.readings:
        value = number(_answer(program, reading.formula, dict(known), result.commands))
        result.readings.append((reading.name, value, is_printed(claim, value)))
    if claim.proven:
        bound = _answer(program, claim.proven, known, result.commands)
        if bound["guarantee"] != "proven":
            raise Refused(f"{claim.name}: what is called proven is {bound['guarantee']}")
        result.bracket = Bracket(number(bound["lower"]), number(bound["upper"]), bound["theorems"])
        claimed = _answer(program, claim.claimed, known, result.commands) if claim.claimed else known.get("most")
        if claimed is not None:
            result.claimed = number(claimed)
            result.safety = safety(result.bracket, result.claimed)
    if claim.allows:
        result.allowed = number(_answer(program, claim.allows, known, result.commands))
    result.verdict = verdict(claim, result)
    return result


def safety(bracket: Bracket, claimed: float) -> Safety:
    if bracket.upper <= claimed:
        return Safety.SAFE
    return Safety.UNSAFE if bracket.lower > claimed else Safety.OPEN


def verdict(claim: Claim, result: Judged) -> Verdict:
    if claim.lacks or result.computed is None:
        return Verdict.NOT_COMPARABLE
    if result.safety is Safety.UNSAFE:
        return Verdict.UNSAFE
    return Verdict.REPRODUCES if is_printed(claim, result.computed) else Verdict.DIFFERS


def is_printed(claim: Claim, computed: float) -> bool:
    """Whether that is what stands there, to the last digit."""
    if claim.value is None:
        return False
    if claim.at_most:
        return computed <= claim.value
    # What lies just between two printed values is printed as either.
    return abs(computed - claim.value) <= claim.unit_of_last_digit / 2 + 1e-9 * abs(claim.value)


def _answer(program: Program, steps: Steps, known: dict[str, float], commands: list[str]) -> Any:
    """The last step's answer; what is a number gets its step's name in `known`, and each command is noted."""
    answer: Any = None
    for name, step in steps.items():
        if "value" in step:
            answer = value_of(step["value"], known)
        elif "eval" in step:
            inputs = {key: _filled(value, known) for key, value in step["inputs"].items()}
            query = json.dumps({"id": 1, "function": step["eval"], "inputs": inputs})
            _note(commands, f"echo {shlex.quote(query)} | dpbudget eval -")
            answer = taken(_evaluated(program, query), step["take"])
        else:
            words = step["ask"].format_map({key: repr(value).removesuffix(".0") for key, value in known.items()})
            _note(commands, f"dpbudget {words}")
            path, _, counted = step["take"].partition("|")
            answer = taken(program.ask(words), path)
            if counted == "steps":
                answer = steps_of(answer)
        if isinstance(answer, int | float) or answer in ("inf", "-inf"):
            known[name] = number(answer)
    return answer


def _evaluated(program: Program, query: str) -> Any:
    answer = program.ask("eval -", query)
    if "value" not in answer:
        raise Refused(str(answer.get("refused", answer)))
    return answer


def _filled(value: Any, known: dict[str, float]) -> Any:
    """An expression in a string's place."""
    return value_of(value, known) if isinstance(value, str) else value


def _note(commands: list[str], command: str) -> None:
    if command not in commands:
        commands.append(command)


def rounded(value: float, up: bool | None = None, digits: int = 6) -> str:
    """To so many digits: up, down, or to the nearest."""
    if not math.isfinite(value) or value == 0:
        return str(value).removesuffix(".0")
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    scale = 10.0 ** (digits - 1 - math.floor(math.log10(abs(value))))
    scaled = value * scale
    whole = round(scaled) if up is None else math.ceil(scaled) if up else math.floor(scaled)
    return f"{whole / scale:.{digits}g}"
