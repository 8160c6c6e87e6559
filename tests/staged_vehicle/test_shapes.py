"""Constant shapes over a burn: the tables of the paper, the certificate, attachments, refusals."""

import numpy as np
import pytest
import scipy.linalg as la
from vehicle_models import beam_vehicle, first_stage, launcher, refused

from interstage import InterstageError, StagedVehicle
from validation import burning_beam


def whole_hz(stack, fill, n):
    """Frequencies of the whole structure by dense algebra, rigid modes taken out by a shift."""
    K, M = stack.stiffness(fill).toarray(), stack.mass(fill).toarray()
    values = la.eigh(K, M, eigvals_only=True)
    return np.sqrt(np.maximum(values, 0.0))[6 : 6 + n] / (2 * np.pi)


def ritz_hz(stack, Phi, fill):
    """Frequencies of [S Φ] by dense algebra on all 6 + n coordinates."""
    K, M = stack.stiffness(fill), stack.mass(fill)
    B = np.hstack([stack.rigid, Phi])
    values = la.eigh(B.T @ (K @ B), B.T @ (M @ B), eigvals_only=True)
    return np.sqrt(np.maximum(values[6:], 0.0)) / (2 * np.pi)


def test_tables_of_the_artemis_paper():
    """Table 3 to every digit, Tables 4 and 5 of bases A and B, and of C with its one fitted angle; see the study."""
    rows = burning_beam.study().rows
    assert len([row for row in rows if row.case.startswith(("Table", "basis"))]) == 70
    assert [row for row in rows if not row.passed] == []


def test_the_certificate_is_what_dense_algebra_finds():
    """Largest error over fills that were in no grid: within what is certified, by other matrices of the same span."""
    v = launcher()
    shapes = v.shapes(below_hz=40.0, error=1e-3, levels=5, certify=17)
    stack = shapes.stack
    assert shapes.report.frequency_error <= 1e-3
    assert shapes.report.mac_error <= 1e-3
    for part in (0.03, 0.41, 0.77, 1.0):
        fill = stack.filled(part, list(stack.tanks))
        exact = whole_hz(stack, fill, 60)
        exact = exact[exact < 40.0]
        found = ritz_hz(stack, shapes.q, fill)[: len(exact)]
        assert len(exact) >= 5
        assert np.abs(found / exact - 1.0).max() < 1.2e-3
        assert np.all(found > exact * (1 - 1e-9))  # from above, as Rayleigh says
        np.testing.assert_allclose(shapes.modes(fill).frequencies_hz[: len(exact)], found, rtol=1e-7)


def test_the_choice_is_the_fewest_of_its_kind():
    v = launcher()
    loose = v.shapes(below_hz=40.0, error=1e-2, levels=5)
    tight = v.shapes(below_hz=40.0, error=2e-4, levels=9)
    one = v.shapes(each={1.0: len(tight)}, below_hz=40.0, levels=5)
    assert len(loose) < len(tight)
    assert tight.report.frequency_error <= 2e-4 < one.report.frequency_error


def test_shapes_are_canonical_at_the_reference():
    """Φ'MΦ = 1 and no rigid part at the reference; Φ'KΦ = ω² at every fill; G well conditioned everywhere."""
    shapes = beam_vehicle().shapes(n_modes=10, reference=0.4)
    stack, Phi = shapes.stack, shapes.q
    M = stack.mass(shapes.reference)
    np.testing.assert_allclose(Phi.T @ (M @ Phi), np.eye(len(shapes)), atol=1e-9)
    assert np.abs(stack.rigid.T @ (M @ Phi)).max() < 1e-9
    K = Phi.T @ (stack.stiffness(stack.propellant(0.9)) @ Phi)
    wanted = np.diag((2 * np.pi * shapes.frequencies_hz) ** 2)
    np.testing.assert_allclose(K, wanted, atol=1e-8 * wanted.max())
    assert shapes.report.condition < 30.0


