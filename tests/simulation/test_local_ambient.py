"""What surrounds a device is what surrounds its own vehicle: several vehicles under one Earth, parts that fly apart."""

import numpy as np
import pytest

import interstage as ist
from interstage import devices as dev

RADIUS, MU = 6378137.0, 3.986004418e14
SUN = [1.5e11, 0.0, 0.0]
# U.S. Standard Atmosphere 1976, table 4: density at geometric altitudes
DENSITY = {60e3: 3.0968e-4, 80e3: 1.8458e-5}


def craft(name, alone=False):
    mb = ist.Multibody(name)
    mb.add_body("bus", mass=100.0, inertia=[10, 10, 10], joint=ist.Free())
    made = ist.Assembly(name, vehicle=mb.compile())
    plates = {"normals": np.eye(3), "areas": [1.0, 1.0, 1.0], "both": 1.0}
    made.add("drag", dev.FreeMolecularDrag(at="bus", **plates))
    made.add("sail", dev.SolarRadiationPressure(at="bus", sun=SUN, **plates))
    return around(made) if alone else made


def around(made):
    return made.add("earth", dev.Earth(gravity="central")).add("air", dev.Atmosphere("US76"))


def pair(first, second):
    """Two spacecraft under one Earth, at heights over the equator, on circular orbits."""
    flight = around(ist.Assembly("pair")).add("a", craft("a")).add("b", craft("b"))
    x = flight.state()
    for name, height in (("a", first), ("b", second)):
        fly(x[f"{name}.bus"], height)
    return flight, x


def fly(one, height):
    one.position[:] = [RADIUS + height, 0.0, 0.0]
    one.velocity[3:] = [0.0, np.sqrt(MU / (RADIUS + height)), 0.0]


def test_each_vehicle_is_in_its_own_air():
    """Densities of the published table (four figures), whichever vehicle comes first."""
    flight, x = pair(60e3, 80e3)
    log = ist.simulate(flight, x, until=0.01, step="10 ms")
    assert log["a.drag.density"][0] == pytest.approx(DENSITY[60e3], rel=1e-3)
    assert log["b.drag.density"][0] == pytest.approx(DENSITY[80e3], rel=1e-3)
    # outputs of the Earth itself are those of its own place, the first body
    assert log["earth.altitude"][0] == pytest.approx(60e3)


def test_two_vehicles_fly_as_they_do_alone():
    """Drag, wind of the turning Earth, gravity: each as in a flight of its own, to rounding."""
    flight, x = pair(60e3, 80e3)
    both = ist.simulate(flight, x, until=2.0, step="50 ms", method="rk4")
    for name, height in (("a", 60e3), ("b", 80e3)):
        one = craft(name, alone=True)
        y = one.vehicle.state()
        fly(y["bus"], height)
        log = ist.simulate(one, y, until=2.0, step="50 ms", method="rk4")
        there = both[f"{name}.bus"]
        np.testing.assert_allclose(there.position[-1], log["bus"].position[-1], rtol=1e-13)
        np.testing.assert_allclose(there.velocity[-1], log["bus"].velocity[-1], rtol=1e-12, atol=1e-12)


def test_each_vehicle_has_its_own_shadow():
    """One between Earth and sun, the other behind the Earth."""
    flight, x = pair(600e3, 600e3)
    x["b.bus"].position[:] = [-7e6, 0.0, 0.0]
    log = ist.simulate(flight, x, until=0.01, step="10 ms")
    assert (log["a.sail.lit"][0], log["b.sail.lit"][0]) == (1.0, 0.0)
    assert np.linalg.norm(log["b.sail.force"][0]) == 0.0 < np.linalg.norm(log["a.sail.force"][0])


def test_parameters_and_wires_reach_every_vehicle():
    """What is set for the one atmosphere holds around both vehicles; a wire that is drawn stays as it is drawn."""
    flight, x = pair(60e3, 80e3)
    gust = [0.0, 30.0, 0.0]
    still, blown = (
        ist.simulate(flight, x, until=0.01, step="10 ms", set=given)
        for given in ({}, {"air.gust": gust, "air.turbulence": [0.0, 0.0, 0.0]})
    )
    for name in "ab":
        np.testing.assert_allclose(
            blown[f"{name}.drag.air"][0] - still[f"{name}.drag.air"][0], gust, atol=1e-9
        )
    flight, x = pair(60e3, 80e3)
    flight.wire({"air.density": "b.drag.density"})
    log = ist.simulate(flight, x, until=0.01, step="10 ms")
    assert log["b.drag.density"][0] == log["a.drag.density"][0]


def test_what_flies_apart_is_in_its_own_air(tmp_path):
    """A pod 20 km above its carrier: with it in the air of the carrier, once it has left in its own; also resumed."""

    def made():
        mb = ist.Multibody("stack")
        mb.add_body("core", mass=1e6, inertia=[1e9, 1e9, 1e9], joint=ist.Free())
        mb.add_body("pod", mass=10.0, inertia=[1, 1, 1], parent="core", at=[20e3, 0, 0], joint=ist.Locked())
        mb.add_body("nozzle", mass=1.0, inertia=[1, 1, 1], parent="pod", at=[0, 0, 0], joint=ist.Locked())
        flight = around(ist.Assembly("stack", vehicle=mb.compile()))
        flight.add("drag", dev.FreeMolecularDrag(at="pod", normals=[[1, 0, 0]], areas=[1e-3]))
        flight.add("retro", dev.Engine(body="nozzle", thrust=1.0, exit_area=0.1, level=1.0))
        x = flight.vehicle.state()
        fly(x["core"], 60e3)
        x["core"].velocity[:] = 0.0
        return flight, x, [ist.Event(at=0.05, action=ist.Detach("pod"))]

    flight, x, events = made()
    given = {"step": "10 ms", "log": tmp_path / "a.h5", "checkpoint": "0.06 s"}
    log = ist.simulate(flight, x, until=0.1, events=events, **given)
    assert log["drag.density"][0] == pytest.approx(DENSITY[60e3], rel=1e-3)
    assert log["drag.density"][-1] == pytest.approx(DENSITY[80e3], rel=1e-3)
    # p = ρ R T/M of the table: 198.64 K at 80 km
    assert log["retro.pressure"][-1] == pytest.approx(DENSITY[80e3] * 8314.32 / 28.9644 * 198.64, rel=2e-3)
    flight, _, events = made()
    resumed = ist.resume(tmp_path / "a.ckpt.h5", flight, until=0.1, events=events)
    np.testing.assert_array_equal(resumed["drag.density"], log["drag.density"])


def test_linear_models_of_two_vehicles():
    """∂ρ/∂h of each, by its own scale height: a complex step through what surrounds it against two runs."""
    flight, x = pair(60e3, 80e3)
    lin = ist.linearize(flight, x, inputs=[], outputs=["a.drag.density", "b.drag.density"])
    for row, height in enumerate((60e3, 80e3)):
        low, high = (
            ist.simulate(
                *pair(*([60e3, 80e3][:row] + [h] + [60e3, 80e3][row + 1 :])), until=0.01, step="10 ms"
            )
            for h in (height - 50.0, height + 50.0)
        )
        name = "ab"[row]
        slope = (high[f"{name}.drag.density"][0] - low[f"{name}.drag.density"][0]) / 100.0
        assert np.abs(lin.C[row] - slope).min() <= 1e-4 * abs(slope)
        other = np.delete(lin.C, row, axis=0)[0]
        assert np.abs(other[np.abs(lin.C[row]) > 0.5 * abs(slope)]).max() <= 1e-9 * abs(slope)
