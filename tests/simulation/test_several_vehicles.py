"""Several vehicles in one assembly: forces between them, groups with vehicles of their own, against one system."""

from __future__ import annotations

import numpy as np
import pytest
from device_library import Drag, Encoder, Motor, NoisyGyro, Thruster

import interstage as ist
from interstage.errors import InputError


class Spring(ist.Device):
    """A spring with a damper between two places, world axes."""

    one, other = ist.Site(), ist.Site()
    stiffness, length = ist.Parameter("N/m", 20.0), ist.Parameter("m", 1.0)
    damping = ist.Parameter("N*s/m", 0.0)
    a, b = one.position(), other.position()
    u, w = one.velocity("world"), other.velocity("world")
    on_one, on_other = one.force("world"), other.force("world")

    def outputs(d, t):
        square, opening = 0.0 * d.a[0], 0.0 * d.a[0]
        for k in range(3):
            square += (d.b[k] - d.a[k]) ** 2
            opening += (d.b[k] - d.a[k]) * (d.w[k] - d.u[k])
        distance = np.sqrt(square)
        pull = d.stiffness * (distance - d.length) + d.damping * opening / distance
        for k in range(3):
            d.on_one[k] = pull * (d.b[k] - d.a[k]) / distance
            d.on_other[k] = -d.on_one[k]


def one_bus(name="bus", **more):
    mb = ist.Multibody("sc", **more)
    mb.add_body(name, mass=10.0, com=[0.1, 0, 0], inertia=[1.0, 2.0, 2.5], joint=ist.Free())
    mb.add_body(
        "arm", mass=2.0, com=[0.5, 0, 0], inertia=[0.1, 0.2, 0.2], parent=name, joint=ist.Revolute("z")
    )
    return mb.compile()


def both():
    """The same two vehicles described as one."""
    mb = ist.Multibody("both")
    for side in ("chaser", "target"):
        bus, arm = f"{side}.bus", f"{side}.arm"
        mb.add_body(bus, mass=10.0, com=[0.1, 0, 0], inertia=[1.0, 2.0, 2.5], joint=ist.Free())
        mb.add_body(
            arm, mass=2.0, com=[0.5, 0, 0], inertia=[0.1, 0.2, 0.2], parent=bus, joint=ist.Revolute("z")
        )
    return mb.compile()


SPRING = {"one": ("chaser.arm", [1.0, 0, 0]), "other": ("target.bus", [0, 0.2, 0]), "damping": 0.5}


def start(system):
    x = system.state()
    x["target.bus"].position[:] = [2.5, 0.3, 0]
    x["target.bus"].v[3:] = [0.1, 0, 0.2]
    x["chaser.bus"].v[:3] = [0.1, 0.3, -0.2]
    x["chaser.arm"].v[:] = 0.5
    return x


@pytest.fixture(scope="module")
def pair():
    flight = ist.Assembly("pair").add("chaser", one_bus()).add("target", one_bus())
    return flight.add("spring", Spring(**SPRING))


def test_two_vehicles_and_a_spring_are_the_one_system(pair):
    log = ist.simulate(pair, start(pair.vehicle), until=3, step="10 ms")
    single = ist.Assembly("single", vehicle=both()).add("spring", Spring(**SPRING))
    wanted = ist.simulate(single, start(single.vehicle), until=3, step="10 ms")
    assert np.array_equal(log.q, wanted.q) and np.array_equal(log.v, wanted.v)
    assert np.array_equal(log["spring.on_one"], wanted["spring.on_one"])


def test_momentum_is_kept(pair):
    """As far as the method goes: what is lost shrinks with the fourth power of the step."""
    lost = []
    for step in ("10 ms", "5 ms"):
        log = ist.simulate(pair, start(pair.vehicle), until=3, step=step)
        lost.append(np.abs(log.momentum - log.momentum[0]).max())
    assert np.abs(log["spring.on_one"]).max() > 1.0  # the spring does pull
    assert lost[1] < 1e-8 and 10 < lost[0] / lost[1] < 40


