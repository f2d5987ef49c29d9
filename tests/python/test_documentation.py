"""The code that the documentation shows runs, and says what is so."""

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def code_of(page):
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/tutorials/library.md"])
def test_code_runs(page):
    names = {}
    blocks = code_of(page)
    assert blocks
    for block in blocks:
        if any(find_spec(other) is None for other in ("dp_accounting", "opacus") if f"import {other}\n" in block):
            continue
        exec(compile(block, page, "exec"), names)  # noqa: S102


def test_the_program_that_is_shown_is_the_one_that_the_tests_build():
    page = (ROOT / "docs/tutorials/library.md").read_text()
    (shown,) = re.findall(r"^```cpp\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert shown == (ROOT / "tests/package/main.cc").read_text()


def test_docstrings_show_what_they_print():
    import dpbudget

    for function in (dpbudget.epsilon, dpbudget.solve, dpbudget.eval, dpbudget.dpsgd):
        shown = re.findall(r"^ *>>> (.*)(?:\n +([^>\s].*))?$", function.__doc__, re.MULTILINE)
        assert shown
        for code, printed in shown:
            value = eval(code, vars(dpbudget).copy())
            # The last digits of a number are those of a compiler.
            assert not printed or repr(value) == printed or value == pytest.approx(float(printed))


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.ipynb")), ids=lambda page: page.name)
def test_notebooks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for cell in json.loads(page.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), page.name, "exec"), names)  # noqa: S102
