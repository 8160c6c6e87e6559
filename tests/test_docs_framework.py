"""Pages that say what is there, and what it is called elsewhere, name things that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import interstage as ist
from interstage import devices as dev

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "framework.md"
OTHER_TOOLS = sorted((DOCS / "coming_from").glob("*.md"))
# what a page calls its things, and their classes
CALLED = {
    "ist": ist,
    "lin": ist.LinearModel,
    "mb": ist.Multibody,
    "system": ist.System,
    "log": ist.Log,
    "Component": ist.Component,
}


def test_what_the_list_names_exists():
    text = PAGE.read_text(encoding="utf-8")
    known = {*dir(ist), *dev.__all__, "simulate", "set"}
    named = set(re.findall(r"`(?:ist\.)?(\w+)`", text))
    assert named and named <= known, sorted(named - known)
    for path in re.findall(r"\]\(([^)#]+)\)", text):
        assert (PAGE.parent / path).exists(), path


@pytest.mark.parametrize("page", OTHER_TOOLS, ids=[page.stem for page in OTHER_TOOLS])
def test_names_for_people_of_other_tools_exist(page):
    text = page.read_text(encoding="utf-8")
    for word, thing in CALLED.items():
        named = set(re.findall(rf"\b{word}\.(\w+)", text))
        assert named <= set(dir(thing)), (word, sorted(named - set(dir(thing))))
    named = set(re.findall(r"`([A-Z][a-z]\w+)`", text))
    known = {*dir(ist), *dev.__all__}
    assert named <= known, sorted(named - known)
    for path in re.findall(r"\]\(([^)#]+)\)", text):
        assert (page.parent / path).exists(), path


def test_a_motion_is_given_as_the_pages_for_other_tools_say():
    """They give it in two halves, a joint that is prescribed and a motion of its angle; the run follows both."""
    joint, motions = (
        r"`(?:joint=ist\.)?Revolute\(\"z\", prescribed=True\)`",
        "`motions={body: ist.PrescribedMotion(angle=f)}`",
    )
    for name in ("adams", "simscape"):
        text = (DOCS / "coming_from" / f"{name}.md").read_text(encoding="utf-8")
        assert re.search(joint, text) and motions in text
    mb = ist.Multibody("wheel")
    mb.add_body("wheel", mass=1.0, inertia=[1, 1, 1], joint=ist.Revolute("z", prescribed=True))
    system = mb.compile()
    log = ist.simulate(
        system, system.state(), 0.1, 0.05, motions={"wheel": ist.PrescribedMotion(angle=lambda t: 3.0 * t)}
    )
    assert abs(log["wheel"].q[-1, 0] - 0.3) < 1e-15  # followed, not integrated