def test_two_masses_and_a_spring_swing_as_they_should():
    """x_b - x_a = L + A cos(w t), w² = k (1/m_a + 1/m_b); the centre goes on with its velocity."""

    def ball(mass):
        mb = ist.Multibody("ball")
        mb.add_body("ball", mass=mass, inertia=np.eye(3), joint=ist.Free())
        return mb.compile()

    flight = ist.Assembly("balls").add("a", ball(2.0)).add("b", ball(3.0))
    flight.add("spring", Spring(one="a.ball", other="b.ball", stiffness=20.0, length=1.0))
    x = flight.state()
    x["b.ball"].position[:] = [1.3, 0, 0]
    x["a.ball"].v[3:], x["b.ball"].v[3:] = [0, 0.1, 0], [0, 0.1, 0]
    log = ist.simulate(flight, x, until=4, step="5 ms")
    a, b = log["a.ball"].position, log["b.ball"].position
    w = np.sqrt(20.0 * (1 / 2 + 1 / 3))
    assert (b - a)[:, 0] == pytest.approx(1.0 + 0.3 * np.cos(w * log.t), abs=1e-8)  # RK4, w h = 0.02
    assert (0.4 * a + 0.6 * b) == pytest.approx(
        np.outer(np.ones(len(a)), [0.78, 0, 0]) + np.outer(log.t, [0, 0.1, 0])
    )


def test_logs_points_and_linear_models_know_the_names(pair):
    log = ist.simulate(pair, start(pair.vehicle), until="0.1 s", step="10 ms")
    assert log["target.bus"].position.shape == (11, 3) and log["chaser.arm"].q.shape == (11, 1)
    assert log.position("chaser.arm", [1.0, 0, 0]).shape == (11, 3)
    lin = ist.linearize(pair, start(pair.vehicle), outputs=["spring.on_one"])
    single = ist.Assembly("single", vehicle=both()).add("spring", Spring(**SPRING))
    wanted = ist.linearize(single, start(single.vehicle), outputs=["spring.on_one"])
    assert (
        np.array_equal(lin.A, wanted.A) and lin.states == wanted.states and "target.arm.angle" in lin.states
    )
    again = ist.simulate(pair, log.end, until="0.1 s", step="10 ms")
    assert np.array_equal(again.q[0], log.q[-1])


def test_a_checkpoint_holds_all_vehicles(tmp_path, pair):
    log = ist.simulate(
        pair, start(pair.vehicle), until="0.5 s", step="10 ms", log=tmp_path / "pair.h5", checkpoint="0.2 s"
    )
    for again in (ist.resume(tmp_path / "pair.ckpt.h5", pair), ist.resume(tmp_path / "pair.ckpt.h5")):
        assert np.array_equal(again.q, log.q) and np.array_equal(again.v, log.v)
    assert ist.load(tmp_path / "pair.h5")["target.bus"].position.shape == (51, 3)


def spacecraft():
    """A spacecraft as a function: vehicle, devices and wires, which names its own bodies."""
    group = ist.Assembly("spacecraft", vehicle=one_bus())
    group.add("gyro", NoisyGyro(at="bus"), every="20 ms").add("motor", Motor(joint="arm", damping=0.1))
    group.add("jet", Thruster(at=("bus", [0, 0.2, 0]), thrust="2 N")).add("drag", Drag(at="bus"))
    group.add("fsw", lambda t, rate: -3.0 * rate[2], every="40 ms", out={"u": "1"})
    return group.wire({"gyro.rate": "fsw.rate", "fsw.u": "jet.throttle"})


