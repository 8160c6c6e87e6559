"""Write one small file of every kind, and what must be read from it: `python tests/migration/write_files.py`.

A release adds `interstage-VERSION.zip` beside this script. Archives of older releases stay as they are, for ever.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scipy.stats import norm

import interstage as ist
from interstage import devices as dev

HERE = Path(__file__).parent
ANSWERS = "answers.json"


def _square(row: Mapping[str, float]) -> dict[str, float]:
    return {"y": row["a"] ** 2}


def write_all(folder: Path) -> dict[str, list[float]]:
    """Write the files into a folder, and return numbers that each must give back."""
    nodes = {k: (float(k), 0.5 * k, 0.0) for k in (1, 2, 3, 4)}
    stiffness = np.diag(np.arange(1.0, 25.0)) + 0.1
    component = ist.Component.from_matrices(
        stiffness, np.eye(24) + 0.01, nodes, n_modes=5, aset={1: 123456}, name="panel"
    )
    component.save(folder / "component.h5")

    linear = ist.LinearModel(
        [[0, 1], [-4.0, -0.4]],
        [[0], [1]],
        [[1, 0]],
        [[0.25]],
        states=["angle", "rate"],
        inputs=["torque"],
        outputs=["seen"],
        name="loop",
    )
    for kind in ("h5", "mat", "npz"):
        linear.save(folder / f"linear.{kind}")

    mb = ist.Multibody("pendulum", gravity=[0, 0, -9.81])
    mb.add_body("arm", mass=2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01], joint=ist.Revolute("y"))
    mb.add_body("panel", component=component, node=1, parent="arm", at=[0, 0, -1.0], damping=0.01)
    mb.save(folder / "multibody.h5")

    plain = ist.Multibody("arm", gravity=[0, 0, -9.81])
    plain.add_body("arm", mass=2.0, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01], joint=ist.Revolute("y"))
    system = plain.compile()
    log = ist.simulate(system, system.state([0.3]), 0.05, 0.01)
    log.save(folder / "log.h5", {"height": (np.cos(log["arm"].q[:, 0]), "m")})

    flight = ist.Assembly("hold", vehicle=system)
    flight.add("encoder", dev.Encoder(joint="arm", every="10 ms"))
    flown = ist.simulate(
        flight, system.state([0.3]), until=0.05, step="5 ms", log=folder / "flight.h5", checkpoint="20 ms"
    )

    study = ist.monte_carlo(
        _square,
        dispersions={"a": norm(1.0, 0.1)},
        runs=4,
        seed=1,
        folder=folder / "study",
        workers=0,
        progress=False,
    )
    (folder / "study" / "summary.h5").rename(folder / "study.h5")
    shutil.rmtree(folder / "study")
    bus = ist.MassBody("bus", mass=100.0, position=[0, 0, 1], inertia=[40, 40, 20])
    ist.MassBody("box", mass=5.0, inertia=[1, 1, 1]).attach_to(bus, offset=[0, 0, 2])
    bus.save(folder / "mass.json")
    return {
        "component.h5": component.frequencies_hz.tolist(),
        "linear.h5": linear.A.ravel().tolist(),
        "linear.mat": linear.A.ravel().tolist(),
        "linear.npz": linear.A.ravel().tolist(),
        "multibody.h5": [mb.compile().mass_matrix(mb.compile().state()).trace()],
        "log.h5": log.q[:, 0].tolist(),
        "flight.h5": flown["arm"].q[:, 0].tolist(),
        "study.h5": study["y"].tolist(),
        "mass.json": bus.composite.inertia.ravel().tolist(),
    }


def numbers_of(path: Path) -> list[float]:
    """Return the same numbers as a file gives them back today."""
    found = ist.load(path)
    if isinstance(found, ist.Component):
        return found.frequencies_hz.tolist()
    if isinstance(found, ist.LinearModel):
        return found.A.ravel().tolist()
    if isinstance(found, ist.Multibody):
        system = found.compile()
        return [system.mass_matrix(system.state()).trace()]
    if isinstance(found, ist.MassBody):
        return found.composite.inertia.ravel().tolist()
    if path.name == "study.h5":
        return found["y"].tolist()
    if path.name == "flight.ckpt.h5":
        return [found.t]
    return found["arm"].q[:, 0].tolist()


def main() -> None:
    target = HERE / f"interstage-{ist.__version__}.zip"
    if target.exists():
        sys.exit(f"{target.name} is there; files of a release are written once")
    with (
        tempfile.TemporaryDirectory() as place,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out,
    ):
        folder = Path(place)
        answers = write_all(folder)
        answers["flight.ckpt.h5"] = numbers_of(folder / "flight.ckpt.h5")
        for path in sorted(folder.iterdir()):
            out.write(path, path.name)
        out.writestr(ANSWERS, json.dumps(answers))
    print(target, target.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
