"""The package's types, as those see them who use it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

HERE = Path(__file__).parent


def mypy(*arguments):
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE).stdout


def test_a_consumers_code_passes_strictly():
    assert mypy("consumer.py") == ""


def test_a_consumers_mistakes_are_found():
    expected = {
        number for number, line in enumerate((HERE / "misuser.py").read_text().splitlines(), 1) if "# error" in line
    }
    found = {int(number) for number in re.findall(r"^misuser\.py:(\d+): error", mypy("misuser.py"), re.MULTILINE)}
    assert found == expected


def test_the_package_itself_passes_strictly():
    assert mypy("--config-file", HERE.parent.parent / "pyproject.toml", "--package", "dpbudget") == ""


def test_the_report_of_the_papers_numbers_passes_strictly():
    report = HERE.parent.parent / "validation" / "papers"
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "."]
    assert subprocess.run(command, capture_output=True, text=True, check=False, cwd=report).stdout == ""
