"""The documentation builds without warnings or network, and its tables are complete."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from browser import launcher

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
# p_AB, V_NB_B, w_B ... and K_gg, Psi_ob; names all in capitals are constants, not symbols
MONOGRAM = re.compile(r"[A-Za-z]+_[A-Z][A-Za-z]*(_[A-Z])?")
SET_LETTERS = re.compile(r"[A-Z][A-Za-z]*[0-9]?_[abcfgilmnoqrst]{1,2}")


def public_names(tree: ast.Module) -> set[str]:
    """Names of public functions, their arguments, and fields and properties of public classes."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and (not node.name.startswith("_") or node.name == "__init__"):
            arguments = node.args
            names.add(node.name)
            names |= {a.arg for a in arguments.posonlyargs + arguments.args + arguments.kwonlyargs}
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            fields = (part.target for part in node.body if isinstance(part, ast.AnnAssign))
            names |= {target.id for target in fields if isinstance(target, ast.Name)}
    return names


def symbols(names: set[str]) -> set[str]:
    found = {name for name in names if MONOGRAM.fullmatch(name) or SET_LETTERS.fullmatch(name)}
    return {name for name in found if not re.match("[A-Z]{3,}_", name)}


def explained(name: str, page: str) -> bool:
    """Say whether a name stands on the page, or follows from its tables of symbols and set letters."""
    if re.search(rf"\b{name}\b", page):
        return True
    symbol, _, letters = name.partition("_")
    has_symbol = re.search(rf"^\|[^|]*\|[^|]*`{symbol}_[a-z]{{1,2}}`", page, re.MULTILINE)
    return bool(has_symbol) and all(f"\n| `{letter}` |" in page for letter in letters)


def test_every_symbol_of_the_code_is_on_the_notation_page():
    page = (DOCS / "notation.md").read_text(encoding="utf-8")
    missing = {}
    for path in sorted((ROOT / "src").rglob("*.py")):
        names = symbols(public_names(ast.parse(path.read_text(encoding="utf-8"))))
        unknown = sorted(name for name in names if not explained(name, page))
        if unknown:
            missing[str(path.relative_to(ROOT))] = unknown
    assert not missing, f"symbols that docs/notation.md does not explain: {missing}"


def test_the_symbol_scan_finds_symbols():
    names = public_names(ast.parse("def f(p_AB, K_gg, Psi_ob, V_NB_B, plain, TREE_FIELDS, n_modes): ..."))
    assert symbols(names) == {"p_AB", "K_gg", "Psi_ob", "V_NB_B"}
    page = (DOCS / "notation.md").read_text(encoding="utf-8")
    assert explained("K_gg", page) and explained("K_nn", page) and explained("p_AB", page)
    assert not any(explained(name, page) for name in ("Q_gg", "z_AB", "R_XY", "K_zz"))