def test_a_pair_of_planes_is_not_cut():
    shapes = beam_vehicle().shapes(n_modes=4, error=3e-3)
    hz = shapes.frequencies_hz
    np.testing.assert_allclose(hz[0::2], hz[1::2], rtol=1e-8)


def test_attachment_shapes_hold_the_static_deflection():
    """Pulled at the engine and pushed at the separation, balanced by inertia: all of it lies in the span."""
    v = launcher()
    shapes = v.shapes(below_hz=10.0, levels=3, attach=["separation", ("first", 1, "yz")])
    assert shapes.n_attachment == 8
    stack = shapes.stack
    K, M = stack.stiffness(shapes.reference).toarray(), stack.mass(shapes.reference).toarray()
    S, Phi = stack.rigid, shapes.q
    index = {place: i for i, place in enumerate(stack.places)}
    for place, c in ((("first", 1), 1), (("first", 13), 0), (("upper", 1), 5)):
        f = stack.V[6 * index[place] + c].toarray().ravel()
        f = f - M @ S @ np.linalg.solve(S.T @ M @ S, S.T @ f)
        u = np.linalg.lstsq(K, f, rcond=1e-13)[0]
        found = Phi @ np.linalg.solve(Phi.T @ K @ Phi, Phi.T @ f)
        assert found @ K @ found == pytest.approx(
            u @ K @ u, rel=1e-9
        )  # strain energy: Ritz gives it from below


def test_a_vehicle_without_a_stage_keeps_the_attachments_of_what_was_cut():
    upper = launcher().without("first")
    assert list(upper.stages) == ["upper"]
    assert upper.cut == {"separation": [("upper", 1)]}
    shapes = upper.shapes(below_hz=20.0, levels=3)
    assert shapes.n_attachment == 6
    assert "6 of attachments" in shapes.report.title


def test_so_many_of_each_level():
    v = beam_vehicle()
    shapes = v.shapes(each=2, levels=3, n_modes=2)
    assert len(shapes) == 6
    assert shapes.report.frequency_error < 1e-3


def test_tanks_that_do_not_burn_stay_full():
    shapes = launcher().shapes(n_modes=4, burning=["grain"], levels=3)
    assert shapes.report.fills[-1].propellant == {"grain": 0.0, "lox": 20e3, "lh2": 4e3}


def test_report_as_text_table_and_picture(tmp_path):
    v = StagedVehicle("solid")
    v.add(first_stage())
    report = v.shapes(n_modes=4, levels=3).report
    text = str(report)
    assert text.startswith(f"{len(v.shapes(n_modes=4, levels=3))} shapes of 'solid'; modes 1 to 4")
    assert len(text.splitlines()) == 4 + 9
    rows = report.table()
    assert len(rows) == 36
    assert [row[1] for row in rows] == [1, 2, 3, 4] * 9
    assert [row[2:4] for row in rows[4:8]] == list(
        zip(report.fills[1].exact_hz, report.fills[1].frequencies_hz)
    )
    assert max(abs(row[4]) for row in rows) == report.frequency_error
    figure = report.plot()
    assert len(figure.axes) == 2
    figure.savefig(tmp_path / "shapes.png")


def test_levels_too_few_for_the_error_are_refused():
    v = launcher()
    with pytest.raises(InterstageError, match=r"do not meet the error between them.*raise levels"):
        v.shapes(n_modes=6, error=1e-9, levels=2)


