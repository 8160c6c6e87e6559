"""Trim and linear models of assemblies with tanks: masses are frozen at the point, what flows acts."""

from itertools import pairwise

import numpy as np
import pytest
from vehicle_models import beam_vehicle, launcher

import interstage as ist
from interstage import devices as dev
from interstage.staged_vehicle import PipeFlow, PropellantTank

FILL = {
    "grain": 19_800.0,
    "lox": 12e3,
    "lh2": 1e3,
}  # at hundredths of a tank damping is found, and not interpolated
HZ = np.array([0.3, 2.1, 5.0])


@pytest.fixture(scope="module")
def shapes():
    return launcher().shapes(below_hz=12.0, levels=3, attach=[("first", 1, "yz")])


def hung(mb, shapes):
    """Return the launcher of a description with its nozzle on a gimbal."""
    mb.add_body(
        "nozzle",
        mass=800.0,
        com=[-1, 0, 0],
        inertia=[300.0] * 3,
        parent="launcher",
        at=shapes.node_id("first", 1),
        joint=ist.Universal(("y", "z"), stiffness=3e6, damping=1e4),
    )
    return mb.compile()


def ascent(system, shapes):
    """Return an assembly with an engine that burns."""
    flight = ist.Assembly("ascent", vehicle=system)
    flight.add("srm", dev.Engine(body="nozzle", thrust=3e6, flow=1200.0, level=1.0, lag="50 ms"))
    flight.add("gyro", dev.Gyro(at=("launcher", shapes.node_id("upper", 9)), every="10 ms"))
    return flight


@pytest.fixture(scope="module")
def both(shapes):
    """The launcher with a tank that empties, its mass given to the device alone, and one made anew at that fill."""
    v = launcher()
    burning = hung(v.multibody(shapes, damping=0.01), shapes)
    for name in ("lox", "lh2"):
        burning.propellant[name] = FILL[name]
    flight = ascent(burning, shapes).add("grain", PropellantTank(of="grain", mass=FILL["grain"]))
    flight.wire({"srm.mass_flow": "grain.flow"})
    mb = ist.Multibody("anew", gravity=v.gravity)
    mb.add_body("launcher", component=v.component(shapes, FILL), joint=ist.Free(), damping=0.01)
    return flight, ascent(hung(mb, shapes), shapes)


@pytest.mark.filterwarnings("error:the system is switched")  # what the tank of the point holds is no switch
@pytest.mark.parametrize("trimmed", [False, True])
def test_an_assembly_with_a_tank_is_that_of_its_fill(both, trimmed):
    """Trimmed under thrust (1,200 kg/s leave meanwhile) or as described, from throttle to rates and the like."""
    found = []
    for flight in both:
        x = ist.trim(flight) if trimmed else None
        if trimmed:
            assert x["nozzle"].q == pytest.approx([0.0, 0.0], abs=1e-9)
        found.append((x, ist.linearize(flight, x, inputs=["srm.throttle"], outputs=["gyro.rate", "srm.net"])))
    (x, model), (y, anew) = found
    assert len(model.A) == len(anew.A) and "grain.mass" not in model.states
    wanted = anew.frequency_response(HZ)
    np.testing.assert_allclose(model.frequency_response(HZ), wanted, atol=1e-8 * np.abs(wanted).max())
    np.testing.assert_allclose(
        np.sort_complex(model.poles()), np.sort_complex(anew.poles()), atol=1e-6 * np.abs(anew.poles()).max()
    )
    if trimmed:
        assert x.values["grain.mass"] == FILL["grain"]
        end, other = (z["launcher"].position for z in (x, y))
        np.testing.assert_allclose(end, other, atol=1e-9)
        assert x.vdot[3] == pytest.approx(y.vdot[3], rel=1e-9)


def test_what_flows_is_in_linear_models():
    """A of a beam with and without its pipe: the difference is M⁻¹ Σ -g (J_a + J_b)ᵀ (J_b - J_a) of velocities."""
    v = beam_vehicle()
    shapes = v.shapes(n_modes=4, levels=3)
    system = v.multibody(shapes).compile()
    body, n, g = system.bodies[0], system.nv, 4.0
    places = [shapes.node_id("beam", k) for k in range(6, 0, -1)]
    models = []
    for piped in (False, True):
        flight = ist.Assembly("burn", vehicle=system).add(
            "tank", PropellantTank(of="propellant", mass=2.5, flow=g)
        )
        if piped:
            flight.add("pipe", PipeFlow(at=[(body, k) for k in places])).wire({"tank.loss": "pipe.flow"})
        models.append(ist.linearize(flight, None, inputs=[], outputs=[]).A)
    system.propellant["propellant"] = 2.5
    x = system.state()
    J = [system.jacobian(x, body, k)[3:] for k in places]
    Q = -sum(g * (a + b).T @ (b - a) for a, b in pairwise(J))
    wanted = np.linalg.solve(system.mass_matrix(x), Q)
    np.testing.assert_allclose((models[1] - models[0])[n:, n:], wanted, atol=1e-10 * np.abs(wanted).max())
