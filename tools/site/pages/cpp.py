"""The way to what Doxygen makes."""

import re

from .markdown import table


def floors(root):
    """What CONTRIBUTING says that the folders have in common, as far as they are installed."""
    listed = re.search(
        r"^\| floor \|.*?\n\n", (root / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    rows = [line.strip("| ").split(" | ", 1) for line in listed[0].splitlines()[2:]]
    return [row for row in rows if row[0].startswith(("`accounting", "`mechanisms", "`fl"))]


def pages(root):
    text = (
        "# C++ API\n\n"
        '<p><a href="../cpp/index.html">The C++ reference</a> describes every header that <code>cmake --install</code> '
        'installs: <a href="../cpp/annotated.html">classes</a>, <a href="../cpp/namespaces.html">namespaces</a>, '
        '<a href="../cpp/files.html">files</a>.</p>\n\n'
        "[The library](/docs/library.md) shows how to link it and [a tutorial](/docs/tutorials/library.md) uses "
        "it. What lies "
        "where, from the ground up:\n\n"
    )
    return {
        "reference/cpp": text + table(["folder", "what its files have in common"], [[a, b] for a, b in floors(root)])
    }