def test_every_dependency_has_its_reason():
    page = (DOCS / "dependencies.md").read_text(encoding="utf-8").lower()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        wanted += extra
    for requirement in wanted:
        name = re.match(r"[A-Za-z0-9_.-]+", requirement)[0].lower()
        assert f"| {name} |" in page, f"docs/dependencies.md gives no reason for {name}"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site; any warning of Sphinx is an error."""
    pytest.importorskip("sphinx")
    out = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-b",
        "html",
        "-d",
        str(out / "trees"),
        "-D",
        "toc_object_entries=0",  # names of functions in every table of contents take a third of the time
    ]
    # without the gallery: its scripts have a test of their own
    done = subprocess.run(
        [*command, str(DOCS), str(out / "html")],
        capture_output=True,
        text=True,
        env={**os.environ, "INTERSTAGE_DOCS_GALLERY": "0"},
    )
    assert done.returncode == 0, done.stderr
    return out / "html"


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("propellant", "howto/burn_propellant"),
        ("quaternions", "notation"),
        ("Octave", "howto/read_in_matlab"),
        ("gusts", "howto/fly_a_batch"),
        ("percentiles", "reference/studies"),
        ("simulate_batch", "howto/fly_a_batch"),
    ],
)
def test_the_search_of_the_site_finds_words(site, word, page):
    """By the index that the search page loads: words as its stemmer leaves them, in texts and in titles."""
    from sphinx.search.en import SearchEnglish

    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    found = set()
    for part in re.findall(r"\w+", word.lower()):
        for terms in (index["terms"], index["titleterms"]):
            places = terms.get(SearchEnglish({}).stem(part), terms.get(part, []))
            found |= {index["docnames"][k] for k in ([places] if isinstance(places, int) else places)}
    assert page in found


def test_the_site_builds_and_has_its_pages(site):
    for page in (
        "index",
        "notation",
        "dependencies",
        "changelog",
        "contributing",
        "tutorial",
        "studies",
        "speed",
        "howto/articulate_and_linearize",
        "howto/separate_lumped_masses",
        "howto/read_in_matlab",
        "theory/spatial",
        "reference/spatial",
        "reference/linear",
        "reference/multibody",
        "reference/simulation",
    ):
        assert (site / f"{page}.html").stat().st_size > 2000


@pytest.fixture(scope="module")
def window(site):
    """A page of a browser, for all of the site."""
    with launcher() as launch:
        yield launch(gl=False).new_page()


@pytest.mark.parametrize("page", ["index", "tutorial", "studies", "units_and_frames", "reference/component"])
def test_nothing_of_the_site_is_cut_off(site, window, page):
    """On a phone, a tablet and laptops: text and the list of headings end within the window."""
    for width in (390, 820, 1100, 1200, 1366, 1920):
        window.set_viewport_size({"width": width, "height": 800})
        window.goto((site / f"{page}.html").resolve().as_uri())
        for part in (".main", ".content", "article"):
            right = window.eval_on_selector(part, "e => e.getBoundingClientRect().right")
            assert right <= width, (part, width)


def test_the_site_fetches_nothing_from_elsewhere(site):
    """Links may lead outside; scripts, styles, pictures and fonts may not."""
    fetched = re.compile(
        r"""<(?:script|img|link|iframe|source)\b[^>]*?\b(?:src|href)=["'](?:https?:)?//[^"']*"""
    )
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not fetched.findall(text), f"{page.name} fetches from elsewhere"
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", text), (
            f"{style.name} fetches from elsewhere"
        )


def test_reference_pages_show_names_of_parameters_and_nothing_else(site):
    """What stands bold in the lists of the reference pages is a name, never a part of a shape or of an example."""
    names = 0
    for page in sorted((site / "reference").glob("*.html")):
        text = page.read_text(encoding="utf-8")
        for item in re.findall(r"<li><p>(<strong>.*?) : ", text, re.DOTALL):
            bold = re.findall(r"<strong>(.*?)</strong>", item)
            wrong = [word for word in bold if not re.fullmatch(r"[A-Za-z_]\w*", word)]
            assert not wrong, f"{page.name} has {wrong}"
            names += len(bold)
        assert "<strong>(" not in text and "<strong>&gt;&gt;&gt;" not in text, page.name
        assert "ForwardRef" not in text, page.name
    assert names > 300


def test_the_gallery_gives_every_example_a_heading():
    pytest.importorskip("sphinx_gallery")
    spec = importlib.util.spec_from_file_location("gallery_pages", DOCS / "gallery_pages.py")
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    for path in sorted((ROOT / "examples").glob("*.py")):
        before = path.read_text(encoding="utf-8")
        after = pages.with_heading(before, path.stem)
        words = ast.get_docstring(ast.parse(after)).splitlines()
        assert words[1] == "=" * len(words[0]) and words[2] == ""
        assert [ast.dump(a) for a in ast.parse(after).body[1:]] == [
            ast.dump(b) for b in ast.parse(before).body[1:]
        ], f"{path.name} is another script in the gallery"
