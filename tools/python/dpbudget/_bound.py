"""What every answer is: a bracket with its reason."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from html import escape
from numbers import Number, Rational, Real
from typing import Any, ClassVar, Literal, NoReturn

from . import _core


def _exact(other: Any) -> float | Fraction | Decimal | None:
    """A number without rounding, also NumPy's of any width; nothing where it is no real number, or several."""
    if isinstance(other, float):
        return float(other)
    if isinstance(other, Rational):
        return Fraction(int(other.numerator), int(other.denominator))
    if isinstance(other, Decimal):
        return math.nan if other.is_nan() else other
    if isinstance(other, Real) and hasattr(other, "as_integer_ratio"):
        return Fraction(*other.as_integer_ratio()) if math.isfinite(other) else float(other)
    if getattr(other, "ndim", None) == 0 and hasattr(other, "item"):
        only = other.item()
        return None if type(only) is type(other) else _exact(only)
    return None


def _is_array(other: object) -> bool:
    return getattr(other, "ndim", 0) != 0


def _comparable(other: object) -> float | Fraction | Decimal | None:
    if _is_array(other):
        raise TypeError("a bound compares with one number at a time: compare its .upper or .lower with an array")
    return _exact(other)


def _decided(compare: Callable[[Any, Any], bool], end: float, number: float | Fraction | Decimal) -> bool:
    # Python compares floats and fractions exactly, and decimals with each other.
    return compare(Decimal(end) if isinstance(number, Decimal) else end, number)


@dataclass(frozen=True, eq=False)
class Bound:
    """A bracket around a true epsilon (or delta), with its reason.

    Compares with numbers where a proof decides, and only there:

    - `bound <= x` and `bound < x` ask whether the upper end is: True means that the truth is proven to be.
    - `bound >= x` and `bound > x` ask whether the lower end is: True means that nothing can prove less.

    So neither is the other's negation, and both are False for an x inside the bracket. An estimate proves nothing about
    its upper end: there `<=` and `<` raise TypeError. `==` and float() raise TypeError always: take `.upper`, the end
    that is safe to report, or `.lower`.

    A number is any real number: of Python, a Fraction, a Decimal, or of NumPy; none is rounded. Arrays raise TypeError:
    compare `.upper` or `.lower` with those.
    """

    __array_ufunc__: ClassVar[None] = None  # else NumPy would compare arrays by itself

    lower: float
    """Proven lower bound on the truth; 0 when none is known."""
    upper: float
    """Upper bound on the truth, as far as `guarantee` says."""
    guarantee: Literal["proven", "estimate"]
    """`proven`: holds by the cited theorems, rounding included. `estimate`: may lie on either side of the truth."""
    theorems: tuple[str, ...] = ()
    """The statements it rests on, innermost first."""
    notes: tuple[str, ...] = ()
    """What a reader must know besides."""
    accountant: str = ""
    """Which one gave `upper`."""

    def __str__(self) -> str:
        """The ends as the program prints them, rounded outwards."""
        return _core.bracket_text(self.lower, self.upper, self.guarantee)

    def __repr__(self) -> str:
        by = f" by {self.accountant}" if self.accountant else ""
        return f"<{type(self).__name__} {self}{by}>"

    def _repr_html_(self) -> str:
        rows = [("by", "<br>".join(escape(theorem) for theorem in self.theorems))]
        rows += [("note", escape(note)) for note in self.notes]
        if self.accountant:
            rows.insert(0, ("accountant", escape(self.accountant)))
        table = "".join(
            f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{text}</td></tr>'
            for name, text in rows
            if text
        )
        return f"<b>{escape(str(self))}</b><table>{table}</table>"

    def _proven_upper(self) -> float:
        if self.guarantee != "proven":
            raise TypeError("an estimate proves nothing about its upper end; compare .upper if that is what you want")
        return self.upper

    def __le__(self, other: object) -> bool:
        number = _comparable(other)
        return NotImplemented if number is None else _decided(operator.le, self._proven_upper(), number)

    def __lt__(self, other: object) -> bool:
        number = _comparable(other)
        return NotImplemented if number is None else _decided(operator.lt, self._proven_upper(), number)

    def __ge__(self, other: object) -> bool:
        number = _comparable(other)
        return NotImplemented if number is None else _decided(operator.ge, self.lower, number)

    def __gt__(self, other: object) -> bool:
        number = _comparable(other)
        return NotImplemented if number is None else _decided(operator.gt, self.lower, number)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Bound):
            return self._key() == other._key()
        if _is_array(other):
            raise TypeError("a bound is compared with one bound at a time, and is no number: take its .upper or .lower")
        if isinstance(other, (Number, Decimal)) or _exact(other) is not None:
            raise TypeError("a bound is no number: compare its .upper or .lower, or ask whether bound <= x")
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return (type(self), *vars(self).values())

    def __float__(self) -> NoReturn:
        raise TypeError("a bound is no number: take .upper, the end that is safe to report, or .lower")


@dataclass(frozen=True, eq=False, repr=False)
class DeltaBound(Bound):
    """A bracket around a true delta, with logarithms for deltas that a double cannot hold."""

    ln_lower: float = -math.inf
    """Natural logarithm of the lower end; -inf for 0."""
    ln_upper: float = math.inf
    """Natural logarithm of the upper end; -inf for 0."""

    def __str__(self) -> str:
        return _core.delta_bracket_text(self.ln_lower, self.ln_upper, self.guarantee)
