"""A large space telescope: its state-space model in the file of the NESC report, App. G.

A telescope of our own with the mass properties of Table G1 and 206 elastic modes below 15 Hz is processed as one body;
four wheels of 20 kg m² about the printed axes, sixteen thrusters along the printed vectors, an IMU and the boresight
node make the 432 states, 44 inputs and 10 outputs of the report's delivery file, for three damping ratios. A rotor's
mass and transverse inertia are in the structure, its body holds the spin alone (exact for a rotor with an axis of
symmetry).

Undamped frequencies of the linear model are compared with `normal_modes` of the deck (the report's differences, about
1e-5 Hz, are those of its finite differences), and responses with the sum over the deck's modes,
Σ λ_r φ_r s/(s² + 2ζω_r s + ω_r²), rigid ones included.

    python -m validation observatory
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from validation import observatory_fe as fe
from validation.study import ROUNDS, Row, Study

DAMPING = (0.0025, 0.005, 0.01)
FREQUENCIES = np.logspace(-3.0, np.log10(30.0), 1000)
TOLERANCE_HZ = 1e-9
TOLERANCE_DB = 1e-6
STATES, INPUTS, OUTPUTS = 432, 44, 10


def component(n_modes: int = fe.FLEXIBLE):
    """Return the telescope as a component: free modes about the boresight node."""
    from interstage import Component
    from interstage.nastran import deck_from_text

    deck = deck_from_text(fe.observatory_deck())
    return Component.from_deck(
        deck, n_modes=n_modes, aset={}, grdpnt=fe.BORESIGHT, modal_integrals=False, name="telescope"
    )


def observatory(record, damping: float):
    """Return the compiled telescope with its four wheels, `rw1` to `rw4`, each turning about its z axis."""
    from interstage.multibody import Free, Multibody, Revolute

    mb = Multibody("observatory")
    mb.add_body("bus", component=record, joint=Free(), damping=damping)
    for k, (node, axis) in enumerate(zip(fe.WHEELS, fe.WHEEL_AXES)):
        # check=False: no body has spin inertia alone; mass and transverse inertia of the rotor are in the structure
        spin = {"mass": 0.0, "inertia": fe.SPIN_INERTIA * np.outer(axis, axis)}
        mb.add_body(f"rw{k + 1}", **spin, parent="bus", at=node, joint=Revolute(axis), check=False)
    return mb.compile()


def linear_model(system):
    """Return the linear model with inputs and outputs named as in the delivery file."""
    from interstage.linear import JointForce, JointRate, NodeForce, NodeRate, NodeTorque, linearize

    inputs = []
    for k, node in enumerate(fe.WHEELS):
        inputs += [
            NodeForce("bus", node, name=f"rw{k + 1}_dist_force"),
            NodeTorque("bus", node, name=f"rw{k + 1}_dist_torque"),
            JointForce(f"rw{k + 1}", name=f"rw{k + 1}_motor_torque"),
        ]
    units = thruster_units()
    inputs += [
        NodeForce("bus", fe.THRUSTER_NODES[k // 2], unit, name=f"thruster_{k + 1}")
        for k, unit in enumerate(units)
    ]
    outputs = [JointRate(f"rw{k + 1}", name=f"rw{k + 1}_rate") for k in range(4)]
    outputs += [
        NodeRate("bus", fe.BORESIGHT, name="sn125_boresight_angRates"),
        NodeRate("bus", fe.IMU, name="sn130010_imu_angRates"),
    ]
    lin = linearize(system, system.state(), inputs=inputs, outputs=outputs, reference=("bus", fe.BORESIGHT))
    lin.input_index = {k: v for k, v in lin.input_index.items() if not k.startswith("thruster_")}
    lin.input_index["thruster_force"] = np.arange(28, 44)
    lin.extras["reaction_wheel_unit_vectors"] = {str(k + 1): axis for k, axis in enumerate(fe.WHEEL_AXES)}
    lin.extras["thruster_unit_vectors"] = {str(k + 1): unit for k, unit in enumerate(units)}
    return lin


@dataclass
class Superposition:
    """Modes of the deck, rigid ones first: frequencies (n,), shapes (N, 6, n) by grid, unit modal mass."""

    hz: np.ndarray
    shapes: np.ndarray
    ids: np.ndarray

    def at(self, node: int) -> np.ndarray:
        """Return the six rows of a grid (6, n)."""
        return self.shapes[np.searchsorted(self.ids, node)]

    def rate(self, load_at: int, wrench: np.ndarray, rate_at: int, damping: float, f_hz) -> np.ndarray:
        """Return the response (3, nf) of the angular rate of a grid to a load [f; t] (6,) at another."""
        s = 2j * np.pi * np.asarray(f_hz)[:, None]
        n = self.shapes.shape[2]
        w = 2.0 * np.pi * np.where(np.arange(n) < 6, 0.0, self.hz[:n])
        gain = (wrench @ self.at(load_at)) * s / (s**2 + 2.0 * damping * w * s + w**2)
        return self.at(rate_at)[3:] @ gain.T


def loads() -> list[tuple[int, np.ndarray]]:
    """Return grid and load [f; t] of each of the 44 inputs; a motor pushes the structure back."""
    out = []
    for node, axis in zip(fe.WHEELS, fe.WHEEL_AXES):
        out += [(node, row) for row in np.eye(6)] + [(node, np.concatenate([np.zeros(3), -axis]))]
    for k, unit in enumerate(thruster_units()):
        out.append((fe.THRUSTER_NODES[k // 2], np.concatenate([unit, np.zeros(3)])))
    return out


def thruster_units() -> np.ndarray:
    """Return the printed thruster vectors as unit vectors (16, 3)."""
    return fe.THRUSTERS / np.linalg.norm(fe.THRUSTERS, axis=1)[:, None]


def deck_modes() -> Superposition:
    """Return the modes of the deck by `normal_modes`."""
    from interstage import FEModel, normal_modes
    from interstage.nastran import deck_from_text

    model = FEModel.from_deck(deck_from_text(fe.observatory_deck()))
    modes = normal_modes(model, n_modes=6 + fe.FLEXIBLE + 1)
    kept = 6 + fe.FLEXIBLE
    shapes = np.asarray(modes.shapes)[:, :kept].reshape(-1, 6, kept)
    return Superposition(modes.frequencies_hz, shapes, np.asarray(model.grids.id))


@dataclass
class Outcome:
    """Everything the rows and pictures need."""

    modes: Superposition
    linear_hz: np.ndarray
    models: dict[float, object] = field(default_factory=dict)
    responses: dict[float, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    every: dict[float, float] = field(default_factory=dict)


def run(dampings=DAMPING) -> Outcome:
    """Compute modes, linear models and responses of thruster 1 to the boresight's rates."""
    modes, record = deck_modes(), component()
    undamped = linear_model(observatory(record, 0.0))
    n = undamped.n_states // 2
    # at rest and undamped A = [0 1; -M⁻¹K 0] but for the kinematics of attitude, which are 1 as well
    values = np.linalg.eigvals(-undamped.A[n:, :n])
    hz = np.sort(np.sqrt(np.abs(values))) / (2.0 * np.pi)
    out = Outcome(modes, hz)
    for damping in dampings:
        system = observatory(record, damping)
        lin = linear_model(system)
        H = lin.frequency_response(FREQUENCIES)
        sums = [
            np.vstack(
                [modes.rate(node, wrench, place, damping, FREQUENCIES) for place in (fe.BORESIGHT, fe.IMU)]
            )
            for node, wrench in loads()
        ]
        theirs = np.stack(sums, axis=-1).transpose(1, 0, 2)  # (nf, 6, 44)
        ours = H[:, 4:]
        off = np.abs(ours - theirs).max(axis=0) / np.abs(theirs[FREQUENCIES > 0.1]).max(axis=0)
        out.models[damping], out.every[damping] = lin, float(off.max())
        one = lin.inputs.index("thruster_1")
        out.responses[damping] = ours[:, :3, one].T, theirs[:, :3, one].T
    return out


