"""Rigid parts taken out of components: what went in comes out; parts that are not there are refused."""

from __future__ import annotations

import numpy as np
import pytest

import interstage as ist
from interstage.errors import InputError, ModelError
from interstage.nastran import deck_from_text
from validation.engines_in_modes import ENGINE, GIMBALS, stage_deck


@pytest.fixture(scope="module")
def whole():
    return ist.Component.from_deck(deck_from_text(stage_deck(True)), n_modes=12, damping=0.01, name="stage")


def test_parts_go_back_as_bodies(whole):
    """Taken out and locked on again, the free body is what it was: frequencies, mass properties, damping."""
    part = whole
    for gimbal in GIMBALS:
        part = part.without_rigid(gimbal, ENGINE["mass"], ENGINE["inertia"], ENGINE["com"])
    mb = ist.Multibody("again")
    mb.add_body("stage", component=part, joint=ist.Free())
    for gimbal in GIMBALS:
        mb.add_body(f"engine{gimbal}", parent="stage", at=gimbal, joint=ist.Locked(), **ENGINE)
    again = mb.compile()
    assert again.modes().frequencies_hz[6:] == pytest.approx(whole.frequencies_hz, rel=1e-9)
    found = again.mass_properties(again.state())
    assert found.mass == pytest.approx(whole.mass, rel=1e-12)
    poles = ist.linearize(again, again.state()).poles()
    damping = [-p.real / abs(p) for p in poles if abs(p.imag) > 1.0]
    assert damping == pytest.approx([0.01] * len(damping), rel=1e-6)


def test_a_part_without_inertia_and_offset_is_a_point(whole):
    a = whole.without_rigid(GIMBALS[0], 100.0, np.zeros((3, 3)))
    b = whole.without_rigid(GIMBALS[0], 100.0, [0, 0, 0], offset=[0, 0, 0])
    np.testing.assert_array_equal(a.G0, b.G0)
    assert whole.mass - a.mass == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ((9999, 1.0, [1, 1, 1]), InputError, "node 9999 is not in the component"),
        ((101, -1.0, [1, 1, 1]), InputError, "the part has no mass that could leave"),
        ((101, 1e9, [1, 1, 1]), InputError, "the part has no mass that could leave"),
        ((101, 1.0, [1, 1]), InputError, "inertia or offset of the part does not fit"),
        ((101, 7e4, [1e7, 1e7, 1e7]), ModelError, "the modes do not carry this part"),
    ],
)
def test_parts_that_are_not_there_are_refused(whole, arguments, error, said):
    with pytest.raises(error, match=said):
        whole.without_rigid(*arguments)


@pytest.mark.parametrize(
    "more", [{"geometric_stiffness": True}, {"recover": {"root": ("CBAR", 1, "axial")}}], ids=str
)
def test_what_was_balanced_with_the_part_is_refused(more):
    made = ist.Component.from_deck(deck_from_text(stage_deck(True)), n_modes=6, name="stage", **more)
    with pytest.raises(InputError, match="were found with the part in the body"):
        made.without_rigid(GIMBALS[0], ENGINE["mass"], ENGINE["inertia"], ENGINE["com"])
