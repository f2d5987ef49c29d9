"""A page for each JSON schema: what may stand where, and the schema itself."""

import json

from .markdown import plain, table


def kind(rules):
    """A member's type in words."""
    if rules is True:
        return "anything"
    if "$ref" in rules:
        name = rules["$ref"].rsplit("/", 1)[-1]
        return f"[{plain(name)}](#{anchor(name)})"
    if "const" in rules:
        return f"`{json.dumps(rules['const'])}`"
    if "enum" in rules:
        return ", ".join(f"`{json.dumps(value)}`" for value in rules["enum"])
    for several in ("anyOf", "oneOf"):
        if several in rules:
            return " or ".join(kind(one) for one in rules[several])
    if rules.get("type") == "array":
        return "list of " + kind(rules.get("items", True))
    if "properties" in rules:
        return "object: " + ", ".join(f"`{name}`" for name in rules["properties"])
    types = rules.get("type", "anything")
    text = types if isinstance(types, str) else " or ".join(types)
    return text + limits(rules)


def limits(rules):
    words = {"minimum": "at least", "maximum": "at most", "exclusiveMinimum": "above", "exclusiveMaximum": "below"}
    said = [f"{word} {rules[key]:g}" for key, word in words.items() if key in rules]
    return f" ({', '.join(said)})" if said else ""


def anchor(name):
    return name.lower().replace("_", "-").replace(" ", "-")


def members(rules):
    required = rules.get("required", [])
    rows = []
    for name, inside in rules.get("properties", {}).items():
        note = plain(inside.get("description", "")) if isinstance(inside, dict) else ""
        rows.append([f"`{name}`", kind(inside), "yes" if name in required else "", note])
    return table(["member", "is", "always", "means"], rows) if rows else ""


def nested(rules, level):
    """Objects that stand inside members without a name of their own."""
    text = ""
    for name, inside in rules.get("properties", {}).items():
        while isinstance(inside, dict) and inside.get("type") == "array":
            inside = inside.get("items", {})
        if isinstance(inside, dict) and "properties" in inside:
            text += f"{'#' * level} In `{name}`\n\n{members(inside)}{nested(inside, level)}"
    return text


def described(rules):
    text = plain(rules["description"]) + "\n\n" if "description" in rules else ""
    if not members(rules):
        return text + f"It is {kind(rules)}.\n\n"
    return text + members(rules) + nested(rules, 3)


def name_of(kind_of_line):
    first = next(iter(kind_of_line["properties"].values()))
    return first.get("const", kind_of_line.get("title", "object"))


def page(title, path, schema, words):
    text = f"# {title}\n\n{words}\n\n{plain(schema['description'])}\n\n"
    text += f"The schema itself: [{path.rsplit('/', 1)[-1]}](/{path}).\n\n"
    alternatives = schema.get("oneOf", [])
    if all("properties" in one for one in alternatives):
        text += "".join(f"## {name_of(one)}\n\n{described(one)}" for one in alternatives)
    if "properties" in schema:
        text += members(schema)
    for name, rules in schema.get("$defs", {}).items():
        text += f"## {plain(name)}\n\n{described(rules)}"
    return text


PAGES = {
    "plan_schema": ("Schema of plans", "accounting/plan/plan.schema.json",
                    "What `plan` is in every answer, and what `dpbudget COMMAND @file` reads beside [the "
                    "language](grammar.md)."),
    "ledger": ("Schema of ledgers", "docs/ledger.schema.json",
               "What `dpbudget simulate` writes and `dpbudget verify` reads, line by line."),
    "answers": ("Schema of answers", "docs/answers.schema.json",
                "What each command prints with `--json`, and, as `evaluation`, what `simulate --results` writes."),
    "certificate": ("Schema of certificates", "docs/certificate.schema.json",
                    "What `dpbudget epsilon` and `delta` write with `--certificate`, and the referee checks."),
}  # fmt: skip


def pages(root):
    found = {}
    for name, (title, path, words) in PAGES.items():
        schema = json.loads((root / path).read_text(encoding="utf-8"))
        found[f"reference/{name}"] = page(title, path, schema, words)
    return found
