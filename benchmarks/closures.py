"""Measure what loop closures cost: growth with their number and with the number of bodies, beside dense equations.

    python -m benchmarks closures

Ladders: two chains of links side by side with a pin-ended rung between them at every so many links, so that closures
grow while the tree stays as it is. Flexible: a free beam held by ball closures at more and more of its nodes. Local
loops: the N four-bars of the IFToMM library, and ten seconds of them in steps of 4 ms. Ports: rigid children on
hinges on one flexible body of 20 modes. Dense: mass matrix and constraint Jacobian of the same engine, formed and
solved by LAPACK (one thread). Times in µs of the processor, the best of several repeats.
"""

from __future__ import annotations

import time

import numpy as np

from benchmarks.multibody import best

RUNGS = (1, 2, 4, 8, 16)
LINKS = (8, 16, 32, 64)
LOOPS = (5, 10, 20, 40)
CHILDREN = (1, 2, 4, 6, 8)


def ladder(links: int, rungs: int):
    """Return two chains of `links` links in space with `rungs` ball closures (through rungs), and its state."""
    from interstage.multibody import Ball, Multibody, Universal

    mb = Multibody("ladder", gravity=[0.0, 0.0, -9.81])
    rod = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": np.diag([0.01, 0.09, 0.09])}
    for side, y in (("left", 0.0), ("right", 1.0)):
        for i in range(links):
            on = {"parent": f"{side} {i - 1}", "at": [1.0, 0, 0]} if i else {"at": [0.0, y, 0.0]}
            mb.add_body(f"{side} {i}", joint=Universal("yz"), **on, **rod)
    every = links // rungs
    for k in range(rungs):
        i = every * (k + 1) - 1
        bar = {"mass": 0.5, "com": [0, 0.5, 0], "inertia": np.diag([0.04, 0.001, 0.04])}
        mb.add_body(f"rung {k}", parent=f"left {i}", at=[1.0, 0, 0], joint=Universal("xz"), **bar)
        mb.close(f"pin {k}", (f"rung {k}", [0, 1.0, 0]), (f"right {i}", [1.0, 0, 0]), joint=Ball())
    system = mb.compile()
    return system, system.state()


