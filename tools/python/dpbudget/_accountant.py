"""The online form: a budget that grows as releases are added."""

from __future__ import annotations

import json
import re
from threading import Lock
from typing import TYPE_CHECKING, Any, overload

from . import _core
from ._arrays import ask_each, is_array
from ._bound import Bound, DeltaBound
from ._bounds import Bounds

if TYPE_CHECKING:
    from ._arrays import Numbers
    from ._questions import PlanLike

_STATE_VERSION = 1
_MOST_REPETITIONS = 2**53


class Accountant:
    """Accounts for what has been released so far; epsilon may be asked for at any time.

    Equal releases one after another are counted, and what was computed of them serves every later question: a training
    loop that adds the same step a million times costs as much as one question about a million steps. For thousands of
    releases that all differ, RunningAccount is faster.

    plan        what has been released already
    accountant  who answers: one of dpbudget.ACCOUNTANTS
    tolerance   relative width that brackets are refined to, in (0, 1)
    adjacency   left out, the one that the releases name, or under which their sampling is analysed

    Threads may share it. It may be pickled.
    """

    def __init__(
        self,
        plan: PlanLike | None = None,
        *,
        accountant: str = "best",
        tolerance: float = _core.default_tolerance,
        adjacency: str | None = None,
    ) -> None:
        self._adjacency = adjacency
        self._settings: dict[str, Any] = {"accountant": accountant, "tolerance": tolerance, "adjacency": adjacency}
        self._stretches: list[tuple[_core.Plan, int]] = []
        self._kinds: set[str] = set()  # of events, of which these together have all
        self._one_of_each = _core.nothing
        self._lock = Lock()
        self._asked: tuple[_core.Plan, _core.PlanAccountant] | None = None
        # What is wrong with the settings is to be said before the first question.
        _core.PlanAccountant(_core.nothing, accountant, tolerance, adjacency)
        if plan is not None:
            self.add(plan)

    def add(self, plan: PlanLike, count: int = 1) -> None:
        """Adds `count` repetitions of a plan, count in [0, 2^53].

        Raises PlanError where the plan cannot be read, InvalidArgument naming what is out of range, when the plan has a
        `?`, or is under another adjacency than the accountant was given or what was added before. Nothing is then
        added.
        """
        read = _core.Plan(plan, self._adjacency)
        count = _core.integer("count", count)
        if read.unknown is not None:
            raise _core.InvalidArgument(f"plan is {read}, but must have no `?`: what is released has numbers only")
        with self._lock:
            before = self._stretches[-1] if self._stretches else None
            # A plan holds no larger count, but a composition of several.
            if before and before[0] == read and before[1] + count <= _MOST_REPETITIONS:
                self._stretches[-1] = (read, before[1] + count)
            else:
                self._look_at_kinds(read)
                self._stretches.append((read, count))

    def _look_at_kinds(self, read: _core.Plan) -> None:
        """Raises InvalidArgument where no adjacency is that of this and of all that was added."""
        both = _core.compose([self._one_of_each, read])
        named = both.adjacency
        kinds = {*re.findall(r"[a-z_]+(?=\()", str(read)), named}
        if not kinds <= self._kinds:
            self._kinds |= kinds
            self._one_of_each = both

    @property
    def plan(self) -> _core.Plan:
        """All that was added."""
        with self._lock:
            stretches = list(self._stretches)
        return _core.compose([count * plan if count != 1 else plan for plan, count in stretches])

    @overload
    def epsilon(self, delta: float, *, count: int = ...) -> Bound: ...  # type: ignore[overload-overlap]
    @overload
    def epsilon(self, delta: Numbers | float, *, count: Numbers | int = ...) -> Bounds: ...
    def epsilon(self, delta: Numbers | float, *, count: Numbers | int = 1) -> Bound | Bounds:
        """A bracket around epsilon of `count` times all that was added.

        delta  in [0, 1), 0 asking for pure DP; it and count may be arrays, which are broadcast against each other

        Raises InvalidArgument naming what is out of range, Unsupported where no theorem answers.
        """
        answer: Bound | Bounds = self._answer("epsilon", {"delta": delta, "count": count})
        return answer

    @overload
    def delta(self, epsilon: float, *, count: int = ...) -> DeltaBound: ...  # type: ignore[overload-overlap]
    @overload
    def delta(self, epsilon: Numbers | float, *, count: Numbers | int = ...) -> Bounds: ...
    def delta(self, epsilon: Numbers | float, *, count: Numbers | int = 1) -> DeltaBound | Bounds:
        """A bracket around delta of `count` times all that was added, epsilon in [0, inf). As `epsilon`."""
        answer: DeltaBound | Bounds = self._answer("delta", {"epsilon": epsilon, "count": count})
        return answer

    def state(self) -> str:
        """All that was added, and who accounts for it, as JSON text for `restore`."""
        with self._lock:
            stretches = [[str(plan), count] for plan, count in self._stretches]
        return json.dumps({"version": _STATE_VERSION, **self._settings, "releases": stretches})

    @classmethod
    def restore(cls, state: str) -> Accountant:
        """The accountant whose `state` that was: it answers as a new one does to which the same was added.

        What an accountant was asked before it keeps, and may answer a little more narrowly from; all brackets hold.

        Raises InvalidArgument when it is no state, or of another version.
        """
        try:
            read: dict[str, Any] = json.loads(state)
            version, releases = read.pop("version"), read.pop("releases")
            restored = cls(**read)
            if version != _STATE_VERSION:
                raise _core.InvalidArgument(f"state is of version {version}, but must be of {_STATE_VERSION}")
            for plan, count in releases:
                restored.add(plan, count)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, _core.InvalidArgument):
                raise
            raise _core.InvalidArgument(f"state is not what an accountant's state() returns: {error}") from None
        return restored

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return type(self).restore, (self.state(),)

    def __repr__(self) -> str:
        return f"<Accountant of {self.plan}>"

    def _answer(self, wanted: str, given: dict[str, Any]) -> Any:
        with self._lock:
            alone = self._stretches[0] if len(self._stretches) == 1 else None
        plan, repetitions = alone or (self.plan, 1)
        asked = self._asked
        if asked is None or asked[0] != plan:
            asked = self._asked = plan, _core.PlanAccountant(plan, **self._settings)

        def ask(*, count: int, **point: float) -> Any:
            return getattr(asked[1], wanted)(count=_core.integer("count", count) * repetitions, **point)

        return ask_each(ask, given) if any(map(is_array, given.values())) else ask(**given)
