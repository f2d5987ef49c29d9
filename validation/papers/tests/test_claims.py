from __future__ import annotations

import json
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from typing import Any

from claims import Malformed, claims_in

HERE = Path(__file__).parent
FILE = HERE.parent / "published.jsonl"
LINE: dict[str, Any] = {
    "paper": "noble",
    "place": "Table 1",
    "quantity": "rounds",
    "unit": "rounds",
    "printed": "542",
    "formula": {"rounds": {"ask": "plan", "take": "0.rounds"}},
}


class Lines(unittest.TestCase):
    def read(self, *lines: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "published.jsonl"
            file.write_text("\n".join(json.dumps(line) for line in lines))
            return claims_in(file)

    def test_a_line(self) -> None:
        (claim,) = self.read(LINE)
        self.assertEqual((claim.value, claim.unit_of_last_digit, claim.name), (542, 1, "noble: Table 1"))

    def test_digits_that_are_printed_count(self) -> None:
        (claim,) = self.read({**LINE, "printed": "around 6.70"})
        self.assertEqual((claim.value, claim.unit_of_last_digit), (6.7, 0.01))

    def test_what_cannot_be_used_is_named_with_its_line(self) -> None:
        for change, why in (
            ({"paper": "nobel"}, "paper is nobel, but must be one of"),
            ({"printed": "many"}, "has no number"),
            ({"printed": None}, "printed and lacks are both missing"),
            ({"formula": {}}, "formula is empty"),
            ({"formula": {"x": {"ask": "plan"}}}, "a step has ask, but must have"),
            ({"proven": {"x": {"value": "1"}}}, "nothing says which one rounds claims"),
            ({"prnted": "542"}, "prnted"),
        ):
            with self.subTest(why), self.assertRaisesRegex(Malformed, f"published.jsonl, line 2: .*{why}"):
                self.read({**LINE, "place": "before"}, {**LINE, **change})

    def test_no_number_stands_twice(self) -> None:
        with self.assertRaisesRegex(Malformed, "line 2: noble: Table 1 stands twice"):
            self.read(LINE, LINE)


class File(unittest.TestCase):
    def setUp(self) -> None:
        self.claims = claims_in(FILE)

    def test_all_that_the_papers_tables_print_of_privacy_is_there(self) -> None:
        found = Counter((claim.paper, claim.place.split(",")[0]) for claim in self.claims)
        self.assertEqual(found["noble", "Table 1"], 25)
        self.assertEqual(found["noble", "Table 4"], 25)
        self.assertEqual(found["zheng", "Table 1"], 9)
        self.assertEqual(found["zheng", "Table 2"], 6 + 12)
        self.assertEqual(found["zheng", "Table 3"], 6)
        self.assertEqual({paper for paper, _ in found}, {"noble", "zheng", "chen", "chang", "lowy"})

    def test_whatever_does_not_reproduce_has_a_reason(self) -> None:
        expected = json.loads((HERE.parent / "expected.json").read_text())
        for claim in self.claims:
            if expected[claim.name][0] != "reproduces":
                self.assertTrue(claim.why or claim.lacks, claim.name)
