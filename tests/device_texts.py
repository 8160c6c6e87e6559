"""One device in an assembly of its own: its numbers interpreted, compiled and complex, and its slopes."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.nastran import deck_from_text
from interstage.simulation.plant.declarations import In, InternalLoad, JointRef, Look, Push, Sites
from interstage.simulation.plant.plan import planned
from interstage.simulation.plant.vehicle_interface import view_of
from interstage.simulation.run.coupled_system import ClosedLoop

POINT = [0.2, 0.3, -0.1]


def vehicle_for_devices() -> ist.System:
    """Return a free bus under gravity with a hinge, a slide, and gimbals that are free and driven."""
    mb = ist.Multibody("bus and all", gravity=[0, 0, -9.80665])
    mb.add_body("bus", mass=10.0, com=[0.1, 0, 0], inertia=[1.0, 2.0, 2.5], joint=ist.Free())
    part = {"mass": 2.0, "com": [0.4, 0, 0], "inertia": [0.1, 0.3, 0.3], "parent": "bus"}
    mb.add_body("arm", **part, joint=ist.Revolute("z"))
    mb.add_body("slide", **part, joint=ist.Prismatic("x"))
    mb.add_body("engine", **part, joint=ist.Universal("yz"))
    mb.add_body("driven_arm", **part, joint=ist.Revolute("y", prescribed=True))
    mb.add_body("driven_engine", **part, joint=ist.Universal("yz", prescribed=True))
    mb.add_body("boom", component=boom(), node=1, parent="bus", at=[0, 0, 1.0], joint=ist.Revolute("x"))
    return mb.compile()


def boom() -> ist.Component:
    """Return a soft beam of two bars that recovers the moment and a stress at its root."""
    bulk = (
        "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,2.,0.,0.\nCBAR,1,1,1,2,0.,1.,0.\nCBAR,2,1,2,3,0.,1.,0.\n"
    )
    bulk += "PBAR,1,1,1.-2,1.-6,1.-6,2.-6\n,.02,.01\nMAT1,1,1.+6,,0.3,100.\nCONM2,9,3,,1.\n,.1,,.1,,,.1\n"
    wanted = {"root moment": ("CBAR", 1, "bending_moment_a1"), "root stress": ("CBAR", 1, "s1a")}
    deck = deck_from_text(f"SOL 103\nCEND\nBEGIN BULK\n{bulk}ENDDATA\n")
    return ist.Component.from_deck(deck, 2, aset={1: 123456}, load_grids=[3], recover=wanted)


def places_of(cls: type[ist.Device]) -> dict[str, object]:
    """Return a place or a joint of the vehicle for each that a class of devices needs."""
    found: dict[str, object] = {}
    for k, (name, place) in enumerate(cls.places.items()):
        if isinstance(place, JointRef):
            body = "slide" if place.unit == "m" else "arm" if place.size is None else "engine"  # two axes
            driven = any(
                isinstance(f, Push) and f.owner is place and f.quantity == "motion"
                for f in cls.fields.values()
            )
            found[name] = f"driven_{body}" if driven else body
        elif isinstance(place, InternalLoad):
            found[name] = ("boom", "root stress" if place.unit == "Pa" else "root moment")
        elif isinstance(place, Sites) and place.root:
            continue
        elif isinstance(place, Sites):
            found[name] = [("bus", POINT), "arm", ("bus", [0.5, 0.0, 0.2])]
        else:
            found[name] = ("arm" if k % 2 else "bus", [(1.0 + k) * x for x in POINT])
    return found


def alone(device: ist.Device, vehicle: ist.System, rng: np.random.Generator) -> ist.Assembly:
    """Return an assembly of one device whose inputs are held at random numbers where it has no defaults."""
    for name, field in type(device).fields.items():
        if isinstance(field, In) and not isinstance(field, Look) and not device.is_given(name):
            device.set(**{name: rng.normal(size=device.shape_of(name))})
    made = ist.Assembly("one", vehicle=vehicle, seed=3)
    samples = "sample" in type(device).functions
    return made.add("it", device, every=(device.every or "10 ms") if samples else None)


class Bench:
    """One device on the vehicle at a random state, in one way to run its text."""

    def __init__(self, made: ist.Assembly, kind: type, interpret: bool, ideal: bool = False):
        plan = planned(made)
        plan.check_closed()
        system, rng = view_of(plan), np.random.default_rng(2)
        self.loop = ClosedLoop(plan, system, kind, interpret=interpret, ideal=ideal)
        q, v = system.state().q, 0.3 * rng.normal(size=system.nv)
        q[4:] = rng.normal(size=len(q) - 4)
        self.q, self.v = q.astype(kind), v.astype(kind)
        z = self.loop.tapes.vectors["z"]
        z[:] += 0.1 * rng.normal(size=len(z))

    def run(self, t: float = 0.3) -> np.ndarray:
        """Sample twice, find the right-hand side, and return all numbers."""
        loop, vectors = self.loop, self.loop.tapes.vectors
        qdot, vdot = np.empty_like(self.q), np.empty_like(self.v)
        for tick in (0, 1):
            loop.loop.sample_next[:] = tick
            assert loop.sample(self.q, self.v, tick) == 0
        assert loop.right_side(self.q, self.v, t, qdot, vdot) == 0
        loop.release()
        return np.concatenate([*(vectors[k].astype(complex) for k in "szZwn"), qdot, vdot])


def assert_texts_agree(made: ist.Assembly) -> None:
    """Compare what a device says interpreted, compiled and complex: to round-off of a few operations."""
    for ideal in (False, True):
        found = [
            Bench(made, kind, interpret, ideal).run()
            for kind, interpret in ((float, True), (float, False), (complex, False))
        ]
        assert np.abs(found[0]).max() > 0.0 and np.isfinite(found[0]).all()
        assert found[1] == pytest.approx(found[0], rel=1e-13, abs=1e-13)
        assert found[2] == pytest.approx(found[0], rel=1e-13, abs=1e-13)


def assert_slopes_agree(made: ist.Assembly) -> None:
    """Compare slopes of an ideal device by complex steps with central differences, along a random direction."""

    def moved(kind: type, by: complex) -> np.ndarray:
        bench = Bench(made, kind, False, ideal=True)
        rng = np.random.default_rng(7)
        vectors = bench.loop.tapes.vectors
        for array in (bench.q[4:], bench.v, vectors["z"], vectors["s"]):
            array += by * rng.normal(size=len(array))
        return bench.run()

    h = 1e-6
    slope = moved(complex, 1e-30j).imag / 1e-30
    ahead, back = moved(float, h).real, moved(float, -h).real
    central = (ahead - back) / (2 * h)
    # h², and round-off over h of a few operations on numbers of any size
    allowed = 1e-6 * (1.0 + np.abs(central)) + 4 * np.finfo(float).eps * np.abs(ahead) / h
    assert np.abs(slope - central) / allowed == pytest.approx(0.0, abs=1.0)
