"""Arithmetic that a line may do with answers: + - * / ** on numbers and names, log and sqrt."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}
_FUNCTIONS: dict[str, Callable[[float], float]] = {"log": math.log, "sqrt": math.sqrt}


class Malformed(Exception):
    """The expression is none, or has a name that is not known."""


def value_of(text: str, known: Mapping[str, float]) -> float:
    """@throws Malformed"""
    try:
        return _value(ast.parse(text, mode="eval").body, known)
    except SyntaxError:
        raise Malformed(f"{text!r} is no expression") from None


def _value(node: ast.expr, known: Mapping[str, float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id in known:
        return known[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, known)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](_value(node.left, known), _value(node.right, known))
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _FUNCTIONS
        and len(node.args) == 1
        and not node.keywords
    ):
        return _FUNCTIONS[node.func.id](_value(node.args[0], known))
    raise Malformed(f"{ast.unparse(node)!r} is neither arithmetic nor one of {', '.join(sorted(known)) or 'no names'}")