def test_refusals():
    v = launcher()
    assert "give below_hz or n_modes" in refused(v.shapes)
    assert "not both" in refused(lambda: v.shapes(n_modes=3, below_hz=3.0))
    assert "must be positive" in refused(lambda: v.shapes(n_modes=3, error=0.0))
    assert "count fills" in refused(lambda: v.shapes(n_modes=3, levels=0))
    assert "did you mean lox" in refused(lambda: v.shapes(n_modes=3, burning=["lux"]))
    assert "no join 'seperation'" in refused(lambda: v.shapes(n_modes=3, attach=["seperation"]))
    assert "an attachment is not usable" in refused(lambda: v.shapes(n_modes=3, attach=[3]))
    assert "vectors are not usable" in refused(lambda: v.shapes(vectors=np.eye(3)))
    same = v.stack().modes(v.stack().propellant(1.0), n_modes=2).shapes
    assert "not independent" in refused(lambda: v.shapes(vectors=np.hstack([same, same])))
    assert "give n_modes or below_hz" in refused(lambda: v.modes(1.0))


def test_a_vehicle_without_roll_inertia_is_refused():
    from interstage import Stage
    from interstage.fem import lumped_beam

    K, M, nodes = lumped_beam(3.0, 3, EA=1e5, GJ=1e3, EI=1e3, mass=[1, 1, 1, 0, 0.1, 0.1])
    v = StagedVehicle("v")
    v.add(Stage("s", K=K, M=M, nodes=nodes))
    assert "no inertia about an axis (axis x)" in refused(lambda: v.shapes(n_modes=3))


def test_modes_of_many_levels_that_are_nearly_the_same():
    """Modes of evenly burning stages hardly change: singular values fall to rounding, and rigid parts must not grow."""
    from interstage import Stage
    from interstage.fem import lumped_beam

    v, n = StagedVehicle("smooth"), 40
    for name, at, stiff in (("a", 0.0, 1e11), ("b", 50.0, 5e10)):
        K, M, nodes = lumped_beam(50.0, n - 1, EA=3e10, GJ=1e10, EI=(stiff, 0.9 * stiff), mass=[2e3] * 6)
        stage = Stage(name, K=K, M=M, nodes=nodes)
        even = np.kron(np.eye(n), np.diag([1, 1, 1, 0.5, 0.5, 0.5])) / n
        stage.add_tank(f"{name} tank", levels={1e5 * k: 1e5 * k * even for k in range(3)})
        v.add(stage, at=[at, 0, 0])
    v.join("j", ("a", n), ("b", 1))
    report = v.shapes(n_modes=16, error=1e-3, levels=5, certify=9).report
    assert max(report.frequency_error, report.mac_error) <= 1e-3
    assert report.condition < 1e3


def test_a_count_that_cuts_a_mode_in_two_planes_takes_both():
    """A body of equal planes has its modes in pairs: shapes that meet three of them meet four."""
    v = beam_vehicle()
    shapes = v.shapes(n_modes=3, levels=3)
    assert {len(one.exact_hz) for one in shapes.report.fills} == {3}
    assert shapes.report.mac_error < 1e-3
    assert len(shapes) == len(v.shapes(n_modes=4, levels=3))


def test_counts_and_frequencies_that_cannot_be_meant():
    v = beam_vehicle()
    assert "the lowest is at" in refused(lambda: v.shapes(below_hz=0.1))
    assert "each counts modes" in refused(lambda: v.shapes(each=0))
    for given in (-3, 0, 2.5, True):
        assert "n_modes counts modes" in refused(lambda given=given: v.modes(n_modes=given))
        assert "n_modes counts modes" in refused(lambda given=given: v.shapes(n_modes=given))
    for given in (np.nan, np.inf, -1.0, "5"):
        assert "below_hz must be positive" in refused(lambda given=given: v.modes(below_hz=given))
    assert "0 (empty) to 1 (full) of all" in refused(lambda: v.modes("half", n_modes=2))
    assert "a mass is no number" in refused(lambda: v.modes({"propellant": "half"}, n_modes=2))
    assert len(repr(v.modes(n_modes=9))) < 120


def test_the_id_of_a_node_is_a_whole_number():
    v = launcher()
    assert "whole number" in refused(lambda: v.join("more", ("first", 13.7), ("upper", 1)))
