"""Read inertia tensors as reports give them: about what point, in whose axes (JEOD Mass Body, 4.1.1).

none        not given; zero
body        about the centre of mass, body axes
struct_cg   about the centre of mass, structure axes
struct      about the structure point, structure axes
spec_cg     about the centre of mass, axes of `orientation`
spec        about a point `offset` away from the centre of mass, axes of `orientation`; offset in those axes
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike

from interstage.errors import InertiaError, InputError, caller_level
from interstage.mass.orientation import Orientation, OrientationLike
from interstage.spatial import RigidInertia
from interstage.spatial.checks import as_array

SPECS = ("none", "body", "struct_cg", "struct", "spec_cg", "spec")


def core_inertia(
    mass: float,
    position: ArrayLike,
    inertia: ArrayLike | None,
    spec: str,
    body_axes: np.ndarray,
    orientation: OrientationLike | None = None,
    offset: ArrayLike | None = None,
    where: str = "mass body",
    check: bool = True,
) -> RigidInertia:
    """Return checked core properties in structure axes, the inertia about the centre of mass.

    mass, position : m and the centre of mass (3,) from the structure point, structure axes
    inertia : tensor (3, 3), or three moments, as `spec` says; products carry the sign of the tensor
    body_axes : R (3, 3), x_struct = R x_body
    orientation : for spec_cg and spec, from the axes of the tensor to the body axes (matrix T_spec_body)
    offset : for spec, from the centre of mass to the point of the tensor, in the axes of the tensor
    check : whether the tensor must be one that a body can have
    """
    if spec not in SPECS:
        raise InputError("unknown inertia_spec", where=where, expected=", ".join(SPECS), got=repr(spec))
    _check_extras(spec, orientation, offset, where)
    mass = float(as_array(mass, (), f"{where}, mass"))
    com = as_array(position, (3,), f"{where}, position")
    tensor = _tensor(inertia, spec, where)
    if spec == "struct":
        rigid = RigidInertia.from_about_point(mass, com, tensor, np.zeros(3))
    elif spec in ("none", "struct_cg"):
        rigid = RigidInertia(mass, com, tensor)
    else:
        R_SI = body_axes  # axes of the tensor in structure axes
        if spec != "body":
            R_SI = body_axes @ Orientation.of(orientation, f"{where}, inertia_orientation").T_parent_this
        if spec == "spec":
            tensor = RigidInertia.from_about_point(
                mass, np.zeros(3), tensor, as_array(offset, (3,), f"{where}, inertia_offset")
            ).inertia
        rigid = RigidInertia(mass, com, R_SI @ tensor @ R_SI.T)
    return check_core(rigid, where, check)


def check_core(rigid: RigidInertia, where: str, check: bool = True) -> RigidInertia:
    """Raise InertiaError unless a part (or nothing) can be so; return the properties symmetric."""
    if rigid.mass == 0.0 and rigid.inertia.any():
        raise InertiaError("a part without mass has inertia", where=where, expected="mass > 0 or no inertia")
    if rigid.mass != 0.0:
        tested = rigid if check else RigidInertia.point(rigid.mass)
        tested.check(where=where)
    return RigidInertia(rigid.mass, rigid.com, 0.5 * (rigid.inertia + rigid.inertia.T))


def _tensor(inertia: ArrayLike | None, spec: str, where: str) -> np.ndarray:
    if inertia is None:
        return np.zeros((3, 3))
    if spec == "none":
        warnings.warn(
            f"the inertia of {where} is left out, because its inertia_spec is none",
            UserWarning,
            stacklevel=caller_level(),
        )
        return np.zeros((3, 3))
    if np.shape(inertia) == (3,):
        return np.diag(as_array(inertia, (3,), f"{where}, inertia"))
    return as_array(inertia, (3, 3), f"{where}, inertia")


def _check_extras(spec: str, orientation: object, offset: object, where: str) -> None:
    """Refuse an orientation or offset that is missing, or that the specification would leave unused."""
    for name, value, users in (
        ("inertia_orientation", orientation, ("spec_cg", "spec")),
        ("inertia_offset", offset, ("spec",)),
    ):
        if (value is not None) != (spec in users):
            raise InputError(
                f"inertia_spec {spec} {'needs' if value is None else 'does not use'} {name}",
                where=where,
                hint=f"{name} belongs to inertia_spec {' and '.join(users)}",
            )
