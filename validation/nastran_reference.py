"""Models that a commercial Nastran solved, beside our solutions of the same models.

The figures are those of real MSC, NX and Simcenter runs published with pyNastran, pyyeti and NASTRAN CoFE. The decks
are our own text of the same models; `validation/nastran_decks` holds both, each figure with its source.
"""

from __future__ import annotations

import numpy as np

from validation import nastran_decks
from validation.nastran_decks import figures, matrix
from validation.study import ROUNDS, Row, Study

# op2 files and f06 prints hold 32-bit numbers, about seven digits: 1e-5 leaves room for nothing but them
FREQUENCY_TOLERANCE = 1e-5
PRINTS = "the run prints seven digits, and an inertia that is a difference of larger numbers"
DISPLACEMENT_TOLERANCE = 1e-5
SHAPE_TOLERANCE = 1e-5
MATRIX_TOLERANCE = 1e-12  # 64-bit matrices

# The block that hangs on a bar in static_rbe2_solid is symmetric and loaded along its axis, yet the run tilts it by
# 3e-9 rad, with shear forces of 3.2e-4 beside 212 in the bar that the weight cannot give (a test shows them):
# round-off of that run, 1.5e-4 of the largest.
# What the laminate beside a plain shell differs by is not understood: see "what data do not settle" in the theory.
LOOSE = {"static_rbe2_solid": 5e-4}

MODES = (
    "bar_beam_bush_plate",
    "beam_frame_conm2_free",
    "beam_modes",
    "cbush_bar_mass",
    "glider_tapered_cbeam",
    "gpsc_spacecraft",
    "plate_free_cquad4",
    "rbe2_springs_plate",
    "rod_coupled_mass_ten_bar",
    "solid_shell_bar_modes",
)
STATICS = (
    "buckling_column_statics",
    "buckling_plate_statics",
    "plate_mixed_pcomp",
    "static_cbeam_offset",
    "static_chexa_pload4",
    "static_rbe2_solid",
    "static_solid_shell_bar",
    "static_solid_shell_bar_cylindrical_cd",
)


def model(case: str):
    """Our finite-element model of a case."""
    from interstage import FEModel

    return FEModel.from_deck(nastran_decks.read(case))


def compare_modes(case: str) -> Row:
    """Largest relative difference of the flexible frequencies in the range that the deck asks for."""
    from interstage import normal_modes

    wanted = np.array(figures(case)["frequencies_hz"])
    fe = model(case)
    found = normal_modes(fe).frequencies_hz
    flexible = np.abs(wanted) > 1e-4 * np.abs(wanted).max()
    n = len(wanted)
    if len(found) < n:
        error, ours = np.inf, f"{len(found)} modes"
    else:
        error = float(np.max(np.abs(found[:n][flexible] / wanted[flexible] - 1.0)))
        ours = _some(found[:n][flexible])
    return Row(
        case, f"{n} frequencies, Hz", _some(wanted[flexible]), ours, error, FREQUENCY_TOLERANCE, _elements(fe)
    )


def compare_mass(case: str) -> list[Row]:
    """Mass, centre of gravity and inertia where the run printed them (input mass units)."""
    reference = figures(case)
    if "mass" not in reference:
        return []
    weight = model(case).mass_properties()
    printed = np.array(reference["inertia_about_cg_as_printed"])
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
        rows.append(Row(case, name, _some(np.ravel(wanted)), _some(np.ravel(got)), error, 1e-5, why=PRINTS))
    return rows


def compare_statics(case: str) -> Row:
    """Largest displacement difference over all subcases, relative to the largest of its kind in the subcase."""
    from interstage.fem import static_subcases

    fe = model(case)
    results = {result.subcase: result.displacement for result in static_subcases(fe)}
    published = nastran_decks.displacement(case)
    size = np.ptp(fe.grids.xyz, axis=0).max()
    worst = largest = ours = 0.0
    for subcase, table in published.items():
        dof = fe.grids.dof[[int(fe.grids.find(gid)) for gid in table]][:, None] + np.arange(6)
        wanted, found = np.array(list(table.values())), results[subcase][dof]
        translation = np.abs(wanted[:, :3]).max()
        for part in (slice(0, 3), slice(3, 6)):
            # rotations that move nothing across the model by as much as the largest translation are noise
            floor = translation / size if part.start else 0.0
            scale = max(np.abs(wanted[:, part]).max(), floor) or 1.0  # a load on held grids moves nothing
            worst = max(worst, float(np.abs(found[:, part] - wanted[:, part]).max() / scale))
        largest = max(largest, float(translation))
        ours = max(ours, float(np.abs(found[:, :3]).max()))
    return Row(
        case,
        f"displacements, {len(published)} subcases",
        f"largest {largest:.6e}",
        f"largest {ours:.6e}",
        worst,
        LOOSE.get(case, DISPLACEMENT_TOLERANCE),
        _elements(fe),
    )


