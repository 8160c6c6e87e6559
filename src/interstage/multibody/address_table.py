"""Hand a `Tree` and a `Work` to compiled code as one array of addresses, and call stages through it.

Passing a namedtuple of eighty arrays to every kernel would make compilation slow and calls from Python slower
than a step of a small vehicle. A handle lists address and shape of every array. Inside compiled code
`tree_of(handle)` and `work_of(handle, like)` are light references: `tree.body_parent` loads just that array.
Kernels are written against attribute names only, so that the same text runs on the namedtuples themselves,
compiled by plain numba or not at all (`jit`). The owner of a handle must keep the arrays alive.

A `stage` is a kernel that others call through its address, which is also kept in the handle. The compiler then
sees each stage once, instead of once more in everything that calls it: compilation takes a third of the time.
Which stages an algorithm needs is read from its code, so that none can be forgotten.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable

import numpy as np

from interstage.errors import InputError
from interstage.jit import COMPILED, kernel
from interstage.multibody.arrays import SETTING_FIELDS, TREE_FIELDS, WORK_FIELDS, Tree, Work

# Sums may be reordered and products fused (the same on every run of one machine); infinities and NaN stay.
FAST = frozenset({"contract", "reassoc", "nsz", "arcp"})
_SLOTS = 4  # address and up to three lengths for each array
_ZEROS = (0, 0, 0)
_FIRST_SETTING = _SLOTS * len(TREE_FIELDS)
_FIRST_SCRATCH = _FIRST_SETTING + _SLOTS * len(SETTING_FIELDS)
FIRST_STAGE = _SLOTS * (len(TREE_FIELDS) + len(WORK_FIELDS))

# Stages in the order of their slots, with the vehicles that call them: all, those with modes, without ("rigid"), with
# joints other than revolute, of several degrees of freedom ("wide"), flexible bodies of order 0 or of more, nodes that
# turn, few mass points ("thin"), stiffness by spin, dampers to ground, damping that mixes modes, inertia that is
# watched, tanks, stiffening, closures, the last two; or the calls: those with loads at places
STAGES = {
    "kinematics": "all",
    "joint_frame": "other joints",
    "port_motions": "modes",
    "poses": "all",
    "external_wrenches": "loads",
    "prepare": "all",
    "weigh": "tanks",
    "whiten_body": "tanks",
    "prepare_modes": "modes",
    "whiten_shapes": "tanks",
    "turning_nodes": "turning",
    "thin_pairs": "thin",
    "shifted_inertia": "order 0",
    "changed_inertia": "order 1",
    "spin_stiffness": "spin",
    "ground_drag": "drag",
    "mixed_damping": "mixed",
    "soft_forces": "tanks",
    "to_unit_mass": "tanks",
    "from_unit_mass": "tanks",
    "watch_inertia": "watched",
    "flexible_terms": "modes",
    "body_terms": "all",
    "eliminate_modes": "modes",
    "wide_hinge": "wide",
    "inward": "all",
    "modal_accelerations": "modes",
    "outward": "all",
    "accelerations": "all",
    "modal_balance": "modes",
    "balance": "all",
    "rigid_inverse": "rigid",
    "rigid_mass_matrix": "rigid",
    "composite": "all",
    "mass_columns": "all",
    "jacobian": "all",
    "energies": "all",
    "momentum": "all",
    "observe_sites": "all",
    "known_loads": "stiffening",
    "stiff_rows": "stiffening",
    "settle": "stiffening",
    "closure_rows": "closures",
    "closure_inertia": "closures",
    "constrain": "closures",
    "settle_closed": "stiff closures",
    "closure_response": "closures",
    "project": "closures",
    "closure_jacobian": "closures",
    "rigid_answers": "all",
    "mode_answers": "modes",
    "load_answers": "loads",
    "load_columns": "loads",
    "joint_slopes": "all",
    "mode_slopes": "modes",
    "inverse_mass": "all",
}
_STAGE_SLOTS = {name: FIRST_STAGE + k for k, name in enumerate(STAGES)}
IN_USE = FIRST_STAGE + len(STAGES)  # slot of the word that `claim` marks

# Compiled code on disk knows slots by number: the type of a handle carries a print of the layout.
_LAYOUT = hashlib.sha256(repr((TREE_FIELDS, WORK_FIELDS, tuple(STAGES))).encode()).hexdigest()[:12]
HANDLE_DTYPE = np.dtype([(f"layout_{_LAYOUT}", np.int64)])

if COMPILED:
    from interstage.compiled import AddressedKernel, Record, claim, release, stages_of, trap

    _TREE, _WORK = Record("Tree", TREE_FIELDS), Record("Work", WORK_FIELDS, _FIRST_SETTING)
    tree_of = _TREE.reference("tree_of", like=False)
    work_of = _WORK.reference("work_of", like=True)
else:

    def _absent(*arguments: object) -> None:
        """Stand for what only compiled code with addresses can call."""
        raise NotImplementedError("records by address are not in use")

    tree_of = work_of = claim = release = _absent


def slots_of(arrays: Iterable[np.ndarray]) -> np.ndarray:
    """Return address and shape of each of some arrays, as handles hold them."""
    slots: list[int] = []
    for a in arrays:
        if not a.flags.c_contiguous:
            raise ValueError("handles need contiguous arrays")
        shape = a.shape
        # what is empty is never looked at
        slots += (0 if 0 in shape else a.ctypes.data, *shape, *_ZEROS[: _SLOTS - 1 - len(shape)])
    return np.array(slots, dtype=np.int64)


def make_handle(tree: Tree, work: Work) -> np.ndarray:
    """Return the array of addresses and shapes of all arrays of a tree and its scratch, and of stages (none yet)."""
    stages = np.zeros(len(STAGES) + 1, dtype=np.int64)
    if COMPILED:
        stages[:-1] = trap()
    return np.concatenate([slots_of((*tree, *work)), stages]).view(HANDLE_DTYPE)


def point_to(handle: np.ndarray, slots: np.ndarray) -> None:
    """Let a handle lead to other settings, given by their `slots_of`."""
    handle.view(np.int64)[_FIRST_SETTING:_FIRST_SCRATCH] = slots


def stage(letters: str, returns: str = "none") -> Callable[[Callable], Callable]:
    """Make a kernel f(tree, work, ...) a stage, called through its address in the handle.

    `letters` gives the arguments after tree and work: x vector and M matrix of the state's type, f real vector,
    i vector of integers, n integer. `returns` is "none" or "int64".
    """

    def decorate(function: Callable) -> Callable:
        if not COMPILED:
            return kernel(function, fastmath=set(FAST))
        # one that is not in the table is found when a vehicle is compiled whose algorithms call it
        slot = _STAGE_SLOTS.get(function.__name__, -1)
        return AddressedKernel(function, slot, (_TREE, _WORK, *letters), returns, FAST)

    return decorate


def stages_called(tree: Tree, loaded: bool = True) -> frozenset[str]:
    """Return the names of the stages that algorithms may call on a vehicle; `loaded`: with loads at places."""
    from interstage.multibody.kernels.joints import has_other_joints  # which needs what is here

    closed, stiff = len(tree.closure_site) > 0, bool(tree.body_stiff.any())
    kinds = {
        "all": True,
        "loads": loaded,
        "modes": int(tree.sizes[5]) > 0,
        "rigid": int(tree.sizes[5]) == 0,
        "closures": closed,
        "other joints": has_other_joints(tree),
        "wide": bool((tree.joint_nv > 1).any()),
        "order 0": bool((tree.body_order[tree.body_modes > 0] == 0).any()),
        "order 1": bool((tree.body_order[tree.body_modes > 0] > 0).any()),
        "turning": len(tree.flex_turn) > 0,
        "thin": bool((tree.body_thin >= 0).any()),
        "spin": bool((tree.body_spin >= 0).any()),
        "drag": bool((tree.body_drag >= 0).any()),
        "mixed": bool((tree.body_mixed >= 0).any() or (tree.body_held >= 0).any()),
        "watched": bool(tree.body_watch.any()),
        "tanks": len(tree.level_mass) > 0,
        "stiffening": stiff,
        "stiff closures": stiff and closed,
    }
    return frozenset(name for name, kind in STAGES.items() if kinds[kind])


def write_stages(
    handle: np.ndarray, root: Callable, dtype: np.dtype, tree: Tree, loaded: bool = True
) -> None:
    """Compile the stages that a kernel calls on a vehicle, and write their addresses into its handle.

    loaded : whether loads at places are among what it is given
    """
    called = stages_called(tree, loaded)
    slots = handle.view(np.int64)
    for found in stages_of(root):
        if found.slot < 0:
            raise InputError(
                f"'{found.__name__}' is called as a stage and has no slot in the handle",
                where=getattr(root, "__name__", repr(root)),
                expected="a line for it in multibody.handle.STAGES",
            )
        if found.__name__ in called:
            slots[found.slot] = found.compile(dtype)
