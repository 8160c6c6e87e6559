"""A flexible body that carries a load without geometric stiffness says so, in trims, models and runs."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev
from interstage.errors import FidelityWarning

LENGTH, BENDING = 20.0, 7e10 * 1e-5
UNIT = BENDING / LENGTH**2  # EI/L²


def deck(tmp_path):
    """A free beam of 20 bars with lumped masses."""
    lines = ["SOL 103", "CEND", "METHOD=1", "BEGIN BULK", "EIGRL,1,,,30", "MAT1,1,7.0+10,,.3,2700."]
    lines += ["PBAR,1,1,1.-2,1.-5,1.-5,2.-5"] + [f"GRID,{i + 1},,{1.0 * i},0.,0." for i in range(21)]
    lines += [f"CBAR,{i + 1},1,{i + 1},{i + 2},0.,1.,0." for i in range(20)]
    # inertia of roll: a static load about the axis of bars could not be balanced without
    lines += [f"CONM2,{100 + i},{i + 1},,1.-3,,,,\n,1.-1" for i in range(21)] + ["ENDDATA", ""]
    path = tmp_path / "beam.bdf"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def systems(tmp_path_factory):
    """The beam as a vehicle, without geometric stiffness and as it is made by default."""
    path, found = deck(tmp_path_factory.mktemp("beam")), []
    for stiff in (False, None):
        c = ist.Component.from_deck(path, n_modes=12, rvdof={1: 123456}, geometric_stiffness=stiff)
        mb = ist.Multibody("beam")
        mb.add_body("beam", component=c, node=11, joint=ist.Free())
        found.append(mb.compile())
    return found


def said(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = call()
    words = [str(w.message) for w in seen if issubclass(w.category, FidelityWarning)]
    return found, [one for one in words if "geometric stiffness" in one]


def bending(model) -> float:
    w = np.sort(np.abs(np.asarray(model.poles()).imag))
    return float(w[w > 0.5][0])


def test_the_share_that_is_named_is_that_of_the_stiffness_that_is_missing(systems):
    """Thrust of 5 EI/L² at the end: ω² without is 23 % above that with it, and the estimate is a good one.

    The mean over nodes of the squared turns is not the integral: within a fifth of what is missing.
    """
    force = {("beam", 1): [0, 0, 0, 5.0 * UNIT, 0, 0]}
    found = []
    for system, warns in zip(systems, (True, False)):
        x0, words = said(lambda s=system: ist.trim(s, s.state(), forces=force, frame="node"))
        model, again = said(lambda s=system, x=x0: ist.linearize(s, x))
        assert bool(words) is bool(again) is warns
        assert any("without geometric stiffness" in note for note in model.notes) is warns
        found.append(bending(model))
        if warns:
            share = float(words[0].split("too stiff by about ")[1].split(" %")[0]) / 100.0
            hz = float(words[0].split("its mode of ")[1].split(" Hz")[0])
            assert "make the component with geometric_stiffness=True" in words[0]
    missing = (found[0] / found[1]) ** 2 - 1.0
    assert 0.2 < missing < 0.25
    assert share == pytest.approx(missing, rel=0.2)
    at_rest = bending(ist.linearize(systems[0], systems[0].state()))
    assert 2.0 * np.pi * hz == pytest.approx(at_rest, rel=1e-3)  # four digits are printed


def test_loads_that_do_not_matter_are_not_named(systems):
    """0.3 EI/L² makes 1.5 % of ω², below the 2 % from which it is said."""
    force = {("beam", 1): [0, 0, 0, 0.3 * UNIT, 0, 0]}
    x0, words = said(lambda: ist.trim(systems[0], systems[0].state(), forces=force, frame="node"))
    assert not words and not said(lambda: ist.linearize(systems[0], x0))[1]
    assert not said(lambda: ist.linearize(systems[0], systems[0].state()))[1]


def test_runs_say_so_too(systems):
    force = {("beam", 1): [0, 0, 0, 5.0 * UNIT, 0, 0]}
    for system, warns in zip(systems, (True, False)):
        run = {"until": 1e-3, "step": 1e-4, "forces": force, "frame": "node"}
        assert bool(said(lambda s=system, r=run: ist.simulate(s, s.state(), **r))[1]) is warns


def test_weight_on_a_mast_is_a_load():
    """A mast on the ground: what it carries is its weight and that of what stands on it."""
    n, L, EI, m = 21, 20.0, BENDING, 27.0
    K, M = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n))
    h, GA = L / (n - 1), 7e8
    for e in range(n - 1):
        k = EI / h**3 * np.array(
            [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
             [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]
        )  # fmt: skip
        for t, r, sign in ((1, 5, 1.0), (2, 4, -1.0)):
            S = np.diag([1.0, sign, 1.0, sign])
            at = [6 * e + t, 6 * e + r, 6 * e + 6 + t, 6 * e + 6 + r]
            K[np.ix_(at, at)] += S @ k @ S
        for d in (0, 3):
            at = [6 * e + d, 6 * e + 6 + d]
            K[np.ix_(at, at)] += GA / h * np.array([[1, -1], [-1, 1]])
    for i in range(n):
        M[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = np.diag([m * h] * 3 + [0.1 * m * h] * 3)
    nodes = {i + 1: [i * h, 0.0, 0.0] for i in range(n)}
    c = ist.Component.from_matrices(K, M, nodes=nodes, n_modes=8, rvdof={1: 123456})
    for gravity, top, warns in (
        (0.0, 0.0, False),
        (9.81, 0.0, True),
        (0.0981, 0.0, False),
        (0.0981, 2e5, True),
    ):
        mb = ist.Multibody("mast", gravity=[-gravity, 0, 0])
        mb.add_body("mast", component=c, node=1, joint=ist.Locked())
        if top:
            mb.add_body("top", mass=top, inertia=[1, 1, 1], parent="mast", at=n, joint=ist.Locked())
        system = mb.compile()
        _, words = said(lambda s=system: ist.linearize(s, s.state()))
        assert bool(words) is warns, (gravity, top, words)


class Push(ist.Device):
    """Thrust that comes up after the start."""

    at = ist.Site()
    size, since = ist.Parameter("N", 1.0), ist.Parameter("s", 0.0)
    f = at.force("node")

    def outputs(d, t):
        d.f[0] = d.size if t > d.since.real else 0.0
        d.f[1] = 0.0
        d.f[2] = 0.0


def test_runs_of_assemblies_say_so_once_of_loads_that_come_on_the_way(systems):
    """Thrust of 5 EI/L² by a device from 0.5 s on: said once, with its force (m a) and when; 0.3 EI/L² is not."""
    words = {}
    for size in (5.0, 0.3):
        for kind, system in zip(("without", "with"), systems):
            made = ist.Assembly("a", vehicle=system)
            made.add("push", Push(at=("beam", 1), size=size * UNIT, since=0.5))
            run = {"until": 2.0, "step": "1 ms", "method": "ros2", "log_step": "10 ms"}
            words[size, kind] = said(lambda m=made, r=run: ist.simulate(m, m.state(), **r))[1]
    assert not words[5.0, "with"] and not words[0.3, "with"] and not words[0.3, "without"]
    (one,) = words[5.0, "without"]
    assert float(one.split("carries ")[1].split(" of")[0]) == pytest.approx(5.0 * UNIT, rel=1e-3)
    assert float(one.split("from t = ")[1].split(" to")[0]) >= 0.5
    made = ist.Assembly("a", vehicle=systems[0]).add("push", Push(at=("beam", 1), size=5.0 * UNIT))
    run = {"until": 0.5, "step": "1 ms", "method": "ros2", "keep": ["push.f"]}
    assert len(said(lambda: ist.simulate(made, made.state(), **run))[1]) == 1


class Field(ist.Device):
    """Gravity of a place, uniform or of a point mass at the origin of the world."""

    at = ist.Site()
    here, pull = at.position(), at.gravity()
    uniform, mu = ist.Parameter("m/s^2", [0.0, 0.0, 0.0]), ist.Parameter("m^3/s^2", 0.0)

    def outputs(d, t):
        r2 = 1e-100 + d.here[0] * d.here[0] + d.here[1] * d.here[1] + d.here[2] * d.here[2]
        for k in range(3):
            d.pull[k] = d.uniform[k] - d.mu / (r2 * np.sqrt(r2)) * d.here[k]


RUN = {"until": 0.4, "step": "1 ms", "method": "ros2"}


def test_gravity_of_devices_is_no_load_in_free_fall(systems):
    """A field that would be 5 EI/L² of weight, uniform and of a planet, half an orbit long: nothing is carried."""
    bare = systems[0]
    weight, far = 5.0 * UNIT / bare.mass_properties(bare.state()).mass, 1e5
    for field, speed in (
        ({"uniform": [-weight, 0, 0]}, 0.0),
        ({"mu": weight * far**2}, np.sqrt(weight * far)),
    ):
        made = ist.Assembly("falls", vehicle=bare).add("field", Field(at="beam", **field))
        x = made.state()
        x["beam"].position[:] = [far, 0.0, 0.0]
        x["beam"].velocity[4] = speed
        half = round(float(np.pi * np.sqrt(far / weight)))  # s
        orbit = {**RUN, "until": half, "step": "0.5 s"} if speed else RUN
        for rows in ({}, {"log_step": "70 s" if speed else "0.1 s"}):
            log, words = said(lambda m=made, x=x, r=orbit | rows: ist.simulate(m, x, **r))
            assert not words
        assert log.momentum[-1, 3] < -100.0 or log["beam"].position[-1, 0] == pytest.approx(-far, rel=1e-2)
        assert not said(lambda m=made, x=x: ist.linearize(m, x))[1]
        assert not said(lambda m=made, x=x: ist.trim(m, x))[1]
    earth = ist.Assembly("orbits", vehicle=bare).add("earth", dev.Earth(gravity_gradient=True))
    x["beam"].position[:] = [7e6, 0.0, 0.0]
    assert not said(lambda: ist.simulate(earth, x, **RUN))[1]


def test_thrust_that_holds_against_gravity_of_devices_is_a_load(systems):
    """Nothing accelerates: the load is the weight, whoever says gravity, at the node of the thrust and all along."""
    bare = systems[0]
    mass = bare.mass_properties(bare.state()).mass
    weight = 5.0 * UNIT / mass
    own = bare.model.specs[0].component
    mb = ist.Multibody("beam", gravity=[-weight, 0, 0])
    mb.add_body("beam", component=own, node=11, joint=ist.Free())
    heavy = mb.compile()
    found = []
    for vehicle, devices in (
        (heavy, {}),
        (bare, {"field": Field(at="beam", uniform=[-weight, 0, 0])}),
        (bare, {"earth": dev.Earth("uniform", uniform=[-weight, 0, 0])}),
    ):
        made = ist.Assembly("hovers", vehicle=vehicle).add(
            "push", Push(at=("beam", 1), size=5.0 * UNIT, since=-1.0)
        )
        for name, device in devices.items():
            made.add(name, device)
        keep = None if vehicle is heavy else []  # what a log does not keep, it is warned of nonetheless
        _, words = said(lambda m=made, keep=keep: ist.simulate(m, m.state(), keep=keep, **RUN))
        assert len(words) == 1
        assert float(words[0].split("carries ")[1].split(" of")[0]) == pytest.approx(5.0 * UNIT, rel=1e-3)
        x0, trimmed = said(lambda m=made: ist.trim(m, m.state()))
        model, again = said(lambda m=made, x=x0: ist.linearize(m, x))
        assert len(again) == 1 and any("without geometric stiffness" in note for note in model.notes)
        found.append((trimmed[0], again[0]))
    assert found[0] == found[1] == found[2]
    for vehicle in systems[1:]:  # it knows
        made = ist.Assembly("hovers", vehicle=vehicle).add(
            "push", Push(at=("beam", 1), size=5.0 * UNIT, since=-1.0)
        )
        made.add("field", Field(at="beam", uniform=[-weight, 0, 0]))
        assert not said(lambda m=made: ist.simulate(m, m.state(), **RUN))[1]


@pytest.mark.parametrize("spin", [0.0, 0.5])
def test_the_load_is_that_of_the_center_of_mass_wherever_the_frame_is(tmp_path, spin):
    """An undeformed vehicle that is pushed at once, and one that turns about its center: F = m a of the whole.

    Its frame at a grid is accelerated otherwise: by the wave of the push, by the turn, by a body that hangs beside it.
    """
    for node in (11, 1):
        c = ist.Component.from_deck(deck(tmp_path), n_modes=12, rvdof={1: 123456}, geometric_stiffness=False)
        mb = ist.Multibody("beam", gravity=[0.0, 0.0, -3.0])
        mb.add_body("beam", component=c, node=node, joint=ist.Free())
        arm = {"mass": 50.0, "com": [0.0, 2.0, 0.0], "inertia": [1, 1, 1], "parent": "beam", "at": 21}
        mb.add_body("arm", joint=ist.Revolute("z"), **arm)
        system = mb.compile()
        x = system.state()
        x["beam"].velocity[2] = spin
        push = {("beam", 1): [0, 0, 0, 4.0 * UNIT, -1.0 * UNIT, 0.0]}
        size = np.hypot(4.0, 1.0) * UNIT
        _, words = said(lambda s=system, x=x, p=push: ist.linearize(s, x, forces=p))
        assert float(words[0].split("carries ")[1].split(" of")[0]) == pytest.approx(size, rel=1e-3)
        run = {"until": 0.02, "step": "1 ms", "method": "ros2", "forces": push}
        _, words = said(lambda s=system, x=x, r=run: ist.simulate(s, x, **r))
        assert float(words[-1].split("carries ")[1].split(" of")[0]) == pytest.approx(size, rel=1e-3)


def test_thrust_softens_by_default_whatever_node_carries_the_frame(tmp_path):
    """Thrust of 5 EI/L²: 1.378 Hz of the prestressed finite-element model, not the 1.53 to 1.87 Hz without the term."""
    c = ist.Component.from_deck(deck(tmp_path), n_modes=24, rvdof={1: 123456})
    assert c.geometric_stiffness.nodes.tolist() == [1] and "grids [1]" in c.provenance["geometric_stiffness"]
    for node in (1, 11, 21):
        mb = ist.Multibody("beam")
        mb.add_body("beam", component=c, node=node, joint=ist.Free())
        system = mb.compile()
        thrust = {("beam", 1): [0, 0, 0, 5.0 * UNIT, 0, 0]}
        x0 = ist.trim(system, system.state(), forces=thrust, frame="node")
        assert bending(ist.linearize(system, x0)) / (2.0 * np.pi) == pytest.approx(1.378, abs=1e-3)


def test_loads_at_nodes_that_the_stiffness_does_not_know_are_left_out_and_named(systems):
    """A force, a joint, what hangs on a port, and a device at nodes that were not named when the component was made."""
    free, push = systems[1], [0, 0, 0, -5.0 * UNIT, 0, 0]
    x0, words = said(lambda: ist.trim(free, free.state(), forces={("beam", 21): push}, frame="node"))
    assert len(words) == 1 and "does not know (21)" in words[0] and "those in load_grids" in words[0]
    x0, words = said(lambda: ist.linearize(free, x0))
    assert len(words) == 1 and any("does not know (21)" in note for note in x0.notes)
    assert not said(lambda: ist.trim(free, free.state(), forces={("beam", 21): [0, 0, 0, -10, 0, 0]}))[1]
    component = free.model.spec("beam").component
    for node, top, gravity, warns in (
        (1, 0.0, 9.81, False),
        (21, 0.0, 9.81, True),
        (1, 50.0, 9.81, False),
        (1, 5e3, 9.81, True),
    ):
        mb = ist.Multibody("mast", gravity=[-gravity if node == 1 else gravity, 0, 0])
        mb.add_body("mast", component=component, node=node, joint=ist.Locked())
        if top:
            mb.add_body("top", mass=top, inertia=[1, 1, 1], parent="mast", at=21, joint=ist.Locked())
        system = mb.compile()
        _, words = said(lambda s=system: ist.linearize(s, s.state()))
        assert bool(words) is warns, (node, top, words)
    made = ist.Assembly("a", vehicle=free).add("push", Push(at=("beam", 21), size=-5.0 * UNIT))
    run = {"until": 0.5, "step": "1 ms", "method": "ros2", "keep": ["push.f"]}
    _, words = said(lambda: ist.simulate(made, made.state(), **run))
    assert len(words) == 1 and "does not know (21)" in words[0]
