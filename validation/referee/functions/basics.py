"""What the statements share: decisions, tails of the normal law, roots, quadrature."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from flint import acb, arb, ctx, fmpq, fmpz

Number = arb | float | int


class Refused(Exception):
    """Inputs outside of what the statement is about, or more of them than are summed here."""


class Undecided(Exception):
    """A comparison that takes more bits."""


def allow(holds: bool) -> None:
    if not holds:
        raise Refused


def less(x: Number, y: Number) -> bool:
    """Whether x < y. @throws Undecided when the balls do not say"""
    x, y = arb(x), arb(y)
    if x < y:
        return True
    if x >= y:
        return False
    raise Undecided


def fraction(number: float | int) -> fmpq:
    top, bottom = float(number).as_integer_ratio() if isinstance(number, float) else (int(number), 1)
    return fmpq(top, bottom)


def exact_fraction(x: arb) -> fmpq:
    """Of a ball without a radius."""
    mantissa, exponent = x.man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def positive(x: arb) -> arb:
    """max(0, x)"""
    return arb(0).max(x)


def tail(x: arb) -> arb:
    """P(N(0, 1) > x)"""
    return (x / arb(2).sqrt()).erfc() / 2


def density(x):
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def reach() -> arb:
    """Beyond so many deviations a normal law has less than 2^-(bits + 8)."""
    return (2 * (ctx.prec + 8) * arb(2).log()).sqrt().upper().mid()


def around_zero(radius: arb) -> arb:
    """The ball of all numbers of at most this size."""
    end = radius.upper()
    return (-end).union(end)


def root(function: Callable[[arb], arb], low: arb, high: arb) -> arb:
    """Where a function changes its sign between two points: regula falsi with halving, then certified on both sides."""
    low, high = arb(low).mid(), arb(high).mid()
    at_low, at_high = function(low), function(high)
    rises = at_high > 0
    if not (at_low < 0 if rises else (at_low > 0 and at_high < 0)):
        raise Undecided
    margin = arb(2) ** -100
    last = None
    for step in range(400):
        t = ((low * at_high - high * at_low) / (at_high - at_low)).mid()
        if step % 8 == 7 or not low < t < high:
            t = ((low + high) / 2).mid()
        at_t = function(t)
        if not (at_t > 0 or at_t < 0):
            break
        if bool(at_t > 0) == rises:
            high, at_high, at_low = t, at_t, at_low / 2
        else:
            low, at_low, at_high = t, at_t, at_high / 2
        if last is not None and abs(t - last) < abs(t) * margin / 4:
            break
        last = t
    lower, upper = (t - abs(t) * margin).mid(), (t + abs(t) * margin).mid()
    ends = function(lower), function(upper)
    if not ((ends[0] < 0 < ends[1]) if rises else (ends[0] > 0 > ends[1])):
        raise Undecided
    return lower.union(upper)


def integral(function: Callable, points: list[arb]) -> arb:
    """Of a function of a complex ball (and of whether it must be analytic there), from point to point."""
    total = arb(0)
    points = sorted(points, key=lambda point: point.mid())
    for left, right in zip(points, points[1:]):
        found = acb.integral(function, acb(left), acb(right), eval_limit=400_000, depth_limit=4000)
        total += found.real
    if not total.is_finite():
        raise Undecided
    return total


def binomial_masses(trials: int, probability: arb) -> list[arb]:
    """By their ratios."""
    if probability == 0:
        return [arb(1)] + [arb(0)] * trials
    if probability == 1:
        return [arb(0)] * trials + [arb(1)]
    odds, mass = probability / (1 - probability), (1 - probability) ** trials
    masses = [mass]
    for k in range(trials):
        mass = mass * odds * (trials - k) / (k + 1)
        masses.append(mass)
    return masses


def binomial(n: int, k: int) -> arb:
    return arb(fmpz.bin_uiui(n, k))


__all__ = [
    "Refused",
    "Undecided",
    "acb",
    "allow",
    "arb",
    "around_zero",
    "binomial",
    "binomial_masses",
    "ctx",
    "density",
    "exact_fraction",
    "fmpq",
    "fmpz",
    "fraction",
    "inf",
    "integral",
    "less",
    "positive",
    "reach",
    "root",
    "tail",
]
