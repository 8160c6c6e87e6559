"""Damping of modes: ratios, viscous matrices and structural matrices, and the viscous matrix they make together.

In the modes Pi of a component, with modal stiffness k = w^2 and unit modal mass,

    viscous      Pi' B Pi, whole: it holds under any boundary of the body
    structural   Pi' K4 Pi, whole: stress in phase with velocity, made viscous at the frequencies of the body as held
    ratios       what `damping_ratio` has beyond these two, as structural damping diag(2 zeta k): a body held
                 otherwise than in its file gets the mean of the ratios weighted by strain energy

Equivalent viscous damping of modes with frequencies w is C_rs = K4_rs / sqrt(w_r w_s): the energy that K4 takes at each
mode's own frequency, and right for modes of one frequency in any of their combinations.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from interstage.errors import FidelityWarning, InputError, caller_level, shown

_EXPECTED = "a ratio from 0 to 1, one ratio a mode, or a table of pairs (frequency in Hz, ratio)"


def checked_damping(damping: object) -> np.ndarray | None:
    """Return damping as a number, ratios (n,) or a table (k,2) of frequency in Hz and ratio, in ascending order.

    A ratio of 1 is critical damping: what is above is no vibration, and mostly meant as percent.
    """
    if damping is None:
        return None
    given = sorted(damping.items()) if isinstance(damping, Mapping) else damping
    try:
        values = np.asarray(given, dtype=float)
    except (TypeError, ValueError, RuntimeWarning):
        values = np.full(1, np.nan)
    table = values.ndim == 2 and values.shape[1] == 2 and len(values) > 0
    ratios = values[:, 1] if table else values
    if not (table or values.ndim < 2) or not np.isfinite(values).all() or np.any(values < 0.0):
        raise InputError("the damping is not usable", where="damping", expected=_EXPECTED, got=shown(damping))
    if ratios.max(initial=0.0) > 1.0:
        raise InputError(
            "a damping ratio above 1 is more than critical",
            where="damping",
            expected="a ratio from 0 to 1",
            got=f"{float(ratios.max()):g}",
            hint="write damping=0.05 for 5 %",
        )
    return values[np.argsort(values[:, 0], kind="stable")] if table else values


def warn_overcritical(ratio: float, where: str) -> None:
    """Warn of a damping ratio above 1: modes that do not oscillate, and mostly a ratio meant in percent."""
    if ratio > 1.0:
        warnings.warn(
            f"{where}: a damping ratio of {ratio:g} is more than critical: its modes do not oscillate; write "
            f"damping={ratio / 100:g} for {ratio:g} %",
            FidelityWarning,
            stacklevel=caller_level(),
        )


def damping_ratios(damping: object, frequencies_hz: np.ndarray) -> np.ndarray:
    """Return one ratio a mode from a number, an array (n,), or a table (k,2) of frequency in Hz and ratio.

    A table is linear between its points and constant beyond them, as are lists of pairs.
    """
    n = len(frequencies_hz)
    values = checked_damping(damping)
    if values is None:
        return np.zeros(n)
    if values.ndim == 2:
        values = np.interp(frequencies_hz, values[:, 0], values[:, 1])
    elif values.ndim == 0:
        values = np.full(n, float(values))
    if values.shape != (n,):
        raise InputError(
            "the damping does not fit the modes",
            where="damping",
            expected=f"one ratio, {n} ratios (one a mode), or a table of pairs (frequency in Hz, ratio)",
            got=f"{len(values)} ratios",
        )
    return values


def table_notes(damping: object, aset: Mapping[int, object], hz: np.ndarray) -> list[str]:
    """Say at which frequencies a table of damping was read, where the body is not mounted as in its file."""
    values = checked_damping(damping)
    if values is None or values.ndim != 2 or not aset or not len(hz):
        return []
    return [
        f"the table of damping was read at the frequencies of the modes in the file, {hz.min():.4g} to {hz.max():.4g} "
        "Hz, which are those of the free body; held at its interface it vibrates at others: give add_body(damping=...) "
        "the ratios of the modes as mounted"
    ]


def modal_damping(
    damping: object, hz: np.ndarray, B: Any, K4: Any, K: Any, rigid: np.ndarray | None, shapes: np.ndarray
) -> tuple[dict[str, Any], list[str]]:
    """Return the fields of a component that describe its damping, and what is to be said.

    damping : ratios that were given; B, K4, K (nf, nf) matrices of the coordinates, None for none
    rigid (nf, 6) rigid motions of the coordinates; shapes (nf, n) modes at hz (n,)
    """
    viscous = None if B is None else shapes.T @ (B @ shapes)
    structural = None if K4 is None else shapes.T @ (K4 @ shapes)
    ratios = damping_ratios(damping, hz) + matrix_ratios(hz, viscous, structural)
    ground, notes = ground_damping(B, K, rigid, shapes)
    fields = {"damping_ratio": ratios, "viscous": viscous, "structural": structural, "ground_damping": ground}
    return fields, notes


def equivalent_viscous(structural: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Return C (n, n) of modes at frequencies omega (n,), rad/s: K4_rs / sqrt(w_r w_s); none at zero frequency."""
    root = np.sqrt(np.abs(omega))
    inverse = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0.0)
    return structural * inverse[:, None] * inverse[None, :]


