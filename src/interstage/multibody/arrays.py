"""The arrays of a compiled vehicle: `Tree` holds what never changes, `Work` settings and scratch.

Both are namedtuples of plain arrays, so that kernels compile once for every vehicle. What is switched at run time
(`SETTING_FIELDS`) belongs to whoever asks, see `settings`; kernels find it in `work`, which is lent to one caller at
a time. Bodies are numbered in
the order they were added (a parent comes before its children). Sites are nodes of flexible bodies; the first
`n_port` of them carry children and are called ports, sorted by body.

A body keeps its modes in three places: `body_eta` (in q), `joint_v + joint_nv` (in v) and `body_mode` (in the
per-mode scratch). Constants of one component are stored once, however many bodies use it: `body_flex` and
`body_pair` say where. Per-body scratch has one row more than bodies: row -1 is the
ground. In flat arrays a quantity of k rows and n modes starting at s is `a[k*s + row*n + mode]`.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

import numpy as np

LINE = 64  # bytes of a line of the cache
AT_ONCE = 240  # forces across joints up to which geometric stiffness may solve for all of them at once

# name, kind (i int64, f float64, w the type of the state), number of axes
TREE_FIELDS = (
    ("gravity", "f", 1),  # (3,) world axes
    ("body_parent", "i", 1),  # (N,) -1 for ground
    ("body_port", "i", 1),  # (N,) site of the parent that carries the body, -1 for a rigid parent or ground
    ("body_modes", "i", 1),  # (N,) number of modes
    ("body_order", "i", 1),  # (N,) fidelity 0, 1, 2
    ("body_watch", "i", 1),  # (N,) 1 where the mass matrix may lose definiteness by deformation
    ("body_eta", "i", 1),  # (N,) first modal coordinate in q
    ("body_mode", "i", 1),  # (N,) first mode in the scratch
    ("body_flex", "i", 1),  # (N,) first mode in flex_E, flex_F0, flex_J1
    ("body_pair", "i", 1),  # (N,) first number in flex_pair
    ("body_thin", "i", 1),  # (N,) first number in flex_thin, -1 where pairs of modes are read from flex_pair
    ("body_rank", "i", 1),  # (N,) its rows in flex_thin by fours
    ("body_turn", "i", 1),  # (N,) first number in flex_turn, -1 where nodes are points
    ("body_mixed", "i", 1),  # (N,) first number in mixed_C, -1 where modal damping is diagonal
    ("body_held", "i", 1),  # (N,) first number in held_C, -1 where a lock does not change modal damping
    ("body_drag", "i", 1),  # (N,) first number in drag_C, -1 where no damper goes to ground
    ("body_ports", "i", 1),  # (N + 1,) ports of body i are body_ports[i] ... body_ports[i + 1]
    ("body_block", "i", 1),  # (N,) first 6x6 block in W0
    (
        "body_spin",
        "i",
        1,
    ),  # (N,) block of the products of its spin in stiff_block, -1 without geometric stiffness
    ("body_root", "i", 1),  # (N,) block of the wrench of its inboard joint, -1 for none
    (
        "body_stiff",
        "i",
        1,
    ),  # (N,) 1 where forces across joints change the stiffness, -1 where they do further out
    ("joint_kind", "i", 1),  # (N,)
    ("joint_q", "i", 1),  # (N,) first joint coordinate in q
    ("joint_v", "i", 1),  # (N,) first joint velocity in v
    ("joint_nv", "i", 1),  # (N,)
    ("joint_R", "f", 2),  # (N, 9) R_PC at zero joint coordinate
    ("joint_turn", "f", 2),  # (N, 27) of a revolute joint: R_PC = C0 + sin C1 + cos C2 of its angle
    ("joint_p", "f", 2),  # (N, 3) point on a rigid parent, parent axes
    ("joint_axes", "f", 2),  # (N, 9) up to three axes
    ("joint_pitch", "f", 1),  # (N,) travel per radian of a screw
    ("gimbals", "i", 1),  # bodies with a Gimbal joint
    ("v_q", "i", 1),  # (nv,) coordinate whose rate is this velocity, -1 for quaternions and free positions
    ("v_stiffness", "f", 1),  # (nv,)
    ("v_damping", "f", 1),  # (nv,)
    ("v_rest", "f", 1),  # (nv,) coordinate without spring force
    ("flex_E", "f", 1),  # (3, n) each: sum m gamma of the whole mass
    ("flex_F0", "f", 1),  # (3, n)
    ("flex_J1", "f", 1),  # (6, n) first-order change of J per mode
    ("mixed_C", "f", 1),  # (n, n) each: modal damping off the diagonal
    ("held_C", "f", 1),  # (n, n) each: what modal damping has more while a Free joint is locked
    ("drag_C", "f", 1),  # (6, 6 + n) each: dampers to ground on the velocity of the body frame and the modes
    ("flex_pair", "f", 1),  # J2 and F1 of each pair of modes, in the order of `body_inertia.pairs`
    ("flex_thin", "f", 1),  # (rank, 3, 4, n) each: rows whose products are pairs of modes
    ("flex_turn", "f", 1),  # (3, n, n) each: symmetric part of F1 of nodes that turn
    ("body_square", "i", 1),  # (N,) first number of its modal mass in mass_G and mass_L, -1 where it is one
    ("body_tank", "i", 1),  # (N + 1,) tanks of body i are body_tank[i] ... body_tank[i + 1]
    ("body_base", "i", 1),  # (N,) first number in tank_numbers of what does not burn
    ("tank_level", "i", 1),  # (T + 1,) levels of tank k are tank_level[k] ... tank_level[k + 1]
    ("level_mass", "f", 1),  # (L,) propellant at each level, ascending in a tank
    ("level_numbers", "i", 1),  # (L,) first number in tank_numbers
    ("tank_numbers", "f", 1),  # integrals of bodies that burn, in the order of `kernels.variable_mass`
    ("tank_slopes", "f", 1),  # at the place of a level: change to the next one for each unit of mass
    ("body_sums", "i", 1),  # (N + 1,) sums of body i are level_sums[body_sums[i]] ...
    ("body_soft", "i", 1),  # (N,) 1 where tanks change the stiffness of a body
    (
        "body_unit",
        "i",
        1,
    ),  # (N,) first unit load of a body that burns whose stiffness loads change, -1 for none
    ("body_ratio", "i", 1),  # (N,) first row in tank_ratio, -1 without damping at the current mass
    (
        "tank_ratio",
        "f",
        2,
    ),  # (R, 2) each: rates and damping ratios of free modes, linear between; the first row: R, 0
    ("site_body", "i", 1),  # (S,)
    ("site_l", "f", 2),  # (S, 3) undeformed position in body axes
    ("site_start", "i", 1),  # (S,) first mode in site_lam, site_gam
    ("site_lam", "f", 1),  # (3, n) each
    ("site_gam", "f", 1),  # (3, n) each
    ("site_load", "i", 1),  # (S,) block of wrenches at the site in stiff_block, -1 for none
    (
        "stiff_block",
        "i",
        2,
    ),  # (blocks, 6) first number in stiff_K of each of six loads, -1 for one without effect
    ("stiff_K", "f", 1),  # (n, n) each: geometric stiffness of unit loads
    ("stiff_burn", "i", 2),  # (B, 3) those that change with propellant: first number, body, row in unit_arm
    (
        "unit_spin",
        "i",
        1,
    ),  # (U,) product of the spin that a unit load of a body that burns is, -1 for a node's
    ("unit_arm", "f", 2),  # (U, 6) force and moment about the origin of a unit load at a node
    ("unit_at", "i", 1),  # (U,) first number in unit_K
    ("unit_K", "f", 1),  # (n, n) each: geometric stiffness of unit loads that the reference fill balances
    ("closure_site", "i", 2),  # (C, 2) sites of both ends, -1 for the ground
    ("closure_row", "i", 1),  # (C + 1,) rows of closure c are closure_row[c] ... closure_row[c + 1]
    ("closure_R", "f", 2),  # (C, 9) rotation of the relation's frame on the first site
    ("closure_p", "f", 2),  # (C, 6) points of both ends where they are on the ground
    ("body_branch", "i", 1),  # (N,) branch of a body: what hangs on one joint to the ground
    (
        "branch_start",
        "i",
        1,
    ),  # (branches + 1,) bodies of branch b are branch_body[branch_start[b]...], ascending
    ("branch_body", "i", 1),  # (N,)
    (
        "near_start",
        "i",
        1,
    ),  # (C + 1,) closures from c on that share a branch with closure c, itself among them
    ("near_closure", "i", 1),
    ("row_first", "i", 1),  # (m,) first row that is coupled with this one, directly or by rows between
    ("row_kind", "i", 1),  # (m,) kinds of `kernels.closure_forces`
    ("row_u", "f", 2),  # (m, 3) direction fixed in the first frame
    ("row_w", "f", 2),  # (m, 3) direction fixed in the second frame
    ("row_c", "f", 1),  # (m,) cosine of the angle of two axes, or travel per radian of a screw
    ("row_tolerance", "f", 1),  # (m,) error that projections leave
    ("sizes", "i", 1),  # (6,) n_body, n_port, n_site, nq, nv, n_mode
)

SETTING_FIELDS = (
    ("joint_mode", "i", 1),  # (N,) 0 free, 1 prescribed, 2 locked
    ("body_inertia", "f", 2),  # (N, 10) m, m c (3), J about the origin (xx yy zz xy xz yz), undeformed
    ("row_keep", "i", 1),  # (m,) 0 for a row that is left out: dependent, or of an open closure
    ("closure_option", "f", 1),  # (3,) 1 for projection after steps, 2 alpha and beta^2 of Baumgarte
    ("propellant", "f", 1),  # (T,) masses in the tanks
)

SCRATCH_FIELDS = (
    ("R", "w", 2),  # (N, 9) x_parent = R x_body
    ("p", "w", 2),  # (N, 3) body origin from the parent's origin (rigid parent) or deformed node, parent axes
    ("V", "w", 2),  # (N, 6) velocity of the body frame, body axes
    ("c", "w", 2),  # (N, 6) velocity-dependent part of the joint's acceleration, body axes
    ("g", "w", 2),  # (N, 3) gravity in body axes
    ("H", "w", 2),  # (N, 36) joint motion subspace, six numbers a degree of freedom, body axes
    ("Rw", "w", 2),  # (N, 9) x_world = Rw x_body
    ("pw", "w", 2),  # (N, 3) body origin in the world
    ("I", "w", 2),  # (N, 10) mass properties of the deformed body
    ("b", "w", 2),  # (N, 6) velocity and gravity terms of the rigid equations
    ("ext", "w", 2),  # (N, 6) external wrench at the origin, body axes
    ("P", "w", 2),  # (N, 21) articulated (or composite) inertia
    ("body_size", "w", 2),  # (N, 2) sizes of the inertia outboard of its hinge: turning, moving
    ("z", "w", 2),  # (N, 6) articulated force; force across the joint in inverse dynamics
    ("U", "w", 2),  # (N, 36) P H
    ("L", "w", 3),  # (N, 6, 6) factor of HᵀPH
    ("u", "w", 2),  # (N, 6) D⁻¹(tau - Hᵀz)
    ("A", "w", 2),  # (N, 6) acceleration of the body frame, body axes
    ("FDF", "w", 2),  # (N, 6)
    ("FDE", "w", 2),  # (N, 9)
    ("EDE", "w", 2),  # (N, 6)
    (
        "pool_E",
        "f",
        1,
    ),  # E, F0, J1, pairs and modal damping as flex_E ... mixed_C have them, at the propellant of now
    ("pool_F0", "f", 1),
    ("pool_J1", "f", 1),
    ("pool_pair", "f", 1),
    ("pool_C", "f", 1),
    ("pool_stiff", "f", 1),  # geometric stiffness as stiff_K has it, at the propellant of now
    ("mass_G", "f", 1),  # (n, n) each: modal mass of bodies that burn
    (
        "mass_L",
        "f",
        1,
    ),  # (n, n) each: Cholesky factor of modal mass with the implicit shift, G + shift = L Lᵀ
    (
        "mass_K",
        "f",
        1,
    ),  # (n, n) each: modal stiffness less its diagonal at the reference, where tanks change it
    ("level", "i", 1),  # (T,) levels on which level_sums stand, and sums of the integrals there
    ("level_sums", "f", 1),
    ("burning", "f", 1),  # scratch of what is found at rounded masses (`kernels.variable_mass`)
    (
        "weighed",
        "f",
        1,
    ),  # (3 T,) propellant at which these stand, and at which geometric stiffness and modal damping were found
    (
        "mass_C",
        "f",
        1,
    ),  # (1 + T, n, n) each: modal damping where it was found, and its slopes with the propellant
    ("row_E", "f", 1),  # E, λ, γ and F as the elimination of modes takes them: times L⁻ᵀ where a body burns
    ("row_lam", "f", 1),
    ("row_gam", "f", 1),
    ("row_F", "w", 1),
    ("mode_F", "w", 1),  # (3, n) each
    ("mode_b", "w", 1),  # (n,) velocity and gravity terms of the modal equations
    ("mode_beta", "w", 1),  # (n,) modal force over modal mass
    ("mode_d", "w", 1),  # (n,) inverse of modal mass with the implicit shift
    ("mode_ext", "w", 1),  # (n,) modal force of external wrenches
    ("mode_y", "w", 1),  # (10, n) each
    ("mode_h", "w", 1),  # (n,) modal force of geometric stiffness under new forces across joints
    ("mode_G", "w", 1),  # (6, n) each: K η of the inboard joint
    ("site_G", "w", 1),  # (6, n) each: K η of ports
    ("stiff_size", "w", 1),  # (2 N,) sizes of the modal forces of a body, real and imaginary parts
    ("stiff_v", "w", 1),  # (nv,) answer to modal forces of geometric stiffness
    (
        "settle_R",
        "w",
        2,
    ),  # (m, m) of the forces across joints that change stiffness: one less what they do to themselves
    ("settle_f", "w", 1),  # (3 m,) those forces, and two columns
    (
        "port_G",
        "w",
        1,
    ),  # (6 c, 6 c + 8) each: factored rows of D⁻¹ + LᵀWL of bodies with ports, and seven columns
    ("port_L", "w", 2),  # (n_port, 36) L of what hangs on a port, six columns, zero beyond the rank
    ("port_E", "w", 2),  # (n_port, 36) the same with rotations turned back by site_J
    ("port_D", "w", 2),  # (n_port, 6) inverse of D
    ("port_zeta", "w", 2),  # (n_port, 6) ζ
    ("port_order", "i", 2),  # (n_port, 7) rows of the pivots, and the rank
    ("port_t", "w", 1),  # (6 n_port,) forces at ports, rotations turned back by site_J
    ("site_R", "w", 2),  # (S, 9) rotation of the node
    ("site_J", "w", 2),  # (S, 9) left Jacobian of its rotation vector
    ("site_p", "w", 2),  # (S, 3) deformed position, body axes
    ("site_V", "w", 2),  # (S, 6) velocity at the node, body axes
    ("site_c", "w", 2),  # (S, 6) velocity-dependent part of its acceleration, body axes
    ("site_a", "w", 2),  # (S, 6) acceleration
    ("site_P", "w", 2),  # (S, 21) what hangs on a port
    ("site_z", "w", 2),  # (S, 6)
    ("site_g", "w", 2),  # (S, 6)
    ("site_f", "w", 2),  # (S, 6) force at a port
    ("site_s", "w", 2),  # (n_port, 2) sizes of the inertia outboard of its hinges: turning, moving
    ("site_DF", "w", 2),  # (S, 18) [lam; gam] D⁻¹ Fᵀ
    ("site_DE", "w", 2),  # (S, 18)
    ("Psi", "w", 2),  # (6 S, 6)
    ("W0", "w", 1),  # (6 c, 6 c) each: constant part of W
    ("Y", "w", 2),  # (6, 6)
    ("body_f", "w", 1),  # (6 c + 6,)
    ("indefinite", "w", 1),  # (N,) 1 where forward dynamics met a mass matrix that is not definite
    ("shift", "w", 1),  # (nv,) added to the diagonal of the mass matrix (linearly implicit steps)
    ("closure_r", "w", 2),  # (C, 3) from the first to the second end, world axes
    ("closure_size", "w", 1),  # (C,) size of the coordinates that it is a difference of
    ("closure_C", "w", 1),  # (m,) errors of the rows
    ("closure_rate", "w", 1),  # (m,) their rates
    ("closure_b", "w", 1),  # (m,) velocity terms of their second derivatives
    ("closure_n", "w", 2),  # (m, 3) torque of a unit multiplier on the second end, world axes
    ("closure_u", "w", 2),  # (m, 3) its force
    ("closure_e", "w", 1),  # (m,) second derivatives without closure forces
    ("closure_f", "w", 1),  # (m,) multipliers
    ("closure_g", "w", 1),  # (m,) sum of multipliers of several passes
    ("closure_s", "w", 1),  # (m,) scales of the rows
    ("closure_rest", "w", 1),  # (m,) answers below which they cannot move
    ("closure_L", "w", 2),  # (m, m) J M^-1 J^T, then its factor
    ("closure_X", "w", 2),  # (m, nv) M^-1 J^T by rows
    ("closure_J", "w", 2),  # (6, nv)
    ("closure_v", "w", 1),  # (nv,)
    ("closure_q", "w", 1),  # (nq,)
)

WORK_FIELDS = (*SETTING_FIELDS, *SCRATCH_FIELDS)
# lengths of a row of scratch that has one for every body and, as row -1, one for the ground
BODY_ROWS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("p", "g", "pw"), (3,)),
    **dict.fromkeys(("V", "c", "b", "ext", "z", "u", "A", "FDF", "EDE"), (6,)),
    **dict.fromkeys(("R", "Rw", "FDE"), (9,)),
    **{"I": (10,), "P": (21,), "body_size": (2,), "H": (36,), "U": (36,), "L": (6, 6)},
}
if TYPE_CHECKING:

    class Arrays(tuple[np.ndarray, ...]):
        """What a checker sees of a namedtuple of arrays: every field is an array."""

        _fields: tuple[str, ...]

        def __new__(cls, *arrays: np.ndarray, **named: np.ndarray) -> Self: ...

        def __getattr__(self, name: str) -> np.ndarray: ...

        def _replace(self, **arrays: np.ndarray) -> Self: ...

        def _asdict(self) -> dict[str, np.ndarray]: ...

    class Tree(Arrays): ...

    class Work(Arrays): ...

else:
    Tree = namedtuple("Tree", [name for name, _, _ in TREE_FIELDS])
    Work = namedtuple("Work", [name for name, _, _ in WORK_FIELDS])


def _closure_shapes(C: int, m: int, nq: int, nv: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of what closures need: nothing where there are none."""
    one = min(C, 1)
    rows = {f"closure_{name}": (m,) for name in ("C", "rate", "b", "e", "f", "g", "s", "rest")}
    return rows | {
        "closure_r": (C, 3),
        "closure_size": (C,),
        "closure_n": (m, 3),
        "closure_u": (m, 3),
        "closure_L": (m, m),
        "closure_X": (m, nv),
        "closure_J": (6 * one, nv),
        "closure_v": (nv * one,),
        "closure_q": (nq * one,),
    }