def file_round_trip(lin) -> tuple[float, list[str]]:
    """Write the delivery file, read it back; return the largest change of A, B, C, D and the groups in the file."""
    import h5py

    from interstage.linear import LinearModel

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "observatory_linear_0p0025.h5"
        lin.save(path)
        back = LinearModel.load(path)
        with h5py.File(path) as file:
            groups = sorted(file)
    change = max(float(np.abs(getattr(lin, k) - getattr(back, k)).max()) for k in "ABCD")
    return change, groups


G4_GROUPS = ("A", "B", "C", "D", "grid_positions", "input_index", "output_index", "reaction_wheel_unit_vectors",
             "rigid_body_mass_properties", "state_index", "thruster_unit_vectors")  # fmt: skip


def study() -> Study:
    """Compare frequencies, responses, mass properties and the file."""
    about = __doc__.split("\n\n", 1)[1].rsplit("\n\n", 1)[0].strip()
    out = Study("observatory", "Space telescope with wheels and thrusters", about)
    found = run()
    _rows(out, found)
    out.pictures["observatory.png"] = lambda path: draw(found).savefig(path, dpi=120)
    return out


def _rows(out: Study, found: Outcome) -> None:
    lin, hz = found.models[DAMPING[0]], found.modes.hz
    below = int((hz < fe.CUTOFF_HZ).sum())
    out.rows.append(
        Row("deck", "modes below 15 Hz, rigid ones included", "212", f"{below}", abs(below - 212), 0.0)
    )
    size = (lin.n_states, len(lin.inputs), len(lin.outputs))
    error = float(np.abs(np.subtract(size, (STATES, INPUTS, OUTPUTS))).sum())
    out.rows.append(
        Row("linear model", "states, inputs, outputs", "432, 44, 10", ", ".join(map(str, size)), error, 0.0)
    )
    properties = lin.mass_properties
    for key, want in (("mass", fe.MASS), ("cmoffset", fe.COM), ("inertia", fe.INERTIA)):
        have = np.asarray(properties[key])
        # wheels turn freely, but their spin inertia is in the sum
        spin = (
            fe.SPIN_INERTIA * np.einsum("ki,kj->ij", fe.WHEEL_AXES, fe.WHEEL_AXES)
            if key == "inertia"
            else 0.0
        )
        error = float(np.abs(have - spin - want).max() / np.abs(want).max())
        note = "Table G1; spin inertia of the wheels taken off" if key == "inertia" else "Table G1"
        text = (f"{want}", f"{float(have):.6f}") if key == "mass" else ("", "")
        out.rows.append(Row("file", f"{key}, relative", *text, error, 1e-12, note, ROUNDS, True))
    elastic = found.linear_hz[-fe.FLEXIBLE :]
    error = float(np.abs(elastic - hz[6 : 6 + fe.FLEXIBLE]).max())
    out.rows.append(
        Row("undamped", "206 frequencies, Hz", _some(hz[6 : 6 + fe.FLEXIBLE]), _some(elastic), error, TOLERANCE_HZ,
            "paper: truncation of its differences",
            "modes of the deck go in and poles come out: shows that file, body, wheels and linearization lose nothing "
            "on the way, and nothing about the modes themselves (which two_beams and nastran_reference hold)")
    )  # fmt: skip
    for damping, (ours, theirs) in found.responses.items():
        d = np.abs(20.0 * np.log10(np.abs(ours) / np.abs(theirs)))
        k = int(np.argmax(np.abs(theirs[0])))
        peak = [f"{20 * np.log10(np.abs(h[0, k])):.6f}" for h in (theirs, ours)]
        out.rows.append(
            Row(f"damping {damping}", "thruster 1 to boresight rates, dB", *peak, float(d.max()), TOLERANCE_DB,
                "1000 frequencies, 0.001 to 30 Hz")
        )  # fmt: skip
        out.rows.append(
            Row(f"damping {damping}", "44 inputs to six rates, relative to the largest peak", "", "",
                found.every[damping], 1e-6, "motor torques too")
        )  # fmt: skip
        poles = np.asarray(found.models[damping].poles())
        ratio = -poles.real[poles.imag > 0.1] / np.abs(poles[poles.imag > 0.1])
        out.rows.append(
            Row(f"damping {damping}", "damping ratios of all poles", f"{damping}",
                f"{ratio.min():.9f} to {ratio.max():.9f}", float(np.abs(ratio - damping).max()), 1e-11, "",
                ROUNDS, True)
        )  # fmt: skip
    change, groups = file_round_trip(lin)
    missing = [name for name in G4_GROUPS if name not in groups]
    out.rows.append(Row("file", "A, B, C, D after writing and reading", "", "", change, 0.0))
    out.rows.append(
        Row("file", "groups of G.4", f"{len(G4_GROUPS)}", f"{len(G4_GROUPS) - len(missing)}", float(len(missing)), 0.0,
            ", ".join(missing))
    )  # fmt: skip


