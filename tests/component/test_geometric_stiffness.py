"""Modal geometric stiffness of balanced unit loads: closed form, whole finite-element model, files, units, frames."""

import numpy as np
import pytest
import scipy.linalg as la

import interstage as ist
from interstage.component.units import converted
from interstage.errors import InputError, ModelError
from interstage.fem import geometric_stiffness
from interstage.multibody.flexible_body import reference_to
from interstage.nastran import deck_from_text

LENGTH, AREA, INERTIA, YOUNG, RHO, BARS = 10.0, 1e-2, 1e-6, 7e10, 2700.0, 40


def straight(n=BARS, extra=""):
    """A free straight bar along x, a little torsional inertia at its first grid."""
    bulk = "".join(f"GRID,{i + 1},,{LENGTH * i / n:.8f},0.,0.\n" for i in range(n + 1))
    bulk += "".join(f"CBAR,{i + 1},1,{i + 1},{i + 2},0.,1.,0.\n" for i in range(n))
    bulk += f"PBAR,1,1,{AREA},{INERTIA},{1.5 * INERTIA},{2 * INERTIA}\nMAT1,1,{YOUNG},,0.3,{RHO}\n"
    return deck_from_text(f"SOL 103\nCEND\nBEGIN BULK\n{bulk}CONM2,900,1,,0.,,,,,\n,1.e-2\n{extra}ENDDATA\n")


def bent(extra=""):
    """A frame of bars in three directions with twist: every kind of section force."""
    places = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0.3), (2, 2, 0.6), (2.5, 2, 1.4), (3, 2.2, 2.2)]
    bulk = "".join(
        f"GRID,{10 * (i + 1)},,{x:.6f},{y:.6f},{z:.6f}\n"
        for i, (x, y, z) in enumerate(map(np.float64, places))
    )
    bulk += "".join(f"CBAR,{i},1,{10 * i},{10 * i + 10},.3,.5,.8\n" for i in range(1, len(places)))
    bulk += "".join(f"CONM2,{90 + i},{10 * i},,3.\n,.02,,.03,,,.04\n" for i in range(1, len(places) + 1))
    bulk += "PBAR,1,1,1.e-3,2.e-8,5.e-8,4.e-8\nMAT1,1,7.e10,,0.3,2700.\n"
    return deck_from_text(f"SOL 103\nCEND\nBEGIN BULK\n{bulk}{extra}ENDDATA\n")


@pytest.fixture(scope="module")
def frame():
    return ist.Component.from_deck(bent(), n_modes=9, aset={}, geometric_stiffness=[10, 50, 70], units="SI")


def of(c, node, k):
    """K of a unit load, zero where it was left out."""
    g = c.geometric_stiffness
    at = np.flatnonzero((g.load == (node, k)).all(axis=1))
    return g.K[at[0]] if len(at) else np.zeros((c.n_modes, c.n_modes))


def test_thrust_on_a_free_beam():
    """N = F x/L under a pull F at the end: ∫ N φ'ψ' dx of the free-free modes of an Euler beam."""
    c = ist.Component.from_deck(straight(), n_modes=4, aset={}, geometric_stiffness=[1, BARS + 1])
    mass = RHO * AREA * LENGTH
    x = np.linspace(0.0, 1.0, 20001)
    slopes = []
    for beta in (4.730040744862704, 7.853204624095838):
        s = (np.cosh(beta) - np.cos(beta)) / (np.sinh(beta) - np.sin(beta))
        slopes.append(
            beta
            / LENGTH
            * (np.sinh(beta * x) - np.sin(beta * x) - s * (np.cosh(beta * x) + np.cos(beta * x)))
        )
    slopes = np.array(slopes) / np.sqrt(mass)
    wanted = LENGTH * np.trapezoid(slopes[:, None] * slopes[None] * x, x)
    for node, load in (
        (BARS + 1, wanted),
        (1, LENGTH * np.trapezoid(slopes[:, None] * slopes[None] * (x - 1), x)),
    ):
        K = of(c, node, 1)
        for plane in ([0, 2], [1, 3]):
            sign = np.sign(K[plane[0], plane[1]] * load[0, 1])
            found = K[np.ix_(plane, plane)] * np.array([[1, sign], [sign, 1]])
            np.testing.assert_allclose(found, load, rtol=6e-3)


