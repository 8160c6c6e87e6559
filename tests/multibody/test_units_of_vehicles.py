"""One physical model in three systems of units: converted to the same flight, or refused, never mixed."""

import numpy as np
import pytest
from multibody_models import beam_matrices

import interstage as ist
from interstage.component.units import converted
from interstage.errors import InputError, ModelError

# what one kg, m is in the other units
SYSTEMS = {
    "SI": (1.0, 1.0),
    "t-mm-s": (1e-3, 1e3),
    "slinch-in-s": (0.0254 / (0.45359237 * 9.80665), 1.0 / 0.0254),
}


def boom(units, label=True):
    """Return the same beam made in the units of its own matrices."""
    m, L = SYSTEMS[units]
    width, rho, E = 0.05 * L, 1000.0 * m / L**3, 2e9 * m / L
    K, M, nodes = beam_matrices(6, length=L, E=E, rho=rho, width=width, tip_mass=0.3 * m)
    return ist.Component.from_matrices(
        K, M, nodes, n_modes=6, aset={1: 123456}, damping=0.01, units=units if label else None, name=units
    )


def vehicle(component, other=None, units=None, scale=(1.0, 1.0)):
    m, L = scale
    mb = ist.Multibody("pair", gravity=[0.0, 0.0, -9.81 * L], units=units)
    inertia = np.diag([2.0, 3.0, 4.0]) * m * L**2
    mb.add_body("bus", mass=10.0 * m, inertia=inertia, joint=ist.Free())
    mb.add_body(
        "left", component=component, node=1, parent="bus", at=[0.2 * L, 0, 0], joint=ist.Revolute("y")
    )
    mb.add_body("right", component=component if other is None else other, node=1, parent="bus", at=[-0.2 * L, 0, 0],
                rotation=np.diag([-1.0, -1.0, 1.0]))  # fmt: skip
    return mb


def flight(system, length=1.0):
    x = system.state()
    x["bus"].velocity[:] = [0.2, -0.3, 0.1, *(np.array([1.0, 2.0, 3.0]) * length)]
    log = ist.simulate(system, x, until=0.3, step=1e-3, method="ros2", log_step=0.1)
    return log.position("left", 7) / length


def test_one_model_in_three_units_flies_the_same_in_its_own_and_in_one_system():
    first = vehicle(boom("SI")).compile()
    truth = flight(first)
    for units, scale in SYSTEMS.items():
        own = vehicle(boom(units), scale=scale).compile()
        np.testing.assert_allclose(flight(own, scale[1]), truth, rtol=1e-7, atol=1e-8)
        hz = own.modes(own.state()).frequencies_hz[7:]
        np.testing.assert_allclose(hz, first.modes(first.state()).frequencies_hz[7:], rtol=1e-7)
        assert own.units == boom(units).units
        mixed = vehicle(boom(units), boom("SI"), units="SI").compile()
        np.testing.assert_allclose(flight(mixed), truth, rtol=1e-7, atol=1e-8)
        assert mixed.units == {"mass": "kg", "length": "m", "time": "s"}


def test_units_that_differ_are_refused_in_words():
    mb = vehicle(boom("t-mm-s"), boom("slinch-in-s"))
    with pytest.raises(ModelError, match=r"different units.*right.*t-mm-s.*slinch-in-s"):
        mb.compile()
    with pytest.raises(ModelError, match="different units"):
        ist.Kane(mb)


def test_units_that_are_not_known_are_taken_as_such_and_not_mixed_with_known_ones():
    nameless = boom("SI", label=False)
    assert nameless.units == {}
    system = vehicle(nameless).compile()
    assert system.units == {}
    lin = ist.linearize(system, system.state(), outputs=[ist.NodePosition("left", 7)])
    assert set(lin.output_units) == {"length"}
    for mb in (lambda: vehicle(nameless, boom("SI")), lambda: vehicle(nameless, units="SI")):
        with pytest.raises(ModelError, match=r"units of component 'SI' are not known.*with_changes"):
            mb().compile()
    assert vehicle(nameless.with_changes(units="SI"), boom("SI")).compile().units["length"] == "m"
    with pytest.raises(InputError, match=r"not known.*converted"):
        converted(nameless, "t-mm-s")


def test_other_data_of_a_body_are_converted_to_the_units_of_the_vehicle():
    system = vehicle(boom("SI")).compile()
    x = system.state()
    x["left"].eta[:2] = [0.01, -0.02]
    new, y = system.replace_component("left", boom("t-mm-s"), x)
    np.testing.assert_allclose(new.position(y, "left", 7), system.position(x, "left", 7), atol=1e-9)
    np.testing.assert_allclose(new.energy(y), system.energy(x), rtol=1e-6)
    with pytest.raises(ModelError, match="not known"):
        system.replace_component("left", boom("SI", label=False), x)


def test_a_component_used_twice_is_converted_once():
    c = boom("t-mm-s")
    mb = vehicle(c, units="SI")
    assert mb.spec("left").component is mb.spec("right").component


@pytest.mark.parametrize("units", ["SI", "si", "kg-m-s", "kg,m,s", "kg-m", {"mass": "kg", "length": "m"}])
def test_ways_to_write_units(units):
    assert boom("SI").with_changes(units=units).units == {"mass": "kg", "length": "m", "time": "s"}


@pytest.mark.parametrize(
    "units", ["imperial", "kg", 3, {"mass": "kg"}, {"weight": "N"}, "kg-m-s-K", "stone-m-s"]
)
def test_units_that_cannot_be_read_get_a_sentence(units):
    with pytest.raises(InputError, match=r"t-mm-s|known names|unit of mass"):
        boom("SI").with_changes(units=units)


