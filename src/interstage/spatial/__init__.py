"""Rotations, spatial vectors and rigid inertia.

For scripts: `Rotation`, `RigidInertia` and the functions of `interstage.spatial.functions`. For kernels: the
allocation-free njit functions of `vec3`, `rotvec`, `quaternion`, `euler`, `motion` and `inertia_kernels`.
Conventions: docs/notation.md. Equations: docs/theory/spatial.md.
"""

from interstage.spatial.inertia import RigidInertia
from interstage.spatial.rotation import Rotation, RotationLike

__all__ = ["RigidInertia", "Rotation", "RotationLike"]
