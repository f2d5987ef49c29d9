"""Whether others' epsilons are safe."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import _core
from ._bound import Bound
from ._program import asked


@dataclass(frozen=True)
class Finding:
    """What a claim was found to be."""

    claim: str
    """Its name, or the number of its line."""
    verdict: str
    """safe_and_tight, safe_but_loose, safe, undecided, unsafe or not_covered"""
    claimed: Mapping[str, float]
    """epsilon and delta"""
    spent: Bound
    """What is proven of the same plan at the same delta; at most infinity, with the reason as its note, where nothing
    is."""
    says: str
    """One sentence."""
    hints: tuple[str, ...]
    """What an unsafe claim may have meant, and which data sets attain what is spent."""
    plan: _core.Plan | None
    """What was released; nothing where the claim is about Rényi divergences alone."""

    @property
    def is_safe(self) -> bool:
        """Whether no less is claimed than is proven to suffice."""
        return self.verdict in ("safe_and_tight", "safe_but_loose", "safe")


def check(claims: str | os.PathLike[str] | Iterable[Mapping[str, Any]], **options: Any) -> list[Finding]:
    """Holds claims of others against what is proven.

    claims   a file of JSON lines, or such objects: epsilon, delta and one of plan (a text, or the object that
             `Plan.json` gives), dp_event, opacus, rounds or renyi; claim (its name) and adjacency besides
    options  those of `dpbudget check --help`: accountant, tolerance, slack, junit

    Raises InvalidArgument with the program's text, which names the line.
    """
    if isinstance(claims, (str, os.PathLike)):
        return _found(asked("check", {"claims": os.fspath(claims)}, options))
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        for claim in claims:
            try:
                line = json.dumps(dict(claim), default=_json_of)
            except (TypeError, ValueError) as error:
                raise _core.InvalidArgument(f"claims has one that is no JSON object: {error}") from None
            file.write(line + "\n")
        file.flush()
        return _found(asked("check", {"claims": file.name}, options))


def _json_of(value: Any) -> Any:
    if isinstance(value, _core.Plan):
        return json.loads(value.json())
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is none of JSON's types")


def _found(lines: list[Any]) -> list[Finding]:
    return [
        Finding(
            claim=line["claim"],
            verdict=line["verdict"],
            claimed=line["claimed"],
            spent=line["spent"],
            says=line["says"],
            hints=tuple(line["hints"]),
            plan=_core.Plan(line["plan"]) if "plan" in line else None,
        )
        for line in lines
    ]