def test_a_spacecraft_is_a_function_that_is_called_twice():
    flight = ist.Assembly("two", seed=4).add("a", spacecraft()).add("b", spacecraft())
    x = flight.state()
    x["b.bus"].v[2] = 0.4
    x["b.bus"].position[:] = [5, 0, 0]
    log = ist.simulate(flight, x, until=1, step="10 ms")
    assert [*flight.vehicles()] == ["a.", "b."] and flight.vehicle.bodies == [
        "a.bus",
        "a.arm",
        "b.bus",
        "b.arm",
    ]
    # b alone, whose noise is that of a device called b.gyro
    alone = ist.Assembly("alone", seed=4).add("b", spacecraft())
    y = alone.state()
    y["b.bus"].v[2] = 0.4
    y["b.bus"].position[:] = [5, 0, 0]
    wanted = ist.simulate(alone, y, until=1, step="10 ms")
    for name in ("b.gyro.rate", "b.jet.push", "b.drag.torque"):
        assert np.array_equal(log[name], wanted[name])
    assert np.array_equal(log["b.bus"].quaternion, wanted["b.bus"].quaternion)
    assert np.abs(log["a.gyro.rate"]).max() < 0.01 < np.abs(log["b.gyro.rate"]).max()


def test_a_group_without_a_vehicle_touches_the_one_around_it():
    def sensors():
        return ist.Assembly("sensors").add("enc", Encoder(joint="arm"), every="0.1 s")

    inner = spacecraft().add("extra", sensors())
    flight = ist.Assembly("two", vehicle=one_bus()).add("extra", sensors()).add("b", inner)
    x = flight.state(
        {
            "": one_bus().state(q=[1, 0, 0, 0, 0, 0, 0, 0.25]),
            "b": one_bus().state(q=[1, 0, 0, 0, 0, 0, 0, 0.5]),
        }
    )
    log = ist.simulate(flight, x, until="0.1 s", step="10 ms")
    assert log["extra.enc.angle"][0] == 0.25 and log["b.extra.enc.angle"][0] == 0.5
    assert flight.vehicle.bodies == ["bus", "arm", "b.bus", "b.arm"]


def test_a_vehicle_at_the_top_keeps_its_names():
    vehicle = one_bus()
    assert ist.Assembly("one", vehicle=vehicle).vehicle is vehicle
    flight = ist.Assembly("two", vehicle=vehicle).add("other", one_bus())
    assert flight.vehicle is flight.vehicle and flight.vehicle.bodies == [
        "bus",
        "arm",
        "other.bus",
        "other.arm",
    ]


def test_settings_of_each_vehicle_hold():
    locked, free = one_bus(), one_bus()
    locked.set_joint_mode("arm", "locked")
    flight = (
        ist.Assembly("two").add("a", locked).add("b", free).add("m1", Motor(joint="b.arm", command="1 N*m"))
    )
    assert flight.vehicle.joint_mode("a.arm") == "locked" and flight.vehicle.joint_mode("b.arm") == "free"
    log = ist.simulate(flight, None, until="0.2 s", step="10 ms")
    assert not log["a.arm"].q.any() and log["b.arm"].q[-1] > 1e-3


def test_closures_come_along():
    def looped():
        mb = ist.Multibody("loop")
        mb.add_body("base", mass=1.0, inertia=np.eye(3), joint=ist.Locked())
        rod = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.1] * 3, "joint": ist.Revolute("z")}
        mb.add_body("a", **rod, parent="base")
        mb.add_body("b", **rod, parent="a", at=[1, 0, 0])
        mb.close("tip", ("b", [1, 0, 0]), ("base", [2, 0, 0]), joint=ist.Revolute("z"))
        return mb.compile()

    flight = ist.Assembly("two").add("l", looped()).add("r", looped())
    assert [c.name for c in flight.vehicle.model.closures] == ["l.tip", "r.tip"]
    assert (
        flight.vehicle.closure_jacobian(flight.state()).shape[0]
        == 2 * looped().closure_jacobian(looped().state()).shape[0]
    )


