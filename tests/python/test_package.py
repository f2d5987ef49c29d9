"""What is installed."""

import subprocess
import sys
from importlib.metadata import metadata, requires, version
from pathlib import Path

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


def test_every_public_name_is_documented():
    for name in dpbudget.__all__:
        assert name.isupper() or name in ("__version__", "nothing") or getattr(dpbudget, name).__doc__, name
