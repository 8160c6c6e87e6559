"""One flexible vehicle becomes two: nodes keep their motion, momentum stays, and the strain that is left rings."""

import numpy as np
import pytest
import scipy.linalg as la
from vehicle_models import launcher, refused

from interstage.spatial.functions import matrix_from_quaternion, quaternion_from_rotvec
from interstage.staged_vehicle import FreeFlightState, NodalLoad, simulate_free_flight, split


@pytest.fixture(scope="module")
def stressed():
    """The stack in flight under thrust and a side force at its foot, in the static shape of these loads."""
    v = launcher()
    fill = {"grain": 0.0, "lox": 20e3, "lh2": 4e3}
    shapes = v.shapes(
        n_modes=8, burning=["grain"], levels=3, error=1e-2, reference=0.0, attach=["separation", ("first", 1)]
    )
    stack, one = shapes.stack, shapes.integrals(fill)
    S, M = stack.rigid, stack.mass(fill)
    f = stack.V[0].toarray().ravel() * 1.2e6 + stack.V[1].toarray().ravel() * 2e4
    f = f - M @ S @ np.linalg.solve(S.T @ (M @ S), S.T @ f)
    eta = np.linalg.solve(one.K, shapes.q.T @ f)
    rng = np.random.default_rng(5)
    state = FreeFlightState(
        np.array([1e3, -2e2, 50.0]),
        quaternion_from_rotvec([0.1, 0.7, -0.3]),
        np.array([0.02, 0.01, -0.03, 900.0, 4.0, -2.0]),
        eta,
        0.2 * np.abs(eta).max() * rng.normal(size=len(shapes)),
        fill,
    )
    return v, shapes, state


def world(shapes, state):
    """Positions and velocities (N, 3) of all nodes, world axes."""
    R = matrix_from_quaternion(state.quaternion)
    Phi = shapes.nodes.reshape(-1, 6, len(shapes))[:, :3]
    local = shapes.stack.positions + Phi @ state.eta
    speed = state.velocity[3:] + np.cross(state.velocity[:3], local) + Phi @ state.etadot
    return state.position + local @ R.T, speed @ R.T


@pytest.mark.parametrize("size", [1.0, 1e-3])
def test_nodes_keep_their_places_with_attachment_shapes(stressed, size):
    """The strain of the upper stage lies in its inertia-relief shapes; the finite turn of the frame is second order."""
    v, shapes, state = stressed
    eta = size * state.eta
    still = FreeFlightState(state.position, state.quaternion, state.velocity, eta, 0 * eta, state.propellant)
    after = v.without("first").shapes(n_modes=6, levels=3, reference=1.0, error=1e-2)
    part = split(shapes, still, {"upper": after})["upper"]
    before, _ = world(shapes, still)
    now, _ = world(after, part.state)
    rows = [shapes.row(*place) for place in after.stack.places]
    bent = np.abs(shapes.nodes @ eta).max()
    assert np.linalg.norm(now - before[rows], axis=1).max() == pytest.approx(part.jump, abs=1e-9)
    assert part.jump < 1e-4 * size * bent
    assert part.strain[1] == pytest.approx(part.strain[0], rel=1e-4 * size)


def test_free_modes_alone_lose_strain(stressed):
    v, shapes, state = stressed
    upper = v.without("first")
    upper.cut.clear()
    kept = []
    for n in (2, 4, 8):
        part = split(shapes, state, {"upper": upper.shapes(each={1.0: n}, n_modes=4, levels=2)})["upper"]
        kept.append(part.strain[1] / part.strain[0])
    assert kept[0] < kept[1] < kept[2] < 0.95
    assert kept[0] < 0.5


def test_momentum_is_kept_and_energy_is_never_made(stressed):
    v, shapes, state = stressed
    after = v.without("first").shapes(n_modes=6, levels=3, error=1e-2)
    spent = v.without("upper")
    parts = split(shapes, state, {"upper": after, "first": spent})
    for part in parts.values():
        scale = np.abs(part.momentum[0]).max()
        np.testing.assert_allclose(part.momentum[1], part.momentum[0], atol=2e-9 * scale)
        # ½ r'Mr is lost; rotations of nodes stand at their undeformed angle, second order in strain
        assert part.kinetic[1] <= part.kinetic[0] * (1 + 1e-9)
    assert parts["first"].state.eta.size == 0
    assert parts["first"].state.propellant == {"grain": 0.0}
    whole = sum(part.momentum[0][3:] for part in parts.values())
    total = 12e3 + 5e3 + 24e3
    _, speeds = world(shapes, state)
    assert np.linalg.norm(whole) == pytest.approx(total * np.linalg.norm(speeds.mean(axis=0)), rel=0.02)
    assert "momentum changes by" in str(parts["upper"])


