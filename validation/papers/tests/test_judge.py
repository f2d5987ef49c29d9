from __future__ import annotations

import math
import tempfile
import unittest
from typing import Any

from claims import Claim, Reading
from judge import Bracket, Judged, Safety, Verdict, is_printed, judge, rounded, safety
from program import Program, Refused
from tests.fake import claim, program_of, program_that

PROVEN = {"spent": {"ask": "proven", "take": "bound"}}


def bound(lower: float, upper: float, guarantee: str = "proven") -> dict[str, Any]:
    return {"bound": {"lower": lower, "upper": upper, "guarantee": guarantee, "theorems": ["a theorem"]}}


class Verdicts(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def judged(self, one: Claim, **answers: Any) -> Judged:
        return judge(program_of(self.folder.name, answers), one)

    def test_what_rounds_to_the_printed_digits_reproduces(self) -> None:
        for value, verdict in (
            (2.711, Verdict.REPRODUCES),
            (2.7051, Verdict.REPRODUCES),
            (2.7049, Verdict.DIFFERS),
            (2.7151, Verdict.DIFFERS),
        ):
            self.assertIs(self.judged(claim(), formula={"value": value}).verdict, verdict, value)

    def test_a_whole_number_is_exact(self) -> None:
        self.assertTrue(is_printed(claim("506"), 506))
        self.assertFalse(is_printed(claim("506"), 507))

    def test_around_is_as_wide_as_it_says(self) -> None:
        self.assertTrue(is_printed(claim("around 500", to=10), 504))
        self.assertFalse(is_printed(claim("around 500", to=10), 546))

    def test_what_is_not_exceeded_is_met_by_less(self) -> None:
        self.assertTrue(is_printed(claim("90", at_most=True), 87))
        self.assertFalse(is_printed(claim("90", at_most=True), 91))

    def test_less_than_is_spent_is_unsafe_though_the_formula_yields_it(self) -> None:
        found = self.judged(claim("3", to=0, proven=PROVEN), formula={"value": 3}, proven=bound(3.04, 5))
        self.assertIs(found.verdict, Verdict.UNSAFE)
        self.assertIs(found.safety, Safety.UNSAFE)

    def test_a_printed_number_claims_all_that_rounds_to_it(self) -> None:
        rounds = claim("3", proven=PROVEN)  # up to 3.5
        self.assertIs(self.judged(rounds, formula={"value": 3}, proven=bound(3.04, 3.2)).safety, Safety.SAFE)
        self.assertIs(self.judged(rounds, formula={"value": 3}, proven=bound(3.04, 4)).safety, Safety.OPEN)

    def test_what_the_paper_leaves_out_is_not_comparable_and_asked_nevertheless(self) -> None:
        found = self.judged(claim(None, lacks="T is drawn"), formula={"value": 556})
        self.assertIs(found.verdict, Verdict.NOT_COMPARABLE)
        self.assertEqual(found.computed, 556)

    def test_a_refusal_is_said(self) -> None:
        found = self.judged(claim())
        self.assertIs(found.verdict, Verdict.NOT_COMPARABLE)
        self.assertEqual(found.refusal, "refused: formula")

    def test_an_estimate_is_not_taken_for_proven(self) -> None:
        with self.assertRaisesRegex(Refused, "is estimate"):
            self.judged(claim(proven=PROVEN), formula={"value": 2.71}, proven=bound(1, 2, "estimate"))

    def test_earlier_answers_stand_in_later_questions(self) -> None:
        asks = program_that(
            self.folder.name,
            "if words[0] == 'noise': print(json.dumps({'value': 4}))\n"
            "else: print(json.dumps({'value': float(words[1]) * json.loads(given or '{}').get('x', 1)}))",
        )
        formula = {
            "noise": {"ask": "noise", "take": "value"},
            "half": {"value": "noise / 2"},
            "doubled": {"ask": "times {half}", "take": "value"},
        }
        found = judge(asks, claim("2", formula=formula))
        self.assertEqual(found.computed, 2)
        self.assertEqual(found.commands, ["dpbudget noise", "dpbudget times 2"])

    def test_functions_are_asked_on_standard_input(self) -> None:
        asks: Program = program_that(
            self.folder.name,
            "query = json.loads(given)\n"
            "print(json.dumps({'value': query['inputs']['x'] * 3} if words == ['eval', '-'] else {}))",
        )
        formula = {"mu": {"eval": "f", "inputs": {"x": "2 * 3"}, "take": "value"}}
        found = judge(asks, claim("18", formula=formula))
        self.assertIs(found.verdict, Verdict.REPRODUCES)
        self.assertEqual(len(found.commands), 1)
        self.assertIn("| dpbudget eval -", found.commands[0])

    def test_readings_say_whether_they_yield_what_is_printed(self) -> None:
        readings = [
            Reading("right", {"x": {"ask": "right", "take": "0"}}),
            Reading("wrong", {"x": {"ask": "wrong", "take": "0"}}),
        ]
        found = self.judged(claim(readings=readings), formula={"value": 1}, right=[2.7111], wrong=[3])
        self.assertIs(found.verdict, Verdict.DIFFERS)
        self.assertEqual(found.readings, [("right", 2.7111, True), ("wrong", 3.0, False)])


class Numbers(unittest.TestCase):
    def test_safety_is_open_between_the_ends(self) -> None:
        bracket = Bracket(1, 2, [])
        self.assertIs(safety(bracket, 2), Safety.SAFE)
        self.assertIs(safety(bracket, 1), Safety.OPEN)
        self.assertIs(safety(bracket, math.nextafter(1, 0)), Safety.UNSAFE)

    def test_rounding_goes_the_way_it_is_told(self) -> None:
        self.assertEqual(rounded(1.23456789, up=True), "1.23457")
        self.assertEqual(rounded(1.23456789, up=False), "1.23456")
        self.assertEqual(rounded(1.23456712), "1.23457")
        self.assertEqual(rounded(-1.23456789, up=True), "-1.23456")
        self.assertEqual(rounded(5786186.0), "5,786,186")
        self.assertEqual(rounded(math.inf), "inf")
        self.assertEqual(rounded(0.0), "0")
