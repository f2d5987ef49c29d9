#!/usr/bin/env python3
"""Writes the reference vectors that `dpbudget vectors` prints: inputs of the functions of `dpbudget eval`, and what the
referee finds there to 25 digits (functions/). Nothing of it comes from the program.

    python3 validation/referee/vectors.py [FILE] [--only FUNCTION] [--jobs N]

A line is a vector; the first says what the file is. The same seed gives the same file.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from multiprocessing import Pool
from random import Random

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from functions.basics import Refused
from functions.inputs import DOMAINS, draws
from functions.stated import DIGITS, FUNCTIONS, NOT_STATED, answer

FORMAT = 1
SEED = 18
EACH = 40
MOST_TRIES = 4000


def vectors_of(function: str) -> list[str]:
    random = Random(f"{SEED} {function}")
    lines: list[str] = []
    seen = set()
    for tries, inputs in enumerate(draws(function, random)):
        if len(lines) == EACH:
            break
        if tries == MOST_TRIES:
            raise SystemExit(f"{function}: {len(lines)} of {EACH} inputs after {tries} tries")
        key = json.dumps(inputs, sort_keys=True)
        if key in seen:
            continue
        seen.add(key)
        try:
            found = answer(function, inputs)
        except Refused:
            continue
        name = f"{function}/{len(lines):02d}"
        lines.append(json.dumps({"id": name, "function": function, "inputs": inputs, **found}, separators=(",", ":")))
    return lines


def main() -> None:
    here = pathlib.Path(__file__).resolve().parents[2]
    arguments = argparse.ArgumentParser(description="Reference vectors of the functions of `dpbudget eval`.")
    arguments.add_argument("file", nargs="?", default=here / "tools/cli/eval/vectors.jsonl", type=pathlib.Path)
    arguments.add_argument("--only", metavar="FUNCTION", help="print those of one function, write nothing")
    arguments.add_argument("--jobs", type=int, default=2)
    options = arguments.parse_args()
    if options.only:
        print("\n".join(vectors_of(options.only)))
        return
    assert set(DOMAINS) == set(FUNCTIONS)
    with Pool(options.jobs) as pool:
        all_lines = [line for lines in pool.imap(vectors_of, sorted(DOMAINS)) for line in lines]
    head = {
        "format": FORMAT,
        "digits": DIGITS,
        "seed": SEED,
        "functions": len(DOMAINS),
        "vectors": len(all_lines),
        "not_stated": NOT_STATED,
    }
    options.file.write_text("\n".join([json.dumps(head, separators=(",", ":")), *all_lines]) + "\n")
    print(f"{options.file.name}: {len(all_lines)} vectors of {len(DOMAINS)} functions")


if __name__ == "__main__":
    main()
