"""The report of the demo, section by section."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from interstage.demo import flight as flights
from interstage.demo import heron, words
from interstage.demo.compose_ascent import add_ascent
from interstage.demo.pipeline import DemoResult
from interstage.demo.shapes import fe_motions, heron_geometry, mode_names, vehicle_motions
from interstage.demo.vehicle import CORE, MODAL_DAMPING
from interstage.report.document import Report, versions
from interstage.report.drawings import mac_matrix, mac_svg, poles_svg
from interstage.report.figures import Curve, Panel, bode_figure, lines_figure
from interstage.report.scene import Scene, SceneMode
from interstage.report.sources import HINT, POLES_SENTENCE
from interstage.report.vehicles import grouped, inertia_rows, vehicle_tree


def demo_report(made: DemoResult, count: int) -> Callable[[], Report]:
    """Prepare the report on `count` elastic modes; calling what is returned adds wall times and finishes it."""
    report = Report(
        "Heron launch vehicle",
        words.LEAD,
        "Interstage demo",
    )
    modes = _modes(report, made, count)
    _vehicle(report, made)
    _control(report, made)
    _flight(report, made)
    add_ascent(report, made)
    worst = float(np.abs(made.frequency_errors(count)).max())

    def finish() -> Report:
        _facts(report, made, modes, worst, count)
        _about(report, made)
        return report

    return finish


def _facts(report: Report, made: DemoResult, hz: np.ndarray, worst: float, count: int) -> None:
    report.fact(
        "Finite elements", grouped(len(made.fe.grids)), "grids", f"{grouped(made.fe.grids.n_dof)} unknowns"
    )
    report.fact("Mass", f"{made.weight.mass / 1e3:.1f}", "t", "tanks part full")
    report.fact("First bending", f"{hz[0]:.3f}", "Hz", "engines locked")
    report.fact("Frequency error", f"{100 * worst:.2g}", "%", f"worst of {count}, against FE")
    report.fact("Linear model", f"{made.lin.n_states}", "states", f"{made.system.nv} degrees of freedom")
    report.fact("Wall time", f"{made.wall_s:.0f}", "s", "deck to report")


def _modes(report: Report, made: DemoResult, count: int) -> np.ndarray:
    """Add shapes, table and MAC; return the elastic frequencies."""
    pick = slice(6, 6 + count)
    hz, fe_hz = made.locked_modes.frequencies_hz[pick], made.fe_modes.frequencies_hz[pick]
    geometry = heron_geometry(made.fe)
    ours = vehicle_motions(made.locked, made.locked_modes.shapes[:, pick], CORE)
    theirs = fe_motions(made.fe, made.fe_modes)[:, :, pick]
    mass = made.fe.M_gg.diagonal()[made.fe.grids.dof]
    names = mode_names(geometry, ours, mass)
    mac = mac_matrix(_flat(ours), _flat(theirs), np.repeat(mass, 3))
    section = report.section(
        "modes",
        "Modes",
        words.MODES,
    )
    shapes = [
        SceneMode(f"{f:.3f} Hz", geometry.displacement(ours[:, :, i]), names[i]) for i, f in enumerate(hz)
    ]
    section.figure(
        "Mode shapes of the vehicle",
        words.SHAPES,
        Scene(geometry.points, geometry.parts, shapes, first=_first(names)).figure(),
    )
    with section.pair():
        rows = [
            (
                i + 1,
                names[i],
                f"{hz[i]:.4f}",
                f"{fe_hz[i]:.4f}",
                f"{100 * (hz[i] / fe_hz[i] - 1):.4f}",
                f"{mac[i, i]:.4f}",
            )
            for i in range(count)
        ]
        section.table(
            "Multibody beside finite elements",
            words.TABLE,
            ("", "mode", "multibody, Hz", "FE, Hz", "error, %", "MAC"),
            rows,
            text=(1,),
        )
        section.card(
            "Modal assurance (MAC)",
            words.MAC,
            mac_svg(
                mac,
                [f"{f:.2f}" for f in hz],
                [f"{f:.2f}" for f in fe_hz],
                "multibody, Hz",
                "finite elements, Hz",
            ),
        )
    return hz


def _first(names: list[str]) -> int:
    """Number of the mode that is shown first: one that is seen well from the side."""
    return next((k for k, name in enumerate(names) if "pitch bending" in name), 0)


def _flat(motions: np.ndarray) -> np.ndarray:
    return motions[:, :3].reshape(-1, motions.shape[2])


def _vehicle(report: Report, made: DemoResult) -> None:
    section = report.section("vehicle", "Vehicle", words.VEHICLE)
    with section.pair():
        section.tree(
            "Bodies and joints",
            "Each body hangs on the one above it; a joint says how it may move there.",
            vehicle_tree(made.system),
        )
        whole = made.system.mass_properties(made.system.state())
        section.table(
            "Mass properties",
            words.MASS,
            ("", "deck", "multibody"),
            inertia_rows(made.weight, whole),
        )


def _control(report: Report, made: DemoResult) -> None:
    section = report.section("control", "Control", words.CONTROL)
    with section.pair():
        section.pairs(
            "Trim under thrust",
            words.TRIM,
            _trim_values(made),
        )
        poles = made.lin.poles()
        section.card(
            "Poles",
            POLES_SENTENCE,
            poles_svg(np.asarray(poles), most_hz=40.0),
        )
    f = np.unique(np.concatenate([np.geomspace(0.05, 40.0, 700), _around(poles, 40.0)]))
    H = flights.commanded(made.lin).frequency_response(f)
    names = made.lin.outputs
    section.figure(
        "From gimbal command to pitch rate",
        words.BODE,
        bode_figure(
            f,
            [Curve(n, H[:, names.index(n), 0]) for n in (flights.FORWARD, flights.AFT)],
            "dB (1/s)",
        ),
        HINT,
    )


def _around(poles: np.ndarray, most_hz: float) -> np.ndarray:
    """Return frequencies close to lightly damped poles, so that peaks are drawn to their top."""
    near = [
        f * (1.0 + d)
        for f in poles.frequency_hz[np.asarray(poles).imag > 0.1]
        for d in np.linspace(-0.02, 0.02, 17)
    ]
    near = np.array(near)
    return near[(near > 0.05) & (near < most_hz)]


def _trim_values(made: DemoResult) -> dict[str, str]:
    system, x0 = made.system, made.x0
    x = system.state(x0.q, x0.v)
    nominal = system.state()
    foot = [np.mean([system.position(s, CORE, g) for g in heron.GIMBAL_GRIDS], axis=0) for s in (nominal, x)]
    nose = [system.position(s, CORE, heron.PAYLOAD_GRID) for s in (nominal, x)]
    shorter = (nose[0] - foot[0])[0] - (nose[1] - foot[1])[0]
    thrust = len(heron.ENGINES) * heron.THRUST
    angle = max(abs(np.rad2deg(x[name].q)).max() for name in heron.ENGINES)
    return {
        "Thrust": f"{thrust / 1e3:.0f} kN from {len(heron.ENGINES)} engines",
        "Acceleration": f"{thrust / made.weight.mass:.2f} m/s² along the axis",
        "Gimbal to payload": f"{1e3 * shorter:.2f} mm shorter than at rest",
        "Strain energy": f"{1e-3 * system.energies(x).strain:.2f} kJ",
        "First bending": f"{_first_bending(made):.3f} Hz, on actuators and under thrust; engines locked and at rest "
        f"{made.locked_modes.frequencies_hz[6]:.3f} Hz",
        "Gimbal angle": f"{angle:.3f}°, which points the thrust through the centre of mass",
        "Modal damping": f"{100 * MODAL_DAMPING:g} % of critical",
        "Actuators": f"{heron.ACTUATOR_HZ:g} Hz, damping ratio {heron.ACTUATOR_DAMPING:g}",
    }


def _first_bending(made: DemoResult) -> float:
    """Return the lowest frequency, Hz, of lightly damped poles of the linear model."""
    return min(hz for _, hz, ratio, _ in made.lin.poles().rows() if hz > 0.1 and ratio < 0.1)


def _flight(report: Report, made: DemoResult) -> None:
    flight = made.flight
    section = report.section("flight", "Flight", words.FLIGHT)
    panels = [
        Panel(
            "Gimbal angle",
            "deg",
            [Curve("command", flight.command_deg, color=5), Curve("engine 1", flight.gimbal_deg, color=1)],
            "°",
        ),
        Panel(
            "Pitch rate",
            "deg/s",
            [
                Curve("forward gyro", flight.forward_deg_s, color=0),
                Curve("aft gyro", flight.aft_deg_s, color=2),
                Curve("forward gyro, linear model", flight.linear_deg_s, dashed=True, color=1),
            ],
            "°/s",
        ),
        Panel("Pitch angle", "deg", [Curve("forward gyro", flight.pitch_deg, color=0)], "°"),
        Panel("Nose tip against the forward gyro", "mm", [Curve("sideways", flight.nose_mm, color=3)], "mm"),
    ]
    section.figure(
        "Response to a gimbal doublet",
        words.DOUBLET,
        lines_figure(flight.t, "time, s", panels),
        HINT,
    )


def _about(report: Report, made: DemoResult) -> None:
    section = report.section("about", "About", "What was assumed, what computed it, and how long it took.")
    c = made.component
    section.bullets(
        "What was assumed",
        "No model says more than what went into it.",
        [
            "Heron is invented: its dimensions and masses are those of a medium launcher, not data of a real one.",
            "Propellant moves with the tank walls: no slosh.",
            "In the doublet there is no air, no gravity, and tanks stay as full as they are: thrust is the only load.",
            words.STAGES,
            words.AROUND,
            f"The core keeps {c.n_modes} modes: those of the body held at its {len(c.aset)} interfaces, and those that "
            "the interfaces allow; inertia changes with deformation to second order.",
            f"Damping is {100 * MODAL_DAMPING:g} % in every mode of the core.",
            words.ACTUATORS,
            "Thrust follows the engines as they turn.",
            words.STIFFNESS,
            f"Time steps of {1e3 * flights.STEP:g} ms by the ROS2 method, which damps the fastest modes.",
            *(f"Component: {note}." for note in c.notes),
        ],
    )
    with section.pair():
        rows = [(name[0].upper() + name[1:], f"{seconds:.1f}") for name, seconds in made.walls]
        section.table(
            "Wall times",
            "Kernels are compiled on first use and kept; a second run is quicker. Of these times "
            f"{made.compiled:.1f} s went into compiling, or into waiting for it.",
            ("step", "s"),
            [*rows, ("Together", f"{made.wall_s:.1f}")],
        )
        facts = versions() | {
            "deck": made.files["deck"].name,
            "deck SHA-256": c.provenance.get("deck_sha256", c.provenance.get("hash", "not kept"))[:16],
        }
        section.pairs("Versions", "With these the numbers can be made again.", facts)
