"""The program that is in the package: what is about federated runs is asked of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from . import _core
from ._algorithm import added
from ._bound import Bound

_PROGRAM = Path(__file__).parent / "bin" / "dpbudget"

# Its exit statuses where it has no answer.
_BAD_INPUT = 2
_DIVERGED = 3
_CANNOT_WRITE = 4
_INTERRUPTED = 130


class Diverged(_core.Error, RuntimeError):
    """The training left the range of finite numbers: a smaller step may help. The ledger keeps its rounds."""


class CannotWrite(_core.Error, OSError):
    """An output takes no more, or nothing at all: a full disk, a folder that is read only."""


_ERRORS: dict[int, type[Exception]] = {_DIVERGED: Diverged, _CANNOT_WRITE: CannotWrite}


def main() -> NoReturn:
    """Becomes the program, with this process's arguments."""
    os.execv(_PROGRAM, [str(_PROGRAM), *sys.argv[1:]])


def _text(value: Any) -> str:
    if hasattr(value, "tolist"):
        value = value.tolist()
    return ",".join(map(_text, value)) if isinstance(value, (list, tuple)) else str(value)


def _argument(name: str, value: Any) -> str:
    """What the program is given for an argument of Python."""
    try:
        text = _text(value)
        os.fsencode(text)
    except ValueError as error:
        raise _core.InvalidArgument(f"{name} cannot be written as text: {error}") from None
    if not text or "\0" in text:
        raise _core.InvalidArgument(f"{name} is {text!r}, but must be a text without NUL that is not empty")
    return text


def with_bounds(answer: Any) -> Any:
    """What was printed, with a Bound where one was."""
    if isinstance(answer, list):
        return [with_bounds(value) for value in answer]
    if not isinstance(answer, dict):
        return answer
    if not {"lower", "upper", "guarantee", "theorems"} <= answer.keys():
        return {key: with_bounds(value) for key, value in answer.items()}
    return Bound(
        float(answer["lower"]),
        float(answer["upper"]),
        answer["guarantee"],
        tuple(answer["theorems"]),
        tuple(answer["notes"]),
        answer["accountant"],
    )


def asked(command: str, positional: dict[str, Any], options: dict[str, Any]) -> list[Any]:
    """The values that `dpbudget COMMAND --key=value --json POSITIONAL` prints, one a line, bounds as such."""
    arguments = [command, "--json"]
    for key, value in options.items():
        flag = "--" + key.replace("_", "-")
        if flag in ("--help", "--json"):
            raise TypeError(f"{command}() got an unexpected keyword argument '{key}'")
        if value is True:
            arguments.append(flag)
        elif value is not None and value is not False:
            arguments.append(f"{flag}={_argument(key, value)}")
    for name, value in positional.items():
        text = _argument(name, value)
        arguments += ["--", text] if text.startswith("-") else [text]
    printed = _inside(arguments) if added else _outside(arguments)
    return [with_bounds(json.loads(line)) for line in printed.splitlines()]


def _inside(arguments: list[str]) -> str:
    """In this process, where algorithms written in Python are."""
    status, printed = _core.run_program(arguments)
    if status == _INTERRUPTED:
        raise KeyboardInterrupt
    if status in _ERRORS:
        raise _ERRORS[status](printed)
    return printed