def compare_shapes(case: str = "solid_shell_bar_modes") -> list[Row]:
    """Mode shapes of unit modal mass, sign aside, relative to the largest translation or rotation of the mode."""
    from interstage import normal_modes

    fe = model(case)
    found = normal_modes(fe)
    rows = []
    for k, wanted in enumerate(np.array(list(figures(case)["shapes"].values())).transpose(1, 0, 2)):
        dof = fe.grids.dof[[int(fe.grids.find(int(gid))) for gid in figures(case)["shapes"]]][
            :, None
        ] + np.arange(6)
        ours = found.shapes[dof, k]
        ours = ours * np.sign(np.sum(ours * wanted))
        parts = (slice(0, 3), slice(3, 6))
        error = max(np.abs(ours[:, p] - wanted[:, p]).max() / np.abs(wanted[:, p]).max() for p in parts)
        largest = f"largest {np.abs(wanted).max():.6f}"
        rows.append(
            Row(case, f"shape {k + 1}", largest, f"largest {np.abs(ours).max():.6f}", error, SHAPE_TOLERANCE)
        )
    return rows


def compare_kgg(case: str = "kgg_solid_shell_bar") -> list[Row]:
    """The assembled stiffness, and every element's stiffness by its eigenvalues."""
    kgg = matrix(case, "kgg")
    fe = model(case)
    error = float(np.abs(fe.K_gg.toarray() - kgg).max() / np.abs(kgg).max())
    rows = [Row(case, "K_gg", "150 x 150", "150 x 150", error, MATRIX_TOLERANCE, _elements(fe), ROUNDS, True)]
    for block in fe.blocks:
        for i, eid in enumerate(block.eid):
            k = block.stiffness(slice(i, i + 1))[0]
            got = np.linalg.eigvalsh(k)
            wanted = np.linalg.eigvalsh(matrix(case, f"kelm_{block.name}_{eid}"))
            error = float(np.abs(got - wanted).max() / np.abs(wanted).max())
            largest = f"{wanted.max():.9e}"
            rows.append(
                Row(
                    case,
                    f"{block.name} {eid}",
                    largest,
                    f"{got.max():.9e}",
                    error,
                    MATRIX_TOLERANCE,
                    "",
                    ROUNDS,
                    True,
                )
            )
    return rows


def compare_rbe3(case: str) -> Row:
    """The constraint matrix of an RBE3, u_m = Gm u_n."""
    from interstage.fem import dependency_matrix

    fe = model(case)
    m_dof, n_dof, G_mn = dependency_matrix(fe)
    rows = [list(m_dof).index(fe.grids.dof_of(g, c)) for g, c in figures(case)["m_set"]]
    cols = [list(n_dof).index(fe.grids.dof_of(g, c)) for g, c in figures(case)["n_set"]]
    wanted = matrix(case, "gm")
    error = float(np.abs(G_mn.toarray()[np.ix_(rows, cols)] - wanted).max() / np.abs(wanted).max())
    return Row(case, "Gm", "6 x 96", "6 x 96", error, MATRIX_TOLERANCE, "", ROUNDS, True)


def compare_craig_bampton(case: str, n_modes: int) -> list[Row]:
    """Boundary stiffness and mass, and fixed-interface eigenvalues, of a superelement held at four grids."""
    from interstage import Component

    held = dict.fromkeys((3, 11, 19, 27), 123456)
    ours = Component.from_deck(nastran_decks.read(case), aset=held, n_modes=n_modes).craig_bampton
    b, q = slice(0, 24), slice(24, 24 + n_modes)
    rows = []
    for name, wanted, found in (
        ("kbb", matrix(case, "boundary_stiffness"), ours.stiffness[b, b]),
        ("mbb", matrix(case, "boundary_mass"), ours.mass[b, b]),
        ("kqq", np.array(figures(case)["modal_stiffness"])[:n_modes], np.diag(ours.stiffness)[q]),
    ):
        scale = wanted if wanted.ndim == 1 else np.abs(wanted).max()
        size = " x ".join(str(n) for n in wanted.shape)
        # kqq of that version comes from 32-bit eigenvalues
        error = float(np.max(np.abs((found - wanted) / scale)))
        rows.append(Row(case, name, size, size, error, 1e-6, "CBAR"))
    return rows


def study() -> Study:
    """All reference cases in one table."""
    out = Study(
        "nastran_reference", "Models solved by a commercial Nastran", __doc__.split("\n\n")[0].strip()
    )
    out.rows += [compare_modes(case) for case in MODES]
    for case in MODES:
        out.rows += compare_mass(case)
    out.rows += compare_shapes()
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
