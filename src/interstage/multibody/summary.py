"""A vehicle in a few lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from interstage.multibody.joint_modes import MODES

if TYPE_CHECKING:
    from interstage.multibody.joints import Joint
    from interstage.multibody.loads import Loads, Wrench
    from interstage.multibody.model import BodySpec, Multibody
    from interstage.multibody.operating_point import OperatingPoint
    from interstage.multibody.settings import RuntimeSettings
    from interstage.multibody.state import State
    from interstage.multibody.system import System

MOST = 60  # bodies that are listed
MOST_NUMBERS = 7  # numbers of one kind of a body


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return lines of a table; the first column is aligned to the left, numbers to the right.

    >>> table(["body", "mass"], [["bus", "12"], ["panel", "3"]])
    ['body   mass', 'bus      12', 'panel     3']
    """
    width = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    right = [k > 0 and all(_is_number(row[k]) for row in rows) for k in range(len(head))]
    return [
        "  ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(row, width, right)).rstrip()
        for row in [head, *rows]
    ]


def _is_number(text: str) -> bool:
    return text[:1] in "0123456789-+." and text not in ("-", "")


def _row(spec: BodySpec, joint: str, n_modes: int, mass: float) -> list[str]:
    at = spec.at if isinstance(spec.at, int) else "(" + ", ".join(f"{a:g}" for a in np.asarray(spec.at)) + ")"
    parent = "ground" if spec.parent is None else spec.parent
    return [spec.name, f"{parent} {at}", joint, str(spec.joint.nv), str(n_modes), f"{mass:.6g}"]


HEAD = ["body", "on (at)", "joint", "nv", "modes", "mass"]


def _text(title: str, rows: list[list[str]], closures: list[str]) -> str:
    lines = [title, *("  " + line for line in table(HEAD, rows[:MOST]))]
    if len(rows) > MOST:
        lines.append(f"  ... and {len(rows) - MOST} more")
    return "\n".join(lines + [f"  {line}" for line in closures])


def _ends(spec) -> str:
    said = [
        f"{body or 'ground'} {place if isinstance(place, int) else np.asarray(place).tolist()}"
        for body, place in spec.ends
    ]
    return f"closure '{spec.name}': {type(spec.joint).__name__} between {said[0]} and {said[1]}"


def of_body(name: str, joint: Joint, quantities: list[tuple[list[str], np.ndarray]]) -> str:
    """Return one body's numbers as text: of a state by name, or their ranges over time."""
    over_time = any(values.ndim > 1 for _, values in quantities)
    head = ["", "first", "last", "smallest", "largest"] if over_time else ["", "value"]
    rows = []
    for names, values in quantities:
        for label, column in list(zip(names, values.T if values.ndim > 1 else values[:, None]))[
            :MOST_NUMBERS
        ]:
            found = [column[0], column[-1], column.min(), column.max()] if column.size else []
            rows.append([label, *(f"{value:.6g}" for value in (found if over_time else found[:1]))])
        if len(names) > MOST_NUMBERS:
            rows.append([f"... and {len(names) - MOST_NUMBERS} more", *[""] * (len(head) - 1)])
    rows_in_time = max((len(values) for _, values in quantities if values.ndim > 1), default=0)
    title = f"{name}: {type(joint).__name__} joint" + (f", {rows_in_time} rows" if over_time else "")
    return "\n".join([title, *(f"  {line}" for line in table(head, rows) if rows)])


def of_state(x: State) -> str:
    """Return a state as text: the numbers of each body by name."""
    lines = [f"State: {len(x.q)} coordinates, {len(x.v)} velocities"]
    for name in list(x.layout)[:MOST]:
        lines += [f"  {line}" for line in str(x[name]).splitlines()]
    if len(x.layout) > MOST:
        lines.append(f"  ... and {len(x.layout) - MOST} more bodies")
    return "\n".join(lines)


def of_model(model: Multibody) -> str:
    """Return a description as text: bodies, joints, modes, masses, closures."""
    rows = []
    for spec in model.specs:
        modes = 0 if spec.component is None else spec.n_modes or spec.component.n_modes
        own = spec.inertia if spec.component is None else spec.component
        assert own is not None
        rows.append(_row(spec, type(spec.joint).__name__, modes, own.mass))
    g = ", ".join(f"{a:g}" for a in np.asarray(model.gravity))
    title = f"Multibody '{model.name}': {len(rows)} bodies, gravity ({g})"
    return _text(title, rows, [_ends(spec) for spec in model.closures] + model.notes)


def of_system(system: System) -> str:
    """Return a system as text: sizes, bodies with joints as they are switched, modes, masses, closures."""
    rows, masses = [], system.settings.body_inertia[:, 0]
    for spec, mass, modes in zip(system.model.specs, masses, system.tree.body_modes):
        mode = system.joint_mode(spec.name)
        joint = type(spec.joint).__name__ + ("" if mode == "free" else f" ({mode})")
        rows.append(_row(spec, joint, int(modes), float(mass)))
    count = f"{len(rows)} {'body' if len(rows) == 1 else 'bodies'}"
    title = f"System '{system.model.name}': {count}, nq {system.nq}, nv {system.nv}, mass {masses.sum():.6g}"
    opened = system.settings.opened
    closures = [_ends(spec) + (" (open)" if spec.name in opened else "") for spec in system.model.closures]
    return _text(title, rows, closures + system.model.notes)


