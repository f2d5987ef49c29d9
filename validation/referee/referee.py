#!/usr/bin/env python3
"""Holds the program's brackets against balls of its own: see README.md beside this file.

Exit status: 0 nothing is contradicted, 1 something is or the program failed, 2 bad input. Of a certificate: 0 both ends
are certified, 1 one is not, as it is contradicted or not checked, 2 the file is no certificate, or its plan is none.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

from ask import Failed, Question, Refused, ask
from certificate import BadCertificate, read
from draw import Draw
from judge import Judge
from laws import Undecided
from plans import NotJudged
from verdicts import check
from work import TooMuch


def lengths(text: str) -> list[int]:
    numbers = [int(length) for length in text.split(",")]
    if min(numbers) < 16:
        raise ValueError
    return numbers


class Tally:
    def __init__(self):
        self.judged, self.contradicted, self.failed, self.slacks = 0, 0, 0, []
        self.not_judged, self.refused, self.sides = Counter(), Counter(), Counter()

    def lines(self) -> list[str]:
        asked = self.judged + self.failed + sum(self.not_judged.values()) + sum(self.refused.values())
        lines = [
            f"{asked} asked, {self.judged} judged, {self.contradicted} contradicted, "
            f"{sum(self.not_judged.values())} not judged, {sum(self.refused.values())} without a proven answer",
            f"ends judged: {self.sides['upper']} upper, {self.sides['lower']} lower",
        ]
        if self.failed:
            lines.append(f"FAILED: {self.failed} without any answer")
        if self.slacks:
            bounds = {"1e-6": 1e-6, "0.1 %": 1e-3, "3 %": 0.03, "35 %": 0.3}
            shares = (
                f"more than {words} in {sum(slack <= bound for slack in self.slacks) / len(self.slacks):.1%}"
                for words, bound in bounds.items()
            )
            lines.append("an error of delta would have been seen of " + ", of ".join(shares))
            lines.append(f"in the median of more than {statistics.median(self.slacks):.2g} of it")
        lines += [f"not judged, {count}: {kind}" for kind, count in self.not_judged.most_common()]
        lines += [f"no proven answer, {count}: {kind}" for kind, count in self.refused.most_common()]
        return lines


def examine(question: Question, program: str, judge: Judge, tally: Tally, verbose: bool) -> None:
    began = time.process_time()
    try:
        answer = ask(program, question, seconds=60)
        ends = judge.judge(question, answer)
    except Refused as refusal:
        why = f"best: {refusal}" if question.accountant == "best" else question.accountant
        tally.refused[why] += 1
        return
    except Failed as failure:
        tally.failed += 1
        print(f"FAILED: {failure}", flush=True)
        return
    except (NotJudged, TooMuch) as reason:
        tally.not_judged[str(reason)] += 1
        return
    except Undecided:
        tally.not_judged["a comparison that the balls are too wide for"] += 1
        return
    tally.judged += 1
    contradicted = [end for end in ends if end.contradicted]
    tally.contradicted += bool(contradicted)
    for end in ends:
        tally.sides[end.name] += 1
        tally.slacks.append(end.slack)
    said = {end.name: (end.epsilon, end.delta, f"{end.slack:.3g}") for end in ends}
    if verbose:
        print(f"{time.process_time() - began:.2f} s", question.accountant, said, json.dumps(answer.plan), flush=True)
    for end in contradicted:
        bound = "at most" if end.upper else "at least"
        print(
            f"CONTRADICTED: delta({end.epsilon!r}) is said to be {bound} {end.delta!r} ({question.wanted} by "
            f"{answer.accountant}, accountant {question.accountant}), off by {abs(end.slack):.3g} in ln delta:\n"
            f"  {json.dumps(answer.plan)}",
            flush=True,
        )


def on_one_line(text: str) -> str:
    """With what a stranger wrote escaped, so that no part of it is taken for a line of this program."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def examine_certificate(file: Path) -> int:
    try:
        verdicts = check(read(file))
    except BadCertificate as reason:
        print("referee:", on_one_line(str(reason)), file=sys.stderr)
        return 2
    for verdict in verdicts:
        print(on_one_line(str(verdict)))
    return 0 if all(verdict.word == "certified" for verdict in verdicts) else 1


def main() -> int:
    parser = argparse.ArgumentParser(description="Recomputes the program's brackets in ball arithmetic.")
    parser.add_argument("plan", nargs="?", help="a plan to examine, in the plan language or as JSON")
    parser.add_argument("--delta", type=float, help="of that plan")
    parser.add_argument("--adjacency", default="add_or_remove_one")
    parser.add_argument("--accountant", default="best")
    parser.add_argument("--random", type=int, metavar="N", help="examine so many random plans instead")
    parser.add_argument("--seed", type=int, default=1, help="of the random plans (default 1)")
    parser.add_argument("--program", default="build/release/tools/dpbudget")
    parser.add_argument(
        "--mesh",
        type=lengths,
        default="1024",
        help="lengths of the grids, 16 at least, tried in turn until an end's slack is small: 1024,4096",
    )
    parser.add_argument("--enough", type=float, default=0.01, help="slack in ln delta that is small (default 0.01)")
    parser.add_argument("--certificate", type=Path, metavar="FILE", help="check one instead, without a search")
    parser.add_argument("--verbose", action="store_true", help="say what every plan came to")
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")  # as stderr is, where the terminal lacks a letter
    if sum(given is not None for given in (options.plan, options.random, options.certificate)) != 1:
        parser.error("give either a plan or --random or --certificate")
    if options.certificate is not None:
        return examine_certificate(options.certificate)
    if options.plan is not None and options.delta is None:
        parser.error("a plan needs --delta")
    if shutil.which(options.program) is None:
        parser.error(f"--program is {options.program}, but must be a program that can be run")

    judge = Judge(options.mesh, options.enough)
    tally = Tally()
    if options.plan is not None:
        question = Question(options.plan, options.adjacency, "delta", options.delta, options.accountant)
        examine(question, options.program, judge, tally, verbose=True)
    else:
        for number in range(options.random):
            # Each plan has a seed of its own, so that one can be repeated alone.
            draw = Draw(random.Random(f"{options.seed}:{number}"))
            examine(draw.question(), options.program, judge, tally, options.verbose)
    print("\n".join(tally.lines()))
    return 1 if tally.contradicted or tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
