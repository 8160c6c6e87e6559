"""Decks that a commercial Nastran solved, beside our solutions of the same decks.

The data are results of real MSC, NX and Simcenter runs published with pyNastran and pyyeti; they lie beside the
checkout in `shared/reference/nastran` and are not part of this project. Where they are absent the study says so.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from validation.study import Row, Study

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "reference" / "nastran"

# op2 files and f06 prints hold 32-bit numbers, about seven digits: 1e-5 leaves room for nothing but them
FREQUENCY_TOLERANCE = 1e-5
DISPLACEMENT_TOLERANCE = 1e-5
MATRIX_TOLERANCE = 1e-9  # 64-bit matrices

# The block that hangs on a bar in static_rbe2_solid is symmetric and loaded along its axis, yet the run tilts it by
# 3e-9 rad, with a shear force in the bar that the weight cannot give: round-off of that run, 1.5e-4 of the largest.
LOOSE = {"static_rbe2_solid": 5e-4}

MODES = (
    "bar_beam_bush_plate",
    "beam_frame_conm2_free",
    "beam_modes",
    "cbush_bar_mass",
    "gpsc_spacecraft",
    "plate_free_cquad4",
    "rbe2_springs_plate",
    "solid_shell_bar_modes",
)
STATICS = (
    "static_cbeam_offset",
    "static_chexa_pload4",
    "static_rbe2_solid",
    "static_solid_shell_bar",
    "static_solid_shell_bar_cylindrical_cd",
)


def load(case: str) -> dict:
    """reference.json of a case."""
    return json.loads((REFERENCE / case / "reference.json").read_text())


def model(case: str, deck: str = "deck.bdf"):
    """Our finite-element model of a case."""
    from interstage import FEModel, read_deck

    return FEModel.from_deck(read_deck(REFERENCE / case / deck))


def compare_modes(case: str) -> Row:
    """Largest relative difference of the flexible frequencies in the range that the deck asks for."""
    from interstage import normal_modes

    reference = load(case)
    wanted = np.array(reference["frequencies_hz"])[: reference.get("n_modes_within_eigrl_range")]
    fe = model(case)
    found = normal_modes(fe).frequencies_hz
    flexible = np.abs(wanted) > 1e-4 * np.abs(wanted).max()
    n = len(wanted)
    if len(found) < n:
        error, ours = np.inf, f"{len(found)} modes"
    else:
        error = float(np.max(np.abs(found[:n] / wanted - 1.0), where=flexible, initial=0.0))
        ours = _some(found[:n][flexible])
    return Row(
        case, f"{n} frequencies, Hz", _some(wanted[flexible]), ours, error, FREQUENCY_TOLERANCE, _elements(fe)
    )


def compare_mass(case: str) -> list[Row]:
    """Mass, centre of gravity and inertia where the run printed them (input mass units)."""
    reference = load(case)
    if "mass" not in reference or "weightcheck" in reference:
        return []
    weight = model(case).mass_properties()
    printed = np.array(reference["inertia_about_cg_IS"])
    tensor = 2.0 * np.diag(np.diag(printed)) - printed  # the print has +sum(mxy) off the diagonal
    size = np.linalg.norm(weight.inertia_about_cg) ** 0.5 / weight.mass**0.5
    rows = []
    for name, wanted, got, scale in (
        ("mass", reference["mass"], weight.mass, reference["mass"]),
        ("cg", np.array(reference["cg"]), weight.cg, max(np.abs(reference["cg"]).max(), size)),
        ("inertia about cg", tensor, weight.inertia_about_cg, np.abs(tensor).max()),
    ):
        error = float(np.max(np.abs(np.asarray(got) - wanted)) / scale)
        # the print of the generator has seven digits and its inertia is a difference of larger numbers
        rows.append(Row(case, name, _some(np.ravel(wanted)), _some(np.ravel(got)), error, 1e-5))
    return rows


def compare_statics(case: str) -> Row:
    """Largest displacement difference over all subcases, relative to the largest of its kind in the subcase."""
    from interstage.fem import static_subcases

    data = np.load(REFERENCE / case / "displacement.npz")
    fe = model(case)
    results = {result.subcase: result.displacement for result in static_subcases(fe)}
    worst, largest = 0.0, 0.0
    size = np.ptp(fe.grids.xyz, axis=0).max()
    for k, subcase in enumerate(data["subcase"]):
        u = results[int(subcase)]
        for i, gid in enumerate(data["grid_id"]):
            d = fe.grids.dof[fe.grids.find(gid)]
            wanted = data["displacement"][i, :, k]
            translation = np.abs(data["displacement"][:, :3, k]).max()
            for part in (slice(0, 3), slice(3, 6)):
                # rotations that move nothing across the model by as much as the largest translation are noise
                floor = translation / size if part.start else 0.0
                scale = max(np.abs(data["displacement"][:, part, k]).max(), floor)
                if scale > 0.0:
                    difference = np.abs(u[d : d + 6][part] - wanted[part]).max()
                    worst = max(worst, float(difference / scale))
        largest = max(largest, float(np.abs(data["displacement"][:, :3, k]).max()))
    translations = (fe.grids.dof[:, None] + np.arange(3)).ravel()
    ours = max(float(np.abs(results[int(s)][translations]).max()) for s in data["subcase"])
    return Row(
        case,
        f"displacements, {len(data['subcase'])} subcases",
        f"largest {largest:.6e}",
        f"largest {ours:.6e}",
        worst,
        LOOSE.get(case, DISPLACEMENT_TOLERANCE),
        _elements(fe),
    )


def compare_kgg(case: str = "kgg_solid_shell_bar") -> list[Row]:
    """The assembled stiffness, and every element's stiffness by its eigenvalues."""
    data = np.load(REFERENCE / case / "matrices.npz")
    fe = model(case)
    ours = fe.K_gg.toarray()
    error = float(np.abs(ours - data["kgg"]).max() / np.abs(data["kgg"]).max())
    rows = [Row(case, "K_gg", "150 x 150", "150 x 150", error, MATRIX_TOLERANCE, _elements(fe))]
    for block in fe.blocks:
        for i, eid in enumerate(block.eid):
            name = f"kelm_{block.name}_{eid}"
            if name in data:
                k = block.stiffness(slice(i, i + 1))[0]
                got, wanted = np.linalg.eigvalsh(k), np.linalg.eigvalsh(data[name])
                error = float(np.abs(got - wanted).max() / np.abs(wanted).max())
                largest = f"{wanted.max():.9e}"
                rows.append(
                    Row(case, f"{block.name} {eid}", largest, f"{got.max():.9e}", error, MATRIX_TOLERANCE)
                )
    return rows


