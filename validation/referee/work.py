"""How much is done for one end of a certificate, so that a small file cannot keep the referee busy for long: counted
where it is done, and before, in microseconds that it takes about."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

MOST = 80_000_000
MOST_AGAINST = 10_000_000
"""For what is not certified, to prove it false."""

MOST_BESIDE = 10_000_000
"""For what certifies it in place of its witness."""


class TooMuch(Exception):
    """What takes more than that; the message says so."""


_left = math.inf


def take(amount: float, what: str) -> None:
    """@throws TooMuch"""
    global _left
    if amount > _left:
        raise TooMuch(f"{what} takes more than the referee does for one end")
    _left -= amount


@contextmanager
def limited(most: float = MOST) -> Iterator[None]:
    """Within it no more than that is done."""
    global _left
    before, _left = _left, min(_left, most)
    try:
        yield
    finally:
        _left = before
