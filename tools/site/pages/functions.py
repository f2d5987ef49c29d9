"""A page for each notion of `dpbudget eval`: its functions, as the program describes them."""

import json

from .markdown import block, contents, plain, table

WORTH = {
    "exact": "the quantity itself, up to the accuracy",
    "upper bound": "proven by the source; computed to the accuracy, not rounded up",
    "rounded bound": "proven by the source, rounding included",
    "estimate": "may lie on either side of the truth",
    "published": "as its paper states it; not proven here",
    "refuted": "as its paper states it; false, or for no run at all",
    "order": "each term up to a constant that the paper does not give",
}


def signature(function):
    names = [given["name"] + ("?" if given["optional"] else "") for given in function["parameters"]]
    return f"{function['name']}({', '.join(names)})"


def parameter(given):
    name = f"`{given['name']}`" + "".join(f", `{alias}`" for alias in given["aliases"] if alias)
    text = plain(given["meaning"])
    if given.get("left_out"):
        text += f"; left out, {plain(given['left_out'])}"
    unit = "" if given["unit"] == "1" else plain(given["unit"])
    return [name, text, unit, plain(given.get("range", {}).get("text", ""))]


def section(function, citations):
    facts = [
        ["gives", plain(function["gives"])],
        ["worth", plain(f"{function['kind']}: {WORTH[function['kind']]}" if function["kind"] in WORTH else function["kind"])],
        ["accuracy", plain(function["accuracy"])],
        ["adjacency", plain(function["adjacency"])],
        ["source", citations.linked(function["source"])],
        ["note", citations.linked(function["note"])],
    ]
    query = {"id": 1, "function": function["name"], "inputs": function["example"]["inputs"]}
    answer = json.dumps(function["example"]["value"])
    return (
        f"## {function['name']}\n\n{plain(function['summary'])}.\n\n`{signature(function)}`\n\n"
        + table(["", ""], [fact for fact in facts if fact[1]])
        + table(["parameter", "is", "unit", "range"], [parameter(given) for given in function["parameters"]])
        + block(f"$ echo '{json.dumps(query)}' | dpbudget eval -", "console")
        + f"Its value is `{answer}`.\n\n"
    )


def pages(program, citations):
    described = program.json("eval", "--list")["functions"]
    notions = {}
    for function in described:
        notions.setdefault(function["name"].split(".")[0], []).append(function)
    index = (
        "# Reference functions\n\n`dpbudget eval` answers single formulas, one JSON line each, for other codebases to test "
        "against; in Python `dpbudget.eval(name, ...)`. All that stands here is what the program says of them.\n\n"
    )
    rows = [
        [f"[{f['name']}](functions/{notion}.md#{f['name'].replace('.', '-').replace('_', '-')})", plain(f["summary"]), f["kind"]]
        for notion, functions in notions.items()
        for f in functions
    ]
    index += table(["function", "computes", "worth"], rows)
    index += contents(*(f"functions/{notion}" for notion in notions))
    return {
        "reference/functions": index,
        **{
            f"reference/functions/{notion}": f"# {notion}\n\n" + "".join(section(f, citations) for f in functions)
            for notion, functions in notions.items()
        },
    }
