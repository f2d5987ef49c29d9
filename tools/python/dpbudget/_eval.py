"""The reference functions: single formulas by name."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def _plain(value: Any) -> Any:
    """For JSON, which knows neither arrays nor infinities."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(element) for element in value]
    if hasattr(value, "__float__") and not isinstance(value, (int, float)):
        value = float(value)  # of a fraction, say
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def functions() -> list[str]:
    """The names that `eval` takes."""
    return _core.function_names()


def eval(function: str, /, *, ln: bool = False, **inputs: Any) -> float | NDArray[np.float64]:
    """The value of a reference function, as `dpbudget eval` gives it: a float, or an array where it is a list.

    function  one of dpbudget.functions()
    ln        the natural logarithm instead, for values that may leave the range of a double
    inputs    numbers, lists or arrays of numbers, and texts, by name

        >>> eval("renyi.gaussian", order=2, noise_multiplier=3)
        0.1111111111111111

    Raises InvalidArgument naming the input that is missing, unknown or out of range, or when there are no logarithms;
    Unsupported where a precondition fails.
    """
    values, is_list, logarithms = _core.evaluate(
        function, json.dumps({name: _plain(value) for name, value in inputs.items()})
    )
    if ln:
        if len(logarithms) != len(values):
            raise _core.InvalidArgument(f"function `{function}` has no logarithms: leave ln out")
        values = logarithms
    if not is_list:
        return values[0]
    import numpy as np

    return np.array(values)
