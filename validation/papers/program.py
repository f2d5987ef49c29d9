"""The program that is asked, and what of its answers is used."""

from __future__ import annotations

import json
import math
import shlex
import subprocess
import tempfile
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any

STATUSES_WITH_AN_ANSWER = (0, 1)
"""1: a budget is exceeded, which is an answer here."""


class Refused(Exception):
    """The program has no answer; the message is its own."""


class Program:
    """Asks each question once, whichever thread comes first."""

    def __init__(self, path: str):
        self.path = str(Path(path).resolve())
        self._asked: dict[tuple[str, str], Future[Any]] = {}
        self._lock = threading.Lock()

    def version(self) -> str:
        return self._run(["--version"], "").strip()

    def ask(self, words: str, given: str = "") -> Any:
        """@param given  its standard input
        @returns its answer in JSON
        @throws Refused"""
        with self._lock:
            known = self._asked.get((words, given))
            if known is None:
                answer: Future[Any] = Future()
                self._asked[words, given] = answer
        if known is not None:
            return known.result()
        try:
            answer.set_result(json.loads(self._run(shlex.split(words), given)))
        except Exception as error:
            answer.set_exception(error)
        return answer.result()

    def page(self, words: str) -> str:
        """What it writes as a page in Markdown when asked so."""
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            self._run([*shlex.split(words), "--report", str(page)], "")
            return page.read_text(encoding="utf-8")

    def _run(self, words: list[str], given: str) -> str:
        done = subprocess.run([self.path, *words], input=given, capture_output=True, text=True, check=False)
        if done.returncode not in STATUSES_WITH_AN_ANSWER:
            raise Refused(done.stderr.strip() or f"status {done.returncode} of {shlex.join(words)}")
        return done.stdout


def taken(answer: Any, path: str) -> Any:
    """What `path` leads to: names and indices, from the end where negative, with dots between them.
    @throws Refused  where there is nothing"""
    for step in path.split("."):
        try:
            answer = answer[int(step) if isinstance(answer, list) else step]
        except (KeyError, IndexError, TypeError, ValueError):
            raise Refused(f"the answer has no {path}") from None
    return answer


def number(value: Any) -> float:
    """@throws Refused"""
    if value in ("inf", "-inf"):
        return math.inf if value == "inf" else -math.inf
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise Refused(f"{value!r} is no number")
    return float(value)


def steps_of(event: Any) -> int:
    """How many releases one participant makes under a plan's event."""
    if "repeated" in event:
        return int(event["repeated"]["count"]) * steps_of(event["repeated"]["inner"])
    if "participates" in event:
        return steps_of(event["participates"]["inner"])
    return 1
