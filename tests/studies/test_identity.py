"""What a study runs has a fingerprint, which changes where the text of a device does: a folder mixes no two of them."""

from __future__ import annotations

import importlib
import linecache
import pickle
import sys

import pytest

from interstage.studies.job import Job, fingerprint

TEXTS = {
    "craft.py": """
import interstage as ist
from laws import lagged
from parts.bases import Base

RATE = 2.0

class Lag(Base):
    tau = ist.Parameter("s", 0.5, above=0.0)
    at = ist.Site()
    felt = at.acceleration()
    x = ist.ContinuousState("")

    def rates(d, t):
        d.xdot = lagged(RATE, d.x) / d.tau + d.felt[0]

def flight():
    mb = ist.Multibody("craft")
    mb.add_body("bus", mass=1.0, inertia=[1, 1, 1], joint=ist.Free())
    return ist.Assembly("craft", vehicle=mb.compile()).add("lag", Lag(at="bus"))

def picture():
    return 1
""",
    "laws.py": "GAINS = [1.0]\n\ndef lagged(u, x):\n    return GAINS[0] * u - x\n",
    "parts/__init__.py": "",
    "parts/bases.py": "import interstage as ist\n\nclass Base(ist.Device):\n    k = ist.Parameter('', 1.0)\n"
    "    y = ist.Out('')\n\n    def outputs(d, t):\n        d.y = d.k\n",
}
SEEN = {
    "a number of its module": ("craft.py", "RATE = 2.0", "RATE = 3.0"),
    "its equations": ("craft.py", "+ d.felt[0]", "- d.felt[0]"),
    "a value to begin with": ("craft.py", '("s", 0.5', '("s", 0.6'),
    "the bounds of a parameter": ("craft.py", "above=0.0", "above=0.1"),
    "what a port looks at": ("craft.py", "at.acceleration()", "at.specific_force()"),
    "the axes of a port": ("craft.py", "at.acceleration()", 'at.acceleration("world")'),
    "where it sits": ("craft.py", "ist.Site()", "ist.Site(root=True)"),
    "a class that it is made from": ("parts/bases.py", "d.y = d.k", "d.y = -d.k"),
    "a list of a module that it imports": ("laws.py", "[1.0]", "[1.1]"),
    "the vehicle": ("craft.py", "mass=1.0", "mass=1.1"),
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder of modules; returns f(changes) -> the fingerprint of a study of its assembly."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def told(*change):
        for name, text in TEXTS.items():
            if change and name == change[0]:
                assert text.count(change[1]) == 1
                text = text.replace(*change[1:])
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        for name in ("craft", "laws", "parts", "parts.bases"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        linecache.clearcache()
        flight = importlib.import_module("craft").flight()
        return fingerprint(Job(None, {"y": "final lag.y"}, pickle.dumps(flight), {"until": 1.0}))

    yield told
    for name in ("craft", "laws", "parts", "parts.bases"):
        sys.modules.pop(name, None)


def test_changes_in_the_text_of_a_device_are_seen(project):
    said = {"nothing": project()} | {what: project(*change) for what, change in SEEN.items()}
    assert not {what for what, one in said.items() if list(said.values()).count(one) > 1}
    assert project() == project("craft.py", "return 1", "return 2") == said["nothing"]
