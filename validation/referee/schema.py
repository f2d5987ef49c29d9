"""Holds a value against one of this project's JSON Schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

ROOT = Path(__file__).resolve().parents[2]

ABOUT_NAMES = {"required", "additionalProperties"}
"""Keywords whose messages name a member, and do not repeat the whole object."""


class Invalid(Exception):
    """What is not as it must be, with the path to it."""

    def __init__(self, path: str, why: str):
        super().__init__(f"{path} {why}")


def shown(value) -> str:
    """Of a value as much as a line takes."""
    return shortened(json.dumps(value))


def shortened(text: str) -> str:
    return text if len(text) <= 100 else text[:97] + "..."


class Schema:
    """One file's."""

    def __init__(self, file: str):
        self.whole = json.loads((ROOT / file).read_text(encoding="utf-8"))
        self._validator = Draft202012Validator(self.whole)

    def check(self, value, path: str) -> None:
        """@throws Invalid"""
        if error := best_match(self._validator.iter_errors(value)):
            error = _meant(error)
            raise Invalid(".".join([path, *map(str, error.absolute_path)]), _why(error))


def _meant(error: ValidationError) -> ValidationError:
    """Of several choices what is wrong with the one that the value says it is."""
    others = {
        inner.schema_path[0] for inner in error.context if inner.validator == "const" or inner.validator_value == "null"
    }
    found = [inner for inner in error.context if inner.schema_path[0] not in others]
    return best_match(found) if found else error


def _why(error: ValidationError) -> str:
    if error.validator in ABOUT_NAMES:
        return f"is not as it must be: {shortened(error.message)}"
    if error.validator in ("oneOf", "anyOf"):
        return f"is {shown(error.instance)}, which is none of the choices there are"
    return f"is {shown(error.instance)}, but must have {error.validator} {shown(error.validator_value)}"


def places(value, path: str) -> Iterator[tuple[str, object]]:
    """All values inside, with their paths."""
    yield path, value
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in inside:
        yield from places(item, f"{path}.{name}")
