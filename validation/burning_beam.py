"""The tank beam of the ARTEMIS paper as one flexible body with constant shapes over changing mass.

Five beam elements carry a slug of propellant at each of their six nodes, which burns to nothing while its inertia
stays (Tables 1 and 2). Table 3 has the frequencies of the whole model, Tables 4 and 5 those of three sets of constant
shapes: (A) ten modes of the empty beam, (B) ten modes of the full one, (C) ten half full, three full and three empty.

*Every digit of Table 3*, as the limits ask (half a unit of the last), needs the area rounded to 5.4542e-3 ft² (πr²
misses the sixth decimal), shear factors of one and the Hermite mass without rotary or shear terms. Two of its full
frequencies are misprints for those of Table 5: 4.327146 for 4.347146 and 7.236610 for 7.326610. One number of Table 4
lies on the edge of its rounding: 11.57874996 prints as 11.5787 and stands as 11.5788 in the paper.

*Basis C is not fully said by the paper.* Its three full and its three empty vectors cut the pair of modes 3 and 4,
whose planes any solver may choose. One angle between the third full and the third empty vector gives all twenty
printed numbers if it lies between 9.36° and 9.389°; 9.38° is fitted here, and nothing else is. With the planes
aligned the third and fourth empty frequency are 6.1886 and 6.2328 Hz, at a right angle 6.1886 and 6.1968 Hz.

The beam has no roll inertia: some is given to node 1 (0.5 slug ft²), which touches no bending mode.
"""

from __future__ import annotations

import numpy as np

from validation.beams import artemis_deck
from validation.study import Row, Study

AREA = 5.4542e-3
ANGLE_DEG = 9.38
TABLE_3 = {
    0.0: (3.295551, 6.188647, 9.068079, 11.25814, 12.62832),
    1.0: (1.798136, 4.347146, 7.326610, 10.15644, 12.27924),
}
TABLE_3_DIGITS = (6, 6, 6, 5, 5)
PAIRS = {
    ("A", 0.0): (3.2956, 6.1886, 9.0681, 11.2581, 12.6283),
    ("A", 1.0): (1.8114, 4.4220, 7.5091, 10.3638, 12.3725),
    ("B", 0.0): (3.3143, 6.2775, 9.3115, 11.5788, 12.7900),
    ("B", 1.0): (1.7981, 4.3471, 7.3266, 10.1564, 12.2792),
}
BASIS_C = {
    0.0: (3.2956, 3.2956, 6.1886, 6.2282, 9.0681, 9.0681, 11.2949, 11.3658, 12.6283, 12.6283),
    1.0: (1.7981, 1.7981, 4.3471, 4.3540, 7.3266, 7.3266, 10.1844, 10.1934, 12.2792, 12.2792),
}
PRINTED = 5e-5  # half of the last of four printed decimals
EDGE, ON_EDGE = 5.01e-5, "11.57874996 is printed as 11.5788: one digit of the tables is not met"
FITTED = "one angle was fitted to these twenty numbers: they show that there is one, and not that it is the paper's"


def artemis_stage(area: float = AREA):
    """The beam with its lumped inertias as dry structure, six slugs in one tank; feet, slugs, seconds."""
    from interstage import Stage
    from interstage.nastran import deck_from_text

    circle = f"{np.pi * (0.5 / 12.0) ** 2:.14e}"
    stage = Stage.from_deck(deck_from_text(artemis_deck(0.0).replace(circle, f"{area:.14e}")), name="beam")
    levels = {}
    for slugs in np.linspace(0.0, 1.0, 11):  # as the eleven models of the paper
        diagonal = np.kron(np.ones(6), [slugs, slugs, slugs, 0.0, 0.0, 0.0])
        diagonal[3] = 0.5
        levels[6.0 * slugs] = np.diag(diagonal)
    stage.add_tank("propellant", levels=levels)
    return stage


def beam_vehicle():
    """The vehicle of the one stage."""
    from interstage import StagedVehicle

    v = StagedVehicle("beam")
    v.add(artemis_stage())
    return v


def basis_c(v, angle_deg: float) -> np.ndarray:
    """The sixteen vectors of basis C, planes y and z, the third empty vector turned from the third full one."""
    stack = v.stack()
    half, full, empty = (
        stack.modes(stack.propellant(part), n) for part, n in ((0.5, 10), (1.0, 4), (0.0, 4))
    )
    full_yz, empty_yz = (_in_planes(stack, one.shapes) for one in (full, empty))
    a = np.radians(angle_deg)
    third = np.cos(a) * empty_yz[:, 2] + np.sin(a) * empty_yz[:, 3]
    return np.hstack([half.shapes, full_yz[:, :3], empty_yz[:, :2], third[:, None]])


