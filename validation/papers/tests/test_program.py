from __future__ import annotations

import math
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from program import Refused, number, steps_of, taken
from sources import sections
from tests.fake import program_that


class Programs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_a_question_is_asked_once_by_all_threads(self) -> None:
        log = Path(self.folder) / "log"
        asks = program_that(self.folder, f"open({str(log)!r}, 'a').write('asked\\n')\nprint(json.dumps(words))")
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: asks.ask("epsilon 'two words'"), range(8)))
        self.assertEqual(answers, [["epsilon", "two words"]] * 8)
        self.assertEqual(log.read_text(), "asked\n")

    def test_over_budget_is_an_answer_and_bad_input_is_none(self) -> None:
        asks = program_that(self.folder, "print(json.dumps(1)); print('why', file=sys.stderr); sys.exit(int(words[0]))")
        self.assertEqual(asks.ask("1"), 1)
        with self.assertRaisesRegex(Refused, "why"):
            asks.ask("2")

    def test_paths(self) -> None:
        answer = {"rounds": [{"epsilon": 1}, {"epsilon": 2}]}
        self.assertEqual(taken(answer, "rounds.-1.epsilon"), 2)
        for path in ("rounds.2", "round", "rounds.first", "rounds.0.epsilon.upper"):
            with self.subTest(path), self.assertRaisesRegex(Refused, path):
                taken(answer, path)

    def test_numbers(self) -> None:
        self.assertEqual([number("inf"), number(-2), number("-inf")], [math.inf, -2, -math.inf])
        values: list[Any] = [None, True, "many", []]
        for value in values:
            with self.subTest(value), self.assertRaises(Refused):
                number(value)

    def test_steps_are_counted_through_repetition_and_participation(self) -> None:
        step: dict[str, Any] = {"sampled_without_replacement": {"inner": {"gaussian": {}}}}
        event = {
            "repeated": {"count": 93, "inner": {"participates": {"inner": {"repeated": {"count": 38, "inner": step}}}}}
        }
        self.assertEqual(steps_of(event), 93 * 38)

    def test_sections_of_a_page(self) -> None:
        self.assertEqual(sections("# t\n\n## A\n\n- x\n\n## B\n- y\n- z\n"), {"A": ["- x"], "B": ["- y", "- z"]})
