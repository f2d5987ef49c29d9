"""A program that answers what a test wants."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

from claims import Claim
from program import Program


def program_that(folder: str, body: str) -> Program:
    """@param body  Python, in which `words` are the arguments and `given` is the standard input"""
    path = Path(folder) / "dpbudget"
    path.write_text(
        f"#!/usr/bin/env python3\nimport json, sys\nwords, given = sys.argv[1:], sys.stdin.read()\n{body}\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return Program(str(path))


def program_of(folder: str, answers: dict[str, Any]) -> Program:
    """Each first word's answer; others are refused."""
    return program_that(
        folder,
        f"answers = json.loads({json.dumps(answers)!r})\n"
        "if words[0] not in answers: sys.exit(print('refused: ' + words[0], file=sys.stderr) or 2)\n"
        "print(json.dumps(answers[words[0]]))",
    )


def claim(printed: str | None = "2.71", **more: Any) -> Claim:
    given: dict[str, Any] = {
        "paper": "zheng",
        "place": "Table 1",
        "quantity": "mu",
        "unit": "epsilon",
        "formula": {"mu": {"ask": "formula", "take": "value"}},
        "printed": printed,
    }
    return Claim(**{**given, **more})
