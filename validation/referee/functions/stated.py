"""A function of `dpbudget eval` at inputs, to as many digits as are asked for."""

from __future__ import annotations

from math import inf

from flint import arb, ctx

from . import approximate, concentrated, convergence, profiles, published, renyi, shuffle, tradeoff
from .basics import Refused, Undecided

FUNCTIONS = {}
for _module in (approximate, concentrated, convergence, profiles, published, renyi, shuffle, tradeoff):
    FUNCTIONS.update(_module.FUNCTIONS)

NOT_STATED = {
    "shuffle.blanket_finite_delta": "its value is an upper bound by a discretised blanket, above the statement's own "
    "number by an amount that no statement fixes",
    "shuffle.blanket_gaussian_delta": "its value is an upper bound by a discretised blanket, above the statement's own "
    "number by an amount that no statement fixes",
}
"""Functions without a number that a statement fixes, with the reason."""

DIGITS = 25
LEAST_PLAIN, GREATEST_PLAIN = arb("1e-290"), arb("1e290")


def _numbers(inputs: dict) -> dict:
    return {name: inf if value == "inf" else value for name, value in inputs.items()}


def _is_certain(value: arb) -> bool:
    return (
        value == 0 or not value.is_nan() and (value.rel_accuracy_bits() >= 3.33 * (DIGITS + 2) or value == arb("inf"))
    )


def values_of(function: str, inputs: dict) -> tuple[list[arb], bool]:
    """The values, and whether they are a list.

    @throws Refused where the statement is not about such inputs, or 16000 bits do not decide it
    """
    before = ctx.prec
    try:
        for bits in (192, 384, 768, 1536, 3072, 6144, 16000):
            ctx.prec = bits
            try:
                found = FUNCTIONS[function](**_numbers(inputs))
            except Undecided:
                continue
            values = found if isinstance(found, list) else [found]
            if all(map(_is_certain, values)):
                return values, isinstance(found, list)
        raise Refused
    finally:
        ctx.prec = before


def _text(value: arb) -> str:
    if value == 0:
        return "0"
    if value == arb("inf"):
        return "inf"
    if value == arb("-inf"):
        return "-inf"
    return value.mid().str(DIGITS, radius=False)


def _is_plain(value: arb) -> bool:
    return value == 0 or not value.is_finite() or LEAST_PLAIN < abs(value) < GREATEST_PLAIN


def answer(function: str, inputs: dict) -> dict:
    """{"value"}, or {"ln_value"} where a value leaves [1e-290, 1e290]; a list of a function that gives one."""
    before = ctx.prec
    try:
        found, is_list = values_of(function, inputs)
        ctx.prec = 16000
        plain = all(map(_is_plain, found))
        texts = [_text(x if plain else (x.log() if x != 0 else arb("-inf"))) for x in found]
        return {"value" if plain else "ln_value": texts if is_list else texts[0]}
    finally:
        ctx.prec = before