def compare_rbe3(name: str) -> Row:
    """The constraint matrix of an RBE3, u_m = Gm u_n."""
    from interstage.fem import dependency_matrix

    data = np.load(REFERENCE / "rbe3_gm_matrices" / f"{name}.npz")
    fe = model("rbe3_gm_matrices", f"{name}.bdf")
    m_dof, n_dof, G_mn = dependency_matrix(fe)
    rows = [list(m_dof).index(fe.grids.dof_of(g, c)) for g, c in data["m_set_id_comp"]]
    cols = [list(n_dof).index(fe.grids.dof_of(g, c)) for g, c in data["n_set_id_comp"]]
    ours = G_mn.toarray()[np.ix_(rows, cols)]
    error = float(np.abs(ours - data["gm"]).max() / np.abs(data["gm"]).max())
    return Row(f"rbe3_gm_matrices/{name}", "Gm", "6 x 96", "6 x 96", error, MATRIX_TOLERANCE)


def compare_craig_bampton(case: str, n_modes: int) -> list[Row]:
    """Boundary stiffness and mass, and fixed-interface eigenvalues, of a superelement held at four grids."""
    from interstage import Component

    data = np.load(REFERENCE / case / "craig_bampton.npz")
    held = dict.fromkeys((3, 11, 19, 27), 123456)
    ours = Component.from_deck(REFERENCE / case / "deck.bdf", aset=held, n_modes=n_modes).craig_bampton
    b, q = slice(0, 24), slice(24, 24 + n_modes)
    rows = []
    for name, wanted, found in (
        ("kbb", data["kxx"][b, b], ours.stiffness[b, b]),
        ("mbb", data["mxx"][b, b], ours.mass[b, b]),
        ("kqq", np.diag(data["kxx"])[q], np.diag(ours.stiffness)[q]),
    ):
        scale = wanted if wanted.ndim == 1 else np.abs(wanted).max()
        size = " x ".join(str(n) for n in wanted.shape)
        # kqq of that version comes from 32-bit eigenvalues
        error = float(np.max(np.abs((found - wanted) / scale)))
        rows.append(Row(case, name, size, size, error, 1e-6, "CBAR"))
    return rows


def study() -> Study:
    """All reference cases in one table."""
    out = Study("nastran_reference", "Decks solved by a commercial Nastran", __doc__.split("\n\n")[0].strip())
    if not REFERENCE.exists():
        out.skipped = "the reference data are not beside this checkout"
        return out
    out.rows += [compare_modes(case) for case in MODES]
    for case in MODES:
        out.rows += compare_mass(case)
    out.rows += [compare_statics(case) for case in STATICS]
    out.rows += compare_kgg()
    out.rows += compare_craig_bampton("craig_bampton_inboard", 3)
    out.rows += compare_craig_bampton("craig_bampton_inboard_350hz", 54)
    out.rows += [compare_rbe3(name) for name in ("rbe3_1", "rbe3_3", "rbe3_um_1", "rbe3_um_3")]
    return out


def _some(values: np.ndarray, n: int = 4) -> str:
    values = np.atleast_1d(values)
    return ", ".join(f"{value:.7g}" for value in values[:n]) + (", …" if len(values) > n else "")


def _elements(fe) -> str:
    return " ".join(sorted({block.name for block in fe.blocks}))
