"""Federated algorithms that are written in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

Release = _core.Release


@dataclass(frozen=True)
class Round:
    """What a participant and the server are told of a round."""

    number: int
    """From 1."""
    step_size: float
    """Of the participant's first local step; 0 where the algorithm takes no step."""
    dimension: int
    """Of the model."""
    sample: int
    """Records in a batch of the first client."""
    noise_std: float
    """In a coordinate of a release; 0 without noise."""
    step_sizes: tuple[float, ...] = ()
    """Of each local step, which `step_schedule` may let differ; none where the algorithm takes no step."""


@dataclass
class ServerState:
    """What the server keeps. A participant downloads model and control."""

    model: Vector
    control: Vector
    """Empty until the algorithm sets it."""
    memory: list[Vector]
    """What else an algorithm keeps, in its own order."""


@dataclass
class ClientState:
    """What a client keeps from one participation to the next; empty until the algorithm sets it."""

    control: Vector
    model: Vector


@dataclass(frozen=True)
class Update:
    """What a participant sent."""

    model: Vector
    control: Vector
    """Empty unless the client sent one."""
    weight: float
    """What it counts in this round; the weights of all participants add up to 1 where rates are fixed."""
    share: float
    """What its client counts among all, whoever takes part."""


class Algorithm:
    """A federated algorithm: what a participant computes, and what the server makes of it.

    What is proven of its runs rests on this alone: a client sees its records through the `release` that it is handed,
    and through nothing else. Whatever it makes of those gradients is post-processing, and costs nothing. Values of
    the algorithm's own stand in the object, and in no ledger.
    """

    name: str
    """Under which `simulate`, `plan` and `verify` know it."""
    adds_noise: bool = True
    """Whether releases are clipped and get Gaussian noise."""
    one_step: bool = False
    """Whether a participant asks its release once a round; else `local_steps` times."""
    released_mean: bool = False
    """Set it only where, with one step, a round publishes nothing but a function of the weighted mean of the releases:
    third parties then see the noise of all participants."""
    takes_step: bool = False
    """Whether it reads `step`, `step_schedule` and `step_clock`, which become `round.step_size` and `step_sizes`."""

    def client(
        self, round: Round, server: ServerState, state: ClientState, release: Release
    ) -> Vector | tuple[Vector, Vector]:
        """What a participant sends: a vector of shape (dimension,), or two of them, for model and control.

        It may change `state`, and has copies of all else. Clients of a round run in any order.
        """
        raise NotImplementedError

    def server(self, round: Round, updates: list[Update], state: ServerState) -> None:
        """Changes `state`, by the updates of all participants in the order of their clients' numbers; at least one."""
        raise NotImplementedError


def add_algorithm(algorithm: Algorithm) -> None:
    """Makes an algorithm known under its name, for as long as the process runs.

    `simulate`, `plan`, `schedule` and `verify` then run inside this process, one at a time; `threads` gains nothing
    while Python computes. An exception of the algorithm ends `simulate` and is raised there.

    Raises InvalidArgument when the name is empty or taken, TypeError when it is no Algorithm with a name.
    """
    if not isinstance(algorithm, Algorithm) or not isinstance(getattr(algorithm, "name", None), str):
        raise TypeError(f"algorithm is {type(algorithm).__name__}, but must be an Algorithm with a name")
    _core.add_algorithm(
        algorithm.name,
        _Calls(algorithm),
        algorithm.adds_noise,
        algorithm.one_step,
        algorithm.released_mean,
        algorithm.takes_step,
    )
    added.append(algorithm.name)


added: list[str] = []
"""The names of all that were added."""


class _Calls:
    """What the simulator calls: with tuples of arrays, which it wants back as tuples of float64 arrays."""

    def __init__(self, algorithm: Algorithm) -> None:
        self._algorithm = algorithm

    def client(self, told: Any, server: Any, kept: Any, release: Release) -> Any:
        round, state = Round(*told), ClientState(*kept)
        sent = self._algorithm.client(round, ServerState(*server), state, release)
        model, control = sent if isinstance(sent, tuple) else (sent, ())
        return (
            _vector("the update", model, round.dimension),
            _vector("the update's control", control, round.dimension, may_be_empty=True),
            _vector("state.control", state.control, round.dimension, may_be_empty=True),
            _vector("state.model", state.model, round.dimension, may_be_empty=True),
        )

    def server(self, told: Any, updates: Any, kept: Any) -> Any:
        round, state = Round(*told), ServerState(*kept)
        self._algorithm.server(round, [Update(*update) for update in updates], state)
        return (
            _vector("state.model", state.model, round.dimension),
            _vector("state.control", state.control, round.dimension, may_be_empty=True),
            [_vector("state.memory", vector) for vector in state.memory],
        )


def _vector(name: str, given: Any, dimension: int | None = None, may_be_empty: bool = False) -> Vector:
    import numpy as np

    vector = np.ascontiguousarray(given, dtype=np.float64)
    wrong = vector.ndim != 1 or (dimension is not None and len(vector) != dimension)
    if wrong and not (may_be_empty and vector.size == 0):
        raise _core.InvalidArgument(f"{name} has shape {vector.shape}, but must have ({dimension},)")
    return vector
