"""Rows of closures that cannot move are found beside the rounding of what they are made of, and no others are."""

from __future__ import annotations

import numpy as np
import pytest
from closure_models import RELATIONS
from multibody_models import random_inertia, random_rotation

import interstage as ist
from interstage.errors import ModelError
from interstage.multibody.closures import least_answers

# (length, mass) of one metre and one kilogram: m, mm with tonnes, inches with slinches, kilometres
UNITS = [(1.0, 1.0), (1e3, 1e-3), (39.37007874, 1.0 / 175.1268), (1e-3, 1.0)]


def _door(axis, unit, closed):
    """Return a door on a hinge about any axis, with a ball on the same axis, and a state of it."""
    length, mass = unit
    mb = ist.Multibody("door", gravity=[0.0, -9.81 * length, 0.0])
    com = length * np.cross(axis, [1.0, 0.0, 0.0])
    inertia = np.diag([2.0, 3.0, 4.0]) * mass * length**2
    mb.add_body("door", mass=20.0 * mass, com=com, inertia=inertia, joint=ist.Revolute(axis))
    if closed:
        place = 2.0 * length * axis
        mb.close("upper hinge", ("ground", place), ("door", place), joint=ist.Ball())
    system = mb.compile()
    x = system.state()
    x["door"].q[:], x["door"].v[:] = 0.7, 0.3
    return system, x


@pytest.mark.parametrize("unit", UNITS, ids=["m", "mm", "in", "km"])
def test_a_second_hinge_on_the_axis_of_a_door_holds_nothing(unit):
    """All three rows are still: without them the door moves as it does without the closure."""
    for seed in range(8):
        axis = np.random.default_rng(seed).normal(size=3)
        axis /= np.linalg.norm(axis)
        (system, x), (free, y) = _door(axis, unit, True), _door(axis, unit, False)
        with pytest.raises(ModelError, match="hold what cannot move"):
            system.forward_dynamics(x)
        assert len(system.redundant_closures(x)) == 3
        # assembly is as if there were no closure
        assert np.array_equal(system.assemble(x).q, y.q)
        assert system.assemble(x).v[0] == 0.3
        assert len(system.drop_redundant(x)) == 3
        assert np.isclose(system.forward_dynamics(x)[0], free.forward_dynamics(y)[0], rtol=1e-12)


def test_tilts_that_a_slide_already_holds_are_still():
    """A prismatic joint with a planar closure: the tilts hold nothing, the travel stops the slide.

    What is left moves as one rigid body, whatever the rotations.
    """
    for seed in range(15):
        rng = np.random.default_rng(seed)
        mass, com, inertia = random_inertia(rng)
        turned, place, normal = random_rotation(rng), 0.3 * rng.normal(size=3), rng.normal(size=3)
        v, results = rng.normal(size=6), []
        for joint in (ist.Prismatic("x"), ist.Locked()):
            mb = ist.Multibody("slide", gravity=[0, 0, -1.0])
            mb.add_body("base", mass=3.0, inertia=[1, 2, 3.0], joint=ist.Free())
            at = np.array([0.1, 0.2, 0.3])
            on = {"parent": "base", "at": at, "rotation": turned, "joint": joint}
            mb.add_body("slide", mass=mass, com=com, inertia=inertia, **on)
            closed = isinstance(joint, ist.Prismatic)
            if closed:
                ends = ("slide", place), ("base", at + turned @ place)
                mb.close("plate", *ends, joint=ist.Planar(normal), rotation=turned.T)
            system = mb.compile()
            x = system.state()
            x.v[:6] = v
            if closed:
                with pytest.raises(ModelError, match="hold what cannot move"):
                    system.forward_dynamics(x)
                assert all("tilt" in words for _, words in system.drop_redundant(x))
                assert system.n_closure == 1
            results.append(system.forward_dynamics(x)[:6])
        assert np.allclose(results[0], results[1], rtol=1e-9, atol=1e-9 * np.abs(results[1]).max())


