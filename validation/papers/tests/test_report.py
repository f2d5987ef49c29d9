from __future__ import annotations

import json
import re
import unittest
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

from content import Report, counts, report, summary
from html_page import html_page
from judge import Bracket, Judged, Safety, Verdict
from markdown_page import markdown_page
from report import as_expected, surprises
from sources import PAPERS, Source, sections
from tests.fake import claim

HERE = Path(__file__).parent
ROOT = HERE.parent.parent.parent
SOURCE = Source(
    [("gaussian", "noise < sensitivity")], ["A, B 2020, Theorem 1_2"], [], [("A, B: <T>", "https://example.org/1")]
)


def example() -> Report:
    spends = Bracket(3.0412345, 4.99912345, ["a theorem"])
    judged = [
        Judged(
            claim("3", place="a | b", why="why <so>"),
            Verdict.UNSAFE,
            3.0,
            bracket=spends,
            claimed=3.0,
            safety=Safety.UNSAFE,
        ),
        Judged(claim(place="c"), Verdict.REPRODUCES, 2.711, commands=["dpbudget epsilon 'a < b'"]),
        Judged(claim(None, lacks="nothing is printed", place="d"), Verdict.NOT_COMPARABLE, None, refusal="no theorem"),
    ]
    return report("0.0", judged, dict.fromkeys(PAPERS, SOURCE))


class Tags(HTMLParser):
    VOID = {"meta", "path", "rect", "circle"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str | None] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attributes if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag, tag


class Pages(unittest.TestCase):
    def test_the_counts_add_up(self) -> None:
        found = example()
        self.assertEqual(found.counts[-1], ["together", "1", "0", "1", "1", "3"])
        self.assertEqual(found.counts[2][1:], ["1", "0", "1", "1", "3"])
        self.assertEqual(
            summary(found.counts),
            "3 published numbers: 1 reproduce from the paper's formula, 0 differ, 1 are unsafe, 1 are not comparable.",
        )

    def test_the_html_page_closes_what_it_opens_and_needs_no_other_file(self) -> None:
        page = html_page(example(), "report.py --html papers.html")
        tags = Tags()
        tags.feed(page)
        self.assertEqual(tags.open, [])
        self.assertTrue(all(link and link.startswith(("#", "https://")) for link in tags.links))
        self.assertIn("why &lt;so&gt;", page)
        svg = re.search(r"<svg.*?</svg>", page, re.DOTALL)
        assert svg is not None
        ElementTree.fromstring(svg[0])

    def test_ends_are_rounded_outwards(self) -> None:
        page = html_page(example(), "")
        self.assertIn(
            "<p>epsilon at most 4.99913, at least 3.04123</p><p>3 is claimed: unsafe by a factor of 1.013 or more</p>",
            page,
        )

    def test_the_markdown_page_has_each_number_in_a_row_of_six_cells(self) -> None:
        page = markdown_page(example(), "report.py")
        rows = [line for part in sections(page).values() for line in part if line.startswith("| ") and ": mu |" in line]
        self.assertEqual(len(rows), 1 + 3)  # the unsafe one twice
        for row in rows:
            self.assertEqual(len(re.findall(r"(?<!\\)\|", row)), 7, row)


class Expected(unittest.TestCase):
    def test_what_changes_is_named(self) -> None:
        found = as_expected(example().judged)
        self.assertEqual(surprises(found, found), [])
        other = {**found, "zheng: c": ["differs", 2.711], "zheng: e": ["differs", 1.0]}
        self.assertEqual([text.split(":")[1].strip() for text in surprises(found, other)], ["c", "e"])

    def test_the_document_says_how_many_there_are(self) -> None:
        expected = json.loads((HERE.parent / "expected.json").read_text())
        document = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
        table = [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in document.split("## What was found")[1].splitlines()
            if line.startswith("|") and "---" not in line
        ]
        held = [
            Judged(claim(paper=name.split(":")[0]), Verdict(verdict), value)
            for name, (verdict, value) in expected.items()
        ]
        self.assertEqual(table, counts(held))
