"""TF-Privacy: the parameters of its privacy statement, as a plan."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, inf

from . import _core
from ._core import InvalidArgument, Plan
from ._core.events import poisson
from ._noise import noisy


def from_tf_privacy(
    *,
    number_of_examples: int,
    batch_size: int,
    num_epochs: float | Fraction,
    noise_multiplier: float,
    used_microbatching: bool = True,
    max_examples_per_user: int | None = None,
) -> Plan:
    """What DP-SGD releases with the parameters of TF-Privacy's compute_dp_sgd_privacy_statement.

    number_of_examples     in [1, 2^53]
    batch_size             in [1, number_of_examples]
    num_epochs             positive: num_epochs * number_of_examples / batch_size steps, rounded up
    noise_multiplier       at least 0, relative to the clipping norm; 0 tells everything about the batch
    used_microbatching     whether several examples were clipped together, which doubles the sensitivity. The deprecated
                           compute_dp_sgd_privacy does not count that: its figures are those of False.
    max_examples_per_user  None or 1

    Batches are taken for Poisson samples, under add_or_remove_one; `dpsgd` says what others cost.

    Raises InvalidArgument naming what is out of range.
    """
    if max_examples_per_user not in (None, 1):
        raise InvalidArgument(
            f"max_examples_per_user is {max_examples_per_user}, but must be None or 1: no plan describes more"
        )
    epochs = _core.number("num_epochs", num_epochs)
    if not 0 < epochs < inf:
        raise InvalidArgument(f"num_epochs is {epochs}, but must be positive and finite")
    batch, examples = _core.integer("batch_size", batch_size), _core.integer("number_of_examples", number_of_examples)
    if not 1 <= batch <= examples:
        raise InvalidArgument(f"batch_size is {batch}, but must be in [1, number_of_examples], which are {examples}")
    release = noisy("noise_multiplier", noise_multiplier, 2 if used_microbatching else 1)
    passes = num_epochs if isinstance(num_epochs, (int, Fraction)) else Fraction(epochs)
    return (ceil(passes * examples / Fraction(batch)) * poisson((batch, examples), release)).under("add_or_remove_one")
