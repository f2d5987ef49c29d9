"""Certificates (docs/certificate.schema.json): how one is read, and what each of its ends claims."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

from flint import arb

from balls import exact
from plan_rules import check_plan
from schema import Invalid, Schema, shown

FORMAT, VERSION = "dpbudget certificate", 1
SCHEMA = Schema("docs/certificate.schema.json")
DEEPEST = 240
"""Levels of brackets: what Python's stack has room for."""


class BadCertificate(Exception):
    """What is not a certificate; the message says why."""


@dataclass
class Claim:
    """One end: delta(epsilon) is at most (`upper`), or at least, `delta`."""

    name: str
    epsilon: arb
    delta: arb
    witness: dict | None
    says_nothing: bool
    of_epsilon: bool
    """Whether epsilon is what was answered, the least at which delta is no more than that: from below delta(e) must
    then be more for every smaller e."""

    @property
    def upper(self) -> bool:
        return self.name == "upper"


def read(file: Path) -> dict:
    """@throws BadCertificate"""
    try:
        text = file.read_text(encoding="utf-8")
        _check_depth(text)
        found = json.loads(text, parse_constant=_no_number, parse_float=_float, object_pairs_hook=_members)
    except (OSError, ValueError) as error:
        raise BadCertificate(f"{file} cannot be read: {error}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BadCertificate(f"{file} is no certificate of dpbudget")
    if found.get("version") != VERSION:
        version = shown(found.get("version"))
        raise BadCertificate(f"{file} has version {version}; this referee reads version {VERSION}")
    return found


def _check_depth(text: str) -> None:
    # Brackets inside strings are counted, too, which no certificate has as many of.
    depth = 0
    for character in text:
        depth += (character in "[{") - (character in "]}")
        if depth > DEEPEST:
            raise ValueError(f"more than {DEEPEST} brackets inside each other")


def _no_number(text: str):
    raise ValueError(f"{text} is no number of JSON")


def _float(text: str) -> float | int:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is beyond all doubles")
    # To JSON Schema 2.0 is an integer.
    return int(number) if number.is_integer() and abs(number) <= 2**53 else number


def _members(pairs: list[tuple[str, object]]) -> dict:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{shown(twice)} stands there twice")
    for value in members.values():
        if isinstance(value, int) and abs(value) >= 2**1023:
            raise ValueError("an integer is beyond all doubles")
    return members


def validated(certificate) -> dict:
    """@throws BadCertificate naming the field that is not as its schema, or a plan's rules, have it"""
    try:
        SCHEMA.check(certificate, "certificate")
        check_plan(certificate["plan"])
    except Invalid as reason:
        raise BadCertificate(str(reason)) from None
    if isinstance(certificate["epsilon"], dict) == isinstance(certificate["delta"], dict):
        raise BadCertificate("certificate.epsilon and certificate.delta must be one number and one answer")
    return certificate


def claims_of(certificate: dict) -> list[Claim]:
    """Both ends. An epsilon of infinity and a delta of 1 say nothing from above, 0 nothing from below."""
    epsilon, delta = certificate["epsilon"], certificate["delta"]
    of_epsilon = isinstance(epsilon, dict)
    claims = []
    for name in ("lower", "upper"):
        if of_epsilon:
            at, says = float(epsilon[name]), exact(float(delta))
            says_nothing = math.isinf(at) if name == "upper" else at == 0
        else:
            at, says = float(epsilon), _said(delta, name)
            says_nothing = bool(says >= 1) if name == "upper" else bool(says == 0)
        if not (at >= 0 and says >= 0):
            raise BadCertificate("an epsilon or a delta below 0")
        witness = certificate[name]["witness"]
        ball = exact(at) if math.isfinite(at) else arb("inf")
        claims.append(Claim(name, ball, says, witness, says_nothing, of_epsilon))
    return claims


def _said(delta: dict, name: str) -> arb:
    """Of an end that is said by its number and by its logarithm, what says more."""
    log = float(delta["ln_" + name])
    by_log = exact(log).exp() if math.isfinite(log) else exact(0.0 if log < 0 else 1.0)
    plain = exact(float(delta[name]))
    # Both are claimed.
    return plain.min(by_log) if name == "upper" else plain.max(by_log)
