"""How Sphinx makes the site; its sources are what assemble.py writes."""

import textwrap

import dpbudget

project = "dpbudget"
author = "the dpbudget developers"
version = release = dpbudget.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]
highlight_language = "text"
default_role = "code"
smartquotes = False
autodoc_mock_imports = ["dp_accounting", "opacus"]  # what the package works beside, not with
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 90

html_theme = "furo"
html_title = f"dpbudget {version}"
html_static_path = ["style"]
html_css_files = ["site.css"]
html_extra_path = ["../../build/site/cpp"]
html_show_copyright = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}


def as_written(app, what, name, thing, options, lines):
    """Docstrings are prose for help(), not reStructuredText: a paragraph whose lines are laid out stays as it is."""
    paragraphs = textwrap.dedent("\n".join(lines)).strip("\n").split("\n\n")
    lines.clear()
    for paragraph in paragraphs:
        inside = paragraph.strip("\n").splitlines()
        is_laid_out = any(line.startswith(" ") or "  " in line.strip() for line in inside)
        lines += ["::", "", *(f"    {line}" for line in inside), ""] if is_laid_out else [*inside, ""]


def setup(app):
    app.connect("autodoc-process-docstring", as_written)
