"""Laws and an assembly that a process finds by the names of their code."""

from __future__ import annotations

import numpy as np
from device_library import DiscretePID, Drag, IntegratingGyro, Lag, NoisyGyro, Thruster

import interstage as ist
from interstage.simulation.plant.noise import normal

GAIN = np.array([0.1, -0.2, 0.3])
NODES = {k + 1: (0.25 * k, 0.0, 0.0) for k in range(5)}


class Filter:
    """Memory inside memory."""

    def __init__(self, size, share):
        self.y, self.share = np.zeros(size), share

    def step(self, x):
        self.y = self.y + self.share * (x - self.y)
        return self.y


class Pointing:
    """A law with memory of many kinds; two members may share one."""

    def __init__(self):
        self.filter, self.calls, self.mode, self.last = Filter(3, 0.1), 0, "coarse", None
        self.seen, self.table, self.turn = (
            [],
            {"gain": (1.0, 2.5), 3: np.float32(0.1)},
            ist.Rotation.identity(),
        )
        self.same = self.seen

    def __call__(self, t, rate):
        self.calls += 1
        self.mode, self.last = "fine" if self.calls > 5 else "coarse", t
        self.seen.append(float(rate[0]))
        del self.same[:-4]
        noise = 1e-3 * normal(1, 2, self.calls, 0)
        return {"u": 0.5 - self.filter.step(rate)[2] + noise + 0.01 * sum(self.seen)}

    def slowly(self, t, rate):
        return 0.1 * self.filter.y[0] + GAIN @ rate


def plain(t, y):
    """Return a function of the gain of this module."""
    return GAIN[0] * y + 0.2


def thrusters():
    """Return a group with a port of its own."""
    group = ist.Assembly().add("jet", Thruster(at=("bus", [0, 0.3, 0]))).add("lag", Lag())
    group.wire({"jet.push[0]": "lag.u"})
    return group.expose(throttle="jet.throttle")


def beam():
    n = 6 * len(NODES)
    K = np.diag(np.linspace(1e3, 9e4, n)) + 50.0 * (np.eye(n, k=1) + np.eye(n, k=-1))
    return ist.Component.from_matrices(K, np.eye(n), NODES, n_modes=6, aset={1: 123456}, name="boom")


def vehicle():
    mb = ist.Multibody("bus and boom", gravity=[0, 0, -0.1])
    mb.add_body("bus", mass=10.0, com=[0.1, 0, 0], inertia=np.diag([1.0, 2.0, 2.5]), joint=ist.Free())
    mb.add_body(
        "boom", component=beam(), node=1, parent="bus", at=[0.3, 0, 0], joint=ist.Revolute("z", stiffness=9.0)
    )
    return mb.compile()


def made():
    """Return an assembly with everything that a checkpoint has to bring back."""
    flight = ist.Assembly("named", vehicle=vehicle(), seed=5)
    law = Pointing()
    flight.add("gyro", NoisyGyro(at=("boom", 4)), every="10 ms").add(
        "mean", IntegratingGyro(at="bus"), every="20 ms"
    )
    flight.add("drag", Drag(at="bus", c="0.4 N*s/m")).add("fsw", law, every="20 ms", out={"u": "1"})
    flight.add("slow", law.slowly, every="1/7 s", offset="1/3 s", out={"y": "N"})
    flight.add("plain", plain, out={"z": "1"}).add("pod1", thrusters()).add("pod2", thrusters())
    flight.add("pid", DiscretePID(kp=2.0), every="1/30 s").add("lag", Lag())
    flight.wire({"gyro.rate": ["fsw.rate", "slow.rate"], "fsw.u": "pod*.throttle", "slow.y": "lag.u"})
    flight.wire({"lag.y": "plain.y"}).wire({"fsw.u": "pid.seen"}, delay="60 ms")
    return flight


def begun(flight):
    """Return where the flight begins: loads act beside its devices."""
    x = flight.vehicle.state(v=0.01 * np.arange(flight.vehicle.nv))
    loads = ist.Loads.of(flight.vehicle, {("boom", 3): [0.0, 0.01, 0.0, 0.1, 0.2, 0.3]})
    return ist.OperatingPoint(x, loads, np.zeros(flight.vehicle.nv), flight.vehicle.settings.copy())


def numbers(log):
    return np.concatenate(
        [np.ravel(log[name]) for name in sorted(log.names())] + [log.q.ravel(), log.v.ravel()]
    )


class Slotted:
    """Memory in slots, one of them of a private name."""

    __slots__ = ("__hidden", "total")

    def __init__(self):
        self.total, self.__hidden = 0.0, [0.0]

    def __call__(self, t, y):
        self.total += 0.1 * float(y)
        self.__hidden[0] += 1.0
        return -0.1 * self.total + 0.01 * self.__hidden[0]


def remembering(t, y, kept=[0.0], *, more={"n": 0}):  # noqa: B006
    kept[0] += 0.1 * float(y)
    more["n"] += 1
    return -0.1 * kept[0] + 0.01 * more["n"]


class Seen:
    """A field by a name that the module has too, for something else."""

    def __call__(self, t, y):
        self.GAIN = float(y)
        return 0.1 * self.GAIN


# a run that changes on the way: bounces to rest, a body that leaves, a joint that sticks


def leave(t, system, x):
    """Detach the arm and push it away."""
    system, x = system.detach("arm", x)
    x["arm"].velocity[3] += 0.5
    return system, x


class Bounce:
    """Half of the speed of a ball, counted."""

    def __init__(self):
        self.count = 0

    def __call__(self, t, system, x):
        self.count += 1
        return {"ball.v": 0.5 * 9.0 * 0.5 ** (self.count - 1) * 0.4}


class Dropped(ist.Device):
    """A ball that lies still after its last bounce."""

    y, v, still = ist.ContinuousState("m", initial=0.72), ist.ContinuousState("m/s"), ist.IntegerState()

    def rates(d, t):
        d.ydot = d.v
        d.vdot = -9.0 if d.still == 0 else 0.0


def changing():
    """A vehicle that comes apart, with noise, a law and a ball; its state, and its events."""
    mb = ist.Multibody("pair")
    mb.add_body("bus", mass=9.0, inertia=[2, 3, 4], joint=ist.Free())
    mb.add_body(
        "arm", mass=2.0, com=[0.2, 0, 0], inertia=[0.1, 0.2, 0.2], parent="bus", joint=ist.Revolute("z")
    )
    system = mb.compile()
    x = system.state()
    x["bus"].velocity[:], x["arm"].v[:] = [0.1, 0.2, 0.3, 0.0, 1.0, 0.0], 0.5
    made = ist.Assembly("changing", vehicle=system, seed=4)
    made.add("gyro", NoisyGyro(at="arm"), every="20 ms").add("ball", Dropped())
    tau = np.zeros(system.nv)
    tau[-1] = 0.1
    loads = ist.Loads.of(system, {("arm", (0.1, 0.0, 0.2)): [0, 0, 0, 0.3, 0, 0]}, tau)
    point = ist.OperatingPoint(x, loads, np.zeros(system.nv), system.settings)
    events = [
        ist.Event(at=0.37, action=leave, name="leave"),
        ist.Event(at=0.21, action=ist.SetJointMode("arm", "locked")),
        ist.Event("ball.y", Bounce(), direction=-1, rest={"ball.still": 1, "ball.v": 0.0}, name="hit"),
        ist.Event(at=1.71, action=ist.RemoveBody("arm"), name="gone"),
    ]
    return made, point, events
