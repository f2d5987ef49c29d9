"""A page for each notion of `dpbudget eval`: its functions, as the program describes them."""

import re

from .markdown import block, contents, plain, table


def signature(function):
    names = [given["name"] + ("?" if given["optional"] else "") for given in function["parameters"]]
    return f"{function['name']}({', '.join(names)})"


def worth(shown):
    """What its help says that its value is worth."""
    return " ".join(re.search(r"^kind +(.*\n(?: {9,}.*\n)*)", shown, re.MULTILINE)[1].split())


def example(shown):
    """The command that its help shows, and what that prints."""
    lines = shown.split("\nExample:\n")[1].splitlines()
    return "$ " + "\n".join(line.removeprefix("  ") for line in lines)


def parameter(given):
    name = f"`{given['name']}`" + "".join(f", `{alias}`" for alias in given["aliases"] if alias)
    text = plain(given["meaning"])
    if given.get("left_out"):
        text += f"; left out, {plain(given['left_out'])}"
    unit = "" if given["unit"] == "1" else plain(given["unit"])
    return [name, text, unit, plain(given.get("range", {}).get("text", ""))]


def section(function, program, citations):
    shown = program.printed("eval", function["name"], "--help")
    facts = [
        ["gives", plain(function["gives"])],
        ["worth", plain(worth(shown))],
        ["accuracy", plain(function["accuracy"])],
        ["adjacency", plain(function["adjacency"])],
        ["source", citations.linked(function["source"])],
        ["note", citations.linked(function["note"])],
    ]
    return (
        f"## {function['name']}\n\n{plain(function['summary'])}.\n\n`{signature(function)}`\n\n"
        + table(["", ""], [fact for fact in facts if fact[1]])
        + table(["parameter", "is", "unit", "range"], [parameter(given) for given in function["parameters"]])
        + block(example(shown))
    )


def anchor(name):
    return re.sub(r"[._]", "-", name)


def pages(program, citations):
    described = program.json("eval", "--list")["functions"]
    notions = {}
    for function in described:
        notions.setdefault(function["name"].split(".")[0], []).append(function)
    index = (
        "# Reference functions\n\n`dpbudget eval` answers single formulas, one JSON line each, for other "
        "codebases to test "
        "against; in Python `dpbudget.eval(name, ...)`. All that stands here is what the program says of them.\n\n"
    )
    rows = [
        [f"[{f['name']}](functions/{notion}.md#{anchor(f['name'])})", plain(f["summary"]), f["kind"]]
        for notion, functions in notions.items()
        for f in functions
    ]
    index += table(["function", "computes", "worth"], rows)
    index += contents(*(f"functions/{notion}" for notion in notions))
    return {
        "reference/functions": index,
        **{
            f"reference/functions/{notion}": f"# {notion}\n\n"
            + "".join(section(f, program, citations) for f in functions)
            for notion, functions in notions.items()
        },
    }
