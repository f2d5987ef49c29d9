"""Many answers to one question: what is asked with arrays is answered with one of these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from ._bound import Bound, DeltaBound
from ._core import InvalidArgument

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# As many rows as a notebook shows.
_SHOWN = 60


@dataclass(frozen=True, eq=False)
class Bounds:
    """Bounds in the shape to which the arguments were broadcast."""

    bounds: NDArray[np.object_]
    """A Bound (or DeltaBound) for each element."""
    asked: dict[str, NDArray[Any]]
    """The arguments that were arrays, by name, broadcast to that shape."""

    @property
    def shape(self) -> tuple[int, ...]:
        return self.bounds.shape

    @property
    def lower(self) -> NDArray[np.float64]:
        """The lower ends."""
        return self._each("lower")

    @property
    def upper(self) -> NDArray[np.float64]:
        """The upper ends: what is safe to report where it is proven."""
        return self._each("upper")

    @property
    def is_proven(self) -> NDArray[np.bool_]:
        """Whether the upper end is proven."""
        import numpy as np

        proven = [bound.guarantee == "proven" for bound in self.bounds.ravel()]
        return np.array(proven, dtype=np.bool_).reshape(self.shape)

    def __len__(self) -> int:
        return len(self.bounds)

    def __getitem__(self, index: Any) -> Any:
        """A Bound where `index` names one element, else the Bounds of the part."""
        part = self.bounds[index]
        if isinstance(part, Bound):
            return part
        return Bounds(part, {name: values[index] for name, values in self.asked.items()})

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        estimates = "" if self.is_proven.all() else f", {'some' if self.is_proven.any() else 'all'} estimates"
        return f"<Bounds of shape {self.shape}{estimates}: upper {self.upper}>"

    def _repr_html_(self) -> str:
        names = [*self.asked, "bound", "accountant"]
        asked = [values.ravel()[:_SHOWN].tolist() for values in self.asked.values()]
        shown = self.bounds.ravel()[:_SHOWN]
        rows = [(*point, bound, bound.accountant) for *point, bound in zip(*asked, shown)]
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
        more = f"<p>and {self.bounds.size - _SHOWN} more</p>" if self.bounds.size > _SHOWN else ""
        return f"<table><tr>{head}</tr>{body}</table>{more}"

    def frame(self) -> Any:
        """A pandas DataFrame with a row for each element: the arguments, then lower, upper, guarantee and accountant.

        Raises ImportError where pandas is not installed.
        """
        import pandas

        columns: dict[str, Any] = {name: values.ravel() for name, values in self.asked.items()}
        for name in ("lower", "upper", "guarantee", "accountant"):
            columns[name] = [getattr(bound, name) for bound in self.bounds.ravel()]
        return pandas.DataFrame(columns)

    def plot(self, axes: Any = None) -> Any:
        """Draws the upper ends, and the brackets below them, against the argument that varies.

        Returns the matplotlib axes: `axes` or new ones. Raises InvalidArgument unless exactly one argument varies,
        along one axis; ImportError where matplotlib is not installed.
        """
        curves = {name: values for name, values in self.asked.items() if (values != values.ravel()[:1]).any()}
        if not curves and len(self.asked) == 1:
            curves = self.asked  # a single point, or none
        if len(curves) != 1 or len(self.shape) != 1:
            varying = ", ".join(curves) or "nothing"
            raise InvalidArgument(
                f"what varies is {varying} in the shape {self.shape}, but a curve has one argument along one axis"
            )
        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.gca()
        ((name, values),) = curves.items()
        (line,) = axes.plot(values, self.upper, label=self._label())
        axes.fill_between(values, self.lower, self.upper, color=line.get_color(), alpha=0.3, linewidth=0)
        axes.set_xlabel(name)
        axes.set_ylabel("delta" if self._are_deltas() else "epsilon")
        return axes

    def _label(self) -> str:
        if self.is_proven.all():
            return "at most"
        return "at most, or estimate" if self.is_proven.any() else "estimate"

    def _are_deltas(self) -> bool:
        return any(isinstance(bound, DeltaBound) for bound in self.bounds.ravel())

    def _each(self, name: str) -> NDArray[np.float64]:
        import numpy as np

        return np.array([getattr(bound, name) for bound in self.bounds.ravel()], dtype=np.float64).reshape(self.shape)