def test_a_file_keeps_that_units_are_not_known(tmp_path):
    boom("SI", label=False).save(tmp_path / "boom.h5")
    c = ist.Component.load(tmp_path / "boom.h5")
    assert c.units == {}
    with pytest.raises(InputError, match="not known"):
        ist.Component.load(tmp_path / "boom.h5", units="SI")


def test_units_stand_in_any_order():
    """A name tells its quantity: mm-t-s is t-mm-s; what is named twice, or not known, is refused."""
    assert ist.Multibody("a", units="mm-t-s").units == ist.Multibody("b", units="t-mm-s").units
    assert ist.Multibody("c", units="in-slinch").units == {"mass": "slinch", "length": "in", "time": "s"}
    for wrong in ("mm-cm-s", "mm-t-t", "furlong-t-s", "t"):
        with pytest.raises(InputError, match="unit"):
            ist.Multibody("d", units=wrong)


DOCKED = {**SYSTEMS, "kg-km-s": (1.0, 1e-3), "kg-cm-s": (1.0, 1e2)}


def two_parts(units, gap):
    """Return a bus and a probe, face to face but for a gap in meters, and their state."""
    m, L = DOCKED[units]
    mb = ist.Multibody("pair", units=units)
    mb.add_body("bus", mass=10.0 * m, inertia=np.diag([2.0, 3.0, 4.0]) * m * L**2, joint=ist.Free())
    mb.add_body("probe", mass=2.0 * m, inertia=np.eye(3) * 0.1 * m * L**2, joint=ist.Free())
    system = mb.compile()
    x = system.state()
    x["probe"].position[:] = np.array([0.3 + gap, 0.1, -0.2]) * L
    x["probe"].velocity[:] = [0.1, -0.2, 0.3, 0.5 * L, -0.2 * L, 0.1 * L]
    return system, x, [0.3 * L, 0.1 * L, -0.2 * L]


@pytest.mark.parametrize("units", DOCKED)
def test_how_near_parts_must_be_to_dock_does_not_depend_on_units(units):
    """1e-8 m in every system of units; momentum after the impact is that before."""
    m, L = DOCKED[units]
    system, x, place = two_parts(units, 5e-9)
    docked, y = system.attach("probe", ("bus", place), x, port=[0.0, 0.0, 0.0])
    size = np.array([m * L**2] * 3 + [m * L] * 3)
    np.testing.assert_allclose(docked.momentum(y) / size, system.momentum(x) / size, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(docked.center_of_mass(y) / L, system.center_of_mass(x) / L, rtol=0, atol=1e-15)
    system, x, place = two_parts(units, 2e-8)
    with pytest.raises(InputError, match="is not where its new joint would hold it"):
        system.attach("probe", ("bus", place), x, port=[0.0, 0.0, 0.0])


@pytest.mark.parametrize("units", DOCKED)
def test_turns_far_from_the_origin_are_told_apart_alike_in_every_unit(units):
    """In orbit a docking port 1 µrad askew is refused, also where 7000 km is 7e9 of a unit."""
    _, L = DOCKED[units]
    system, x, place = two_parts(units, 0.0)
    far = np.array([7e6, 0.0, 0.0]) * L
    for body in ("bus", "probe"):
        x[body].position[:] += far
    x["probe"].quaternion[:] = [1.0, 0.0, 0.0, 0.5e-6]
    with pytest.raises(InputError, match="is not where its new joint would hold it"):
        system.attach("probe", ("bus", place), x, port=[0.0, 0.0, 0.0], rotation=np.eye(3))


@pytest.mark.parametrize("units", DOCKED)
def test_a_new_joint_is_put_where_the_body_is_in_every_unit(units):
    """A slide that is out by 0.2 µm becomes a ball where the body stands: nothing moves."""
    m, L = DOCKED[units]
    mb = ist.Multibody("pair", units=units)
    mb.add_body("bus", mass=10.0 * m, inertia=np.diag([2.0, 3.0, 4.0]) * m * L**2, joint=ist.Free())
    inertia = np.eye(3) * 0.1 * m * L**2
    mb.add_body(
        "arm", mass=2.0 * m, inertia=inertia, parent="bus", at=[0.3 * L, 0, 0], joint=ist.Prismatic("x")
    )
    system = mb.compile()
    x = system.state()
    x["arm"].q[:] = 2e-7 * L
    changed, y = system.replace_joint("arm", ist.Ball(), x)
    np.testing.assert_allclose(changed.position(y, "arm") / L, [0.3 + 2e-7, 0, 0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("units", DOCKED)
def test_where_a_motion_may_start_does_not_depend_on_units(units):
    """A slide may be 1 µm off where its motion starts, in every unit; an angle 1 µrad."""
    m, L = DOCKED[units]
    inertia = np.eye(3) * 0.1 * m * L**2
    for joint, unit in ((ist.Prismatic("x"), L), (ist.Revolute("x"), 1.0)):
        mb = ist.Multibody("pair", units=units)
        mb.add_body("arm", mass=2.0 * m, inertia=inertia, joint=joint)
        system = mb.compile()
        for gap, refused in ((0.5e-6, False), (2e-6, True)):
            x = system.state()
            x["arm"].q[:] = gap * unit
            switch = ist.SetJointMode(
                "arm", "prescribed", motion=ist.PrescribedMotion(angle=lambda t: 0.0 * t)
            )
            if refused:
                with pytest.raises(InputError, match="not where its motion starts"):
                    switch.apply(0.0, system, x)
            else:
                switch.apply(0.0, system, x)
