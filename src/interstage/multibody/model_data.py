"""What a compiled vehicle is: constant arrays, settings, names, and states that fit them."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, did_you_mean, known_names
from interstage.multibody import joint_modes, queries
from interstage.multibody.arrays import Tree
from interstage.multibody.closures import closure_sites
from interstage.multibody.compile import KnownFlexes, SiteArrays, build_tree, extend_tree, flexible_bodies
from interstage.multibody.flexible_body import FlexibleBodyData
from interstage.multibody.impulse import Change
from interstage.multibody.kernel_interface import NO_SITES, Door, KernelInterface, shut
from interstage.multibody.kernels.closure_forces import FIRST_ROW
from interstage.multibody.model import Multibody
from interstage.multibody.propellant_mass import Propellant
from interstage.multibody.settings import RuntimeSettings
from interstage.multibody.state import State, StateLayout
from interstage.multibody.types import SiteKey
from interstage.spatial.checks import all_finite, as_array


@named_arguments
class ModelData:
    """A description made into arrays, with what can be switched beside them; asking changes nothing.

    model : the description;  change : how the vehicle came from another, if it did
    layout : where each body's numbers lie, as in `layout["panel"].v`;  nq, nv : numbers of coordinates and velocities
    flexes : flexible data about their inboard nodes, None for rigid bodies, in the order of the bodies
    held : mask (nv,) of the velocities of joints that are not free;  any_held : whether there are any
    site_rows : {(body, node): site} of the kernels' tables;  known : flexible data by node, shared by descendants
    watched : whether a body's mass matrix may become indefinite
    factors : {name: factor} of a view with other stiffness, damping or masses (`dispersed_parameters`)
    """

    def __init__(self, model: Multibody, known: KnownFlexes | None = None):
        if not model.specs:
            raise InputError("a vehicle needs at least one body", where=f"'{model.name}'")
        self.model = model
        self.change: Change | None = None
        self.factors: dict[str, float] = {}
        self.known: KnownFlexes = {} if known is None else known
        self.flexes, owner = flexible_bodies(model, self.known)
        self._index = {name: i for i, name in enumerate(model.bodies)}
        self.closure_places, extra = closure_sites(model, self.flexes)
        tree = build_tree(model, self.flexes, owner, extra)
        self.engine = KernelInterface(tree, RuntimeSettings.of(model, self.flexes, tree))
        first = int(self.tree.sizes[1])
        self.site_rows: dict[SiteKey, int] = {key: first + k for k, key in enumerate(self.closure_places)}
        self.pushed: set[tuple[str, int]] = set()  # body and node where devices push
        self._growing = Lock()  # while sites are added
        self._close_doors()
        self.layout = StateLayout.of(
            model.bodies, [s.joint for s in model.specs], self.tree.body_modes.tolist()
        )
        self.nq, self.nv = int(self.tree.sizes[3]), int(self.tree.sizes[4])
        self._no_tau = np.zeros(self.nv)
        self._no_wrenches = np.zeros((0, 6))
        self.note_held()
        self.watched = bool(self.tree.body_watch.any())
        self.check_inertia()

    @property
    def tree(self) -> Tree:
        """The constant arrays."""
        return self.engine.tree

    @property
    def stiffens(self) -> bool:
        """Whether a body has geometric stiffness."""
        tree = self.tree
        return any(rows.max(initial=-1) >= 0 for rows in (tree.body_spin, tree.body_root, tree.site_load))

    @property
    def settings(self) -> RuntimeSettings:
        """What is switched at run time, of this object alone."""
        return self.engine.settings

    @property
    def propellant(self) -> Propellant:
        """Propellant in the tanks of bodies that burn, {tank: mass}; what is set holds from then on, here alone."""
        tanks = [
            (name, *spec.tanks.range_of(k))
            for spec in self.model.specs
            if spec.tanks is not None
            for k, name in enumerate(spec.tanks.names)
        ]
        return Propellant(tanks, self.settings.propellant)

    def with_settings(self, settings: RuntimeSettings | None = None) -> Self:
        """Return a view of the same vehicle with (a copy of) other settings; None: as they are here.

        All that never changes is shared, states fit both, and what is switched in one does not touch the other.
        """
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        own = (self.settings if settings is None else self.settings.checked(settings)).copy()
        new.engine = self.engine.with_settings(own)
        new._close_doors()
        new._growing = Lock()
        if settings is not None:
            queries.note_masses(new, self)
        new.note_held()
        return new

    def with_constants(self, arrays: Mapping[str, np.ndarray], settings: RuntimeSettings) -> Self:
        """Return a view whose constants of some names (see `multibody.arrays`) are others, with settings of its own.

        Its description stays that of this vehicle: what asks the kernels sees the numbers, a copy does not have them.
        """
        for name, array in arrays.items():
            if getattr(self.tree, name).shape != array.shape:
                raise InputError(f"'{name}' has another shape", expected=str(getattr(self.tree, name).shape))
        new = self.with_settings(settings)
        new.engine = KernelInterface(self.tree._replace(**arrays), new.settings)
        new._close_doors()
        return new

    def _close_doors(self) -> None:
        """Forget the quick doors: they lead to scratch of one engine. They are opened when they are asked for."""
        self._forward_door: Door = shut
        self._inverse_door: Door = shut
        self._mass_door: Door = shut

    def note_held(self) -> None:
        """Note which velocities are not free; after every change of the modes of joints."""
        self.held = joint_modes.held_velocities(self)
        self.any_held = bool(self.held.any())

    def add_sites(self, new: Mapping[SiteKey, SiteArrays]) -> None:
        """Add sites to the tables of the kernels, all at once; numbers of others stay, and costs do not grow."""
        with self._growing:
            new = {key: site for key, site in new.items() if key not in self.site_rows}
            first = int(self.tree.sizes[2])
            if new:
                self.engine = KernelInterface(extend_tree(self.tree, list(new.values())), self.settings)
                self._close_doors()
                self.site_rows = self.site_rows | {key: first + k for k, key in enumerate(new)}

    def __copy__(self) -> Self:
        return self.with_settings()

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.with_settings()

    def flexible(self, body: str) -> FlexibleBodyData | None:
        """Return a flexible body about its inboard node (l, λ, γ of all nodes, integrals), None for a rigid one."""
        return self.flexes[self.body(body)]

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies in the order of addition."""
        return list(self._index)

    def body(self, name: str) -> int:
        """Return the number of a body."""
        if not isinstance(name, str) or name not in self._index:
            raise InputError(f"there is no body '{name}'", hint=known_names(self._index))
        return self._index[name]

    def velocity_names(self) -> list[str]:
        """Return a name for each entry of v, as in "panel.angle" and "panel.eta3"."""
        return list(self.layout.velocity_names)

    def body_frequencies_hz(self, name: str) -> np.ndarray:
        """Return the frequencies (n,) of a flexible body held at its inboard node."""
        flex = self.flexes[self.body(name)]
        return np.zeros(0) if flex is None else flex.frequencies_hz

    @property
    def units(self) -> dict[str, str]:
        """Units of mass, length and time of everything in the vehicle; {} where they are not known."""
        return dict(self.model.units)

    # state ------------------------------------------------------------------------------------------

    def state(self, q: ArrayLike | None = None, v: ArrayLike | None = None) -> State:
        """Return a state: the given arrays (copied), or joints at zero, no deformation, at rest."""
        if q is None:
            q = np.zeros(self.nq)
            for spec in self.model.specs:
                where = self.layout[spec.name]
                q[where.q] = spec.joint.nominal()
        q = as_array(q, (self.nq,), "q", allow_complex=True)
        v = as_array(np.zeros(self.nv) if v is None else v, (self.nv,), "v", allow_complex=True)
        kind = np.result_type(q, v)
        return State(self.layout, q.astype(kind), v.astype(kind))

    def check_inertia(self) -> None:
        """Refuse bodies that no force could hold back: try the nominal state."""
        x = self.state()
        if self.engine.through("forward", x.qv, self._no_tau).__class__ is np.ndarray:
            return
        vdot = np.empty(self.nv)
        status = self.engine.forward(x.q, x.v, self._no_tau, NO_SITES, self._no_wrenches, vdot)
        if status != 0 and status > FIRST_ROW:
            self.refuse(status, x)

    def refuse(self, status: int, x: State, tau: ArrayLike | None = None) -> NoReturn:
        """Say in a sentence what a kernel found."""
        self.engine.indefinite[:] = False
        queries.refuse(self, status, x, tau)

    def finite(self, found: np.ndarray, x: State, **given: ArrayLike) -> np.ndarray:
        """Return a result, or say which number that went in was none."""
        if not all_finite(found):
            queries.check_numbers(self, q=x.q, v=x.v, **given)
            queries.check_attitudes(self, x)
        return found

    def vector(self, value: ArrayLike, dtype: type | np.dtype, name: str) -> np.ndarray:
        """Return a vector as long as v that kernels can take, the given one where it will do."""
        if (
            type(value) is np.ndarray
            and value.dtype == dtype
            and value.shape == (self.nv,)
            and value.flags.carray
        ):
            return value
        if isinstance(value, Mapping):
            value = self.by_joint(value, name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "c" and np.dtype(dtype).kind != "c":
            raise InputError(f"{name} is complex, the state is real")
        try:
            return as_array(value, (self.nv,), name, allow_complex=np.dtype(dtype).kind == "c").astype(dtype)
        except InputError:
            if np.shape(value) == (self.nv,) and np.asarray(value).dtype.kind in "iufc":
                queries.check_numbers(self, **{name: np.asarray(value)})
            raise

    def by_joint(self, given: Mapping[str, ArrayLike], name: str) -> np.ndarray:
        """Return {body: of its joint, (joint's velocities,)} as a vector (nv,), zero at all others and at modes."""
        kind = complex if any(np.iscomplexobj(value) for value in given.values()) else float
        found = np.zeros(self.nv, kind)
        for body, value in given.items():
            if body not in self._index:
                raise InputError(
                    f"there is no body '{body}'", where=name, hint=did_you_mean(body, self._index)
                )
            first, n = (int(a[self.body(body)]) for a in (self.tree.joint_v, self.tree.joint_nv))
            if n == 0:
                raise InputError(f"the joint of body '{body}' does not move", where=name)
            one = np.asarray(value)
            one = one.reshape(1) if one.shape == () and n == 1 else one
            found[first : first + n] = as_array(
                one, (n,), f"{name} of '{body}'", allow_complex=kind is complex
            )
        return found

    def _empty(self, dtype: type | np.dtype) -> np.ndarray:
        return self._no_wrenches if dtype == self._no_wrenches.dtype else self._no_wrenches.astype(dtype)
