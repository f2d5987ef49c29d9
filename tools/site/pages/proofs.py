"""The list of pages with proofs."""

from .markdown import contents, table


def title_of(path):
    first = path.read_text(encoding="utf-8").splitlines()[0]
    return first.removeprefix("# ")


def pages(root, found):
    text = (
        "# Proofs\n\nWhat no paper has is proven in the folder whose code relies on it, as a numbered statement "
        "that the code "
        "and a test cite.\n\n"
    )
    rows = [[f"[{title_of(root / path)}](/{path})", f"`{path}`"] for path in found]
    return {
        "reference/statements": text + table(["page", "cited as"], rows) + contents(*(f"/{path}" for path in found))
    }
