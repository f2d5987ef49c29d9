"""Poisson samples of which a batch keeps at most so many records."""

from __future__ import annotations

from flint import fmpq, fmpz


def filled_by_others(places: int, records: int, rate: fmpq) -> tuple[fmpq, fmpq]:
    """The probability that of the others, records - 1 in number, as many are drawn as fill the places or more; and that
    then the record is in the batch: drawn too, it is one of those of whom the batch keeps as many as it has places."""
    filled, in_filled = fmpq(0), fmpq(0)
    for others in range(places, records):
        of_others = fmpz.bin_uiui(records - 1, others) * rate**others * (1 - rate) ** (records - 1 - others)
        filled += of_others
        in_filled += of_others * rate * fmpq(places, others + 1)
    return filled, in_filled