def held_beam(closures: int):
    """Return a free flexible beam of 21 nodes and 72 modes, closed to the ground at some of its nodes."""
    from interstage import Component
    from interstage.multibody import Ball, Free, Multibody
    from interstage.nastran import deck_from_text
    from validation.beams import long_beam_deck

    text = long_beam_deck(21, coupled=True)
    beam = Component.from_deck(
        deck_from_text(text), n_modes=72, aset={1: 123456}, modal_integrals=False, name="beam"
    )
    mb = Multibody("held beam", gravity=[0.0, 0.0, -9.81])
    mb.add_body("beam", component=beam, node=1, joint=Free())
    for k in range(closures):
        node = 1 + k * (20 // closures)
        mb.close(f"post {k}", ("ground", [9.0 * (node - 1) / 20, 0, 0]), ("beam", node), joint=Ball())
    system = mb.compile()
    return system, system.state()


def children(number: int) -> float:
    """Return the time of forward dynamics of rigid bodies on nodes of one free flexible body."""
    from benchmarks.multibody import beam
    from interstage.multibody import Free, Multibody, Revolute

    component, _ = beam(20, n_elements=20)
    mb = Multibody("carrier")
    mb.add_body("carrier", component=component, node=1, joint=Free())
    for k in range(number):
        body = {"mass": 1.0, "com": [0.2, 0, 0.1], "inertia": [0.1, 0.1, 0.1]}
        mb.add_body(f"child {k}", parent="carrier", at=2 + 2 * k, joint=Revolute("zyx"[k % 3]), **body)
    system = mb.compile()
    x = system.state()
    return best(lambda: system.forward_dynamics(x))


def four_bars() -> None:
    """Print forward dynamics and a run of many four-bars."""
    import interstage as ist
    from validation.mechanisms import four_bars as made

    print("\nlocal loops: N four-bars\n    N  bodies  rows    forward      10 s at 4 ms")
    times = []
    for loops in LOOPS:
        system, x = made(loops)
        times.append(best(lambda s=system, x=x: s.forward_dynamics(x)))
        begin = time.process_time()
        ist.simulate(system, x, 10.0, 4e-3, log_step=1.0)
        spent = time.process_time() - begin
        rows = int(system.settings.row_keep.sum())
        print(f"{loops:5d}{len(system.bodies):8d}{rows:6d}{times[-1]:11.1f}{spent:14.2f} s")
    print(f"  growth with loops: exponent {slope(LOOPS, times):.2f}")


def ports() -> None:
    """Print forward dynamics with more and more children on one body."""
    times = {n: children(n) for n in CHILDREN}
    print("\nports: children on one flexible body of 20 modes")
    print(
        "  "
        + "   ".join(f"{n}: {t:.1f}" for n, t in times.items())
        + f"   8 over 4: {times[8] / times[4]:.2f}"
    )


def dense(system, x) -> np.ndarray:
    """Return constrained accelerations from the mass matrix and the Jacobian, solved as one dense system."""
    M, J, b = system.mass_matrix(x), system.closure_jacobian(x), system.bias(x)
    X = np.linalg.solve(M, np.concatenate([J.T, -b[:, None]], axis=1))
    inner, free = X[:, :-1], X[:, -1]
    # at rest: no velocity terms
    return free - inner @ np.linalg.solve(J @ inner, J @ free)


def row(label: str, system, x) -> tuple[float, ...]:
    """Print and return the times of one vehicle: forward dynamics, projection, dense."""
    q, v = x.q.copy(), x.v.copy()
    wanted, got = dense(system, x), system.forward_dynamics(x)
    assert np.abs(wanted - got).max() < 1e-6 * np.abs(wanted).max()
    # through one door for all, so that what Python adds is the same
    forward = best(lambda: system.forward_dynamics(x))
    project = best(lambda: system.engine.project(q, v))
    whole = best(lambda: dense(system, x))
    n = len(system.bodies)
    print(
        f"{label:28s}{n:7d}{system.nv:6d}{system.n_closure:6d}"
        f"{forward:11.1f}{project:11.1f}{whole:11.1f}{whole / forward:9.1f}"
    )
    return n, system.n_closure, forward, project, whole


def slope(x, y) -> float:
    """Return the exponent of growth over the last half of a table."""
    k = len(x) // 2
    return float(np.polyfit(np.log(x[k:]), np.log(y[k:]), 1)[0])


def main(_arguments: list[str] | None = None) -> None:
    """Print the tables."""
    head = f"{'':28s}{'bodies':>7s}{'nv':>6s}{'rows':>6s}{'forward':>11s}{'project':>11s}{'dense':>11s}{'ratio':>9s}"
    print(f"more closures on one tree\n{head}")
    found = [row(f"ladder of 32, {k} rungs", *ladder(32, k)) for k in RUNGS]
    rows, forward = [f[1] for f in found], [f[2] for f in found]
    print(f"  growth with rows: exponent {slope(rows, forward):.2f}\n")
    print(f"a larger tree, four closures\n{head}")
    found = [row(f"ladder of {n}, 4 rungs", *ladder(n, 4)) for n in LINKS]
    bodies = [f[0] for f in found]
    ours, others = slope(bodies, [f[2] for f in found]), slope(bodies, [f[4] for f in found])
    print(f"  growth with bodies: exponent {ours:.2f}, dense {others:.2f}\n")
    print(f"closures on one flexible body of 72 modes\n{head}")
    found = [row(f"beam on {k} posts", *held_beam(k)) for k in (2, 4, 5, 10)]
    print(f"  growth with rows: exponent {slope([f[1] for f in found], [f[2] for f in found]):.2f}")
    four_bars()
    ports()


if __name__ == "__main__":
    main()
