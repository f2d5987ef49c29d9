"""The publications that statements cite, as the program's reports list them, and links to these."""

import re
from pathlib import Path

from .markdown import plain

SOURCE = Path("tools/cli/page/bibliography.cc")
PAGE = "reference/bibliography"
PROOFS = re.compile(r"\b((?:accounting|fl)/[\w/]*(?:proofs|library_errors)\.md)")


def joined(text):
    """What adjacent string literals say together."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))


def references(root):
    """Each as the keys that cite it, its text and its link."""
    source = (root / SOURCE).read_text(encoding="utf-8")
    keys = {
        name: re.findall(r'"([^"]*)"', listed)
        for name, listed in re.findall(r"string_view, \d+> (\w+) = \{(.*?)\};", source, re.DOTALL)
    }
    found = re.findall(r'Reference\{(\w+),\s*((?:"[^"]*"\s*)+),\s*("[^"]*")\s*\}', source)
    if {name for name, _, _ in found} != keys.keys() or len(found) < 40:
        raise RuntimeError(f"{SOURCE} is not written as it was: {len(keys)} keys, {len(found)} references")
    return [(keys[name], joined(text), joined(link)) for name, text, link in found]


def anchor(key):
    return "ref-" + re.sub(r"\W+", "-", key.lower()).strip("-")


class Citations:
    """Makes links of what cites a publication or a page of proofs."""

    def __init__(self, root):
        self.anchors = {key: anchor(keys[0]) for keys, _, _ in references(root) for key in keys}
        longest_first = sorted(self.anchors, key=len, reverse=True)
        self.pattern = re.compile("|".join(re.escape(key) for key in longest_first))

    def linked(self, text):
        parts = []
        at = 0
        for found in sorted([*self.pattern.finditer(text), *PROOFS.finditer(text)], key=lambda match: match.start()):
            parts.append(plain(text[at : found.start()]))
            key = found[0]
            target = f"#{self.anchors[key]}" if key in self.anchors else f"/{key}"
            parts.append(f"[{plain(key)}]({target})")
            at = found.end()
        return "".join(parts) + plain(text[at:])


def pages(root):
    text = (
        "# Bibliography\n\nEvery theorem that an answer names was published in one of these, or is a numbered "
        "statement of "
        "this project's own [proofs](/reference/statements.md). `--report` lists those that an answer rests on.\n\n"
    )
    for keys, words, link in references(root):
        text += f"({anchor(keys[0])})=\n**{plain(keys[0])}**"
        text += "".join(f" (also {plain(key)})" for key in keys[1:])
        text += f"\n: {plain(words)} <{link}>\n\n"
    return {PAGE: text}
