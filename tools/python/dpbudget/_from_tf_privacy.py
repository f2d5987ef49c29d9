"""TF-Privacy: the parameters of its privacy statement, as a plan."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, inf

from ._core import InvalidArgument, Plan
from ._core.events import approximate, gaussian, poisson


def from_tf_privacy(
    *,
    number_of_examples: int,
    batch_size: int,
    num_epochs: float,
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
    if not 0 < num_epochs < inf:
        raise InvalidArgument(f"num_epochs is {num_epochs}, but must be positive and finite")
    if not 1 <= batch_size <= number_of_examples:
        raise InvalidArgument(
            f"batch_size is {batch_size}, but must be in [1, number_of_examples], which are {number_of_examples}"
        )
    if not noise_multiplier >= 0:
        raise InvalidArgument(f"noise_multiplier is {noise_multiplier}, but must be at least 0")
    noise = noise_multiplier / 2 if used_microbatching else noise_multiplier
    release = gaussian(noise) if noise else approximate(0, 1)
    steps = ceil(Fraction(num_epochs) * number_of_examples / batch_size)
    return (steps * poisson((batch_size, number_of_examples), release)).under("add_or_remove_one")
