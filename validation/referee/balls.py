"""Ball arithmetic as every file here uses it: precision, numbers taken exactly, ends rounded outwards to integers."""

from __future__ import annotations

from flint import arb, ctx, fmpq, fmpz

from work import TooMuch

PRECISION = 288
"""Bits of every ball's midpoint."""

SCALE = 240
"""Masses on a grid are integers, in units of 2^-SCALE."""

MOST_BITS = 1 << 16
"""Of an integer mass; a mass of more than 1 is none, but for what is rounded up."""

ctx.prec = PRECISION

ZERO, ONE = arb(0), arb(1)
ROOT_OF_TWO = arb(2).sqrt()


def exact(number: float | int | fmpq) -> arb:
    """The ball of a double (taken exactly), an integer or a fraction."""
    return arb(number)


def fraction_of(number: float | int) -> fmpq:
    """A double as the fraction that it is."""
    top, bottom = float(number).as_integer_ratio() if isinstance(number, float) else (number, 1)
    return fmpq(top, bottom)


def _scaled(end: arb, scale: int) -> tuple[fmpz, int]:
    mantissa, exponent = end.man_exp()
    shift = int(exponent) + scale
    if shift > MOST_BITS:
        raise TooMuch("a mass of so many digits")
    return mantissa, shift


def floor_mass(mass: arb, scale: int = SCALE) -> fmpz:
    """The largest integer that is certainly at most mass * 2^scale, at least 0."""
    mantissa, shift = _scaled(mass.lower(), scale)
    if mantissa <= 0 or -shift > mantissa.bit_length():
        return fmpz(0)
    return mantissa << shift if shift >= 0 else mantissa >> -shift


def ceil_mass(mass: arb, scale: int = SCALE) -> fmpz:
    """The least integer that is certainly at least mass * 2^scale, at least 0."""
    mantissa, shift = _scaled(mass.upper(), scale)
    if mantissa <= 0:
        return fmpz(0)
    if -shift > mantissa.bit_length():  # rather than shifted, for which flint takes as many bits
        return fmpz(1)
    return mantissa << shift if shift >= 0 else -((-mantissa) >> -shift)


def mass_ball(mass: fmpz, scale: int = SCALE) -> arb:
    """The ball of an integer mass."""
    return arb(mass) * arb(2) ** -scale


def positive_part(value: arb) -> arb:
    """max(0, value), also where the ball holds 0."""
    if value >= 0:
        return value
    if value <= 0:
        return ZERO
    return ZERO.union(value.upper())


def is_none(mass: arb) -> bool:
    """Whether it is 0 for certain, as a ball around 0 is not."""
    return bool(mass == 0)


def either(a: arb, b: arb) -> arb:
    """The chance of any of two that are independent. By 1 - (1 - a) (1 - b) small ones would leave a ball around 0."""
    return a + (1 - a) * b


def any_of(chance: arb, count: int) -> arb:
    """Of so many that are as likely."""
    return -(count * (-chance).log1p()).expm1() if chance < arb(2) ** -64 else 1 - (1 - chance) ** count


def normal_above(x: arb) -> arb:
    """P(N(0, 1) > x)."""
    return (x / ROOT_OF_TWO).erfc() / 2


def digits(value: arb) -> str:
    """For a message."""
    text = value.str(8, radius=False)
    if len(text) < 40:
        return text
    return f"exp({value.log().str(8, radius=False)})" if value > 0 else "0"