def _tree(seed, unit):
    """Return a random tree of masses over six orders with one closure of any kind, and a state."""
    rng, (length, mass) = np.random.default_rng(seed), unit
    joints = [
        ist.Revolute(rng.normal(size=3)),
        ist.Prismatic(rng.normal(size=3)),
        ist.Ball(),
        ist.Universal(),
    ]
    joints += [ist.Free(), ist.Cylindrical("x"), ist.Planar("z"), ist.Gimbal("zyx")]
    mb, n = ist.Multibody("tree"), int(rng.integers(2, 7))
    for i in range(n):
        m, c, J = random_inertia(rng)
        m, J = (a * mass * 10.0 ** rng.uniform(-3, 3) for a in (m, J))
        on = {"at": 0.3 * length * rng.normal(size=3), "rotation": random_rotation(rng)}
        on["parent"] = f"b{rng.integers(i)}" if i and rng.random() < 0.8 else None
        on["joint"] = joints[int(rng.integers(len(joints)))]
        mb.add_body(f"b{i}", mass=m, com=length * c, inertia=J * length**2, **on)
    relation, k = RELATIONS[seed % len(RELATIONS)], int(rng.integers(n))
    relation = ist.Screw("y", pitch=0.7 * length) if isinstance(relation, ist.Screw) else relation
    a, b = 0.3 * length * rng.normal(size=(2, 3))
    mb.close("k", (f"b{k}", a), (f"b{(k + 1) % n}", b), joint=relation, rotation=random_rotation(rng))
    system = mb.compile()
    x = system.state()
    for name in system.bodies:
        where = system.layout[name]
        if not isinstance(where.joint, ist.Free | ist.Ball):
            step = 0.5 * rng.normal(size=where.q.stop - where.q.start)
            x[name].q[:] = step * np.where(where.joint.angles(), 1.0, length)
    return system, x


def test_dependent_rows_are_those_of_the_dense_jacobian_in_every_unit():
    """The rank of J over its free sizes, by singular values of J M^-1/2, in units that differ by 1e6.

    Rows are scaled to one where they move at all. Where the least singular value of independent rows and the
    greatest of dependent ones lie within 1e-6 and 1e-4 nothing is claimed (none of these seeds).
    """
    for seed in range(24):
        found = []
        for unit in UNITS:
            system, x = _tree(seed, unit)
            found.append(system.redundant_closures(x))
        assert all(rows == found[0] for rows in found)
        J, M = system.closure_jacobian(x), system.mass_matrix(x)
        scaled = np.linalg.solve(np.linalg.cholesky(M), J.T).T
        sizes = np.linalg.norm(scaled, axis=1)
        kinds = np.array([row.kind for row in system.model.closures[0].joint.closure_rows()])
        lengths = np.isin(kinds, (0, 3))
        moves = np.ones(len(J), dtype=bool)
        for kind in (
            lengths,
            ~lengths,
        ):  # lengths and angles have sizes of their own; 1e-9 of them is rounding
            if kind.any():
                moves[kind] = sizes[kind] > 1e-9 * np.linalg.norm(scaled, 2) * (
                    1e-3 if kind is lengths else 1.0
                )
        values = np.linalg.svd(scaled[moves] / sizes[moves, None], compute_uv=False)
        assert not np.any((values > 1e-6) & (values < 1e-4))
        assert len(J) - len(found[0]) == np.sum(values > 1e-5)


@pytest.mark.parametrize("ratio", [1e-8, 1e8])
@pytest.mark.parametrize("lever", [1e-3, 10.0])
def test_light_bodies_and_short_levers_are_not_still(ratio, lever):
    """A pointer on a free body, its place held to the ground: rows through the hinge move the body alone.

    The accelerations are those of the equations M v̇ + Jᵀλ = Q, J v̇ = 0, solved densely with scaled rows.
    """
    mb = ist.Multibody("pointer", gravity=[1.0, -2.0, 3.0])
    mb.add_body("base", mass=1.0, inertia=[1.0, 2.0, 3.0], joint=ist.Free())
    arm = {"mass": ratio, "com": [0.5 * lever, 0, 0], "inertia": ratio * lever**2 * np.diag([0.1, 0.1, 0.1])}
    mb.add_body("arm", parent="base", at=[0.2, 0.1, 0.0], joint=ist.Revolute("z"), **arm)
    mb.close("tip", ("ground", [0.2 + lever, 0.1, 0.0]), ("arm", [lever, 0, 0]), joint=ist.Ball())
    system = mb.compile()
    x = system.state()
    assert system.redundant_closures(x) == []
    M, J = system.mass_matrix(x), system.closure_jacobian(x)
    free = -system.inverse_dynamics(x, np.zeros(system.nv))
    W = np.linalg.solve(M, np.column_stack([free, J.T]))
    S = J @ W[:, 1:]
    d = 1.0 / np.sqrt(np.diag(S))
    truth = W[:, 0] - W[:, 1:] @ (d * np.linalg.solve(d[:, None] * S * d, d * (J @ W[:, 0])))
    found = system.forward_dynamics(x)
    energy = np.sqrt(truth @ M @ truth)
    e = found - truth
    assert np.sqrt(e @ M @ e) <= 1e-6 * energy


