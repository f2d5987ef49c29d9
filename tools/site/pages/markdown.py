"""Text and tables as MyST reads them."""

import re


def plain(text):
    """Shows the text as it is, whatever it holds of Markdown's own characters."""
    return re.sub(r"([\\`*_{}\[\]<>|$~#@^])", r"\\\1", text)


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines) + "\n"


def block(text, language="text"):
    fence = "```" if "```" not in text else "````"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n\n"


def contents(*pages, depth=1):
    """Where these stand in the site's own list of pages."""
    return f"```{{toctree}}\n:hidden:\n:maxdepth: {depth}\n\n" + "\n".join(pages) + "\n```\n"
