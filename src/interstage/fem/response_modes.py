"""Modes and residual vectors that carry a response, and the damping of modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from interstage.errors import InterstageError, ModelError, known_names
from interstage.fem.case import Subcase
from interstage.fem.gpwg import rigid_body_matrix
from interstage.fem.model import FEModel
from interstage.fem.response_loads import selected
from interstage.linalg.refine import residual_vectors

ROUNDING = 1e-14  # of the strain energy of a mode, all of its terms taken as positive
BY_DEFAULT = (111, 112)  # solutions that add residual vectors without being asked
DAMPERS = 400  # degrees of freedom with dampers beyond which none get residual vectors


@dataclass
class ResidualRequest:
    """Which residual vectors a deck asks for: of loads, inertia, RVDOF and USET, dampers; moving or static."""

    on: bool
    inertia: bool = True
    loads: bool = True
    dofs: bool = True
    dampers: bool = True
    dynamic: bool = True


def residual_request(fe: FEModel, case: Subcase) -> ResidualRequest:
    """RESVEC of case control, else PARAM RESVEC; on by default in SOL 111 and 112."""
    word = str(fe.parameter("RESVEC", "YES" if fe.sol in BY_DEFAULT else "NO")).upper()
    out = ResidualRequest(on=word != "NO")
    if "RESVEC" in case.requests:
        words = case.requests["RESVEC"].upper().replace("=", " ").replace(",", " ").split()
        out.on = not {"NO", "NOSYSTEM"} & set(words) and (not words or words != ["COMPONENT"])
        options = set(case.options.get("RESVEC", "").replace(",", " ").split())
        out.inertia = not options & {"NOINRL", "NOINER"}
        out.loads = "NOAPPL" not in options
        out.dofs = not options & {"NORVDO", "NORVDOF"}
        out.dampers = "NODAMP" not in options
        out.dynamic = "NODYNRSP" not in options
    elif str(fe.parameter("RESVINER", "YES")).upper() == "NO":
        out.inertia = False
    return out


def unit_modes(K, M, shapes: np.ndarray, eigenvalues: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Modes (f, k) of unit mass and their eigenvalues; those of rigid modes, which are round-off, are zero."""
    phi = shapes / np.sqrt(np.einsum("ik,ik->k", shapes, M @ shapes))
    noise = ROUNDING * np.einsum("ik,ik->k", np.abs(phi), abs(K) @ np.abs(phi))
    noise = np.maximum(
        noise, noise[eigenvalues <= noise].max(initial=0.0)
    )  # rigid modes are mixed among themselves
    return phi, np.where(eigenvalues <= noise, 0.0, eigenvalues)