def test_a_rigid_loop_holds_in_every_unit_and_far_down_a_chain():
    """Rows out of the plane of a four-bar at the end of a chain of forty links are the ones that drop."""
    for length, mass in UNITS:
        mb = ist.Multibody("chain")
        parent = None
        for k in range(40):
            link = {
                "mass": mass,
                "com": [0.5 * length, 0, 0],
                "inertia": mass * length**2 * np.diag([0.1] * 3),
            }
            at = [length, 0, 0] if parent else [0, 0, 0]
            mb.add_body(f"link{k}", **link, parent=parent, at=at, joint=ist.Revolute("xyz"[k % 3]))
            parent = f"link{k}"
        for name, on, at in (("a", parent, 1.0), ("b", "a", 1.0), ("c", parent, 2.0)):
            link = {
                "mass": mass,
                "com": [0.5 * length, 0, 0],
                "inertia": mass * length**2 * np.diag([0.1] * 3),
            }
            mb.add_body(name, **link, parent=on, at=[at * length, 0, 0], joint=ist.Revolute("z"))
        mb.close("pin", ("b", [length, 0, 0]), ("c", [length, 0, 0]), joint=ist.Revolute("z"))
        system = mb.compile()
        x = system.state()
        for k in range(40):
            x[f"link{k}"].q[:] = 0.1 * k
        x["a"].q[:], x["b"].q[:], x["c"].q[:] = np.pi / 2, -np.pi / 2, np.pi / 2
        words = [w for _, w in system.redundant_closures(x)]
        assert words == ["travel along z", "tilt about x", "tilt about y"]


def test_a_loop_far_from_the_origin_moves_as_at_the_origin():
    """Closures of one vehicle are measured within it: at an orbit's radius the same motion, to rounding of seconds."""
    ends = []
    for place in ([0.0, 0.0, 0.0], [7.0e6, 1.0e6, 2.0e6]):
        mb = ist.Multibody("bus")
        mb.add_body("bus", mass=100.0, inertia=[10, 20, 30.0], joint=ist.Free())
        link = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.1, 0.1, 0.1], "joint": ist.Revolute("z")}
        for name, on, at in (("a", "bus", 1.0), ("b", "a", 1.0), ("c", "bus", 2.0)):
            mb.add_body(name, parent=on, at=[at, 0, 0], **link)
        mb.close("pin", ("b", [1.0, 0, 0]), ("c", [1.0, 0, 0]), joint=ist.Revolute("z"))
        system = mb.compile()
        x = system.state()
        x["bus"].position[:] = place
        for name, side in (("a", 1.0), ("b", -1.0), ("c", 1.0)):
            x[name].q[:], x[name].v[:] = 1.2 * side, 0.5 * side
        x["bus"].velocity[:3] = [0.1, 0.2, 0.3]
        system.drop_redundant(x)
        log = ist.simulate(system, x, until=0.5, step="5 ms")
        assert np.abs(system.closure_error(log.state(-1))).max() < 1e-14
        ends.append(log.v[-1])
    assert np.allclose(ends[1], ends[0], rtol=0.0, atol=1e-9)


def test_vehicles_that_a_closure_joins_far_from_the_origin_stay_joined():
    """Two free bodies at 7e6 m have places in steps of 1e-9 m: closures hold as far as these can be told."""
    rng = np.random.default_rng(1)
    mb = ist.Multibody("two")
    mb.add_body("p", mass=100.0, inertia=[10, 20, 30.0], joint=ist.Free())
    mb.add_body("q", mass=50.0, inertia=[5, 6, 7.0], joint=ist.Free())
    mb.close("dock", ("p", [1.0, 0.2, 0.3]), ("q", [-1.0, 0.1, 0.4]), joint=ist.Revolute("z"))
    system = mb.compile()
    x = system.state()
    R = random_rotation(rng)
    for name, place in (("p", [0.0, 0.0, 0.0]), ("q", [2.0, 0.1, -0.1])):
        x[name].quaternion[:] = ist.Rotation.from_matrix(R).quaternion
        x[name].position[:] = [7.0e6, -1.0e6, 3.0e6] + R @ np.array(place)
        x[name].velocity[:] = 0.2 * rng.normal(size=6)
    x = system.assemble(x)
    log = ist.simulate(system, x, until=0.2, step="5 ms")
    assert np.abs(system.closure_error(log.state(-1))).max() < 2e-8
    assert np.isclose(log.energy[-1], log.energy[0], rtol=1e-8)


