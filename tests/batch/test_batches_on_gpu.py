"""The kernel of a batch on a GPU: its text on numbers of this process, and its code where numba-cuda is installed."""

from __future__ import annotations

import importlib.util
import warnings
from collections import namedtuple

import multibody_models as models
import numpy as np
import pytest
from closure_models import four_bar, pinned
from scipy import stats

import interstage as ist
from interstage.batch import flying
from interstage.batch.gpu.fly import few_samples
from interstage.batch.gpu.layout import CONSTANT, Constant, Own, VectorPart, lay_out
from interstage.batch.gpu.program import write
from interstage.batch.threads import empty_answer
from interstage.errors import InputError
from interstage.fem import lumped_beam

ALIKE = 1e-12  # a few steps: one compiler may fuse and reorder what another does not


def chain():
    mb = ist.Multibody("chain", gravity=[0, 0, -9.81])
    mb.add_body(
        "a", mass=2.0, com=[0.1, 0, -0.5], inertia=[0.2, 0.3, 0.1], joint=ist.Revolute("x", damping=0.1)
    )
    given = {"parent": "a", "at": [0, 0, -1.0]}
    mb.add_body(
        "b", mass=1.0, inertia=[0.1, 0.1, 0.1], joint=ist.Universal("yz", stiffness=[20.0, 20.0]), **given
    )
    mb.add_body("c", mass=0.5, com=[0.2, 0, 0], inertia=[0.1, 0.1, 0.1], joint=ist.Ball(), **given)
    return mb.compile()


def boom():
    K, M, nodes = models.beam_matrices(4, E=2e8)
    arm = ist.Component.from_matrices(K, M, nodes=nodes, aset={1: 123456}, n_modes=4)
    mb = ist.Multibody("boom", gravity=[0, 0, -9.81])
    mb.add_body("arm", component=arm, node=1, joint=ist.Revolute("y"), damping=0.01, order=2)
    mb.add_body("tip", mass=2.0, inertia=0.01 * np.ones(3), parent="arm", at=5, joint=ist.Revolute("y"))
    return mb.compile()


def rocket():
    K, M, nodes = models.beam_matrices(4, E=2e8)
    hull = ist.Component.from_matrices(K, M, nodes=nodes, aset={1: 123456}, n_modes=8)
    mb = ist.Multibody("rocket", gravity=[0, 0, -9.81])
    mb.add_body("hull", component=hull, joint=ist.Free(), damping=0.01, order=2, n_modes=4)
    for node in (2, 3):
        engine = {"mass": 0.5, "com": [-0.1, 0, 0], "inertia": [0.01] * 3, "parent": "hull", "at": node}
        mb.add_body(f"engine{node}", **engine, joint=ist.Universal("yz", stiffness=[50.0, 50.0]))
    return mb.compile()


def stick():
    mass = np.tile([1.0, 1.0, 1.0, 1e-3, 2e-3, 2e-3], (9, 1))
    K, M, nodes = lumped_beam(1.3, 8, EA=4e5, GJ=30.0, EI=50.0, mass=mass)
    few = ist.Component.from_matrices(K, M, nodes=nodes, aset={1: 123456}, n_modes=24)
    mb = ist.Multibody("stick", gravity=[0, 0, -9.81])
    mb.add_body("arm", component=few, node=1, joint=ist.Revolute("y"), damping=0.01, order=2)
    return mb.compile()


def ring():
    system = four_bar()
    system.drop_redundant(pinned(system, speed=1.0))
    return system


LAW = ist.LinearController(
    ["q.a.angle", "v.a.angle"],
    ["tau.a.angle", ist.Wrench("b", [0, 0, 0, 1.0, 0, 0])],
    A=[[1.0]],
    B=[[0.1, 0.0]],
    C=[[4.0], [1.0]],
    D=[[30.0, 8.0], [2.0, 0.0]],
    reference=[0.4, 0.0],
    limits=3.0,
)
CASES = {
    "law, stops, forces": (
        chain,
        {
            "control": LAW,
            "stop": ["q.a.angle > 3e-5", "v.a.angle > 3"],
            "forces": {"c": [0, 0, 0, 1.0, 2.0, 0]},
            "disperse": {
                "mass": [1.0, 1.2, 0.9],
                "force": [1.0, 0.0, 2.0],
                "gain": [1.0, 2.0, 0.1],
                "v.c.wx": [0.0, 1.0, 2.0],
            },
            "outputs": ["q.a.angle", "final v.c.wx", "rms law.u1", "peak q.b.angle1"],
        },
    ),
    "loads in time": (
        chain,
        {
            "control": LAW,
            "stop": "q.a.angle > 3e-4",
            "forces": [
                ist.Wrench("c", ([0.0, 0.0025, 0.01], [[0] * 6, [0, 0, 0, 5.0, 2.0, 0], [0] * 6])),
                ist.Wrench("a", lambda t: [0, 0, 0, 0, 40.0 * t, 1.0], frame="body"),
            ],
            "tau": {"a": lambda t: 30.0 + t},
            "disperse": {"force[0]": [1.0, 0.0, 2.0], "tau": [1.0, 0.8, 0.1], "force.a": [1.0, 3.0, 2.0]},
            "outputs": ["q.a.angle", "final v.c.wx", "rms law.u1", "peak q.b.angle1"],
        },
    ),
    "modes": (
        boom,
        {"disperse": {"stiffness": [1.0, 1.1, 0.9], "mass.tip": [1.0, 0.5, 2.0], "damping.arm": [1, 2, 3]}},
    ),
    "few mass points": (stick, {"disperse": {"stiffness": [1.0, 1.1, 0.9]}}),
    "mass of modes": (boom, {"disperse": {"mass": [1.0, 1.5, 0.7]}}),
    "loads at nodes": (
        rocket,
        {
            "forces": [
                ist.Wrench("hull", [0, 0, 0, 5.0, 1.0, 0], node=4, frame="node"),
                ist.Wrench("engine2", [0, 0, 0, 9.0, 0, 0], frame="body"),
            ],
            "disperse": {"stiffness": [1.0, 1.1, 0.9], "force": [1.0, 0.5, 2.0]},
        },
    ),
    "closed loops": (ring, {"disperse": {"mass": [1.0, 0.5, 2.0]}}),
}


