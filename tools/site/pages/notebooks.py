"""Notebooks as pages, with what their cells print."""

import contextlib
import io
import json

from .markdown import block


def cells(notebook):
    names = {}
    for cell in json.loads(notebook)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            yield source + "\n\n"
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(source, "notebook", "exec"), names)  # noqa: S102
        yield block(source, "python")
        if printed.getvalue().strip():
            yield block(printed.getvalue())


def page(notebook):
    return "".join(cells(notebook))
