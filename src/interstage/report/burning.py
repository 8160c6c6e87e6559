"""The report of a vehicle that burns: propellant, shapes and their certificate, amplitudes, what stagings changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from interstage.errors import InputError
from interstage.report.document import Report, Section
from interstage.report.figures import HINT, Curve, Panel, lines_figure, thinned
from interstage.simulation.log.log import Log
from interstage.staged_vehicle.reduced_basis import ReducedBasis
from interstage.staged_vehicle.staging import Staging

MOST_CURVES = 6  # of one chart


def burning_report(
    log: Log, body: str, shapes: Sequence[ReducedBasis], stagings: Sequence[Staging] = ()
) -> Report:
    """Return the report of a flight of a vehicle that burns.

    log : of the run;  body : name of the vehicle
    shapes : of the vehicle, in the order in which it had them: one set, and one more after each staging
    stagings : actions that have cut it
    """
    if len(shapes) != 1 + len(stagings):
        raise InputError(
            "a vehicle has one set of shapes, and one more after each staging",
            expected=f"{1 + len(stagings)} sets",
            got=str(len(shapes)),
        )
    report = Report(
        body,
        f"A flight of '{body}' with constant shapes while its propellant burns: masses, frequencies over the burn, "
        "amplitudes of its shapes, and what stagings have changed.",
        "Burn",
    )
    report.fact("Duration", f"{float(np.ptp(log.t)):.6g}", "s")
    report.fact("Shapes", " / ".join(str(len(one)) for one in shapes))
    report.fact("Frequencies within", f"{max(one.report.frequency_error for one in shapes):.1e}")
    report.fact("Stagings", str(len(stagings)))
    _propellant(report.section("propellant", "Propellant", "What is left in the tanks."), log)
    _amplitudes(report.section("shapes", "Shapes", "How far the vehicle bends, shape by shape."), log, body)
    section = report.section(
        "sweep", "Frequencies", "Modes over the burn, and how near the shapes come to them."
    )
    for k, one in enumerate(shapes, 1):
        _sweep(section, f"Phase {k}", one)
    if stagings:
        _stagings(report.section("staging", "Staging", "What was changed as the stack was cut."), stagings)
    return report


def _propellant(section: Section, log: Log) -> None:
    keep = thinned(len(log.t))
    curves = [Curve(tank, rows[keep] / 1e3) for tank, rows in log.propellant.items()]
    panel = Panel("Propellant", "t", curves, "t")
    section.figure("Tanks", "Masses in the tanks.", lines_figure(log.t[keep], "time, s", [panel]), HINT)


def _amplitudes(section: Section, log: Log, body: str) -> None:
    """Add the shapes that move most in each phase of a number of shapes."""
    count: dict[int, list] = {}
    for phase in log.phases:
        if body in phase.system.bodies and len(phase) > 1:
            count.setdefault(phase[body].eta.shape[1], []).append(phase)
    for n, phases in count.items():
        t = np.concatenate([phase.t for phase in phases])
        eta = np.concatenate([phase[body].eta for phase in phases])
        keep = thinned(len(t), 2000)
        most = sorted(np.argsort(-np.ptp(eta, axis=0))[:MOST_CURVES])
        curves = [Curve(f"shape {k + 1}", eta[keep][:, k]) for k in most]
        section.figure(
            f"{n} shapes, {t[0]:.4g} s to {t[-1]:.4g} s",
            "Modal coordinates that move most.",
            lines_figure(t[keep], "time, s", [Panel("Modal coordinates", "", curves)]),
            HINT,
        )


def _sweep(section: Section, title: str, shapes: ReducedBasis) -> None:
    """Add frequencies of the whole structure over the burn, and those of the shapes."""
    fills = sorted(shapes.report.fills, key=lambda one: -one.part)
    n = min(len(one.exact_hz) for one in fills)
    burnt = [100.0 * (1.0 - one.part) for one in fills]
    exact = [Curve(f"mode {k + 1}", [one.exact_hz[k] for one in fills]) for k in range(n)]
    near = [
        Curve("largest error", [float(np.abs(one.frequency_error[:n]).max(initial=0.0)) for one in fills]),
        Curve("largest 1 - MAC", [float((1.0 - one.mac[:n]).max(initial=0.0)) for one in fills]),
    ]
    panels = [
        Panel("Frequencies", "Hz", exact[: 2 * MOST_CURVES], "Hz"),
        Panel("Error of the shapes", "", near),
    ]
    section.figure(title, shapes.report.title, lines_figure(burnt, "burnt, %", panels), HINT)


def _stagings(section: Section, stagings: Sequence[Staging]) -> None:
    """Add jumps, energies and momentum of all parts."""
    columns = ["Part", "Jump, m", "ΔT, J", "ΔV, J", "|ΔP|, N s", "|ΔH|, N m s", "T before, J", "V before, J"]
    for one in stagings:
        rows = []
        for name, part in one.parts.items():
            change = part.momentum[1] - part.momentum[0]
            rows.append(
                [
                    name,
                    f"{part.jump:.3g}",
                    f"{part.kinetic[1] - part.kinetic[0]:.3g}",
                    f"{part.strain[1] - part.strain[0]:.3g}",
                    f"{np.linalg.norm(change[3:]):.2g}",
                    f"{np.linalg.norm(change[:3]):.2g}",
                    f"{part.kinetic[0]:.6g}",
                    f"{part.strain[0]:.6g}",
                ]
            )
        section.table(
            str(one), "Largest distance of a node before and after, energies and momentum.", columns, rows
        )