# settings, loads, operating points --------------------------------------------------------------------


def _bodies(settings: RuntimeSettings) -> list[str]:
    return list(settings.bodies) or [f"body {i + 1}" for i in range(len(settings.joint_mode))]


def of_settings(settings: RuntimeSettings) -> str:
    """Return settings as text: how each joint moves, masses, closures, how drift is held."""
    rows = []
    for name, mode, numbers in zip(_bodies(settings), settings.joint_mode, settings.body_inertia):
        m = float(numbers[0])
        com = ", ".join(f"{c:.4g}" for c in (numbers[1:4] / m if m else numbers[1:4]))
        rows.append([name, "locked" if name in settings.fixed else MODES[mode], f"{m:.6g}", com])
    head = ["body", "joint", "mass", "centre of mass from the joint"]
    lines = ["Settings", *("  " + line for line in table(head, rows[:MOST]))]
    if len(rows) > MOST:
        lines.append(f"  ... and {len(rows) - MOST} more")
    if len(settings.row_keep):
        kept, method = int(settings.row_keep.sum()), _drift(settings)
        lines.append(f"  closures: {kept} of {len(settings.row_keep)} rows hold, {method}")
        out = [name for name, keep in zip(settings.rows, settings.row_keep) if not keep]
        lines += [f"    left out: {name}" for name in out[:MOST]]
    return "\n".join(lines)


def _drift(settings: RuntimeSettings) -> str:
    project, rate = settings.closure_option[0], settings.closure_option[1]
    return "projected after each step" if project else (f"Baumgarte's {rate:g}" if rate else "drift not held")


def unlike(one: RuntimeSettings, other: RuntimeSettings) -> str:
    """Say in a few words where settings are not those of another, the first as it is in each."""
    said = []
    for name, a, b in zip(_bodies(one), one.joint_mode, other.joint_mode):
        if a != b:
            said.append(f"the joint of '{name}' is {MODES[a]} there and {MODES[b]} in the system")
    for name, a, b in zip(_bodies(one), one.given_inertia(), other.given_inertia()):
        if not np.array_equal(a, b):
            said.append(f"the mass of '{name}' is {a[0]:.6g} there and {b[0]:.6g} in the system")
    for k in np.flatnonzero(one.propellant != other.propellant):
        there, here = one.propellant[k], other.propellant[k]
        said.append(f"tank {k + 1} holds {there:.6g} there and {here:.6g} in the system")
    if not np.array_equal(one.row_keep, other.row_keep):
        said.append("other closures are closed")
    if not np.array_equal(one.closure_option, other.closure_option):
        said.append("drift of closures is held otherwise")
    return "; ".join(said[:3]) + (f"; and {len(said) - 3} more" if len(said) > 3 else "")


def of_loads(loads: Loads) -> str:
    """Return loads as text: wrenches by place, generalized forces and accelerations that are not zero."""
    lines = ["Loads"] + ["  " + line for line in _forces(loads.forces)]
    if loads.law is not None:
        lines.append("  tau: a function of time")
    else:
        names = loads.names or [f"velocity {k + 1}" for k in range(len(loads.tau))]
        rows = [[n, f"{v:.6g}"] for n, v in zip(names, loads.tau) if v != 0.0]
        lines += ["  " + line for line in table(["tau", ""], rows[:MOST])] if rows else []
    rows = [[body, ", ".join(f"{v:.6g}" for v in a)] for body, a in loads.accelerations.items()]
    lines += ["  " + line for line in table(["joint", "acceleration"], rows)] if rows else []
    return "\n".join(lines) if len(lines) > 1 else "Loads: none"


def _forces(forces: tuple[Wrench, ...]) -> list[str]:
    if not forces:
        return []
    rows = []
    for force in forces:
        place = force.body if force.node is None else f"{force.body} {force.node}"
        if force.in_time:
            rows.append([place, force.frame, "of time", ""])
            continue
        parts = (
            ", ".join(f"{v:.6g}" for v in np.asarray(half)) for half in (force.numbers[:3], force.numbers[3:])
        )
        rows.append([place, force.frame, *parts])
    return table(["force on", "axes", "torque", "force"], rows)


def of_point(x: OperatingPoint) -> str:
    """Return an operating point as text: coordinates and velocities by body, loads, settings."""
    rows = []
    for name in x.settings.bodies:
        body = x[name]
        for what, values in (("q", body.q), ("v", body.v), ("eta", body.eta), ("etadot", body.etadot)):
            if len(values) and (what == "q" or np.any(values)):
                shown = ", ".join(f"{value:.6g}" for value in values[:7])
                rows.append([name, what, shown + (f", ... {len(values)}" if len(values) > 7 else "")])
    size = float(np.abs(x.vdot).max(initial=0.0))
    lines = [f"Operating point: largest acceleration {size:.4g}"]
    lines += ["  " + line for line in table(["body", "", "value"], rows[:MOST])]
    return "\n".join([*lines, str(x.loads), str(x.settings)])
