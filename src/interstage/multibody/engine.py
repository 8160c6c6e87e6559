"""Call the kernels on a compiled vehicle: one object that owns arrays, scratch and handles.

`Engine` knows numbers of bodies and sites; names are the business of `System`.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from interstage.errors import InputError
from interstage.multibody.arrays import Tree, Work, make_work
from interstage.multibody.handle import COMPILED, compile_stage, make_handle
from interstage.multibody.kernels import closure, entry, flex, inverse, kinematics, mass_matrix

NO_SITES = np.zeros(0, dtype=np.int64)

_STATE = ("kinematics", "body_terms", "flexible_terms")
_CLOSED = ("closure_rows", "closure_inertia", "closure_response")
STAGES = {
    "prepare": ("prepare",),
    "forward": (
        *_STATE,
        "inward",
        "eliminate_modes",
        "outward",
        "modal_accelerations",
        "poses",
        "external_wrenches",
        *_CLOSED,
        "constrain",
        "project",
    ),
    "closure": (*_STATE, "inward", "eliminate_modes", "outward", "modal_accelerations", "poses", *_CLOSED)
    + ("project", "jacobian", "closure_jacobian"),
    "inverse": (*_STATE, "accelerations", "balance", "modal_balance", "poses", "external_wrenches"),
    "mass_matrix": (*_STATE, "composite", "mass_columns"),
    "jacobian": ("kinematics", "poses", "accelerations", "observe_sites", "jacobian"),
    "sums": (*_STATE, "poses", "energies", "momentum"),
    "observe": ("kinematics", "poses", "accelerations", "observe_sites"),
    "composite": (*_STATE, "composite"),
}
FLEXIBLE = ("flexible_terms", "eliminate_modes", "modal_accelerations", "modal_balance")
CLOSING = (*_CLOSED, "constrain", "project", "closure_jacobian")


class Engine:
    """Tree, and scratch for each number type; calls reuse the scratch, so that they are not reentrant."""

    def __init__(self, tree: Tree):
        self.tree = tree
        self._nq, self._nv = int(tree.sizes[3]), int(tree.sizes[4])
        self._scratch: dict[tuple, tuple[Work, np.ndarray]] = {}

    def work(self, dtype: Any) -> Work:
        """Return scratch for float64 or complex128, prepared."""
        return self._get(np.dtype(dtype))[0]

    def handle(self, dtype: Any, what: str = "prepare") -> np.ndarray:
        """Return the addresses of tree and scratch, and of the stages of an algorithm."""
        return self._get(np.dtype(dtype), what)[1]

    def _get(self, dtype: np.dtype, what: str = "prepare") -> tuple[Work, np.ndarray]:
        """Return scratch and handle, with the stages of an algorithm compiled."""
        found = self._scratch.get((dtype, what))
        if found is not None:
            return found
        first = what == "prepare"
        if first:
            work = make_work(self.tree, dtype)
            found = work, make_handle(self.tree, work)
        else:
            found = self._get(dtype)
        if COMPILED:
            for name in STAGES[what]:
                if self._needs(name):
                    compile_stage(name, dtype, found[1])
        self._scratch[dtype, what] = found
        if first:
            self.prepare(dtype)
        return found

    def _needs(self, name: str) -> bool:
        """Return whether this vehicle calls a stage."""
        if name in CLOSING:
            return len(self.tree.closure_site) > 0
        return name not in FLEXIBLE or self.tree.sizes[5] > 0

    def prepare(self, dtype: Any) -> None:
        """Fill the scratch that depends on constants; needed after a change of inertia or shift."""
        work, handle = self._scratch[np.dtype(dtype), "prepare"]
        if COMPILED:
            entry.enter_prepare(handle, work.shift)
        else:
            flex.prepare(self.tree, work)

    def fit(self, q: np.ndarray, v: np.ndarray) -> None:
        """Refuse coordinates of another vehicle: kernels do not look where arrays end."""
        if len(q) != self._nq or len(v) != self._nv:
            raise InputError(
                "the state does not belong to this system",
                expected=f"{self._nq} coordinates and {self._nv} velocities",
                got=f"{len(q)} and {len(v)}",
                hint="after a change of the vehicle use the system and the state that the change returned",
            )

    def forward(self, q, v, tau, sites, wrenches, vdot) -> int:
        """Write accelerations; return the status of `articulated.forward`."""
        self.fit(q, v)
        work, handle = self._get(vdot.dtype, "forward")
        if not COMPILED:
            return closure.closed_forward(self.tree, work, q, v, tau, sites, wrenches, vdot)
        return entry.enter_forward_loaded(handle, q, v, tau, sites, wrenches, vdot)

    def forward_address(self, dtype: Any) -> int | None:
        """Return the address of the handle for `entry.enter_forward`; None where nothing is compiled.

        The door is closed to other types than contiguous float64, so that it says so instead of compiling anew.
        """
        if not COMPILED:
            return None
        if not entry.enter_forward.signatures:
            vector = numba.types.Array(numba.float64, 1, "C")
            entry.enter_forward.compile((numba.int64, numba.int64, vector, vector))
            entry.enter_forward.disable_compile()
        return self._get(np.dtype(dtype), "forward")[1].ctypes.data

    def inverse(self, q, v, vdot, sites, wrenches, tau) -> None:
        """Write forces; forces across joints are left in `work.z`."""
        self.fit(q, v)
        work, handle = self._get(tau.dtype, "inverse")
        if COMPILED:
            entry.enter_inverse(handle, q, v, vdot, sites, wrenches, tau)
        else:
            inverse.inverse(self.tree, work, q, v, vdot, sites, wrenches, tau)

    def mass_matrix(self, q, v, M) -> None:
        """Write the mass matrix."""
        self.fit(q, v)
        work, handle = self._get(M.dtype, "mass_matrix")
        if COMPILED:
            entry.enter_mass_matrix(handle, q, v, M)
        else:
            mass_matrix.mass_matrix(self.tree, work, q, v, M)

    def jacobian(self, q, v, body, sites, J) -> None:
        """Write the Jacobian of a site."""
        self.fit(q, v)
        work, handle = self._get(J.dtype, "jacobian")
        if COMPILED:
            entry.enter_jacobian(handle, q, v, body, sites, J)
        else:
            entry.site_jacobian(self.tree, work, q, v, body, sites, J)

    def sums(self, q, v, about, out) -> None:
        """Write energies and momentum."""
        self.fit(q, v)
        work, handle = self._get(out.dtype, "sums")
        if COMPILED:
            entry.enter_sums(handle, q, v, about, out)
        else:
            entry.sums(self.tree, work, q, v, about, out)

    def observe(self, q, v, vdot, sites) -> Work:
        """Bring poses, velocities and accelerations of bodies and sites up to date; return the scratch."""
        self.fit(q, v)
        work, handle = self._get(q.dtype, "observe")
        if COMPILED:
            entry.enter_observe(handle, q, v, vdot, sites)
        else:
            entry.observe(self.tree, work, q, v, vdot, sites)
        return work

    def composite(self, q, v, out) -> None:
        """Write the inertia of the whole about the world origin."""
        self.fit(q, v)
        work, handle = self._get(out.dtype, "composite")
        if COMPILED:
            entry.enter_composite(handle, q, v, out)
        else:
            entry.composite_of_ground(self.tree, work, q, v, out)

    def closure_rows(self, q, v) -> Work:
        """Bring errors and rates of closures up to date; return the scratch."""
        self.fit(q, v)
        work, handle = self._get(q.dtype, "closure")
        if COMPILED:
            entry.enter_closure_rows(handle, q, v)
        else:
            closure.look(self.tree, work, q, v)
        return work

    def closure_response(self, q, v) -> tuple[int, Work]:
        """Write M⁻¹Jᵀ and J M⁻¹Jᵀ of closures into the scratch; return status and scratch."""
        self.fit(q, v)
        work, handle = self._get(q.dtype, "closure")
        if COMPILED:
            return entry.enter_closure_response(handle, q, v), work
        return closure.closure_response(self.tree, work, q, v), work

    def closure_jacobian(self, q, v, J) -> None:
        """Write the Jacobian (m, nv) of all closure rows."""
        self.fit(q, v)
        work, handle = self._get(J.dtype, "closure")
        if COMPILED:
            entry.enter_closure_jacobian(handle, q, v, J)
        else:
            closure.closure_jacobian(self.tree, work, q, v, J)

    def project(self, q, v) -> int:
        """Bring q and v, changed in place, back to the closures; return the status."""
        self.fit(q, v)
        work, handle = self._get(q.dtype, "closure")
        if COMPILED:
            return entry.enter_project(handle, q, v)
        return closure.project(self.tree, work, q, v)

    def rates(self, q, v, qdot) -> None:
        """Write q̇."""
        self.fit(q, v)
        if COMPILED:
            entry.enter_rates(self.handle(qdot.dtype), q, v, qdot)
        else:
            kinematics.rates(self.tree, q, v, qdot)
