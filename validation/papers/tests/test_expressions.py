from __future__ import annotations

import math
import unittest

from expressions import Malformed, value_of


class Expressions(unittest.TestCase):
    def test_arithmetic(self) -> None:
        self.assertEqual(value_of("2 + 3 * a - -b / 4 ** 2", {"a": 5, "b": 32}), 19)
        self.assertEqual(value_of("sqrt(8) * log(1 / x)", {"x": 0.5}), math.sqrt(8) * math.log(2))

    def test_anything_else_is_refused(self) -> None:
        for text in (
            "",
            "a b",
            "unknown",
            "__import__('os')",
            "a.real",
            "[1]",
            "'1'",
            "log(1, 2)",
            "exp(1)",
            "1 if a else 2",
        ):
            with self.subTest(text), self.assertRaises(Malformed):
                value_of(text, {"a": 1})