def test_trim_of_two_vehicles():
    mb = ist.Multibody("held", gravity=[0, 0, -10.0])
    mb.add_body("arm", mass=2.0, com=[1, 0, 0], inertia=np.eye(3), joint=ist.Revolute("y", stiffness=200.0))
    held = mb.compile()
    flight = (
        ist.Assembly("two").add("a", held).add("b", held).add("motor", Motor(joint="b.arm", command="5 N*m"))
    )
    point = ist.trim(flight, flight.state())
    # -k q + m g cos q (+ torque) = 0 about y
    qa, qb = point["a.arm"].q[0], point["b.arm"].q[0]
    assert 200 * qa == pytest.approx(20 * np.cos(qa), abs=1e-9) and 200 * qb == pytest.approx(
        20 * np.cos(qb) + 5, abs=1e-9
    )


def test_the_tree_names_vehicles(pair):
    text = str(ist.Assembly("x", vehicle=one_bus()).add("t", one_bus("tug")).add("s", spacecraft()))
    assert text.splitlines()[0] == "x  (vehicle 'sc', 2 bodies, 7 velocities)"
    assert "├─ t: vehicle 'sc', 2 bodies, 7 velocities" in text
    assert "└─ s/  (vehicle 'sc', 2 bodies, 7 velocities)" in text
    assert "a[3] m ← position of point [1, 0, 0] of chaser.arm, world axes" in str(pair)


class Height(ist.Device):
    h = ist.Out("m", ambient="height")
    at = ist.Site(root=True)
    p = at.position()

    def outputs(d, t):
        d.h = d.p[2]


class Gauge(ist.Device):
    h = ist.In("m", ambient="height")
    y = ist.Out("m")

    def outputs(d, t):
        d.y = d.h


def test_surroundings_are_those_of_the_own_group():
    def sounding():
        inner = ist.Assembly("inner").add("gauge", Gauge())
        return (
            ist.Assembly("sc", vehicle=one_bus())
            .add("height", Height())
            .add("gauge", Gauge())
            .add("in", inner)
        )

    flight = ist.Assembly("two").add("a", sounding()).add("b", sounding())
    x = flight.state()
    x["a.bus"].position[2], x["b.bus"].position[2] = 3.0, 7.0
    log = ist.simulate(flight, x, until="10 ms", step="10 ms")
    assert [log[f"{name}.y"][0] for name in ("a.gauge", "a.in.gauge", "b.gauge", "b.in.gauge")] == [
        3,
        3,
        7,
        7,
    ]
    flight.add("gauge", Gauge())
    with pytest.raises(InputError, match=r"'gauge.h' is height, and several devices say it"):
        ist.simulate(flight, x, until=1)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ist.Assembly("x").add("a", one_bus(), every=1), "'a' is a vehicle: it has no period"),
        (
            lambda: ist.Assembly("x").add("a", one_bus()).add("b", one_bus(gravity=[0, 0, -9.8])).vehicle,
            "vehicles of 'x' fall in different ways",
        ),
        (
            lambda: ist.Assembly("x", vehicle=one_bus("a.arm")).add("a", one_bus()).vehicle,
            "there are two bodies 'a.arm'",
        ),
        (
            lambda: ist.Assembly("x").add("a", one_bus()).state({"c": one_bus().state()}),
            "there is no vehicle 'c'; known: a",
        ),
        (lambda: ist.Assembly("x").add("a", one_bus()).state({"a": 3.0}), "not a state of vehicle 'a'"),
        (lambda: ist.Assembly("x").state(), "assembly 'x' has no vehicle"),
        (
            lambda: ist.simulate(
                ist.Assembly("x").add("a", one_bus()).add("m", Motor(joint="arm")), None, until=1
            ),
            r"'m.angle' has no joint on the vehicle; got body 'arm'; did you mean a.arm",
        ),
    ],
)
def test_vehicles_that_cannot_be_are_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()
