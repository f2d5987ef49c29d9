"""A page for each command: what it says of itself, and where the documents show it."""

import re

from .markdown import block, contents, plain, table


def shown_in(name, documents):
    """The documents whose commands are of this name."""
    pattern = re.compile(rf"^(?:\$ )?(?:.*\| )?dpbudget {name}\b", re.MULTILINE)
    return [path for path, text in sorted(documents.items()) if pattern.search(text)]


def title_of(text):
    return re.search(r"^# (.*)$", text, re.MULTILINE)[1]


# Where descriptions begin in the program's help; a name that is longer has a line of its own.
COLUMN = 30


def options_of(lines):
    """Each option with its description."""
    found = []
    for line in lines:
        if line[2:3].strip():
            has_both = line[COLUMN - 1 : COLUMN] == " "
            found.append([line[:COLUMN], line[COLUMN:]] if has_both else [line, ""])
        else:
            found[-1][1] += " " + line
    return "".join(f"`{name.strip()}`\n: {plain(' '.join(text.split()))}\n\n" for name, text in found)


GROUP = re.compile(r"((?:Positionals|Options)\b[^\n]*(?:\n\S[^\n]*)*):\n(  .*)", re.DOTALL)


def page(name, program, documents):
    """Its help: a list for each group of options, and the rest as it is printed."""
    summary, usage, *paragraphs = program.printed(name, "--help").replace("\nUsage: ", "\n\n", 1).split("\n\n")
    summary = " ".join(summary.split())
    text = f"# {name}\n\n{plain(summary[0].upper() + summary[1:])}.\n\n" + block(usage)
    rest = []
    for paragraph in paragraphs:
        if group := GROUP.fullmatch(paragraph.rstrip()):
            text += f"## {plain(' '.join(group[1].split()))}\n\n"
            text += options_of(group[2].splitlines())
        else:
            rest.append(paragraph)
    if rest:
        text += "## Examples and notes\n\n" + block("\n\n".join(rest))
    links = [f"[{title_of(documents[path])}](/{path})" for path in shown_in(name, documents)]
    if links:
        text += "## Shown with its output\n\n" + "".join(f"- {link}\n" for link in links) + "\n"
    return text + (
        "\n`--json` prints what [the schema of answers](/reference/answers.md) describes; exit status 0 is done and "
        "inside the budget, 1 over it or not verified, 2 bad input, 3 diverged, 4 an output that cannot be written.\n"
    )


def pages(program, documents):
    commands = program.commands()
    listed = [[f"[{name}](commands/{name}.md)", plain(summary)] for name, summary in commands.items()]
    index = "# Commands\n\nEach answers one question. What follows is what `dpbudget COMMAND --help` prints.\n\n"
    index += table(["command", "answers"], listed) + contents(*(f"commands/{name}" for name in commands))
    return {
        "reference/commands": index,
        **{f"reference/commands/{name}": page(name, program, documents) for name in commands},
    }