def plan_of(monkeypatch, system, x, **given):
    """Return the plan that `simulate_batch` makes."""
    kept = []
    monkeypatch.setattr(flying, "_flown", lambda plan, *_: kept.append(plan))
    ist.simulate_batch(system, x, **given)
    monkeypatch.undo()
    return kept[0]


class AsWritten(np.ndarray):
    """An array whose indices are taken as they are, as on a GPU: row -1 is the ground's, which no other index finds."""

    ground = False

    def __array_finalize__(self, base):
        self.ground = False

    def checked(self, key):
        every = key if isinstance(key, tuple) else (key,)
        for axis, one in enumerate(every):
            rows = len(self) - 1 if self.ground and axis == 0 else self.shape[axis]
            if isinstance(one, slice):
                stop = rows if one.stop is None else one.stop
                assert one.step is None and 0 <= (one.start or 0) <= min(stop, rows), f"{key} of {self.shape}"
            else:
                assert -(axis == 0 and self.ground) <= one < rows, f"{key} of {self.shape}"
        return key

    def __getitem__(self, key):
        return super().__getitem__(self.checked(key))

    def __setitem__(self, key, value):
        super().__setitem__(self.checked(key), value)


def arrays_here(name, places):
    """Return f(own, given, whole) with numpy's arrays: constants that nobody can write, scratch that is no number."""
    kind = namedtuple(name, list(places))

    def refer(own, given, whole):
        found = {}
        for field, place in places.items():
            if isinstance(place, Constant):
                found[field] = np.roll(place.array, -1, axis=0) if place.ground else place.array.copy()
                found[field].flags.writeable = False
            elif isinstance(place, Own):
                found[field] = np.full(place.shape, -(2**40) if place.whole else np.nan)
                found[field] = found[field].astype(np.int64 if place.whole else float)
            elif isinstance(place, VectorPart):
                vector = {"own": own, "given": given, "whole": whole}[place.vector]
                size = int(np.prod(place.shape))
                first = place.offset - (size // place.shape[0] if place.ground else 0)
                found[field] = vector[first : first + size].reshape(place.shape)
                if place.ground:
                    found[field] = np.roll(found[field], -1, axis=0)
            else:
                found[field] = found[place.field]
            found[field] = found[field].view(AsWritten)
            found[field].ground = getattr(place, "ground", False)
        return kind(**found)

    return refer


def flown_here(plan, layout):
    """Run the text of the kernel in this process, a sample after the other."""
    found, indefinite = empty_answer(plan), np.zeros(int(plan.system.tree.sizes[0]))
    counts = np.array([plan.pace.steps, plan.pace.every, plan.pace.hold])
    threads = iter(range(plan.samples + 1))
    text = write(
        plan,
        layout,
        make=lambda function: function,
        mathematics=np,
        place=lambda axes: next(threads),
        room=lambda length: lambda: np.full(length, np.nan),
        refer=arrays_here,
    )
    with np.errstate(invalid="raise"):
        for _ in range(plan.samples + 1):  # the last thread has no sample
            text(layout.given, layout.whole, counts, plan.table, *found, indefinite, plan.pace.step)
    return found


@pytest.mark.parametrize("room", [CONSTANT, 1000])
@pytest.mark.parametrize("case", CASES)
def test_the_text_of_the_kernel_gives_the_samples_of_the_cpu(monkeypatch, case, room):
    build, given = CASES[case]
    system = build()
    x = pinned(system, speed=1.0) if build is ring else system.state()
    given = {"until": 0.006, "step": 0.001, "samples": 3, "log_step": 0.002, **given}
    plan = plan_of(monkeypatch, system, x, **given)
    layout = lay_out(plan, room)
    assert layout.constants < room + 1000  # zeros for what no loads write among them
    assert (len(layout.given) > 1 and len(layout.whole) > 1) == (room < CONSTANT)
    found, log = flown_here(plan, layout), ist.simulate_batch(system, x, device="cpu", **given)
    assert not log.failed.any()
    rows = dict(zip([one.name for one in plan.reduced], found.reduced))
    rows |= {one.name: found.history[j].T for j, one in enumerate(plan.histories)}
    for name in log.names:
        assert rows[name] == pytest.approx(log[name], rel=ALIKE, abs=1e-14, nan_ok=True)
    assert found.end == pytest.approx(log.end, rel=ALIKE)
    assert {k: plan.stops[c].text for k, c in enumerate(found.stop) if c >= 0} == log.stopped
    assert log.stopped or case != "law, stops, forces"


def test_the_text_of_the_kernel_keeps_the_impulse_of_a_pulse(monkeypatch):
    """Steps end at the edge: m Δv = F · width to rounding."""
    mb = ist.Multibody("b")
    mb.add_body("b", mass=2.0, inertia=np.eye(3), joint=ist.Free())
    system = mb.compile()
    force = {"b": lambda t: [0, 0, 0, 0, 500.0 if t < 0.004 else 0.0, 0]}
    given = {"until": 0.006, "step": 5e-4, "samples": 1, "outputs": "final v.b.vy", "forces": force}
    plan = plan_of(monkeypatch, system, system.state(), **given)
    found = flown_here(plan, lay_out(plan, CONSTANT))
    assert found.reduced[0] == pytest.approx(500.0 * 0.004 / 2.0, rel=1e-12)


def test_a_program_serves_all_batches_that_differ_in_what_is_handed_over(monkeypatch):
    """Numbers of samples, steps and pace are handed over; those of the vehicle are in the program."""

    def printed(length=1.0, **given):
        mb = ist.Multibody("pendulum", gravity=[0, 0, -9.81])
        mb.add_body(
            "rod", mass=1.0, com=[length, 0, 0], inertia=[0.1] * 3, joint=ist.Revolute("y", damping=0.1)
        )
        system = mb.compile()
        given = {"until": 0.1, "step": 0.01, "samples": 3, "disperse": {"mass": [1.0, 1.1, 1.2]}, **given}
        return lay_out(plan_of(monkeypatch, system, system.state(), **given)).print()

    assert printed() == printed(disperse={"mass": [0.9, 1.0, 1.3]}, step=0.02, until=0.2)
    assert printed() == printed(samples=2, disperse={"mass": [0.9, 1.0]})
    gusts = [{"tau": ([0.0, 0.5, 1.0], [[0.0], [peak], [0.0]])} for peak in (2.0, 3.0)]
    assert printed(**gusts[0]) == printed(**gusts[1]) != printed()
    assert len({printed(), printed(length=1.1), printed(disperse={"damping": [1.0, 1.1, 1.2]})}) == 3


def test_a_gpu_that_is_not_there_is_told_of(monkeypatch):
    system = chain()
    given = {"until": 0.02, "step": 0.01, "samples": 2}
    monkeypatch.setattr("interstage.batch.gpu.fly.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"need numba-cuda.*interstage\[gpu\]"):
        ist.simulate_batch(system, system.state(), device="cuda", **given)
    with pytest.raises(InputError, match="implicit"):
        ist.simulate_batch(system, system.state(), device="cuda", method="ros2", **given)
    monkeypatch.setattr(flying, "WORTH", 1)
    assert ist.simulate_batch(system, system.state(), **given).device == "cpu"


def test_a_grid_of_few_samples_is_not_warned_of_and_all_else_is(recwarn):
    if importlib.util.find_spec("numba_cuda") is None:
        pytest.skip("numba-cuda is not installed (extra `gpu`)")
    from numba.cuda.dispatcher import errors

    words = "Grid size 1 will likely result in GPU under-utilization due to low occupancy."
    others = ["Host array used in CUDA kernel will incur copy overhead to/from device."]
    with few_samples():
        for text in [words, *others]:
            warnings.warn(errors.NumbaPerformanceWarning(text), stacklevel=1)
    assert [str(one.message) for one in recwarn] == others


def test_the_kernel_compiles_where_no_gpu_is(monkeypatch):
    if importlib.util.find_spec("numba_cuda") is None:
        pytest.skip("numba-cuda is not installed (extra `gpu`)")
    from interstage.batch.gpu.emit import kernel_of, ptx_of

    mb = ist.Multibody("one")
    mb.add_body("arm", mass=2.0, com=[0, 0, -1.0], joint=ist.Revolute("x", stiffness=1.0))
    system = mb.compile()
    disperse = {"stiffness": stats.uniform(0.5, 1.0)}
    plan = plan_of(monkeypatch, system, system.state(), until=1, step=0.1, samples=2, disperse=disperse)
    kernel, layout = kernel_of(plan)
    text = ptx_of(kernel, (9, 0))
    assert ".entry fly_batch" in text and ".target sm_90" in text and len(layout.given) == 1
    assert "fma.rn.f64" in text and "st.local" in text  # the engine is in it
