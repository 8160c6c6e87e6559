"""Names that would run as code in a page: nothing of them leaves its quotes in any report."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

import interstage as ist
from interstage.report.sources import report_file

EVIL = "\"'><img src=x onerror=alert(1)></script><svg onload=alert(2)>"


class Tags(HTMLParser):
    """Collect what would act: elements from names, and attributes that run."""

    def __init__(self):
        super().__init__()
        self.bad: list[str] = []

    def handle_starttag(self, tag, attrs):
        running = [name for name, _ in attrs if name.startswith("on")]
        if tag == "img" or running:
            self.bad.append(f"{tag} {attrs}")


def component():
    nodes = {k: (float(k), 0.0, 0.0) for k in (1, 2, 3)}
    made = ist.Component.from_matrices(np.diag(np.arange(1.0, 19.0)), np.eye(18), nodes, n_modes=3, name=EVIL)
    return made.with_changes(provenance={EVIL: EVIL}, notes=[EVIL])


def linear():
    A, B = [[0, 1], [-4.0, -0.4]], [[0], [1]]
    return ist.LinearModel(
        A, B, [[1, 0]], [[0]], states=[EVIL, "b"], inputs=[EVIL], outputs=[EVIL], name=EVIL
    )


def arm(gravity=-9.81):
    mb = ist.Multibody(EVIL, gravity=[0, 0, gravity])
    mb.add_body(EVIL, mass=2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01], joint=ist.Revolute("y"))
    return mb


@pytest.mark.parametrize("kind", ["component", "linear", "log", "flight"])
def test_names_do_not_act(kind, tmp_path):
    path = tmp_path / "a.h5"
    if kind == "component":
        component().save(path)
    elif kind == "linear":
        linear().save(path)
    else:
        system = arm().compile()
        if kind == "log":
            log = ist.simulate(system, system.state([0.3]), 0.03, 0.01)
            log.save(path, {EVIL: (np.zeros(len(log.t)), EVIL)})
        else:
            flight = ist.Assembly(EVIL, vehicle=system)
            ist.simulate(flight, system.state([0.3]), until=0.03, step="10 ms", log=path)
    page = report_file(path).html()
    seen = Tags()
    seen.feed(page)
    assert not seen.bad
    assert "alert(1)" in page and "<img" not in page and "<svg onload" not in page
