"""Settings of the documentation site: `make docs` builds it, without a network and without warnings."""

from __future__ import annotations

import gc
import logging
import os
import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

import numba
from numba.core.dispatcher import Dispatcher

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from docstrings import listed, marked  # noqa: E402  (found beside this file)
from gallery_pages import PngScraper, prepare_examples  # noqa: E402
from sentences import MARK, page  # noqa: E402

# A site is a million small objects that stay: collections of garbage that visit them all are a quarter of the build
gc.set_threshold(50_000, 20, 100)

project = "Interstage"
author = "The Interstage developers"
copyright = author
release = version = installed_version("interstage")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
exclude_patterns = ["_build", "sg_execution_times.rst", "gallery/sg_execution_times.rst"]

# The gallery runs every example. INTERSTAGE_DOCS_GALLERY=0 leaves it out, for a quick look at a page.
if os.environ.get("INTERSTAGE_DOCS_GALLERY", "1") != "0":
    extensions.append("sphinx_gallery.gen_gallery")
    sphinx_gallery_conf = {
        "examples_dirs": [str(prepare_examples(HERE.parent / "examples", HERE / "_build" / "examples"))],
        "gallery_dirs": ["gallery"],
        "filename_pattern": r"\.py$",
        "image_scrapers": ("matplotlib", PngScraper()),
        "within_subsection_order": "FileNameSortKey",
        "download_all_examples": False,
        "show_memory": False,
        "min_reported_time": 1e9,
        "remove_config_comments": True,
        "abort_on_example_error": True,
        "default_thumb_file": str(HERE / "_static" / "prints.png"),
    }
else:
    exclude_patterns.append("gallery")

html_theme = "furo"
html_title = "Interstage"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False

# One local file sets all formulas; nothing is fetched.
mathjax_path = "mathjax/tex-svg.js"

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3

autodoc_typehints = "signature"
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
# words such as "bodies" in a list of arguments are no references, even where several classes have one
suppress_warnings = ["ref.python"]

# Folders that fill as the project grows (validation, benchmarks) may be empty; Sphinx has no setting for it.
logging.getLogger("sphinx.sphinx.directives.other").addFilter(
    lambda record: getattr(record, "subtype", None) != "empty_glob"
)


def plain_kernels(app, env, docnames):
    """Put plain functions in the place of kernels: autodoc can read their signatures, not those of compiled ones.

    It happens after the gallery has run, whose examples need the compiled ones.
    """
    numba.config.DISABLE_JIT = 1
    if "interstage.jit" in sys.modules:  # rooms that no example has brought in yet are to be plain too
        sys.modules["interstage.jit"].COMPILED = False
    for name, module in list(sys.modules.items()):
        if name.startswith("interstage."):
            for key, value in list(vars(module).items()):
                if isinstance(value, Dispatcher):
                    setattr(module, key, value.py_func)


def plain_docstring(app, what, name, obj, options, lines):
    """Show docstrings as they are written: formulas with | and * as text, indented blocks as literal ones."""
    out, literal, previous = [], False, ""
    for line in listed(lines):
        if not line.strip():
            out.append(line)
            continue
        indented = line.startswith("    ")
        if literal and not indented:
            literal = False
        if not literal and indented and out and not out[-1].strip() and not previous.startswith(" "):
            out += ["::", ""]
            literal = True
        out.append(line if literal or line.lstrip().startswith(">>>") else marked(_escaped(line)))
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


def plain_signature(app, what, name, obj, options, signature, returns):
    """Write type aliases by their names."""

    def plain(text):
        return text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text)

    return plain(signature), plain(returns)


def with_sentences(app, docname, source):
    """Put the list of all error sentences into the page that has its mark."""
    if MARK in source[0]:
        source[0] = source[0].replace(MARK, page(HERE.parent / "src" / "interstage"))


def quick_names(app, env):
    """Let names that no object ends with (`float`, `ndarray`) be looked up in no list of all objects."""
    domain = env.get_domain("py")
    find, ends = domain.find_obj, {name.rpartition(".")[2] for name in domain.objects}

    def find_obj(env, modname, classname, name, *more):
        known = name.removesuffix("()").rpartition(".")[2] in ends
        return find(env, modname, classname, name, *more) if known else []

    domain.find_obj = find_obj


def setup(app):
    app.connect("source-read", with_sentences)
    app.connect("autodoc-process-signature", plain_signature)
    app.connect("env-before-read-docs", plain_kernels)
    app.connect("env-updated", quick_names)
    app.connect("autodoc-process-docstring", plain_docstring, priority=100)
