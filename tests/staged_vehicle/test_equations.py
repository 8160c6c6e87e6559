"""Equations of a vehicle whose mass changes: against the engine, closed forms, and the whole structure with M(t)."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import jv, yv
from vehicle_models import beam_vehicle, first_stage, launcher, refused

from interstage import Stage, StagedVehicle
from interstage.component.integrals import rigid_motion
from interstage.fem import lumped_beam
from interstage.staged_vehicle import NodalLoad, simulate_free_flight
from interstage.staged_vehicle.integrals import damping_matrix
from interstage.staged_vehicle.kernels import body_terms, flow_forces, momentum
from validation.burning_beam import plane_modes
from validation.burning_flight import plane_matrices

kernels = pytest.mark.kernels


@pytest.fixture(scope="module")
def beam():
    return beam_vehicle().shapes(n_modes=6, levels=5)


def terms(shapes, fill, eta, u, order=2):
    n = len(shapes)
    p = shapes.integrals(fill).pack()
    M, b = np.empty((6 + n, 6 + n)), np.empty(6 + n)
    body_terms(n, order, p, eta, u, np.empty((3, 3, n)), np.empty((3, 3, n)), M, b)
    return M, b


def random_state(n, seed=3, size=1e-2):
    rng = np.random.default_rng(seed)
    return size * rng.normal(size=n), np.concatenate([rng.normal(size=6), rng.normal(size=n)])


@kernels
def test_bias_is_what_conserves(beam):
    """Lagrange in quasi-coordinates by complex steps of T alone: b = d/dt(∂T/∂u) at u̇ = 0 less ∂T/∂η, and w x, v x."""
    n, fill = len(beam), 0.3
    eta, u = random_state(n)
    p = beam.integrals(fill).pack().astype(complex)

    def energy(e, s):
        work = [np.empty((3, 3, n), complex), np.empty((3, 3, n), complex), np.empty((6 + n, 6 + n), complex)]
        out, b = np.empty(6 + n, complex), np.empty(6 + n, complex)
        return momentum(n, 2, p, e, s, *work, b, out), out.copy()

    h = 1e-30
    M, b = terms(beam, fill, eta, u)
    _, mom = energy(eta + 1j * h * u[6:], u.astype(complex))
    wanted = mom.imag / h
    l = M @ u
    wanted[:3] += np.cross(u[:3], l[:3]) + np.cross(u[3:6], l[3:6])
    wanted[3:6] += np.cross(u[:3], l[3:6])
    for r in range(n):
        step = np.zeros(n, complex)
        step[r] = 1j * h
        wanted[6 + r] -= energy(eta + step, u.astype(complex))[0].imag / h
    np.testing.assert_allclose(b, wanted, atol=1e-12 * np.abs(wanted).max())
    assert np.linalg.eigvalsh(M)[0] > 0.0


def test_frozen_masses_are_a_body_of_the_engine():
    """Accelerations off the reference fill, of the engine and of these equations, and frequencies of the free body."""
    v = launcher()
    shapes = v.shapes(below_hz=20.0, levels=3)
    fill = {"grain": 20e3, "lox": 12e3}
    mb = v.multibody(shapes, propellant=fill)
    system = mb.compile()
    one = shapes.integrals(fill)
    n = len(shapes)
    eta, u = random_state(n, size=1e-3)
    x = system.state()
    x["launcher"].velocity[:], x["launcher"].eta[:], x["launcher"].etadot[:] = u[:6], eta, u[6:]
    M, b = terms(shapes, shapes.stack.propellant(fill), eta, u)
    full = np.concatenate([b[:6], b[6:] + one.K @ eta])
    wanted = np.linalg.solve(M, M[:, 3:6] @ v.gravity - full)
    found = system.forward_dynamics(x)
    hz = system.modes(system.state()).frequencies_hz
    wanted_hz = v.modes(fill, n_modes=6).frequencies_hz  # the shapes are certified to 1e-3
    np.testing.assert_allclose(hz[hz > 1.0][:6], wanted_hz, rtol=1e-3)
    np.testing.assert_allclose(found, wanted, atol=1e-8 * np.abs(wanted).max())
    assert system.energies(x).kinetic == pytest.approx(0.5 * u @ M @ u, rel=1e-10)


def test_frozen_vehicle_with_a_nozzle_in_a_linear_model():
    """Force at the foot to rate at the nose, against the whole structure with the nozzle's mass on its gimbal node.

    The gimbal is stiff, so that the nozzle is a lump at the node; below the cut-off the shapes are certified to 1e-3.
    """
    from interstage import Multibody, NodeForce, NodeRate, Universal, linearize

    v = launcher()
    v.gravity[:] = 0.0
    shapes = v.shapes(below_hz=40.0, levels=5, attach=[("first", 1)])
    fill = {"grain": 20e3, "lox": 12e3}
    mb = v.multibody(shapes, propellant=fill)
    assert isinstance(mb, Multibody)
    foot, nose = shapes.node_id("first", 1), shapes.node_id("upper", 9)
    assert (foot, nose) == (1_000_001, 2_000_009)
    gimbal = Universal(("y", "z"), stiffness=1e12)
    mb.add_body("nozzle", mass=800.0, inertia=[300.0] * 3, parent="launcher", at=foot, joint=gimbal)
    system = mb.compile()
    lin = linearize(
        system,
        system.state(),
        inputs=[NodeForce("launcher", foot, "y")],
        outputs=[NodeRate("launcher", nose)],
    )
    stack = shapes.stack
    given = stack.propellant(fill)
    nodes = stack.node_mass(given).tolil()
    for k in range(6):
        nodes[k, k] += 800.0 if k < 3 else 300.0
    M, K = stack.V.T @ nodes.tocsr() @ stack.V, stack.stiffness(given)
    b, c = stack.V[1].toarray().ravel(), stack.V[6 * shapes.row("upper", 9) + 5].toarray().ravel()
    f = np.array([0.3, 1.5, 4.1, 9.7])
    found = lin.frequency_response(f)[:, 2, 0]
    for hz, ours in zip(f, found):
        s = 2j * np.pi * hz
        wanted = s * (c @ np.linalg.solve((K + s**2 * M).toarray(), b))
        assert abs(ours - wanted) < 5e-3 * abs(wanted)


def two_masses(mass0: float, mass1: float, k: float) -> tuple[StagedVehicle, np.ndarray]:
    """Two masses on an axial spring and their one stretching mode; m of each falls from mass0 to mass1."""
    K, M, nodes = lumped_beam(1.0, 1, EA=k, GJ=50.0, EI=50.0, mass=[mass1, mass1, mass1, 1.0, 1.0, 1.0])
    stage = Stage("s", K=K, M=M, nodes=nodes)
    burnt = 2 * (mass0 - mass1)
    full = np.diag(np.tile([burnt / 2] * 3 + [0.0] * 3, 2))
    stage.add_tank("p", levels={0.0: 0 * full, burnt: full})
    v = StagedVehicle("two")
    v.add(stage)
    stretch = np.zeros((12, 1))
    stretch[0], stretch[6] = -0.5, 0.5
    return v, stretch


def test_oscillator_that_loses_mass_is_bessels():
    """m ẍ + 2k x = 0 with m = m0 - μt: x = √m Z1(2 √(2k m)/μ), not the Z0 of (mẋ)˙ + 2k x = 0. Error of RK4."""
    m0, m1, k, time = 2.0, 0.5, 30.0, 3.0
    rate = (m0 - m1) / time
    v, stretch = two_masses(m0, m1, k)
    shapes = v.shapes(vectors=stretch, n_modes=1, certify=2)
    scale = 1.0 / (shapes.nodes[6, 0] - shapes.nodes[0, 0])
    log = simulate_free_flight(shapes, until=time, step=1e-3, flow={"p": 2 * rate}, eta=[0.01 * scale])
    x = log.eta[:, 0] / scale

    def z(m):
        s = 2 * np.sqrt(2 * k * m) / rate
        return np.sqrt(m) * np.array([jv(1, s), yv(1, s)])

    def slope(m):
        s = 2 * np.sqrt(2 * k * m) / rate
        return -np.sqrt(2 * k) * np.array([jv(0, s), yv(0, s)])  # d/dt of √m Z1, ṁ = -μ

    c = np.linalg.solve(np.array([z(m0), slope(m0)]), [0.01, 0.0])
    wanted = np.array([c @ z(m0 - rate * t) for t in log.t])
    assert np.abs(x - wanted).max() < 2e-6 * 0.01  # midpoint masses: second order in the step
    # (mẋ)˙ + 2k x = 0 is another oscillator
    wrong = solve_ivp(lambda t, y: [y[1] / (m0 - rate * t), -2 * k * y[0]], (0, time), [0.01, 0.0], rtol=1e-8)
    assert abs(wrong.y[0, -1] - x[-1]) > 0.2 * 0.01


def test_grains_dropped_one_by_one():
    """A mass that falls in 10,000 grains, each leaving with the local velocity, is the same oscillator."""
    m0, m1, k, time, grains = 2.0, 0.5, 30.0, 3.0, 10_000
    x, xd = 0.01, 0.0
    h = time / grains
    for i in range(grains):
        w = np.sqrt(2 * k / (m0 - (m0 - m1) * (i + 0.5) / grains))
        c, s = np.cos(w * h), np.sin(w * h)
        x, xd = c * x + s * xd / w, -s * w * x + c * xd
    v, stretch = two_masses(m0, m1, k)
    shapes = v.shapes(vectors=stretch, n_modes=1, certify=2)
    scale = 1.0 / (shapes.nodes[6, 0] - shapes.nodes[0, 0])
    log = simulate_free_flight(
        shapes, until=time, step=1e-3, flow={"p": 2 * (m0 - m1) / time}, eta=[0.01 * scale], every=3000
    )
    assert log.eta[-1, 0] / scale == pytest.approx(x, abs=2e-6 * 0.01)


def test_rocket_equation():
    """Thrust ṁ u along the axis, no other term of ṁ: Δv = u ln(m0/m1), whatever bends."""
    v = StagedVehicle("solid")
    v.add(first_stage(levels=2))
    shapes = v.shapes(n_modes=2, levels=3)
    flow, exhaust = 1500.0, 2600.0
    log = simulate_free_flight(
        shapes,
        until=40.0,
        step=0.01,
        flow={"grain": flow},
        loads=[NodalLoad(("first", 1), [1, 0, 0], flow * exhaust, "follower")],
        every=1000,
    )
    mass = v.stages["first"].mass + log.propellant["grain"]
    wanted = exhaust * np.log(mass[0] / mass)
    # second order in the step; axial modes hardly ring
    np.testing.assert_allclose(log.velocity[:, 3], wanted, rtol=2e-6, atol=1e-6)
    assert np.abs(log.velocity[:, [0, 1, 2, 4, 5]]).max() < 1e-9


def test_momentum_with_what_was_left_behind(beam):
    """No load: P, H and what departed mass took along stay to the error of RK4, also at 600 along the axis."""
    n = len(beam)
    eta, u = random_state(n, size=1e-3)
    u[:3] *= 0.1
    u[3:6] = [600.0, 1.0, 0.0]
    u[6:] *= 1e-2
    log = simulate_free_flight(
        beam, until=1.0, step=5e-4, flow={"propellant": 4.0}, eta=eta, velocity=u[:6], etadot=u[6:]
    )
    total, start = log.momentum(-1) + log.left_behind, log.momentum(0)
    scale = np.abs(start[:6]).max()
    np.testing.assert_allclose(total[:6], start[:6], atol=1e-10 * scale)
    assert log.propellant["propellant"][-1] == pytest.approx(2.0)


def test_same_answer_at_rest_and_at_600(beam):
    """Galileo at both orders, with mass leaving: the flight as seen by someone who moves along."""
    loads = [NodalLoad(("beam", 1), [0, 1, 0], [(0, 5.0), (0.05, 5.0), (0.05, 0.0), (9, 0.0)])]
    for order in (0, 2):
        slow, fast = (
            simulate_free_flight(
                beam,
                until=1.0,
                step=5e-4,
                flow={"propellant": 4.0},
                loads=loads,
                order=order,
                velocity=[0, 0, 0, speed, 0, 0],
                every=100,
            )
            for speed in (0.0, 600.0)
        )
        scale = np.abs(slow.eta).max()
        np.testing.assert_allclose(fast.eta, slow.eta, atol=1e-8 * scale)
        np.testing.assert_allclose(
            fast.position - slow.position, np.outer(slow.t, [600.0, 0, 0]), atol=1e-8 * 600.0
        )


def test_orders_agree_for_small_motion(beam):
    loads = [NodalLoad(("beam", 1), [0, 1, 0], [(0, 0.5), (0.05, 0.5), (0.05, 0.0), (9, 0.0)])]
    two, zero = (
        simulate_free_flight(
            beam, until=1.0, step=1e-3, flow={"propellant": 4.0}, loads=loads, order=o, every=10
        )
        for o in (2, 0)
    )
    assert np.abs(two.eta - zero.eta).max() < 1e-3 * np.abs(two.eta).max()


def test_small_motion_is_the_whole_structure_with_its_mass_of_time():
    """All coordinates of a plane, M(t) ü + K u = f, no Ṁ, by another integrator: d6 of the complete basis."""
    v = beam_vehicle()
    stack = v.stack()
    shapes = v.shapes(vectors=plane_modes(stack, 10), n_modes=4, certify=3)
    force = 5e-3
    until, burn, end = 2.0, 0.5, 1.5
    loads = [NodalLoad(("beam", 1), [0, 1, 0], [(0, force), (0.1, force), (0.1, 0.0), (9, 0.0)])]
    flow = [(0, 0), (burn, 0), (burn, 6.0), (end, 6.0), (end, 0), (9, 0)]
    logs = [
        simulate_free_flight(shapes, until=until, step=h, loads=loads, flow={"propellant": flow}, every=400)
        for h in (5e-4, 2.5e-4)
    ]

    V, K, empty, full = plane_matrices(stack)
    size = len(K)
    y = np.zeros(2 * size)
    for a, b in ((0.0, 0.1), (0.1, burn), (burn, end), (end, until)):

        def rate(t, y, a=a):
            M = empty + (1.0 - np.clip((t - burn) / (end - burn), 0.0, 1.0)) * (full - empty)
            return np.concatenate([y[size:], np.linalg.solve(M, force * V[1] * (a == 0.0) - K @ y[:size])])

        y = solve_ivp(rate, (a, b), y, method="DOP853", rtol=1e-10, atol=1e-13).y[:, -1]
    nodes = V @ y[:size]
    S = rigid_motion(stack.positions)
    move = np.arange(36).reshape(6, 6)[:, :3].ravel()
    nodes = nodes - S @ np.linalg.lstsq(S[move], nodes[move], rcond=1e-10)[0]
    coarse, fine = (abs(log.deflection("beam", 6)[-1, 1] - nodes[31]) for log in logs)
    assert size == 12
    assert fine < 3e-5 * np.abs(logs[1].deflection("beam", 6)[:, 1]).max()
    assert coarse > 3.5 * fine  # masses at mid-step: second order or better


@kernels
def test_internal_flow_of_a_rigid_motion_is_coriolis(beam):
    """Segments along x of one flow g: forces sum to -2 g ω x Δr."""
    n = len(beam)
    u = np.zeros(6 + n)
    u[:6] = [0.0, 0.2, 0.7, 5.0, 1.0, -2.0]
    Q = np.zeros(6 + n)
    l = beam.stack.positions
    gamma = np.ascontiguousarray(beam.nodes.reshape(6, 6, n)[:, :3])
    segment = np.array([[i, i - 1] for i in range(5, 0, -1)])
    flow_forces(l, gamma, segment, np.full(5, 3.0), np.zeros(n), u, Q)
    np.testing.assert_allclose(Q[3:6], -2 * 3.0 * np.cross(u[:3], l[0] - l[5]), atol=1e-12)


def test_jet_damping_of_a_rigid_body():
    """A stiff column that burns evenly and out of one end turns by J ω̇ = -(J̇ + g r²) ω, J̇ < 0 < g: its rate falls."""
    n, length, dry, wet = 21, 10.0, 50.0, 200.0
    K, M, nodes = lumped_beam(
        length, n - 1, EA=1e9, GJ=1e9, EI=1e9, mass=[dry / n, dry / n, dry / n, 1e-3, 1e-3, 1e-3]
    )
    stage = Stage("s", K=K, M=M, nodes=nodes)
    full = np.diag(np.tile([wet / n] * 3 + [0.0] * 3, n))
    stage.add_tank("p", levels={0.0: 0 * full, wet: full})
    v = StagedVehicle("v")
    v.add(stage)
    shapes = v.shapes(n_modes=1, levels=2, error=1.0)
    flow, time = 40.0, 4.0
    start = np.array([0.0, 0.0, 0.02, 0.0, -0.02 * length / 2, 0.0])
    path = {"p": [("s", i) for i in range(n, 0, -1)]}
    log = simulate_free_flight(
        shapes, until=time, step=1e-3, flow={"p": flow}, path=path, velocity=start, every=1000
    )
    x = np.linspace(-length / 2, length / 2, n)

    def J(t):
        return (dry + wet - flow * t) / n * (x**2).sum() + n * 1e-3

    Jdot = -flow / n * (x**2).sum()
    r = length / 2
    out = solve_ivp(lambda t, w: -(Jdot + flow * r**2) / J(t) * w, (0, time), [0.02], rtol=1e-10, atol=1e-14)
    assert log.velocity[-1, 2] == pytest.approx(out.y[0, -1], rel=2e-3)
    assert log.velocity[-1, 2] < 0.9 * 0.02


@pytest.mark.parametrize("part", [0.0, 0.4, 1.0])
def test_damping_is_that_of_the_modes_at_the_current_mass(beam, part):
    """Poles of the free body: the ratio that was asked for, also as a function of frequency."""
    one = beam.integrals(part)
    ratio = lambda hz: 0.005 if hz < 8.0 else 0.08  # noqa: E731
    C, M, n = damping_matrix(one, ratio), one.effective_mass, len(beam)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, one.K), -np.linalg.solve(M, C)]])
    poles = np.linalg.eigvals(A)
    poles = poles[poles.imag > 0]
    np.testing.assert_allclose(
        -poles.real / np.abs(poles), [ratio(abs(p) / (2 * np.pi)) for p in poles], rtol=1e-6
    )


def test_damped_flight_decays_as_asked(beam):
    """Free vibration of mode 1 at constant mass: amplitude by exp(-ζωt)."""
    shapes, stack = beam, beam.stack
    M = stack.mass(stack.propellant(1.0))
    mode = stack.modes(stack.propellant(1.0), n_modes=2)
    Phi = shapes.q
    eta = np.linalg.lstsq(Phi, mode.shapes[:, 0], rcond=None)[0] * 1e-3
    del M
    log = simulate_free_flight(shapes, until=2.0, step=1e-3, eta=eta, damping=0.02)
    d = log.deflection("beam", 6)
    size = np.linalg.norm(d, axis=1)
    period = round(1.0 / mode.frequencies_hz[0] / 1e-3)
    late = size[2 * period : 3 * period].max() / size[:period].max()
    assert late == pytest.approx(np.exp(-0.02 * 2 * np.pi * 2), rel=0.02)


def test_refusals(beam):
    assert "0 or 2" in refused(lambda: simulate_free_flight(beam, until=1.0, step=0.1, order=1))
    assert "whole number of steps" in refused(lambda: simulate_free_flight(beam, until=1.05, step=0.1))
    assert "did you mean propellant" in refused(
        lambda: simulate_free_flight(beam, until=1.0, step=0.1, flow={"propelant": 1.0})
    )
    assert "a flow is negative" in refused(
        lambda: simulate_free_flight(beam, until=1.0, step=0.1, flow={"propellant": -1.0})
    )
    assert "no node 9" in refused(
        lambda: simulate_free_flight(
            beam, until=1.0, step=0.1, loads=[NodalLoad(("beam", 9), [1, 0, 0], 1.0)]
        )
    )
    bad = NodalLoad(("beam", 1), [1, 0, 0], 1.0, "push")
    assert "kind of a load" in refused(lambda: simulate_free_flight(beam, until=1.0, step=0.1, loads=[bad]))
    falls = NodalLoad(("beam", 1), [1, 0, 0], [(0, 1), (2, 1), (1, 0)])
    assert "never falling" in refused(lambda: simulate_free_flight(beam, until=1.0, step=0.1, loads=[falls]))
    assert "a damping ratio" in refused(lambda: simulate_free_flight(beam, until=1.0, step=0.1, damping=-0.1))


def test_momentum_with_what_flows_to_the_exit():
    """With a path, departed mass has the velocity of the exit: P and H of all that is left and gone stay.

    What flows has Σ g (r_b - r_a) relative to the structure; left behind is ∫ g v_e dt, here by trapezoids of the log.
    """
    K, M, nodes = lumped_beam(
        30.0, 12, EA=4e9, GJ=2e9, EI=6e9, mass=[900.0, 900.0, 900.0, 900.0, 900.0, 900.0]
    )
    stage = Stage("first", K=K, M=M, nodes=nodes)
    points = np.diag(np.tile([60e3 / 13] * 3 + [0.0] * 3, 13))
    stage.add_tank("grain", levels={0.0: 0 * points, 60e3: points})
    v = StagedVehicle("solid")
    v.add(stage)
    shapes = v.shapes(n_modes=2, levels=2, error=1.0)
    n = len(shapes)
    eta, u = random_state(n, size=1e-3)
    u[:3] *= 0.1
    u[6:] *= 1e-2
    flow = 1500.0
    path = {"grain": [("first", i) for i in range(13, 0, -1)]}
    begin = {"eta": eta, "velocity": u[:6], "etadot": u[6:]}
    log = simulate_free_flight(shapes, until=1.0, step=1e-3, flow={"grain": flow}, path=path, **begin)
    start, end = log.momentum(0), log.momentum(-1) + log.left_behind
    np.testing.assert_allclose(end[:6], start[:6], atol=1e-10 * np.abs(start[:6]).max())
    speed = log.node_velocity("first", 1)
    gone = flow * np.trapezoid(speed, log.t, axis=0)
    moment = flow * np.trapezoid(np.cross(log.node_position("first", 1), speed), log.t, axis=0)
    energy = flow * np.trapezoid((speed**2).sum(axis=1) / 2, log.t)
    wanted = np.concatenate([moment, gone, [energy]])
    # the trapezoid of the log and masses at mid-step: both of second order
    np.testing.assert_allclose(log.left_behind, wanted, atol=3e-5 * np.abs(wanted).max())


def test_gravity_of_the_vehicle_acts_unless_another_is_given(beam):
    v = launcher()
    shapes = v.shapes(n_modes=2, levels=2, error=1.0)
    fall = simulate_free_flight(shapes, until=0.5, step=1e-2)
    assert fall.velocity[-1, 3] == pytest.approx(-9.81 * 0.5, rel=1e-9)
    assert np.abs(simulate_free_flight(shapes, until=0.5, step=1e-2, gravity=[0, 0, 0]).velocity).max() == 0.0


def test_log_of_a_flight_is_saved_and_printed_briefly(beam, tmp_path):
    log = simulate_free_flight(
        beam, until="20 ms", step="2 ms", flow={"propellant": 4.0}, etadot=np.full(len(beam), 1e-3)
    )
    assert repr(log) == f"<BurnLog: 11 rows to 0.02 s, {len(beam)} shapes, propellant 6 to 5.92>"
    again = type(log).load(log.save(tmp_path / "log.h5"), beam)
    for name in ("t", "position", "quaternion", "eta", "velocity", "etadot", "flowing", "left_behind"):
        np.testing.assert_array_equal(getattr(again, name), getattr(log, name))
    np.testing.assert_array_equal(again.momentum(3), log.momentum(3))
    other = launcher().shapes(n_modes=2, levels=2, error=1.0)
    assert "has shape" in refused(lambda: type(log).load(tmp_path / "log.h5", other))


def test_flights_that_cannot_be_meant(beam):
    assert "grown without bounds" in refused(
        lambda: simulate_free_flight(beam, until=10.0, step=0.5, etadot=np.ones(len(beam)))
    )
    assert "two places or more" in refused(
        lambda: simulate_free_flight(beam, until=1.0, step=0.1, path={"propellant": []})
    )
    assert "not usable" in refused(lambda: simulate_free_flight(beam, until=np.inf, step=0.1))
    v = StagedVehicle("v")
    stage = first_stage(levels=2)
    stage.add_tank("still", levels={13.0: np.diag(np.tile([1.0] * 3 + [0.0] * 3, 13))})
    v.add(stage)
    shapes = v.shapes(n_modes=2, levels=2, error=1.0)
    assert "one level cannot burn" in refused(
        lambda: simulate_free_flight(shapes, until=1.0, step=0.1, flow={"still": 1.0})
    )


def test_the_rate_of_a_node_is_the_slope_of_velocities_beside_it(beam):
    """Slender bending: ω = (0, -v_z', v_y') along x; by differences over two bars, to some percent of the largest."""
    etadot = np.zeros(len(beam))
    etadot[:2] = 1e-3
    log, stage = simulate_free_flight(beam, until="2 ms", step="2 ms", etadot=etadot), "beam"
    found, wanted = [], []
    for node in (3, 4, 5):
        a, b = (log.node_velocity(stage, k)[0] for k in (node - 1, node + 1))
        dx = (log.node_position(stage, node + 1) - log.node_position(stage, node - 1))[0, 0]
        found.append(log.rate(stage, node)[0, 1:])
        wanted.append([-(b - a)[2] / dx, (b - a)[1] / dx])
    assert np.abs(wanted).max() > 1e-5
    np.testing.assert_allclose(found, wanted, atol=0.1 * np.abs(wanted).max())
