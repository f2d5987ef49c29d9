"""What is installed."""

import subprocess
import sys
from importlib.metadata import metadata, requires, version
from pathlib import Path

import pytest

import dpbudget


def test_one_version():
    assert dpbudget.__version__ == version("dpbudget")
    program = Path(sys.executable).parent / "dpbudget"
    run = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert run.stdout.strip().endswith(dpbudget.__version__)


def test_it_needs_numpy_alone_and_not_to_be_imported():
    assert [line for line in requires("dpbudget") if "extra" not in line] == ["numpy"]
    assert metadata("dpbudget")["Requires-Python"] == ">=3.10"
    code = "import sys, dpbudget; dpbudget.epsilon('gaussian(1)', 1e-5); sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_star_imports_every_event():
    events = {name for name in vars(dpbudget._core.events) if not name.startswith("_")}
    assert len(events) > 20 and events <= set(dpbudget.__all__)


def test_every_public_name_is_documented():
    for name in dpbudget.__all__:
        assert name.isupper() or name in ("__version__", "nothing") or getattr(dpbudget, name).__doc__, name


def test_errors_have_one_base_and_are_what_python_calls_such_errors():
    kinds = {
        dpbudget.InvalidArgument: ValueError,
        dpbudget.PlanError: ValueError,
        dpbudget.Unsupported: Exception,
        dpbudget.Diverged: RuntimeError,
        dpbudget.CannotWrite: OSError,
    }
    for raised, kind in kinds.items():
        assert issubclass(raised, dpbudget.Error) and issubclass(raised, kind), raised
    assert issubclass(dpbudget.PlanError, dpbudget.InvalidArgument)
    assert not issubclass(dpbudget.Unsupported, dpbudget.InvalidArgument)
    for ask in (
        lambda: dpbudget.epsilon("gaussian(-1)", 1e-5),
        lambda: dpbudget.epsilon("gaussian", 1e-5),
        lambda: dpbudget.epsilon("shuffle(100, gaussian(1))", 1e-5, accountant="exact"),
        lambda: dpbudget.plan("no such algorithm"),
    ):
        with pytest.raises(dpbudget.Error):
            ask()