def matrix_ratios(
    frequencies_hz: np.ndarray, viscous: np.ndarray | None, structural: np.ndarray | None
) -> np.ndarray:
    """Return the ratios (n,) that modal matrices give modes of unit mass: (B_rr + K4_rr/w)/(2 w)."""
    w = 2.0 * np.pi * np.abs(np.asarray(frequencies_hz, dtype=float))
    inverse = np.divide(1.0, w, out=np.zeros_like(w), where=w > 0.0)
    total = np.zeros(len(w))
    if viscous is not None:
        total += np.diag(viscous)
    if structural is not None:
        total += np.diag(structural) * inverse
    return 0.5 * total * inverse


def damping_parts(component: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the viscous and the structural modal matrix (n, n) of a component, its ratios in the second."""
    c, n = component, component.n_modes
    viscous = np.zeros((n, n)) if c.viscous is None else np.asarray(c.viscous)
    structural = np.zeros((n, n)) if c.structural is None else np.asarray(c.structural)
    known = matrix_ratios(c.frequencies_hz, c.viscous, c.structural)
    given = c.damping_ratio - known
    given = np.where(np.abs(given) > 1e-12 * np.abs(known), given, 0.0)
    stiffness = (2.0 * np.pi * np.asarray(c.frequencies_hz)) ** 2
    return viscous, structural + np.diag(2.0 * given * stiffness)


def damping_matrix(component: Any) -> np.ndarray:
    """Return the viscous matrix (n, n) of a component in the modes and at the frequencies of its file."""
    viscous, structural = damping_parts(component)
    return viscous + equivalent_viscous(structural, 2.0 * np.pi * np.asarray(component.frequencies_hz))


def ground_damping(B: Any, K: Any, rigid: np.ndarray | None, shapes: np.ndarray) -> tuple[Any, list[str]]:
    """Return S'B [S Pi] (6, 6 + n) of dampers to ground, None where there are none, and what is to be said.

    S : rigid motions of the coordinates, rotations first. Where stiffness goes to ground too, the ground of the model
    is the frame of the body and moves with it: such dampers act between frame and modes, which Pi'B Pi holds.
    """
    if B is None or rigid is None:
        return None, []
    BS = B @ rigid
    size = abs(B) @ np.abs(rigid)
    if not np.any(np.abs(BS) > 1e-9 * np.maximum(np.max(size, axis=0, initial=0.0), 1e-300)):
        return None, []
    strain = np.abs(K @ rigid) > 1e-7 * np.max(abs(K) @ np.abs(rigid), axis=0, initial=0.0)
    if np.any(strain):
        return None, ["dampers to ground act against the frame of the body, as the springs to ground do"]
    both = np.hstack([rigid, shapes])
    return np.asarray(BS.T @ both), ["dampers to ground act on the motion of the body frame in the world"]