def _in_planes(stack, shapes: np.ndarray) -> np.ndarray:
    """Turn pairs of bending modes so that the first of each stays in the plane of y, with a positive end."""
    out = shapes.copy()
    for a in (0, 2):
        pair = out[:, a : a + 2]
        end = (stack.V @ pair).reshape(-1, 6, 2)[0, 1:3]  # y and z of node 1
        Q, _ = np.linalg.qr(end.T)
        turned = pair @ Q
        signs = np.sign(np.diag((stack.V @ turned).reshape(-1, 6, 2)[0, 1:3]))
        out[:, a : a + 2] = turned * signs
    return out


def plane_modes(stack, n: int, part: float = 1.0) -> np.ndarray:
    """The first n bending modes (nq, n) in the plane of y alone, at a fill."""
    import scipy.linalg as la

    fill = stack.propellant(part)
    rows = np.flatnonzero(np.abs(stack.V.toarray().reshape(6, 6, -1)[:, [1, 5]]).max(axis=(0, 1)) > 0.0)
    K, M = (A.toarray()[np.ix_(rows, rows)] for A in (stack.stiffness(fill), stack.mass(fill)))
    _, X = la.eigh(K, M)
    out = np.zeros((stack.V.shape[1], n))
    out[rows] = X[:, 2 : 2 + n]
    return out


def study() -> Study:
    """Tables 3, 4 and 5 of the paper."""
    out = Study("burning_beam", "A beam that burns its propellant", __doc__)
    v = beam_vehicle()
    for part, printed in TABLE_3.items():
        found = v.modes(part, n_modes=10).frequencies_hz[::2]
        for k, (wanted, hz, digits) in enumerate(zip(printed, found, TABLE_3_DIGITS)):
            note = "every printed digit" if wanted not in (4.347146, 7.326610) else "misprinted in Table 3"
            out.rows.append(
                _row("Table 3", part, f"bending mode {k + 1}", wanted, hz, 0.5 * 10.0**-digits, note)
            )
    bases = {"A": v.shapes(each={0.0: 10}, certify=2), "B": v.shapes(each={1.0: 10}, certify=2)}
    for (basis, part), printed in PAIRS.items():
        found = bases[basis].modes(part).frequencies_hz
        for k, wanted in enumerate(printed):
            for j in (0, 1):
                edge = wanted == 11.5788
                cells = wanted, found[2 * k + j], EDGE if edge else PRINTED
                note, why = ("on the edge of its rounding", ON_EDGE) if edge else ("", "")
                out.rows.append(
                    _row(f"basis {basis}", part, f"mode {2 * k + j + 1}", *cells, note, why, edge)
                )
    fitted = v.shapes(vectors=basis_c(v, ANGLE_DEG), n_modes=10, certify=2)
    aligned = v.shapes(vectors=basis_c(v, 0.0), n_modes=10, certify=2)
    for part, printed in BASIS_C.items():
        found, other = fitted.modes(part).frequencies_hz, aligned.modes(part).frequencies_hz
        for k, wanted in enumerate(printed):
            note = f"one angle fitted, {ANGLE_DEG}°; aligned planes: {other[k]:.4f}"
            out.rows.append(_row("basis C", part, f"mode {k + 1}", wanted, found[k], PRINTED, note, FITTED))
    chosen = v.shapes(n_modes=10, error=1e-3)
    for label, worst in (("frequency", chosen.report.frequency_error), ("1 - MAC", chosen.report.mac_error)):
        out.rows.append(
            Row(
                f"chosen by error, {len(chosen)} shapes",
                f"worst {label} of ten modes at {len(chosen.report.fills)} fills",
                "0",
                f"{worst:.2g}",
                worst,
                1e-3,
                "the whole structure",
            )
        )
    out.pictures["burning_beam.png"] = lambda path: chosen.report.plot().savefig(path, dpi=110)
    return out


def _row(
    case: str, part: float, mode: str, wanted: float, got: float, tolerance: float, note: str, why: str = "",
    after: bool = False,
) -> Row:  # fmt: skip
    fill = "full" if part else "empty"
    cells = f"{wanted:g}", f"{got:.7g}", abs(got - wanted), tolerance, note, why, after
    return Row(case, f"{fill}, {mode}, Hz", *cells)