def test_spin_of_a_free_beam():
    """N = ½ ρA Ω² (L²/4 - x²) of a bar that turns about its middle, whatever the reference point."""
    c = ist.Component.from_deck(straight(), n_modes=2, aset={}, geometric_stiffness=True)
    beta, x = 4.730040744862704, np.linspace(0.0, 1.0, 20001)
    s = (np.cosh(beta) - np.cos(beta)) / (np.sinh(beta) - np.sin(beta))
    slope = beta * (np.sinh(beta * x) - np.sin(beta * x) - s * (np.cosh(beta * x) + np.cos(beta * x)))
    wanted = 0.5 * np.trapezoid((0.25 - (x - 0.5) ** 2) * slope**2, x)
    for k in (2, 3):
        np.testing.assert_allclose(np.diag(of(c, 0, k)), wanted, rtol=4e-3)
    assert not of(c, 0, 1).any()


def dense_truth(deck, forces):
    """Kg (g, g) of a free structure under forces {grid: (6,)} and its own inertia, solved without any support.

    Also the rigid motions S (g, 6) about the origin.
    """
    fe = ist.FEModel.from_deck(deck)
    K, M = fe.K_gg.toarray(), fe.M_gg.toarray()
    S = np.zeros((len(fe.grids), 6, 6))
    for j in range(3):
        S[:, :3, j], S[:, j, 3 + j] = np.cross(np.eye(3)[j], fe.grids.xyz), 1.0
        S[:, 3 + j, j] = 1.0
    S = S.reshape(-1, 6)
    p = np.zeros((len(fe.grids), 6))
    for grid, force in forces.items():
        p[int(fe.grids.find(grid))] = force
    p = p.ravel()
    p = p - M @ S @ np.linalg.solve(S.T @ M @ S, S.T @ p)
    u = la.lstsq(K, p, cond=1e-13)[0]
    return geometric_stiffness(fe, u, "full")[0].toarray(), S


@pytest.mark.parametrize("node", [10, 50, 70])
def test_forces_and_moments_on_a_frame(frame, node):
    rng = np.random.default_rng(node)
    load = rng.normal(size=6)
    Kg, S = dense_truth(bent(), {node: load})
    Phi = np.concatenate([frame.gamma, frame.lam], axis=1).reshape(-1, frame.n_modes)
    found = sum(f * of(frame, node, k + 1) for k, f in enumerate(load))
    wanted = Phi.T @ Kg @ Phi
    np.testing.assert_allclose(found, wanted, atol=1e-7 * np.abs(wanted).max())
    # a rigid turn of the balanced structure turns its forces
    g = frame.geometric_stiffness
    rows = [np.flatnonzero((g.load == (node, k)).all(axis=1))[0] for k in range(1, 7)]
    np.testing.assert_allclose(
        np.einsum("k,kij->ij", load, g.KR[rows]), Phi.T @ Kg @ S[:, :3], atol=1e-7 * np.abs(wanted).max()
    )


def test_frames_side_by_side_have_each_their_own():
    """A brace makes the frame redundant: stresses of a load depend on its Young's modulus, and on where it ends."""
    load, decks = np.random.default_rng(4).normal(size=6), []
    for E, to in ((7e10, 40), (7e8, 40), (7e10, 70)):
        brace = f"CBAR,7,2,10,{to},.3,.5,.8\nPBAR,2,2,1.e-3,2.e-8,5.e-8,4.e-8\nMAT1,2,{E},,0.3,2700.\n"
        decks.append((bent(brace), to))
    made = [ist.Component.from_deck(d, n_modes=6, aset={}, geometric_stiffness=[10, to]) for d, to in decks]
    seen = []
    for c, (deck, to) in zip(made, decks):
        Kg, _ = dense_truth(deck, {to: load})
        Phi = np.concatenate([c.gamma, c.lam], axis=1).reshape(-1, c.n_modes)
        found, wanted = sum(f * of(c, to, k + 1) for k, f in enumerate(load)), Phi.T @ Kg @ Phi
        np.testing.assert_allclose(found, wanted, atol=1e-7 * np.abs(wanted).max())
        seen.append(np.linalg.norm(found))
    assert abs(seen[1] / seen[0] - 1.0) > 0.01 and abs(seen[2] / seen[0] - 1.0) > 0.01


@pytest.mark.parametrize("node", [None, 10, 50])
def test_about_a_node(frame, node):
    """The stiffness of the modes of the body held at a node: the whole Kg in those modes."""
    rng = np.random.default_rng(5)
    omega, force = rng.normal(size=3), rng.normal(size=6)
    flex = reference_to(frame, node, 2, 6)
    fe, (Kg, _) = ist.FEModel.from_deck(bent()), dense_truth(bent(), {70: force})
    Phi = np.concatenate([flex.gamma, flex.lam], axis=1).reshape(-1, flex.n_modes)
    found = sum(f * flex.geometric.get((70, k + 1), 0.0) for k, f in enumerate(force))
    wanted = Phi.T @ Kg @ Phi
    np.testing.assert_allclose(found, wanted, atol=1e-7 * np.abs(wanted).max())
    spin = np.zeros((len(fe.grids), 6))
    spin[:, :3] = -np.cross(omega, np.cross(omega, fe.grids.xyz))
    loads = (fe.M_gg @ spin.ravel()).reshape(-1, 6)
    Kg, _ = dense_truth(bent(), dict(zip(fe.grids.id, loads)))
    pairs = (omega[[0, 1, 2, 0, 0, 1]] * omega[[0, 1, 2, 1, 2, 2]]).tolist()
    found = sum(c * flex.geometric.get((0, k + 1), 0.0) for k, c in enumerate(pairs))
    wanted = Phi.T @ Kg @ Phi
    np.testing.assert_allclose(found, wanted, atol=1e-7 * np.abs(wanted).max())


