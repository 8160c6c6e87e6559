"""Call the kernels on a compiled vehicle: constant arrays, settings, and scratch that is lent to one call at a time.

`KernelInterface` knows numbers of bodies and sites; names are the business of `System`.

One step of iterative refinement of forward dynamics.

Where a light body carries a heavy one, P⁺ = P - U D⁻¹Uᵀ leaves rounding of the size of the heavy inertia in the
direction in which the hinge gives way, and the light body sees it. The recursion is still a good approximate
inverse of M. With the residual r = τ - (M v̇ + b) of inverse dynamics, δ = M⁻¹r by the recursion at rest and
without gravity is small with small errors, and v̇ + δ is as good as inverse dynamics can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import DTypeLike

from interstage.errors import InputError
from interstage.jit import COMPILED
from interstage.multibody.address_table import FAST, make_handle, point_to, slots_of, write_stages
from interstage.multibody.arrays import Tree, Work, make_work
from interstage.multibody.kernels import entry
from interstage.multibody.state import State

if TYPE_CHECKING:
    from interstage.multibody.model_data import ModelData
    from interstage.multibody.settings import RuntimeSettings


if COMPILED:
    from interstage.compiled import make_door
    from interstage.multibody.kernels import fast_entry

    # kernels that are doors
    QUICK = {
        "forward": fast_entry.enter_forward,
        "inverse": fast_entry.enter_inverse,
        "mass_matrix": fast_entry.enter_mass_matrix,
    }

Door = Callable[..., np.ndarray | None]
ALONE = 64  # bodies and modes up to which other threads wait: a call is as short as handing over
NO_SITES = np.zeros(0, dtype=np.int64)
FLOAT, COMPLEX = np.dtype(np.float64), np.dtype(np.complex128)

# kernels that take the handle, and those that take the tuples where there is none
DOORS = {
    "forward": (entry.enter_forward_loaded, entry.forward),
    "inverse": (entry.enter_inverse_loaded, entry.inverse),
    "mass_matrix": (entry.enter_mass_matrix_of, entry.mass_matrix),
    "jacobian": (entry.enter_jacobian, entry.site_jacobian),
    "sums": (entry.enter_sums, entry.sums),
    "observe": (entry.enter_observe, entry.observe),
    "composite": (entry.enter_composite, entry.composite_from),
    "closure_rows": (entry.enter_closure_rows, entry.look),
    "closure_response": (entry.enter_closure_response, entry.closure_response),
    "closure_jacobian": (entry.enter_closure_jacobian, entry.closure_jacobian),
    "project": (entry.enter_project, entry.project),
    "prepare": (entry.enter_prepare, entry.prepare),
}


def shut(*arguments: np.ndarray) -> None:
    """Stand for a door that is not open: what it answers is no array."""


def _algorithm(name: str, doc: str | None = None, sites: int | None = None) -> Callable[..., int]:
    """Return an algorithm of `DOORS` as a method f(q, v, ...) of `Scratch`; it returns its status, 0 without one.

    sites : which of the arguments after q and v are places with loads, where some may be
    """
    door, plain = DOORS[name]

    def call(self: Scratch, q: np.ndarray, v: np.ndarray, *arguments: np.ndarray | int) -> int:
        handle = self.fitting(q, v, name, sites is None or len(arguments[sites]) > 0)
        if COMPILED:
            return door(handle, q, v, *arguments) or 0
        return plain(self.tree, self.work, q, v, *arguments) or 0

    call.__name__, call.__doc__ = name, doc
    return call


class Scratch:
    """Scratch of one number type for one caller at a time, with the handle that compiled code takes.

    work : settings and scratch;  address : of the handle's first slot
    """

    def __init__(self, tree: Tree, settings: RuntimeSettings, dtype: np.dtype, home: list[Scratch]):
        self.tree, self.settings, self.dtype, self.home = tree, settings, dtype, home
        self.work = make_work(tree, settings.arrays(), dtype)
        self.handle = make_handle(tree, self.work)
        self.address = self.handle.ctypes.data
        self._nq, self._nv = int(tree.sizes[3]), int(tree.sizes[4])
        self._known: set[tuple[str | Callable, bool]] = set()
        self._doors: dict[str, Door] = {}
        self._rooms: dict[str, np.ndarray] = {}
        self.prepare()

    def point_to(self, settings: RuntimeSettings, slots: np.ndarray) -> None:
        """Read other settings from now on."""
        self.settings = settings
        point_to(self.handle, slots)
        if not COMPILED:
            self.work = self.work._replace(**settings.arrays())

    def ready(self, what: str | Callable, loaded: bool = True) -> np.ndarray:
        """Return the handle with the stages of an algorithm of `DOORS`, or of a kernel that takes it, in place.

        loaded : whether loads at places are among its arguments
        """
        if (what, loaded) not in self._known:
            if COMPILED:
                root = DOORS[what][0] if isinstance(what, str) else what
                write_stages(self.handle, root, self.dtype, self.tree, loaded)
            self._known.add((what, loaded))
        return self.handle

    def room(self, name: str, size: Callable[[Tree], int]) -> np.ndarray:
        """Return numbers that an algorithm needs besides `work`: the same each time, with what was left in them."""
        if name not in self._rooms:
            self._rooms[name] = np.zeros(size(self.tree))
        return self._rooms[name]

    def make_door(self, what: str, keep: object = None) -> Door:
        """Return a new function of `QUICK` on this scratch; `shut` where nothing is compiled by address.

        keep : lives as long as the function; without one, whoever calls it has this scratch
        """
        if not COMPILED:
            return shut
        self.ready(QUICK[what], loaded=False)
        shared = int(self.tree.sizes[0] + self.tree.sizes[5] > ALONE)
        words = (self.address, self._nq + self._nv, self._nv, self._nv, shared)
        return make_door(QUICK[what], words, FAST, keep) or shut

    def through(self, what: str, *arguments: np.ndarray) -> np.ndarray | None:
        """Call a function of `QUICK` on this scratch."""
        if what not in self._doors:
            self._doors[what] = self.make_door(what)
        return self._doors[what](*arguments)

    def prepare(self) -> None:
        """Fill the scratch that depends on constants and on the shift."""
        handle = self.ready("prepare")
        if COMPILED:
            entry.enter_prepare(handle, self.work.shift)
        else:
            entry.prepare(self.tree, self.work)

    def set_shift(self, shift: np.ndarray | float) -> None:
        """Add numbers (nv,) to the diagonal of the mass matrix from now on (linearly implicit steps)."""
        self.work.shift[:] = shift
        self.prepare()

    def fitting(self, q: np.ndarray, v: np.ndarray, what: str, loaded: bool = True) -> np.ndarray:
        """Return the handle for an algorithm; refuse coordinates of another vehicle: kernels do not look where arrays
        end."""
        if len(q) != self._nq or len(v) != self._nv:
            raise InputError(
                "the state does not belong to this system",
                expected=f"{self._nq} coordinates and {self._nv} velocities",
                got=f"{len(q)} and {len(v)}",
                hint="after a change of the vehicle use the system and the state that the change returned",
            )
        return self.ready(what, loaded)

    def observe(self, q: np.ndarray, v: np.ndarray, vdot: np.ndarray, sites: np.ndarray) -> Work:
        """Bring poses, velocities and accelerations of bodies and sites up to date in `work`, and return it."""
        self._observe(q, v, vdot, sites)
        return self.work

    def closure_rows(self, q: np.ndarray, v: np.ndarray) -> Work:
        """Bring errors and rates of closures up to date in `work`, and return it."""
        self._look(q, v)
        return self.work

    def rates(self, q: np.ndarray, v: np.ndarray, qdot: np.ndarray) -> None:
        """Write q̇."""
        handle = self.fitting(q, v, "prepare")
        if COMPILED:
            entry.enter_rates(handle, q, v, qdot)
        else:
            entry.rates(self.tree, q, v, qdot)

    forward = _algorithm(
        "forward", "Write accelerations; return the status of `articulated.forward`.", sites=1
    )
    inverse = _algorithm("inverse", "Write forces; forces across joints are left in `work.z`.", sites=1)
    mass_matrix = _algorithm("mass_matrix", "Write the mass matrix.")
    jacobian = _algorithm("jacobian", "Write the Jacobian of a site.")
    sums = _algorithm("sums", "Write energies and momentum; mass properties of bodies are left in `work.I`.")
    composite = _algorithm("composite", "Write the inertia of the whole about a place.")
    closure_response = _algorithm(
        "closure_response", "Write M⁻¹Jᵀ and J M⁻¹Jᵀ of closures into `work`; return the status."
    )
    closure_jacobian = _algorithm("closure_jacobian", "Write the Jacobian (m, nv) of all closure rows.")
    project = _algorithm(
        "project", "Bring q and v, changed in place, back to the closures; return the status."
    )
    _observe = _algorithm("observe")
    _look = _algorithm("closure_rows")


class _Lease:
    """Scratch that is lent out for as long as this object lives: doors, which hold no more than addresses, keep it."""

    def __init__(self, scratch: Scratch):
        self.scratch = scratch

    def __del__(self) -> None:
        self.scratch.home.append(self.scratch)


def _lent(name: str) -> Callable[..., int]:
    """Return the algorithm `name` of `Scratch` as a method of `KernelInterface`, on scratch for its type of numbers."""
    algorithm = getattr(Scratch, name)

    def call(self: KernelInterface, q: np.ndarray, v: np.ndarray, *arguments: np.ndarray | int) -> int:
        scratch = self.take(q.dtype)
        result = algorithm(scratch, q, v, *arguments)
        if self._watched:
            self.gather(scratch)
        scratch.home.append(scratch)
        return result

    call.__name__, call.__doc__ = name, algorithm.__doc__
    return call


class KernelInterface:
    """A tree with settings. Algorithms run on scratch that is lent to one call at a time, so that threads do not meet.

    Views with other settings (`with_settings`) share the tree, the scratch that is not lent out, and what others keep
    here to use it again (`idle`). `list.pop`, `list.append` and `dict.pop` are atomic.
    """

    def __init__(
        self,
        tree: Tree,
        settings: RuntimeSettings,
        shelf: dict[np.dtype, list[Scratch]] | None = None,
        idle: dict[object, object] | None = None,
    ):
        self.tree, self.settings = tree, settings
        self.idle: dict[object, object] = {} if idle is None else idle
        self._shelf = {FLOAT: [], COMPLEX: []} if shelf is None else shelf
        self._real, self._complex = self._shelf[FLOAT], self._shelf[COMPLEX]
        self._slots = slots_of(settings.arrays().values())
        self._front: _Lease | None = None
        self._doors: dict[str, Door] = {}
        self._opening = Lock()
        self._watched = bool(tree.body_watch.any())
        self._burns = len(settings.propellant) > 0
        # bodies met with an indefinite mass matrix
        self.indefinite = np.zeros(len(tree.body_parent), dtype=bool)

    def with_settings(self, settings: RuntimeSettings) -> KernelInterface:
        """Return an engine for the same tree with other settings."""
        return KernelInterface(self.tree, settings, self._shelf, self.idle)

    def take(self, dtype: DTypeLike) -> Scratch:
        """Return scratch for float64 or complex128 that is the caller's until he gives it back."""
        home = self._real if dtype is FLOAT else self._complex if dtype is COMPLEX else self._home(dtype)
        try:
            scratch = home.pop()
        except IndexError:
            return Scratch(self.tree, self.settings, np.dtype(dtype), home)
        if scratch.settings is not self.settings:
            scratch.point_to(self.settings, self._slots)
            scratch.work.weighed[: len(self.settings.propellant)] = np.nan
        if self._burns and not np.array_equal(
            scratch.work.weighed[: len(self.settings.propellant)], self.settings.propellant
        ):
            scratch.prepare()
        return scratch

    def _home(self, dtype: DTypeLike) -> list[Scratch]:
        return self._shelf[np.dtype(dtype)]

    def give(self, scratch: Scratch) -> None:
        """Take scratch back."""
        if self._watched:
            self.gather(scratch)
        scratch.home.append(scratch)

    def gather(self, scratch: Scratch) -> None:
        """Note the bodies whose mass matrix was found indefinite on some scratch."""
        found = scratch.work.indefinite
        if found.any():
            self.indefinite |= found.astype(bool)
            found[:] = 0.0

    @contextmanager
    def borrow(self, dtype: DTypeLike) -> Iterator[Scratch]:
        """Lend scratch for a `with` block: what its algorithms leave in `work` can be read there."""
        scratch = self.take(dtype)
        try:
            yield scratch
        finally:
            self.give(scratch)

    def door(self, what: str) -> Door:
        """Return a function of `QUICK` on the front scratch; `shut` where nothing is compiled by address.

        The scratch is not lent out as long as a function is held: it sees that one call at a time uses it.
        """
        if self._burns:  # masses are looked at whenever scratch is taken
            return shut
        with self._opening:
            if self._front is None:
                self._front = _Lease(self.take(FLOAT))
            if what not in self._doors:
                self._doors[what] = self._front.scratch.make_door(what, self._front)
            return self._doors[what]

    def through(self, what: str, *arguments: np.ndarray) -> np.ndarray | None:
        """Call a function of `QUICK` on scratch of its own: for those who find another one in the door."""
        with self.borrow(FLOAT) as scratch:
            return scratch.through(what, *arguments)

    def gather_from_door(self) -> None:
        """Do `gather` on the scratch behind the door."""
        if self._front is not None:
            self.gather(self._front.scratch)

    forward = _lent("forward")
    inverse = _lent("inverse")
    mass_matrix = _lent("mass_matrix")
    jacobian = _lent("jacobian")
    sums = _lent("sums")
    composite = _lent("composite")
    closure_jacobian = _lent("closure_jacobian")
    project = _lent("project")
    rates = _lent("rates")


def refined(
    system: ModelData,
    scratch: Scratch,
    x: State,
    tau: np.ndarray,
    sites: np.ndarray,
    wrenches: np.ndarray,
    vdot: np.ndarray,
) -> np.ndarray:
    """Return better accelerations than vdot (nv,), found under tau (accelerations at joints that are not free)."""
    if system.model.closures:
        raise InputError("accelerations of a vehicle with closures cannot be refined", where="refine")
    dtype = vdot.dtype
    found, springs, delta = np.empty_like(vdot), np.empty_like(vdot), np.empty_like(vdot)
    still, none = np.zeros_like(vdot), np.zeros((0, 6), dtype)
    scratch.inverse(x.q, x.v, vdot, sites, wrenches, found)
    residual = tau - found
    ground = scratch.work.g[-1]
    gravity = ground.copy()
    ground[:] = 0.0
    try:
        # at rest and without gravity all that is left of the bias are springs, which cancel entry by entry
        scratch.inverse(x.q, still, still, NO_SITES, none, springs)
        right = residual + springs
        right[system.held] = 0.0
        status = scratch.forward(x.q, still, right, NO_SITES, none, delta)
    finally:
        ground[:] = gravity
    return vdot + delta if status == 0 else vdot
