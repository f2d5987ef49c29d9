"""The program that is in the package, asked for JSON; and bounds as it prints them."""

import json
import subprocess
from pathlib import Path

import dpbudget

PROGRAM = Path(dpbudget.__file__).parent / "bin" / "dpbudget"


def printed(*arguments):
    run = subprocess.run([PROGRAM, *arguments, "--json"], capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    return json.loads(run.stdout)


def as_printed(bound):
    return {
        "lower": bound.lower,
        "upper": bound.upper,
        "guarantee": bound.guarantee,
        "notes": list(bound.notes),
        "accountant": bound.accountant,
    }


def without_theorem(answer):
    """And with infinities as Python has them."""
    return {
        key: float(value) if key in ("lower", "upper") else value
        for key, value in answer.items()
        if not key.startswith("theorem")
    }
