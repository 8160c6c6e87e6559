"""Modes ranked by what passes through them from an engine to a gyro."""

import numpy as np
import pytest
from vehicle_models import launcher, refused


def test_peaks_are_those_of_the_whole_structure():
    """Rate per force at each resonance of FE with modal damping, by a dense complex solve."""
    v = launcher()
    found = v.ranking(("first", 1, "y"), ("upper", 9, 6), below_hz=40.0, levels=2, damping=0.002)
    stack = v.stack()
    at = {place: 6 * i for i, place in enumerate(stack.places)}
    b = stack.V[at["first", 1] + 1].toarray().ravel()
    c = stack.V[at["upper", 9] + 5].toarray().ravel()
    for part, modes, gains in zip(found.parts, found.modes, found.gains):
        fill = stack.filled(float(part), list(stack.tanks))
        K, M = stack.stiffness(fill).toarray(), stack.mass(fill).toarray()
        MX = M @ modes.shapes
        omega = 2 * np.pi * modes.frequencies_hz
        C = (MX * (2 * 0.002 * omega)) @ MX.T
        big = np.argsort(-gains)[:3]
        assert gains[big].min() > 1e-3 * gains.max()
        for k in big:
            s = 1j * omega[k]
            # the other modes are there too: a few hundredths of a peak at 0.2 % damping
            assert abs(s * (c @ np.linalg.solve(M * s**2 + C * s + K, b))) == pytest.approx(
                gains[k], rel=0.05
            )


def test_modes_of_the_other_plane_are_last():
    v = launcher()
    found = v.ranking(("first", 1, "y"), ("upper", 9, 6), below_hz=30.0, levels=3)
    for modes, gains in zip(found.modes, found.gains):
        sideways = np.abs((v.stack().V @ modes.shapes).reshape(-1, 6, len(gains))[:, 1]).max(axis=0)
        unseen = sideways < 1e-6 * sideways.max()
        assert unseen.any() and gains[unseen].max() < 1e-9 * gains.max()
    table = found.table()
    assert table[0][3] == found.gains[0].max()
    assert str(found).count("\n") == len(table)


def test_shapes_of_what_is_seen():
    """Fewer shapes than all modes need, with the frequencies of the modes that pass the most."""
    v = launcher()
    found = v.ranking(("first", 1, "y"), ("upper", 9, 6), below_hz=30.0, levels=5)
    shapes = v.shapes(vectors=found.vectors(0.05), n_modes=2, levels=3)
    whole = v.shapes(below_hz=30.0, levels=5, error=5e-3)
    assert len(shapes) < len(whole)
    limit = 0.05 * max(one.max() for one in found.gains)
    for part, modes, gains in zip(found.parts, found.modes, found.gains):
        hz = shapes.modes(float(part)).frequencies_hz
        for wanted in modes.frequencies_hz[gains > limit]:
            assert np.abs(hz / wanted - 1.0).min() < 2e-3


def test_planes_of_one_mode_are_turned_to_the_actuator():
    """A round beam: of each pair one mode takes all of the force, whatever planes the solver chose."""
    from vehicle_models import beam_vehicle

    v = beam_vehicle()
    found = v.ranking(("beam", 1, "y"), ("beam", 6, 6), below_hz=12.0, levels=2)
    for gains in found.gains:
        assert np.all(gains[1::2] < 1e-9 * gains[0::2])


def test_refusals():
    v = launcher()
    assert "one component each" in refused(
        lambda: v.ranking(("first", 1, "yz"), ("upper", 9, 6), below_hz=30.0)
    )
    assert "must be positive" in refused(
        lambda: v.ranking(("first", 1, "y"), ("upper", 9, 6), below_hz=30.0, damping=0.0)
    )
    seen = v.ranking(("first", 1, "y"), ("upper", 9, 6), below_hz=10.0, levels=2)
    assert "part of the largest" in refused(lambda: seen.vectors(3.0))