def test_the_released_stage_rings_as_its_finite_elements_do(stressed):
    """The upper stage let go, alone, against M ü + K u = 0 of all its coordinates: interface along the axis for 0.1 s.

    With all modes the two are one; with ten modes and six attachment shapes, which ring at their own frequencies, near.
    """
    v, shapes, state = stressed
    small = 1e-3  # linear limit
    at_rest = np.zeros(3), np.array([1.0, 0, 0, 0]), np.zeros(6)
    still = FreeFlightState(*at_rest, small * state.eta, 0 * state.eta, state.propellant)
    upper = v.without("first")
    after = upper.shapes(each={1.0: 10}, n_modes=4, levels=2, reference=1.0)
    upper.cut.clear()
    whole = upper.shapes(each={1.0: 48}, n_modes=4, levels=2, reference=1.0)
    stack = after.stack
    rows = np.array([shapes.row(*place) for place in stack.places])
    u0 = (shapes.nodes @ still.eta).reshape(-1, 6)[rows].ravel()
    fill = stack.propellant({"lox": 20e3, "lh2": 4e3})
    K, M = stack.stiffness(fill).toarray(), stack.mass(fill).toarray()
    values, X = la.eigh(K, M)
    omega = np.sqrt(np.maximum(values, 0.0))
    amplitude = X.T @ M @ np.linalg.lstsq(stack.V.toarray(), u0, rcond=None)[0]
    errors = []
    for chosen, step in ((after, 5e-5), (whole, 2.5e-5)):
        part = split(shapes, still, {"upper": chosen})["upper"]
        log = simulate_free_flight(
            chosen, until=0.1, step=step, start=part.state, every=20, gravity=[0, 0, 0]
        )
        wanted = np.array([(stack.V @ (X @ (np.cos(omega * t) * amplitude)))[0] for t in log.t])
        found = log.node_position("upper", 1)[:, 0] - stack.positions[0, 0]
        errors.append(np.sqrt(np.mean((found - wanted) ** 2)) / np.ptp(wanted))
    assert errors[0] < 0.1
    assert errors[1] < 1e-5  # RK4 of the highest modes


def test_refusals(stressed):
    v, shapes, state = stressed
    assert "a part is not usable" in refused(lambda: split(shapes, state, {"upper": "upper"}))
    upper = v.without("first").shapes(n_modes=3, levels=2, error=0.1)
    part = split(shapes, state, {"upper": upper})["upper"]
    assert "a node that the vehicle does not have" in refused(lambda: split(upper, part.state, {"x": shapes}))


def test_rocket_equation_through_staging():
    """Two burns with a cut between them: Δv = Σ u ln(m0/m1), each stage with its own masses and exhaust."""
    v = launcher()
    v.gravity[:] = 0.0
    whole = v.shapes(n_modes=2, burning=["grain"], levels=3, error=1e-2)
    flow, exhaust = 3000.0, 2600.0
    thrust = [NodalLoad(("first", 1), [1.0, 0.0, 0.0], flow * exhaust, "follower")]
    first = simulate_free_flight(
        whole, until=20.0, step=2e-3, flow={"grain": flow}, loads=thrust, damping=0.02, every=1000
    )
    after = v.without("first").shapes(n_modes=2, levels=3, error=1e-2)
    part = split(whole, first.state(), {"upper": after})["upper"]
    flow2, exhaust2 = 200.0, 4300.0
    thrust = [NodalLoad(("upper", 1), [1.0, 0.0, 0.0], flow2 * exhaust2, "follower")]
    second = simulate_free_flight(
        after,
        until=10.0,
        step=1e-3,
        start=part.state,
        flow={"lox": flow2},
        loads=thrust,
        damping=0.05,
        every=1000,
    )
    dry, upper = 12e3, 5e3 + 20e3 + 4e3
    wanted = exhaust * np.log((dry + upper + 60e3) / (dry + upper))
    wanted += exhaust2 * np.log(upper / (upper - 2e3))
    # what still rings along the axis when the engine stops
    assert second.velocity[-1, 3] == pytest.approx(wanted, rel=1e-4)
    assert second.propellant["lox"][-1] == pytest.approx(18e3)
