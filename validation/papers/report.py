#!/usr/bin/env python3
"""Asks a program every published number of the five papers, and writes what came of it.

    report.py PROGRAM [--html FILE] [--markdown FILE] [--expected FILE] [--record FILE] [--threads N]

PROGRAM is dpbudget. Each line of published.jsonl is a number that a paper prints, with what to ask: what the paper's
formula gives, and what the same run is proven to spend. The verdicts come from the answers. Without --html and
--markdown the numbers that do not reproduce are printed, and how many do. With --expected FILE the exit status is 1
where a verdict, or what a formula gives, is not what that file says; --record writes such a file.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from claims import Malformed, claims_in
from content import Report, report, summary
from html_page import html_page
from judge import Judged, judged
from markdown_page import markdown_page
from program import Program, Refused
from sources import PAPERS, source_of

HERE = Path(__file__).parent
BAD_INPUT = 2


def made(path: str, threads: int) -> Report:
    program = Program(path)
    version = program.version()
    with ThreadPoolExecutor(threads) as pool:
        sources = dict(zip(PAPERS, pool.map(lambda paper: source_of(program, paper), PAPERS.values())))
    return report(version, judged(program, claims_in(HERE / "published.jsonl"), threads), sources)


def as_expected(all_judged: list[Judged]) -> dict[str, list[Any]]:
    """By its name each number's verdict, and what the formula gives to six digits."""
    return {
        one.claim.name: [one.verdict.value, None if one.computed is None else float(f"{one.computed:.6g}")]
        for one in all_judged
    }


def surprises(found: dict[str, list[Any]], expected: dict[str, list[Any]]) -> list[str]:
    texts = []
    for name in sorted(found.keys() | expected.keys()):
        if found.get(name) != expected.get(name):
            texts.append(f"{name}: {found.get(name, 'nothing')}, where {expected.get(name, 'nothing')} is expected")
    return texts


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="report.py", description="the papers' numbers, asked again")
    parser.add_argument("program")
    parser.add_argument("--html", type=Path)
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--expected", type=Path)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args(arguments)
    if given.threads < 1:
        parser.error(f"--threads is {given.threads}, but must be at least 1")
    try:
        found = made(given.program, given.threads)
    except (Malformed, Refused, OSError) as error:
        print(f"report.py: {error}", file=sys.stderr)
        return BAD_INPUT
    command = "validation/papers/report.py build/release/tools/dpbudget --html papers.html"
    if given.html:
        given.html.write_text(html_page(found, command), encoding="utf-8")
    if given.markdown:
        given.markdown.write_text(markdown_page(found, command), encoding="utf-8")
    if not given.html and not given.markdown:
        for part in found.papers:
            for row in part.rows:
                if row.verdict != "reproduces":
                    print(
                        f"{part.title}, {row.place}\n  {row.verdict}: {row.printed} printed, {row.gives} by the formula"
                    )
                    print(f"  proven: {'; '.join(row.spends)}" if row.spends else "  no epsilon is claimed")
    print(summary(found.counts))
    verdicts = as_expected(found.judged)
    if given.record:
        lines = [f"  {json.dumps(name)}: {json.dumps(verdict)}" for name, verdict in verdicts.items()]
        given.record.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    if not given.expected:
        return 0
    unexpected = surprises(verdicts, json.loads(given.expected.read_text(encoding="utf-8")))
    for text in unexpected:
        print(text, file=sys.stderr)
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
