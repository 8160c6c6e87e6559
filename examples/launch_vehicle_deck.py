"""Write the NASTRAN deck of Heron, the launch vehicle of the demo, and weigh it.

    python examples/launch_vehicle_deck.py [heron.bdf]

The deck is a shell and beam model of some 3,300 grids with four engines and a payload as lumped bodies. `interstage
demo` takes it through the whole pipeline; `interstage modes heron.bdf` prints its modes.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from interstage import FEModel, read_deck
from interstage.demo import heron
from interstage.demo.heron_deck import write_heron_deck


def main(path: str | Path | None = None) -> float:
    """Write the deck (into a temporary folder unless a path is given), read it again, return its mass in kg."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_heron_deck(path or Path(folder) / "heron.bdf")
        fe = FEModel.from_deck(read_deck(path))
        weight = fe.mass_properties()
    propellant = sum(mass for *_, mass in heron.PROPELLANT)
    engines = len(heron.ENGINES) * heron.ENGINE_MASS
    print(f"{len(fe.grids)} grids, {fe.grids.n_dof} degrees of freedom")
    print(f"mass {weight.mass:.1f} kg")
    print(f"  of it propellant {propellant:.0f}, engines {engines:.0f}, payload {heron.PAYLOAD_MASS:.0f} kg")
    print(f"centre of mass {weight.cg[0]:.3f} m ahead of the gimbals")
    assert 180.0e3 < weight.mass < 181.0e3
    return weight.mass


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
