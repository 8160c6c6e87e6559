"""Ambient ports that wire themselves, several places in one device, devices that come along or take from a vehicle."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError


class Air(ist.Device):
    """rho = rho0 exp(-t)."""

    rho0 = ist.Parameter("kg/m^3", 1.2)
    density = ist.Out("kg/m^3", ambient="air density")

    def outputs(d, t):
        d.density = d.rho0 * np.exp(-t)


class Drag(ist.Device):
    """F = -rho k v at every place."""

    at = ist.Sites()
    k = ist.Parameter("m^3/s", 2.0)
    rho = ist.In("kg/m^3", ambient="air density", default=0.0)
    velocity = at.velocity("world")
    force = at.force("world")

    def outputs(d, t):
        for i in range(len(d.force)):
            for j in range(3):
                d.force[i, j] = -d.rho * d.k * d.velocity[i, j]


class Gusty(Air):
    """Air that brings another device along."""

    @property
    def companions(self):
        return {"mate": Air(rho0=2.0)}


@pytest.fixture(scope="module")
def vehicle():
    mb = ist.Multibody("bus")
    mb.add_body("bus", mass=4.0, inertia=[1, 2, 3], joint=ist.Free())
    mb.add_body("arm", mass=2.0, com=[1, 0, 0], inertia=[1, 1, 1], parent="bus", joint=ist.Revolute("z"))
    return mb.compile()


def test_ambient_ports_need_no_wires(vehicle):
    made = (
        ist.Assembly("x", vehicle=vehicle).add("air", Air()).add("drag", Drag(at=["bus", ("arm", [1, 0, 0])]))
    )
    assert "rho kg/m^3 ← air.density" in str(made)
    x = vehicle.state()
    x["bus"].velocity[3:] = [3.0, 0.0, 0.0]
    log = ist.simulate(made, x, until=1, step="10 ms", keep=["drag.force", "drag.rho"])
    assert log["drag.rho"] == pytest.approx(1.2 * np.exp(-log.t), rel=1e-12)
    # m v̇ = -2 places · 2 ρ v: the whole moves as one, symmetric forces do not turn it
    assert log["drag.force"].reshape(-1, 2, 3)[0] == pytest.approx(np.array([[-7.2, 0, 0]] * 2))


def test_values_and_wires_win_over_surroundings(vehicle):
    made = ist.Assembly("x", vehicle=vehicle).add("air", Air()).add("drag", Drag(at=["bus"], rho=0.5))
    made.add("other", Air(rho0=7.0)).add("wired", Drag(at=["bus"])).wire({"other.density": "wired.rho"})
    log = ist.simulate(made, vehicle.state(), until=0.01, step="10 ms", keep=["*.rho"])
    assert log["drag.rho"][0] == 0.5 and log["wired.rho"][0] == 7.0


def test_two_devices_that_say_the_same_are_a_question(vehicle):
    made = ist.Assembly("x", vehicle=vehicle).add("a", Air()).add("b", Air()).add("drag", Drag(at=["bus"]))
    with pytest.raises(InputError, match=r"'drag.rho' is air density, and several devices say it"):
        ist.simulate(made, vehicle.state(), until=1, step=1)


def test_a_device_may_bring_another():
    made = ist.Assembly("x").add("air", Gusty())
    assert [part.path for part in made.parts()] == ["air", "air_mate"]


@pytest.mark.parametrize("given", ["bus", [], None])
def test_several_places_are_a_list(given):
    with pytest.raises(InputError, match="Drag needs a list of places for at="):
        Drag(at=given)