def _some(values: np.ndarray) -> str:
    return f"{values[0]:.9f}, {values[1]:.9f} ... {values[-1]:.9f}"


def draw(found: Outcome):
    """Draw frequencies, their differences, and force to rate for three damping ratios."""
    from interstage.report.plots import BLUE, COLORS, GREY, decibels, dress, new_figure

    figure = new_figure(14.0, 8.5)
    grid = figure.add_gridspec(2, 2)
    top, error, right, off = (figure.add_subplot(g) for g in (grid[0, 0], grid[1, 0], grid[0, 1], grid[1, 1]))
    hz = found.modes.hz[6 : 6 + fe.FLEXIBLE]
    number = np.arange(7, 7 + fe.FLEXIBLE)
    top.plot(number, hz, ".", color=BLUE, ms=4)
    top.axhline(fe.CUTOFF_HZ, color=GREY, ls="--", lw=1)
    dress(top, "mode", "frequency, Hz", "Modes of the deck below 15 Hz (Figure G.2.2)")
    difference = np.abs(found.linear_hz[-fe.FLEXIBLE :] - hz)
    error.semilogy(number, np.maximum(difference, 1e-16), ".", color=BLUE, ms=4)
    error.axhline(TOLERANCE_HZ, color=GREY, ls="--", lw=1)
    dress(error, "mode", "difference, Hz", "Undamped frequencies: linear model less deck (Figure G.4.1)")
    for k, (damping, (ours, theirs)) in enumerate(found.responses.items()):
        right.loglog(FREQUENCIES, np.abs(ours[0]), color=COLORS[k], lw=1, label=f"damping {damping}")
        d = np.maximum(np.abs(decibels(ours) - decibels(theirs)).max(axis=0), 1e-14)
        off.loglog(FREQUENCIES, d, color=COLORS[k], lw=0.8, label=f"damping {damping}")
    off.axhline(TOLERANCE_DB, color=GREY, ls="--", lw=1)
    dress(
        right,
        "frequency, Hz",
        "rad/s per N",
        "Force of thruster 1 to pitch rate at the boresight node (Figure 7.4.1)",
        True,
    )
    dress(
        off,
        "frequency, Hz",
        "difference, dB",
        "Linear model less sum over the deck's modes, largest of three rates",
        True,
    )
    return figure
