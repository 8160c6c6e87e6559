"""Measure changes of a vehicle at run time: detach, attach, change of joint, of mass; cost of watching for events.

    python -m benchmarks topology

Vehicles of 50 bodies in random trees, kernels compiled. Each figure is the best of several repeats in time of the
processor; a change makes a new system and state, and leaves the old ones usable.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

BODIES, NODES = 50, 11


def best(action: Callable[[], object], repeats: int = 15) -> float:
    """Return the shortest time of one call in milliseconds."""
    found = []
    for _ in range(repeats):
        start = time.thread_time()
        action()
        found.append(time.thread_time() - start)
    return 1e3 * min(found)


def component(n_modes: int = 10):
    """Return a beam of 11 nodes on springs."""
    from interstage.component import Component
    from interstage.fem import lumped_beam

    mass = [0.25, 0.25, 0.25, 2e-3, 2e-3, 2e-3]
    K, M, nodes = lumped_beam(0.1 * (NODES - 1), NODES - 1, EA=5e6, GJ=700.0, EI=1000.0, mass=mass)
    return Component.from_matrices(K, M, nodes, n_modes=n_modes, aset={1: 123456}, name="beam")


def vehicle(flexible: bool):
    """Return a random tree of 50 bodies on a free root, every second one flexible if asked, and a state."""
    from interstage.multibody import Free, Multibody, Revolute

    rng = np.random.default_rng(1)
    beam = component() if flexible else None
    mb = Multibody("vehicle")
    mb.add_body("b0", mass=10.0, inertia=[1.0, 1.0, 1.0], joint=Free())
    for i in range(1, BODIES):
        parent = f"b{rng.integers(i)}"
        at = [0.1, 0.0, 0.0] if mb.spec(parent).component is None else int(rng.integers(2, NODES + 1))
        place = {"parent": parent, "at": at, "joint": Revolute("zyx"[i % 3])}
        if flexible and i % 2:
            mb.add_body(f"b{i}", component=beam, **place)
        else:
            mb.add_body(f"b{i}", mass=1.0, inertia=[0.1, 0.1, 0.1], **place)
    system = mb.compile()
    x = system.state()
    x.v[:] = 0.1 * rng.normal(size=system.nv)
    return system, x


def changes(flexible: bool) -> list[tuple[str, float]]:
    """Return what each change costs, ms."""
    from interstage.multibody import Locked

    system, x = vehicle(flexible)
    body = "b11" if flexible else "b10"
    spec = system.model.spec(body)
    place = (spec.parent, spec.at)
    apart, y = system.detach(body, x)
    y.v[:] = 0.1 * np.random.default_rng(2).normal(size=apart.nv)
    apart.attach(body, place, y, joint=spec.joint, rotation=spec.rotation, snap=True)
    rigid = next(s.name for s in system.model.specs[1:] if s.component is None)
    out = [
        ("detach", best(lambda: system.detach(body, x))),
        ("attach, plastic impact", best(lambda: apart.attach(body, place, y))),
        ("replace joint by a locked one", best(lambda: system.replace_joint(body, Locked(), x))),
        ("set mass in place", best(lambda: system.set_mass(rigid, 2.0, inertia=[1, 1, 1]))),
        ("switch a joint in place", best(lambda: _switch(system, body))),
    ]
    if flexible:
        out.insert(2, ("attach by another node", best(lambda: apart.attach(body, "b0", y, port=NODES))))
    return out


def _switch(system, body: str) -> None:
    system.set_joint_mode(body, "locked")
    system.set_joint_mode(body, "free")


def runs() -> list[tuple[str, float]]:
    """Return what steps cost with events and motions beside plain ones, µs a step, rigid vehicle of 50 bodies."""
    import interstage as ist

    system, x = vehicle(False)
    steps, h = 400, 1e-4
    plain = {"step": h, "log_step": steps * h}
    watch = [ist.Event(lambda t, x: 1.0, "stop")]
    motion = {"b10": ist.PrescribedMotion(angle=lambda t: t, rate=lambda t: 1.0, acceleration=lambda t: 0.0)}
    cases = [
        ("plain", {}),
        ("one condition watched", {"events": watch}),
        ("one joint prescribed", {"motions": motion}),
        ("one mass a function of time", {"mass": {"b10": lambda t: (1.0, (0, 0, 0), 0.1 * np.eye(3))}}),
    ]
    out = []
    for name, options in cases:
        ist.simulate(system, x, steps * h, **plain, **options)
        took = best(lambda options=options: ist.simulate(system, x, steps * h, **plain, **options), repeats=5)
        out.append((name, 1e3 * took / steps))
    return out


def main(argv: list[str] | None = None) -> None:
    """Print the tables."""
    for flexible in (False, True):
        system, _ = vehicle(flexible)
        kind = (
            f"{BODIES} bodies, every second one flexible with 10 modes"
            if flexible
            else f"{BODIES} rigid bodies"
        )
        print(f"{kind}, {system.nv} velocities")
        for name, milliseconds in changes(flexible):
            print(f"  {name:34s} {milliseconds:8.2f} ms")
    print("RK4 steps, 50 rigid bodies")
    for name, microseconds in runs():
        print(f"  {name:34s} {microseconds:8.1f} us a step")


if __name__ == "__main__":
    main()