# By which the program would take itself for one of the processes that mpirun started, where this one is.
_LAUNCHERS = {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK"}


def _outside(arguments: list[str]) -> str:
    run = subprocess.run(
        [str(_PROGRAM), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in os.environ.items() if name not in _LAUNCHERS},
    )
    said = run.stderr.strip().removeprefix("dpbudget: ")
    if run.returncode == _BAD_INPUT:
        raise _core.InvalidArgument(said)
    if run.returncode == _INTERRUPTED:
        raise KeyboardInterrupt(said)
    if run.returncode in _ERRORS:
        raise _ERRORS[run.returncode](said)
    if run.returncode not in (0, 1):
        raise _core.Error(f"the program ended with status {run.returncode}: {said}")
    return run.stdout


@dataclass(frozen=True)
class AdversaryPlan:
    """What a federated run releases to one adversary, on one basis."""

    adversary: str
    """third_party, server, one_client, other_clients or user_level"""
    basis: str
    """published or proven"""
    guarantee: str
    """proven or estimate: what `epsilon` is"""
    plan: _core.Plan
    epsilon: Bound
    """Of the whole run, at `delta`."""
    delta: float
    source: str
    """What says so."""
    notes: tuple[str, ...]
    rounds: int | None
    """Most training rounds inside the budget, where one was given."""


def plan(algorithm: str, **options: Any) -> list[AdversaryPlan]:
    """What a federated algorithm releases, to whom, and what it costs, as its paper claims and as can be proven.

    algorithm  such as "dp-scaffold"
    options    those of `dpbudget plan --help`, with _ for -: users, records, user_rate, record_rate, local_steps,
               noise, rounds, delta, epsilon, adversary, basis, ...

    Raises InvalidArgument with the program's text.
    """
    (lines,) = asked("plan", {"algorithm": algorithm}, options)
    return [
        AdversaryPlan(
            adversary=line["adversary"],
            basis=line["basis"],
            guarantee=line["guarantee"],
            plan=_core.Plan(line["plan"]),
            epsilon=line["bound"],
            delta=line["delta"],
            source=line["source"],
            notes=tuple(line["notes"]),
            rounds=line.get("rounds"),
        )
        for line in lines
    ]


def schedule(schedule: str = "constant", **options: Any) -> dict[str, Any]:
    """What noise that changes from round to round spends.

    schedule  such as "exponential:0.99" (see `dpbudget schedule --help`)
    options   those of the command, with _ for -: noise, rounds, user_rate, record_rate, local_steps, delta, epsilon,
    ...

    Returns the object that `dpbudget schedule --json` prints, with a Bound for each accountant's epsilon; infinities
    elsewhere are texts. Raises InvalidArgument with the program's text.
    """
    (answer,) = asked("schedule", {"schedule": schedule}, options)
    return dict(answer)


def simulate(**options: Any) -> list[dict[str, Any]]:
    """Trains in the simulator, writes the ledger, and accounts for what was executed.

    options  those of `dpbudget simulate --help`, with _ for -: algorithm, data, users, records, rounds, noise, clip,
             epsilon, delta, seed, seeds, ledger, config, ...

    Returns for each seed the object that `dpbudget simulate --json` prints: the report of `verify`, with ledger,
    history, test_score and train_loss; infinities outside of Bounds are texts. Ctrl-C ends the run; the ledger keeps
    the rounds that were executed. Raises InvalidArgument with the program's text, and with it Diverged when the
    training diverges and CannotWrite when a file cannot be written.
    """
    return [dict(line) for line in asked("simulate", {}, options)]


def tune(grid: Mapping[str, Sequence[Any]] | str, **options: Any) -> dict[str, Any]:
    """Values for a simulation, by cross-validation, and what finding them spends.

    grid     the values to be tried of each option, as {"step": [0.1, 1], "clip": [0.5, 1]}; every combination is. Or
             the program's own text
    options  those of `dpbudget tune --help`, with _ for -: algorithm, data, users, records, rounds, noise, folds,
             selection_epsilon, trials, delta, seed, results, ledger, config, ...

    Returns the object that `dpbudget tune --json` prints: "best" has the chosen values as texts, "combinations" the
    scores of all, unless the choice is private, and "spending" for each adversary the Bounds of the last run alone, of
    tuning, and of both together, None where there is no guarantee. With trials="poisson:10" or another number of them,
    "score" and "spending" are of the best trial alone, with the Bounds of "one", of the "best" and of all that there
    are on average, "composed"; there is nothing of the others. Ctrl-C ends it after the round under way. Raises
    InvalidArgument with the program's text, and with it Diverged when the training diverges with every combination and
    CannotWrite when a file cannot be written.
    """
    (answer,) = asked("tune", {}, {"grid": _grid_text(grid), **options})
    return dict(answer)


def _grid_text(grid: Mapping[str, Sequence[Any]] | str) -> str:
    """As the program reads it: `name=value,value;name=value`, | standing for the comma beside values that hold one."""
    if isinstance(grid, str):
        return grid
    if not isinstance(grid, Mapping):
        raise _core.InvalidArgument(f"grid is {grid!r}, but must be a dict of lists of values")
    axes = []
    for name, values in grid.items():
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            raise _core.InvalidArgument(f"grid has {values!r} for {name}, but must have a list of values")
        texts = [_argument(f"a value of {name} in grid", value) for value in values]
        wrong = next((text for text in texts if set(text) & set(";|")), None)
        if wrong is not None:
            raise _core.InvalidArgument(f"grid has {wrong!r} for {name}, but no value may hold ; or |")
        has_comma = any("," in text for text in texts)
        if has_comma and len(texts) == 1:
            raise _core.InvalidArgument(f"grid has {texts[0]!r} alone for {name}: give it as an option, beside grid")
        axes.append(f"{name}={('|' if has_comma else ',').join(texts)}")
    return ";".join(axes)


def verify(ledger: str | os.PathLike[str], **options: Any) -> dict[str, Any]:
    """The budget of a run, worked out from its ledger alone.

    ledger   that `simulate` wrote
    options  epsilon, delta and adversary, as those of `dpbudget verify --help`

    Returns the object that `dpbudget verify --json` prints, each epsilon of a view a Bound; its "verdict" says whether
    the ledger verifies and is inside the budget. Raises InvalidArgument with the program's text.
    """
    (report,) = asked("verify", {"ledger": os.fspath(ledger)}, options)
    return dict(report)


def ledger(file: str | os.PathLike[str], **options: Any) -> dict[str, Any]:
    """What a ledger holds, and its other form.

    file     that `simulate` wrote
    options  to, where to write the same ledger: packed where the name ends in .gz, plain otherwise

    Returns the object that `dpbudget ledger --json` prints. Raises InvalidArgument with the program's text.
    """
    (answer,) = asked("ledger", {"ledger": os.fspath(file)}, options)
    return dict(answer)


def converge(algorithm: str, **options: Any) -> dict[str, Any]:
    """How far from the optimum a federated algorithm may end, term by term over rounds.

    algorithm  such as "dp-scaffold"
    options    those of `dpbudget converge --help`, with _ for -: rounds, smoothness, distance, noise, clip, batch,
               dimension, users, participants, local_steps, ...

    Returns the object that `dpbudget converge --json` prints. Raises InvalidArgument with the program's text.
    """
    (answer,) = asked("converge", {"algorithm": algorithm}, options)
    return dict(answer)


def heterogeneity(**options: Any) -> dict[str, Any]:
    """How far clients' data lie apart, and the least loss that there is.

    options  those of `dpbudget heterogeneity --help`, with _ for -: data, users, records, partition, model, ...

    Returns the object that `dpbudget heterogeneity --json` prints. Raises InvalidArgument with the program's text.
    """
    (answer,) = asked("heterogeneity", {}, options)
    return dict(answer)