CARRIERS = {"wrist": "hub", "slide": "wrist", "tip": "slide", "ball": "screw", "pipe": "ball"}  # of two arms


def _free_response(system, x, body, point):
    """Return φ of a unit torque and of a unit force at a point of a body, axis by axis from the dense mass matrix.

    Σ ε²/D over the joints from there to the ground, D of a joint the inverse of its block of the inverse mass matrix
    of what it carries; of several axes D = L diag(d) Lᵀ, and ε² becomes that of L⁻¹ with all its terms added up.
    """
    axes = {
        "wrist": [(1, 0)] * 2,
        "slide": [(0, 1)],
        "screw": [(1, 0.3 / (2 * np.pi))],
        "ball": [(1, 0)] * 3,
        "hub": [(1, 0)],
    }
    axes |= {"pipe": [(1, 0), (0, 1)]}
    place = system.position(x, body) + system.rotation(x, body) @ point
    M, turning, moving = system.mass_matrix(x), 0.0, 0.0
    while body is not None:
        if body in axes:  # the others are locked
            carried = [b for b in axes if body in _way(b)]
            rows = np.concatenate([np.arange(system.nv)[system.layout[b].v] for b in carried])
            n = len(axes[body])
            first = list(rows).index(system.layout[body].v.start)
            D = np.linalg.inv(np.linalg.inv(M[np.ix_(rows, rows)])[first : first + n, first : first + n])
            C = np.linalg.cholesky(D)
            L, d = C / np.diag(C), np.diag(C) ** 2
            arm = place - system.position(x, body)
            for turns, total in ((1.0, "turning"), (arm @ arm, "moving")):
                e = np.array([turns * h**2 + (total == "moving") * s**2 for h, s in axes[body]])
                for a in range(n):
                    e[a] += L[a, :a] ** 2 @ e[:a]
                if total == "moving":
                    moving += (e / d).sum()
                else:
                    turning += (e / d).sum()
        body = CARRIERS.get(body)
    return turning, moving


def _way(body):
    """Return a body and all that carry it."""
    return [] if body is None else [body, *_way(CARRIERS.get(body))]


def test_the_free_response_of_every_joint():
    """What a row would answer with if nothing cancelled, on both paths of an open closure that turns and moves."""
    rng, mb = np.random.default_rng(11), ist.Multibody("two arms")
    joints = {"hub": ist.Revolute([1, 2, 3]), "wrist": ist.Universal(), "slide": ist.Prismatic([3, -1, 2])}
    joints |= {"tip": ist.Revolute("y"), "screw": ist.Screw("z", pitch=0.3), "ball": ist.Ball()}
    joints["pipe"] = ist.Cylindrical("x")
    for name, joint in joints.items():
        mass, com, inertia = random_inertia(rng)
        on = {"parent": CARRIERS.get(name), "at": rng.normal(size=3), "rotation": random_rotation(rng)}
        mb.add_body(name, mass=mass, com=com, inertia=inertia, joint=joint, **on)
    a, b = rng.normal(size=(2, 3))
    mb.close("far", ("tip", a), ("pipe", b), joint=ist.Locked())
    system = mb.compile()
    system.set_joint_mode("tip", "locked")
    x = system.state()
    for name in joints:
        if name not in ("ball", "tip"):
            x[name].q[:] = 0.4 * rng.normal(size=len(x[name].q))
    ends = [system.position(x, one) + system.rotation(x, one) @ p for one, p in (("tip", a), ("pipe", b))]
    gap = ends[1] - ends[0]
    (t, f), (turning, moving) = (_free_response(system, x, *one) for one in (("tip", a), ("pipe", b)))
    turning, moving = t + turning, f + gap @ gap * t + moving
    found = least_answers(system, x)
    np.testing.assert_allclose(found, 1e-20 * np.repeat([moving, turning], 3), rtol=1e-9)
