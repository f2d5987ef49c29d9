"""A page for each command: what it says of itself, and where the documents show it."""

import re

from .markdown import block, contents, plain, table


def shown_in(name, documents):
    """The documents whose commands are of this name."""
    pattern = re.compile(rf"^(?:\$ )?(?:.*\| )?dpbudget {name}\b", re.MULTILINE)
    return [path for path, text in sorted(documents.items()) if pattern.search(text)]


def title_of(text):
    return re.search(r"^# (.*)$", text, re.MULTILINE)[1]


def page(name, program, documents):
    """Its help, with the examples apart: those are to be copied."""
    summary, rest = program.printed(name, "--help").split("\nUsage: ", 1)
    usage, rest = rest.split("\n", 1)
    options, *notes = re.split(r"^Examples?:\n", rest, maxsplit=1, flags=re.MULTILINE)
    text = f"# {name}\n\n{plain(' '.join(summary.split()))}\n\n" + block(usage + "\n" + options)
    if notes:
        text += "## Examples\n\n" + block(notes[0])
    links = [f"[{title_of(documents[path])}](/{path})" for path in shown_in(name, documents)]
    if links:
        text += "## Shown with its output\n\n" + "".join(f"- {link}\n" for link in links) + "\n"
    return text + (
        "\n`--json` prints what [the schema of answers](/reference/answers.md) describes; exit status 0 is done "
        "and inside "
        "the budget, 1 over it or not verified, 2 bad input, 3 diverged, 4 an output that cannot be written.\n"
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
