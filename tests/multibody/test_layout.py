"""Where numbers lie and what they are: slices cover q and v, kinds are what the motion itself shows."""

from __future__ import annotations

import numpy as np
import pytest
from multibody_models import JOINTS, beam, random_state, random_tree

import interstage as ist
from interstage.multibody.arrays import LINE, in_lines
from interstage.multibody.joints import KNOWN

BEAM = beam(n_elements=3, n_modes=3)


@pytest.mark.parametrize("seed", range(4))
def test_slices_cover_coordinates_and_velocities_once(seed):
    """Every entry of q and v belongs to one body, joint first; names are as many, and no two are the same."""
    rng = np.random.default_rng(seed)
    system = random_tree(rng, 6, joints=[*JOINTS, ist.Slot("x")], components=[BEAM]).compile()
    layout = system.layout
    q = [k for s in layout.values() for k in (*range(s.q.start, s.q.stop), *range(s.eta.start, s.eta.stop))]
    v = [k for s in layout.values() for k in range(s.velocities.start, s.velocities.stop)]
    assert q == list(range(system.nq)) and v == list(range(system.nv))
    for names, n in (
        (layout.coordinates(), system.nq),
        (layout.velocities(), system.nv),
        (layout.small_motions(), system.nv),
    ):
        assert len(names) == len({c.name for c in names}) == n
    x = random_state(system, rng)
    for _, where in layout.turning():
        x.q[where.quaternion] *= 3.0
    layout.normalize(x.q)
    sizes = [np.linalg.norm(x.q[where.quaternion]) for _, where in layout.turning()]
    assert np.abs(np.array(sizes) - 1.0).max(initial=0.0) < 1e-15


@pytest.mark.parametrize("kind", KNOWN)
def test_kinds_are_those_of_the_motion(kind):
    """A unit of an angular velocity turns the body by the engine's Jacobian, one of a travel does not."""
    mb = ist.Multibody("one")
    mb.add_body("one", mass=1.0, inertia=[1, 1, 1], joint=kind())
    system = mb.compile()
    J = system.jacobian(system.state(), "one")
    turning = np.abs(J[:3]).max(axis=0, initial=0.0) > 0.5
    for names in (system.layout.velocities(), system.layout.small_motions()):
        assert [c.kind == "angle" for c in names] == turning.tolist()
    assert {c.kind for c in system.layout.coordinates()} <= {"angle", "length", "quaternion"}


@pytest.mark.parametrize("n", [1, 7, 1000])
@pytest.mark.parametrize("dtype", [float, complex])
def test_tables_begin_with_a_line_of_the_cache(n, dtype):
    given = np.arange(n, dtype=dtype)
    found = in_lines(given)
    assert found.dtype == given.dtype and found.flags.c_contiguous and found.ctypes.data % LINE == 0
    np.testing.assert_array_equal(found, given)
