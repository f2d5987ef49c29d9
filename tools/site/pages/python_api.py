"""The package's public names, for autodoc."""

import inspect

TITLES = {
    "errors": "Errors",
    "events": "Events",
    "questions": "Questions, and plans from elsewhere",
    "classes": "Plans, answers and accountants",
    "others": "Constants",
}


def group_of(package, name):
    thing = getattr(package, name)
    if inspect.isclass(thing):
        return "errors" if issubclass(thing, package.Error) else "classes"
    if hasattr(package._core.events, name):
        return "events"
    return "questions" if callable(thing) else "others"


def public_names(package):
    """Those that are listed, and a function for every event."""
    events = [name for name in dir(package._core.events) if not name.startswith("_")]
    return sorted({*package.__all__, *events})


def directive(package, name, group):
    if group in ("classes", "errors"):
        return f".. autoclass:: dpbudget.{name}\n   :members:\n\n"
    if group == "others":
        return f".. autodata:: dpbudget.{name}\n\n"
    return f".. autofunction:: dpbudget.{name}\n\n"


def pages(package):
    groups = {}
    for name in public_names(package):
        groups.setdefault(group_of(package, name), []).append(name)
    text = (
        "# Python API\n\n[dpbudget in Python](/docs/python.md) shows how it is used. Every name below is imported from "
        "`dpbudget`.\n\n"
    )
    for group in ("questions", "classes", "events", "errors", "others"):
        text += f"## {TITLES[group]}\n\n```{{eval-rst}}\n"
        text += "".join(directive(package, name, group) for name in groups.get(group, [])) + "```\n\n"
    text += "## Beside other libraries\n\n```{eval-rst}\n"
    for module in ("dp_accounting", "opacus"):
        text += f".. automodule:: dpbudget.{module}\n   :members:\n\n"
    return {"reference/python": text + "```\n"}
