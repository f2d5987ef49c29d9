"""Asking element by element where an argument is an array."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ._bound import Bound
from ._bounds import Bounds
from ._core import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = (
        "Sequence[float] | Sequence[int] | Sequence[Numbers] | NDArray[np.floating[Any]] | NDArray[np.integer[Any]]"
    )
    """A list, tuple or array of numbers, or a list of such."""


def is_array(value: object) -> bool:
    """Whether `value` holds several numbers, and is no number."""
    if isinstance(value, (int, float, str)) or value is None:
        return False
    return bool(value.ndim) if hasattr(value, "ndim") else hasattr(value, "__len__")


def ask_each(ask: Callable[..., Bound], given: Mapping[str, Any]) -> Bounds:
    """ask(**one) for every element of the arguments, broadcast against each other as NumPy does."""
    import numpy as np

    names = list(given)
    # As objects, integers above 2^53 stay what they are.
    arrays = [np.asarray(given[name], dtype=object) for name in names]
    try:
        values = np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(names, arrays) if array.ndim)
        raise InvalidArgument(f"the shapes are {shapes}, but must be broadcast to one") from None
    answers = [ask(**dict(zip(names, one))) for one in zip(*(value.ravel() for value in values))]
    bounds = np.empty(values[0].shape, dtype=object)
    bounds.ravel()[:] = answers
    varying = {name: np.array(value.tolist()) for name, value in zip(names, values) if is_array(given[name])}
    return Bounds(bounds, varying)