def _carried_forces(tree: Tree) -> int:
    """Return the largest number of forces across joints that change the stiffness of bodies, six a joint."""
    stiff = tree.body_stiff > 0
    ports = [s for i in np.flatnonzero(stiff) for s in range(tree.body_ports[i], tree.body_ports[i + 1])]
    return 6 * int(np.sum(tree.body_root[stiff] >= 0) + np.sum(tree.site_load[ports] >= 0))


def make_work(tree: Tree, settings: Mapping[str, np.ndarray], dtype: type | np.dtype = np.float64) -> Work:
    """Allocate scratch for a tree, all zero, beside the arrays of `settings`.

    `kernels.body_inertia.prepare` fills what depends on constants.
    """
    N, n_port, S, nq, nv, n = (int(k) for k in tree.sizes)
    ports = np.diff(tree.body_ports)
    widest = 6 * int(ports.max(initial=0))
    blocks = int((ports**2).sum())
    site = {
        "R": 9,
        "J": 9,
        "p": 3,
        "V": 6,
        "c": 6,
        "a": 6,
        "P": 21,
        "z": 6,
        "g": 6,
        "f": 6,
        "DF": 18,
        "DE": 18,
    }
    mode = {"F": 3, "b": 1, "beta": 1, "d": 1, "ext": 1, "y": 10, "h": 1}
    shapes: dict[str, tuple[int, ...]] = {name: (N + 1, *k) for name, k in BODY_ROWS.items()}
    shapes |= {f"site_{name}": (S, k) for name, k in site.items()}
    shapes |= {f"mode_{name}": (k * n,) for name, k in mode.items()}
    stiff = bool(tree.body_stiff.any())
    shapes |= {"mode_G": (6 * n * stiff,), "site_G": (2 * len(tree.site_lam) * stiff,)}
    m = _carried_forces(tree)
    m += int(tree.closure_row[-1]) if stiff and len(tree.closure_site) else 0
    m = m if m <= AT_ONCE else 0
    shapes |= {"settle_R": (m, m), "settle_f": (3 * m,)}
    shapes |= {"stiff_size": (2 * N * stiff,), "stiff_v": (nv * stiff,), "site_s": (n_port, 2)}
    shapes |= {
        "port_L": (n_port, 36),
        "port_E": (n_port, 36),
        "port_D": (n_port, 6),
        "port_zeta": (n_port, 6),
    }
    shapes |= {"port_order": (n_port, 7), "port_t": (6 * n_port,), "port_G": (36 * blocks + 48 * n_port,)}
    shapes |= {"Psi": (6 * n_port, 6), "W0": (36 * blocks,)}
    shapes |= {
        "Y": (6, 6),
        "body_f": (widest + 6,),
        "shift": (nv,),
        "indefinite": (N,),
    }
    shapes |= _closure_shapes(len(tree.closure_site), len(tree.row_kind), nq, nv)
    T, burning = len(tree.level_mass), np.flatnonzero(tree.body_square >= 0)
    squares = (int((tree.body_modes[burning] ** 2).sum()),)
    tanks = len(tree.tank_level) - 1
    shapes |= {"mass_G": squares, "mass_L": squares, "weighed": (3 * tanks,), "level": (tanks,)}
    shapes["mass_C"] = ((1 + tanks) * squares[0] * bool((tree.body_ratio >= 0).any()),)
    shapes |= {"mass_K": squares if tree.body_soft.any() else (0,), "level_sums": (int(tree.body_sums[-1]),)}
    wide = int(tree.body_modes[burning].max(initial=0))
    shapes["burning"] = ((82 + 8 * wide + 12 * wide**2) * bool(len(burning)),)
    types: dict[str, type | np.dtype] = {"w": dtype, "i": np.int64, "f": np.float64}
    same = _same_arrays(tree, T > 0)
    own: dict[str, np.ndarray] = {
        name: np.zeros(shapes[name], types[kind]) for name, kind, _ in SCRATCH_FIELDS if name in shapes
    }
    own["mode_y"] = in_lines(own["mode_y"])
    own["row_F"] = np.zeros_like(own["mode_F"]) if T else own["mode_F"]
    own["weighed"][:], own["level"][:] = np.nan, -1
    return Work(
        **settings, **{name: own[name] if name in own else same[name] for name, _, _ in SCRATCH_FIELDS}
    )


def in_lines(numbers: np.ndarray) -> np.ndarray:
    """Return a copy of a vector that begins with a line of the cache: eight numbers at a time then lie in one each."""
    room = np.empty(numbers.nbytes + LINE, dtype=np.uint8)
    first = -room.ctypes.data % LINE
    out = room[first : first + numbers.nbytes].view(numbers.dtype)
    out[:] = numbers
    return out


def _same_arrays(tree: Tree, burns: bool) -> dict[str, np.ndarray]:
    """Return what kernels read of integrals and shapes: the constants themselves, or copies where a body burns."""
    found = {
        "pool_E": tree.flex_E,
        "pool_F0": tree.flex_F0,
        "pool_J1": tree.flex_J1,
        "pool_pair": tree.flex_pair,
        "pool_C": tree.mixed_C,
        "pool_stiff": tree.stiff_K,
        "row_E": tree.flex_E,
        "row_lam": tree.site_lam,
        "row_gam": tree.site_gam,
    }
    return {name: array.copy() for name, array in found.items()} if burns else found
