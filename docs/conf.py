"""Settings of the documentation site: `make docs` builds it, without a network and without warnings."""

from __future__ import annotations

import logging
import os
from importlib.metadata import version as installed_version

# Plain functions have signatures that autodoc can read; compiled ones do not.
os.environ["NUMBA_DISABLE_JIT"] = "1"

project = "Interstage"
author = "The Interstage developers"
copyright = author
release = version = installed_version("interstage")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = "Interstage"
html_static_path = ["_static"]
html_copy_source = False

# One local file sets all formulas; nothing is fetched.
mathjax_path = "mathjax/tex-svg.js"

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3

autodoc_typehints = "signature"
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

# Folders that fill as the project grows (validation, benchmarks) may be empty; Sphinx has no setting for it.
logging.getLogger("sphinx.sphinx.directives.other").addFilter(
    lambda record: getattr(record, "subtype", None) != "empty_glob"
)


def plain_docstring(app, what, name, obj, options, lines):
    """Show docstrings as they are written: formulas with | and * as text, indented blocks as literal ones."""
    out, literal, previous = [], False, ""
    for line in lines:
        if not line.strip():
            out.append(line)
            continue
        indented = line.startswith("    ")
        if literal and not indented:
            literal = False
        if not literal and indented and out and not out[-1].strip() and not previous.startswith(" "):
            out += ["::", ""]
            literal = True
        out.append(line if literal or line.lstrip().startswith(">>>") else _escaped(line))
        previous = line
    lines[:] = out


def _escaped(line: str) -> str:
    """Escape what reStructuredText would take for markup, and turn `name` into ``name``."""
    parts = line.split("`")
    if len(parts) % 2 == 0:
        return _escape_marks(line)
    return "".join(f"``{part}``" if n % 2 else _escape_marks(part) for n, part in enumerate(parts))


def _escape_marks(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def setup(app):
    app.connect("autodoc-process-docstring", plain_docstring, priority=100)
