"""Holds a value against a JSON Schema, by the keywords that this project's schemas use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

KINDS = {
    "object": ("a JSON object", lambda value: isinstance(value, dict)),
    "array": ("a JSON array", lambda value: isinstance(value, list)),
    "string": ("a string", lambda value: isinstance(value, str)),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "null": ("null", lambda value: value is None),
    "integer": ("an integer", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    "number": ("a number", lambda value: isinstance(value, int | float) and not isinstance(value, bool)),
}

BOUNDS = {
    "minimum": ("at least", lambda value, bound: value >= bound),
    "maximum": ("at most", lambda value, bound: value <= bound),
    "exclusiveMinimum": ("above", lambda value, bound: value > bound),
    "exclusiveMaximum": ("below", lambda value, bound: value < bound),
}

SIZES = {
    "minItems": ("at least {} items", lambda value, bound: len(value) >= bound),
    "maxItems": ("at most {} items", lambda value, bound: len(value) <= bound),
    "minProperties": ("at least {} member", lambda value, bound: len(value) >= bound),
    "maxProperties": ("at most {} member", lambda value, bound: len(value) <= bound),
}

SAID = {"$schema", "$defs", "title", "description"}


class Invalid(Exception):
    """What is not as it must be, with the path to it. `is_another`: it may be meant for another of several choices."""

    def __init__(self, path: str, why: str, is_another: bool = False):
        super().__init__(f"{path} {why}")
        self.path, self.is_another = path, is_another


def shown(value) -> str:
    """Of a value as much as a line takes."""
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


class Schema:
    """One file's."""

    def __init__(self, file: str):
        self.whole = json.loads((ROOT / file).read_text(encoding="utf-8"))

    def check(self, value, path: str) -> None:
        """@throws Invalid"""
        self._check(value, self.whole, path)

    def _check(self, value, schema: dict, path: str) -> None:
        for keyword, rule in schema.items():
            if keyword == "$ref":
                self._check(value, self.whole["$defs"][rule.rpartition("/")[2]], path)
            elif keyword == "type":
                words, holds = KINDS[rule]
                if not holds(value):
                    raise Invalid(path, f"is {shown(value)}, but must be {words}", is_another=rule == "null")
            elif keyword in ("const", "enum"):
                self._check_choice(value, [rule] if keyword == "const" else rule, path)
            elif keyword in BOUNDS:
                words, holds = BOUNDS[keyword]
                if KINDS["number"][1](value) and not holds(value, rule):
                    raise Invalid(path, f"is {shown(value)}, but must be {words} {rule}")
            elif keyword in SIZES:
                words, holds = SIZES[keyword]
                if isinstance(value, list | dict) and not holds(value, rule):
                    raise Invalid(path, f"has {len(value)}, but must have {words.format(rule)}")
            elif keyword in ("oneOf", "anyOf"):
                self._check_one_of(value, rule, path)
            elif keyword not in SAID:
                self._check_inside(value, schema, keyword, path)

    def _check_choice(self, value, choices: list, path: str) -> None:
        # True is 1 to Python.
        if not any(value == choice and isinstance(value, bool) == isinstance(choice, bool) for choice in choices):
            words = " or ".join(map(json.dumps, choices))
            raise Invalid(path, f"is {shown(value)}, but must be {words}", is_another=len(choices) == 1)

    def _check_one_of(self, value, schemas: list[dict], path: str) -> None:
        found = []
        for schema in schemas:
            try:
                return self._check(value, schema, path)
            except Invalid as reason:
                found.append(reason)
        # The choice that was meant comes furthest, and is not told apart by what it is called.
        meant = max(found, key=lambda reason: (not reason.is_another, reason.path.count(".")))
        raise Invalid(meant.path, "is none of the choices there are") if meant.is_another else meant

    def _check_inside(self, value, schema: dict, keyword: str, path: str) -> None:
        if keyword == "items":
            for number, item in enumerate(value if isinstance(value, list) else []):
                self._check(item, schema["items"], f"{path}.{number}")
        elif not isinstance(value, dict):
            return
        elif keyword == "properties":
            for name in schema["properties"].keys() & value.keys():
                self._check(value[name], schema["properties"][name], f"{path}.{name}")
        elif keyword == "required":
            for name in schema["required"]:
                if name not in value:
                    raise Invalid(path, f"has no {name}")
        else:
            assert keyword == "additionalProperties" and schema[keyword] is False, keyword
            for name in value.keys() - schema["properties"].keys():
                raise Invalid(path, f"has {shown(name)}, which is unknown")


def places(value, path: str) -> Iterator[tuple[str, object]]:
    """All values inside, with their paths."""
    yield path, value
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in inside:
        yield from places(item, f"{path}.{name}")