def test_file_units_and_modes(frame, tmp_path):
    """K of a force times that force is a modal stiffness, in any units; a file keeps it; modes can be chosen."""
    frame.save(tmp_path / "frame.h5")
    back = ist.Component.load(tmp_path / "frame.h5")
    g, h = frame.geometric_stiffness, back.geometric_stiffness
    for name in ("load", "nodes", "K", "KR", "RR"):
        assert np.array_equal(getattr(g, name), getattr(h, name))
    other = converted(frame, {"mass": "t", "length": "mm", "time": "s"}).geometric_stiffness
    newton = {0: 1.0, 1: 1.0, 2: 1e3}  # ω², N, N·mm for one N·m
    for k, (node, component) in enumerate(g.load):
        kind = 0 if node == 0 else 1 if component <= 3 else 2
        np.testing.assert_allclose(other.K[k] * newton[kind], g.K[k], rtol=1e-12)
        # a rotation counts as one in every system, a modal coordinate is √m L
        np.testing.assert_allclose(other.KR[k] * newton[kind] / np.sqrt(1e-3) / 1e3, g.KR[k], rtol=1e-12)
    few = frame.keep_modes([0, 3, 4]).geometric_stiffness
    assert np.array_equal(few.K, g.K[:, [0, 3, 4]][:, :, [0, 3, 4]]) and np.array_equal(
        few.KR, g.KR[:, [0, 3, 4]]
    )


def test_axes_and_reference_do_not_matter():
    """The same frame about another grid: the same stiffness of the same forces."""
    one = ist.Component.from_deck(bent(), n_modes=6, aset={}, geometric_stiffness=[50])
    two = ist.Component.from_deck(bent(), n_modes=6, aset={}, geometric_stiffness=[50], grdpnt=70)
    for k in range(1, 7):
        np.testing.assert_allclose(
            np.abs(of(one, 50, k)), np.abs(of(two, 50, k)), atol=1e-7 * np.abs(of(one, 50, k)).max()
        )


def test_from_matrices(frame):
    """The geometric stiffness of another code, as a function of displacements; nodes in any order."""
    fe = ist.FEModel.from_deck(bent())
    order = [3, 0, 6, 1, 5, 2, 4]
    dof = (6 * np.array(order)[:, None] + np.arange(6)).ravel()

    def geometric(u):
        whole = np.zeros(len(u))
        whole[dof] = u
        return geometric_stiffness(fe, whole, "full")[0][dof][:, dof]

    c = ist.Component.from_matrices(
        fe.K_gg[dof][:, dof],
        fe.M_gg[dof][:, dof],
        {int(fe.grids.id[i]): fe.grids.xyz[i] for i in order},
        n_modes=9,
        geometric_stiffness=[10, 50, 70],
        geometric=geometric,
    )
    signs = np.sign(np.einsum("ijn,ijn->n", c.gamma, frame.gamma))
    for node, k in frame.geometric_stiffness.load:
        wanted = of(frame, node, k)
        np.testing.assert_allclose(
            of(c, node, k) * np.outer(signs, signs), wanted, atol=1e-6 * np.abs(wanted).max()
        )


def test_what_cannot_be_done_is_said():
    with pytest.raises(ModelError, match="free to move"):
        ist.Component.from_deck(bent("CELAS2,800,1.e6,10,1\n"), n_modes=3, aset={}, geometric_stiffness=True)
    with pytest.raises(ModelError, match="needs elements"):
        ist.Component.from_matrices(
            np.eye(6), np.eye(6), {1: [0, 0, 0]}, n_modes=0, aset={1: 123456}, geometric_stiffness=True
        )
    with pytest.raises(InputError, match="names a grid that is not in the model"):
        ist.Component.from_deck(bent(), n_modes=3, aset={}, geometric_stiffness=[11])
    with pytest.raises(InputError, match="geometric_stiffness is not usable"):
        ist.Component.from_deck(bent(), n_modes=3, aset={}, geometric_stiffness=3)
