"""The report in Markdown."""

from __future__ import annotations

import re

from content import HOW, TITLE, WHAT_IS_PROVEN, PaperPart, Report, Row, summary


def markdown_page(report: Report, command: str) -> str:
    unsafe = report.unsafe()
    parts = [
        f"# {TITLE}",
        _text(summary(report.counts)),
        _rows(report.counts),
        "## How to read it",
        "\n".join(f"- **{word}**: {_text(means)}" for word, means in HOW),
        WHAT_IS_PROVEN,
        "## What is unsafe",
        _table(unsafe) if unsafe else "Nothing.",
        *(_paper(part) for part in report.papers),
        "## To reproduce",
        f"    {command}",
        f"Every number is an answer of dpbudget {report.version}, to the commands that stand with it.",
    ]
    return "\n\n".join(parts) + "\n"


def _text(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", text)


def _rows(table: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in table]
    return "\n".join([lines[0], "|" + " --- |" * len(table[0]), *lines[1:]])


def _table(rows: list[Row]) -> str:
    heading = ["where, and what", "printed", "the formula gives", "verdict", "proven of the same run", "why"]
    cells = [
        [
            *map(_text, (row.place, row.printed, row.gives)),
            row.verdict,
            _text("; ".join(row.spends)),
            _text("; ".join(row.why)),
        ]
        for row in rows
    ]
    return _rows([heading, *cells])


def _paper(part: PaperPart) -> str:
    source = part.source
    commands = [f"{row.judged.claim.place}\n    " + "\n    ".join(row.judged.commands) for row in part.rows]
    blocks = [
        f"## {part.title}",
        _text(part.about),
        _table(part.rows),
        "### What is assumed",
        "\n".join(f"- {_text(of)}: {_text(text)}" for of, text in source.assumptions),
        "### By which theorems",
        "\n".join(f"- {_text(text)}" for text in source.theorems),
        *(["### Notes", "\n".join(f"- {_text(text)}" for text in source.notes)] if source.notes else []),
        "### References",
        "\n".join(f"- {_text(text)} <{link}>" for text, link in source.references),
        "### Commands",
        "\n".join("    " + line for text in commands for line in text.splitlines()),
    ]
    return "\n\n".join(blocks)