class ModalBasis:
    """Shapes that carry a response, with their matrices.

    Attributes
    ----------
    shapes : (f, n) modes, then residual vectors; M, K, B, K4 : (n, n) dense
    n_modes : how many of them are modes; residual_hz : frequencies of residual vectors, infinite without mass
    """

    def __init__(self, problem, phi: np.ndarray, values: np.ndarray, kept: np.ndarray):
        fe = problem.fe
        self.residual_hz = np.zeros(0)
        self.notes: list[str] = []
        request = residual_request(fe, problem.case)
        more = np.zeros((len(phi), 0))
        if request.on:
            # modes below those that take part are left out of both
            below = np.arange(int(kept.max()) + 1)
            more = self._residual(problem, request, phi[:, below], values[below])
        phi, values = phi[:, kept], values[kept]
        self.n_modes = len(values)
        mass = np.concatenate([np.ones(len(values)), np.isfinite(self.residual_hz).astype(float)])
        stiff = (2.0 * np.pi * self.residual_hz) ** 2
        values = np.concatenate([values, np.where(np.isfinite(stiff), stiff, 1.0)])
        self.shapes = np.hstack([phi, more])
        g = np.zeros(len(values))
        moving = mass > 0.0
        g[moving] = modal_damping(fe, problem.case, np.sqrt(values[moving]) / 2.0 / np.pi)
        if not moving.all():
            g[~moving] = g[moving][np.argmax(values[moving])] if moving.any() else 0.0
        B, K4 = (_cleaned(self.shapes.T @ (A @ self.shapes)) for A in (problem.B, problem.K4))
        if not request.dynamic:
            mass[self.n_modes :] = 0.0
            B[self.n_modes :] = B[:, self.n_modes :] = 0.0
        self.values, self.K, self.M = values, np.diag(values), np.diag(mass)
        if int(number(fe, "KDAMP", 1.0)) == -1:
            self.B, self.K4 = B, K4 + np.diag(g * values)
        else:
            self.B, self.K4 = B + np.diag(g * np.sqrt(values) * mass), K4
        top = np.sqrt(values[: self.n_modes].max(initial=0.0)) / 2 / np.pi
        self.notes.insert(0, f"{self.n_modes} modes up to {top:.5g} Hz")

    def _residual(self, problem, request: ResidualRequest, phi: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Residual vectors (f, p) of what the request names; a sentence where there cannot be any."""
        P = _patterns(problem, request)
        if not P.shape[1]:
            return P
        try:
            rigid = phi[:, values == 0.0]
            found, hz, _ = residual_vectors(
                problem.K, problem.M, phi[:, values > 0.0], P, rigid=rigid, massless=True
            )
        except (InterstageError, la.LinAlgError) as error:
            said = str(error).splitlines()[0]
            self.notes.append(f"no residual vectors: the stiffness cannot be solved with ({said})")
            return P[:, :0]
        self.residual_hz = hz
        if len(hz):
            finite = hz[np.isfinite(hz)]
            ends = f" at {finite.min():.5g} to {finite.max():.5g} Hz" if len(finite) else ""
            self.notes.append(f"{len(hz)} residual vectors{ends} (RESVEC = NO leaves them out)")
            below = int(np.count_nonzero(finite < 0.999 * np.sqrt(values.max(initial=0.0)) / 2.0 / np.pi))
            if below:
                self.notes.append(
                    f"{below} residual vectors lie below the highest mode and respond as modes that were not computed "
                    "(a lower end of the range in EIGRL or EIGR, or too few modes)"
                )
        return found


def _patterns(problem, request: ResidualRequest) -> np.ndarray:
    """Loads (f, p) whose static response the basis must hold."""
    fe, reduced = problem.fe, problem.reduced
    parts: list[np.ndarray] = []
    if request.loads:
        parts += problem.load_patterns()
    if request.inertia:
        rigid = rigid_body_matrix(fe.grids, np.zeros(3)).toarray()
        parts.append(reduced.load_f(fe.M_gg @ rigid))
    if request.dofs:
        dofs = np.unique(
            np.concatenate([fe.dynamics.residual_dofs, fe.set_cards().user.get("U6", [])])
        ).astype(int)
        unit = np.zeros((fe.grids.n_dof, len(dofs)))
        unit[dofs, np.arange(len(dofs))] = 1.0
        parts.append(reduced.load_f(unit))
    if request.dampers:
        parts.append(_damper_loads(reduced.to_f(fe.B_gg)))
    P = np.hstack([one for one in parts if one.shape[1]] or [np.zeros((len(reduced.sets.f), 0))])
    size = np.linalg.norm(P, axis=0)
    P = P[:, size > 0.0] / size[size > 0.0]
    return P


def _damper_loads(B: sp.csr_array) -> np.ndarray:
    """Independent forces (f, p) that discrete dampers can exert."""
    at = np.flatnonzero(np.diff(B.indptr))
    at = at[abs(B[at]).sum(axis=1) > 0.0] if len(at) else at
    if not len(at) or len(at) > DAMPERS:
        return np.zeros((B.shape[0], 0))
    size, vectors = np.linalg.eigh(B[at][:, at].toarray())
    used = size > 1e-12 * size.max()
    out = np.zeros((B.shape[0], np.count_nonzero(used)))
    out[at] = vectors[:, used]
    return out


def modal_damping(fe: FEModel, case: Subcase, hz: np.ndarray) -> np.ndarray:
    """Structural damping g of modes by the table that SDAMPING selects; zero without."""
    table = selected(case, "SDAM")
    if not table:
        return np.zeros(len(hz))
    if table not in fe.dynamics.damping:
        known = known_names(sorted(fe.dynamics.damping))
        raise ModelError(f"SDAMPING = {table} selects a TABDMP1 that is not in the deck", hint=known)
    return fe.dynamics.damping[table].g(hz)


def number(fe: FEModel, name: str, default: float = 0.0) -> float:
    """A PARAM as a number."""
    value = fe.parameter(name, default)
    if isinstance(value, str):
        raise ModelError(f"PARAM {name} is not a number", where=fe.source, got=value)
    return float(value)


def _cleaned(A: np.ndarray) -> np.ndarray:
    """A modal matrix without the round-off beside its diagonal."""
    size = np.sqrt(np.abs(np.outer(np.diag(A), np.diag(A))))
    return np.where(np.abs(A) <= 1e-9 * size, np.diag(np.diag(A)), A)
