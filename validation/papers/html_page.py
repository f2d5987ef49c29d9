"""The report as one HTML page that needs no other file."""

from __future__ import annotations

from html import escape

from content import HOW, TITLE, WHAT_IS_PROVEN, PaperPart, Report, Row, summary
from figure import CAPTION, figure

_STYLE = """
  :root { color-scheme: light; }
  body { font: 16px/1.5 system-ui, sans-serif; color: #1b1b1b; background: #fff; max-width: 78rem; margin: 2rem auto;
         padding: 0 1.2rem; }
  h1 { font-size: 1.6rem; line-height: 1.25; margin-bottom: .2rem; }
  h2 { font-size: 1.2rem; margin: 2.4rem 0 .5rem; border-bottom: 1px solid #d5d5d5; padding-bottom: .15rem; }
  h3 { font-size: 1rem; margin: 1.3rem 0 .3rem; }
  p.purpose { color: #555; margin-top: 0; }
  div.wide { overflow-x: auto; }
  table { border-collapse: collapse; width: 100%; font-size: .88rem; }
  th, td { text-align: left; vertical-align: top; padding: .35rem .8rem .35rem .3rem;
           border-bottom: 1px solid #ececec; }
  th { font-weight: 600; color: #555; }
  table.counts { width: auto; font-size: 1rem; background: #f6f6f3; }
  table.counts th, table.counts td { padding: .35rem 1rem; }
  table.counts td:not(:first-child), table.counts th:not(:first-child) { text-align: right; }
  table.counts tr:last-child { font-weight: 600; }
  td.number, td.verdict { white-space: nowrap; }
  td.verdict { font-weight: 600; }
  td.reproduces, dt.reproduces { color: #2b6b26; } td.differs, dt.differs { color: #8a5a00; }
  td.unsafe, dt.unsafe { color: #b3261e; } td.not-comparable, dt.not-comparable { color: #555; }
  tr.unsafe td { background: #fdf1f0; } tr.differs td { background: #fdf8ec; }
  td p { margin: 0 0 .3rem; }
  details { margin: .2rem 0; } summary { cursor: pointer; color: #555; }
  pre { background: #f5f5f5; padding: .5rem .7rem; margin: .3rem 0; font: 12px/1.45 ui-monospace, monospace;
        white-space: pre-wrap; overflow-wrap: anywhere; }
  figure { margin: 1rem 0; } figure svg { width: 100%; max-width: 34rem; height: auto; }
  figcaption { color: #555; font-size: .9rem; max-width: 46rem; }
  dt { font-weight: 600; } dd { margin: 0 0 .3rem 1.2rem; }
  nav { margin-top: 1rem; } nav a { margin-right: 1.2rem; } a { color: #1a56a0; }
  @media print { body { margin: 0; max-width: none; font-size: 10pt; } details { display: none; } }
"""


def html_page(report: Report, command: str) -> str:
    body = [
        f"<h1>{escape(TITLE)}</h1>",
        f'<p class="purpose">{escape(summary(report.counts))}</p>',
        _counts(report.counts),
        "<nav>" + "".join(f'<a href="#{_anchor(part)}">{escape(part.title)}</a>' for part in report.papers) + "</nav>",
        "<h2>How to read it</h2>",
        "<dl>"
        + "".join(f"<dt class='{_class(word)}'>{word}</dt><dd>{escape(means)}</dd>" for word, means in HOW)
        + "</dl>",
        f"<p>{escape(WHAT_IS_PROVEN)}</p>",
        f"<figure>{figure(report.judged)}<figcaption>{escape(CAPTION)}</figcaption></figure>",
        "<h2>What is unsafe</h2>",
        _table(report.unsafe()) if report.unsafe() else "<p>Nothing.</p>",
        *(_paper(part) for part in report.papers),
        "<h2>To reproduce</h2>",
        f"<pre>{escape(command)}</pre>",
        f"<p>Every number is an answer of dpbudget {escape(report.version)}, to the commands that stand with it.</p>",
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(TITLE)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _class(verdict: str) -> str:
    return verdict.replace(" ", "-")


def _anchor(part: PaperPart) -> str:
    return part.title.split(",")[0].split()[0].lower()


def _counts(table: list[list[str]]) -> str:
    rows = [
        "<tr>" + "".join(f"<{cell}>{escape(text)}</{cell}>" for text in row) + "</tr>"
        for row, cell in zip(table, ["th"] + ["td"] * len(table))
    ]
    return '<div class="wide"><table class="counts">' + "\n".join(rows) + "</table></div>"


def _table(rows: list[Row]) -> str:
    heading = (
        "where, and what",
        "printed",
        "the formula gives",
        "verdict",
        "proven of the same run",
        "why, and commands",
    )
    lines = ["<tr>" + "".join(f"<th>{text}</th>" for text in heading) + "</tr>", *map(_row, rows)]
    return '<div class="wide"><table>' + "\n".join(lines) + "</table></div>"


def _row(row: Row) -> str:
    commands = "\n".join(row.judged.commands)
    verdict = _class(row.verdict)
    return (
        f'<tr class="{verdict}"><td>{escape(row.place)}</td><td class="number">{escape(row.printed)}</td>'
        f'<td class="number">{escape(row.gives)}</td><td class="verdict {verdict}">{row.verdict}</td>'
        f"<td>{_paragraphs(row.spends)}</td><td>{_paragraphs(row.why)}"
        f"<details><summary>commands</summary><pre>{escape(commands)}</pre></details></td></tr>"
    )


def _paper(part: PaperPart) -> str:
    source = part.source
    assumptions = "".join(f"<dt>{escape(of)}</dt><dd>{escape(text)}</dd>" for of, text in source.assumptions)
    references = "".join(
        f'<li>{escape(text)} <a href="{escape(link)}">{escape(link)}</a></li>' for text, link in source.references
    )
    return "\n".join(
        [
            f'<h2 id="{_anchor(part)}">{escape(part.title)}</h2>',
            f"<p>{escape(part.about)}</p>",
            _table(part.rows),
            f"<details><summary>What is assumed</summary><dl>{assumptions}</dl></details>",
            "<h3>By which theorems</h3>",
            _items(source.theorems),
            *(["<h3>Notes</h3>", _items(source.notes)] if source.notes else []),
            "<h3>References</h3>",
            f"<ul>{references}</ul>",
        ]
    )


def _paragraphs(texts: list[str]) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def _items(texts: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"
