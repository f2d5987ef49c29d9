#!/usr/bin/env python3
"""Puts the sources of the site together: documents and proofs as they lie, and what program and package say.

    tools/site/assemble.py PROGRAM FOLDER

Documents keep their places, so that their links hold here as they do in the tree.
"""

import re
import shutil
import sys
from pathlib import Path

from pages import bibliography, commands, cpp, functions, grammar, notebooks, proofs, python_api, schemas
from pages.program import Program

import dpbudget

ROOT = Path(__file__).resolve().parents[2]


def documents():
    """The pages that are written by hand, by their places without the ending."""
    found = [
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in found}
    return {path: text.replace(".ipynb)", ".md)") for path, text in texts.items()}


def pages_of_proofs():
    found = [path for top in ("accounting", "fl") for path in sorted((ROOT / top).rglob("*.md"))]
    return [path.relative_to(ROOT).as_posix() for path in found]


def linked_from(texts):
    """Files of the tree that pages link to or show, by their paths."""
    found = set()
    for path, text in texts.items():
        prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)", prose):
            file = (ROOT / target[1:] if target.startswith("/") else ROOT / Path(path).parent / target).resolve()
            if "://" not in target and file.is_file():
                found.add(file.relative_to(ROOT).as_posix())
    return found


def with_what_is_linked(texts):
    """And the pages that these link to, and so on, which the list of pages need not name."""
    while more := {path for path in linked_from(texts) if path.endswith(".md")} - texts.keys():
        texts |= {path: "---\norphan: true\n---\n\n" + (ROOT / path).read_text(encoding="utf-8") for path in more}
    return texts


def index(written):
    """The first page, whose list of guides ends with those that it does not name."""
    text = (ROOT / "tools/site/index.md").read_text(encoding="utf-8")
    names = [path.removesuffix(".md") for path in written if path.startswith("docs/")]
    return text.replace("\ndocs/library\n", "\n".join(["\ndocs/library", *(n for n in names if n not in text)]) + "\n")


def generated(program, written):
    citations = bibliography.Citations(ROOT)
    return {
        **bibliography.pages(ROOT),
        **commands.pages(program, written),
        **cpp.pages(ROOT),
        **functions.pages(program, citations),
        **grammar.pages(ROOT, program, dpbudget, citations),
        **proofs.pages(ROOT, pages_of_proofs()),
        **python_api.pages(dpbudget),
        **schemas.pages(ROOT),
        **{
            path.relative_to(ROOT).with_suffix("").as_posix(): notebooks.page(path.read_text(encoding="utf-8"))
            for path in sorted((ROOT / "docs").glob("*.ipynb"))
        },
    }


def write(folder, texts):
    """Only what is another than before, so that Sphinx reads no more again."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in folder.rglob("*.md"):
        if path.relative_to(folder).as_posix() not in texts:
            path.unlink()


def main(program, folder):
    folder = Path(folder)
    written = documents()
    texts = {**written, **{f"{name}.md": text for name, text in generated(Program(program), written).items()}}
    for path in pages_of_proofs():
        texts[path] = (ROOT / path).read_text(encoding="utf-8")
    texts["index.md"] = index(written)
    texts = with_what_is_linked(texts)
    write(folder, texts)
    for path in linked_from(texts) - texts.keys():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, folder / path)


if __name__ == "__main__":
    main(*sys.argv[1:])
