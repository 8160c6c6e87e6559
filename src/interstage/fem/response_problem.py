"""The equations of frequency and transient responses, direct and modal.

Modes and residual vectors that carry a response, and the damping of modes.

The problem behind a response: matrices, damping, modes and loads of a subcase, on the f-set, the a-set or on modes.

Enforced motions u_s carry the structure with them: u_f = y + W u_s, where W = -K_ff⁻¹ K_fs on modes and 0 on the f-set,
and y answers to P - (Z_ff W + Z_fs) u_s, with Z any of the matrices. Where set cards omit dofs (ASET, OMIT), a direct
response is that of the a-set, y_o = G_oa y_a, with W_o = -K_oo⁻¹ K_os.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from interstage.errors import InputError, InterstageError, ModelError, known_names
from interstage.fem.case import SubcaseSelections
from interstage.fem.dynamics import FrequencyLoad
from interstage.fem.gpwg import rigid_body_matrix
from interstage.fem.model import FEModel
from interstage.fem.reduction import ReducedModel, reduce_model
from interstage.fem.requests import check_model, method_missing, modes_request
from interstage.fem.response_loads import DynamicLoads, LoadShape, moving, selected, steady
from interstage.fem.sets import SetCards
from interstage.fem.solutions import normal_modes, subcase_constraints
from interstage.fem.varying import Varying
from interstage.linalg.refine import RefinedFactor, held_response, residual_vectors, static_response

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


def residual_request(fe: FEModel, case: SubcaseSelections) -> ResidualRequest:
    """RESVEC of case control, else PARAM RESVEC; on by default in SOL 111 and 112."""
    word = str(fe.parameter("RESVEC", "YES" if fe.sol in BY_DEFAULT else "NO")).upper()
    out = ResidualRequest(on=word != "NO")
    if "RESVEC" in case.requests:
        # the brackets may stand behind the equals sign: RESVEC = (NOAPPLOD) = SYSTEM
        *bracket, value = case.requests["RESVEC"].upper().replace("(", "").split(")")
        words = value.replace("=", " ").replace(",", " ").split()
        out.on = not {"NO", "NOSYSTEM"} & set(words) and (not words or words != ["COMPONENT"])
        options = " ".join([case.options.get("RESVEC", ""), *bracket]).replace(",", " ").split()

        def wanted(*stems: str) -> bool:  # words are known by their beginning: NOAPPL, NOAPPLOD
            return not any(word.startswith(stems) for word in options)

        out.inertia, out.loads = wanted("NOINRL", "NOINER"), wanted("NOAPPL")
        out.dofs, out.dampers, out.dynamic = wanted("NORVDO"), wanted("NODAMP"), wanted("NODYNR")
    elif str(fe.parameter("RESVINER", "YES")).upper() == "NO":
        out.inertia = False
    return out


def unit_modes(K, M, shapes: np.ndarray, eigenvalues: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Modes (f, k) of unit mass and their eigenvalues; those of rigid modes, which are round-off, are zero.

    Rigid is what strains nothing, φᵀKφ: an eigenvalue has round-off of the whole spectrum, which is more than that of
    the strain energy where a large mass makes the shape small.
    """
    phi = shapes / np.sqrt(np.einsum("ik,ik->k", shapes, M @ shapes))
    strain = np.minimum(eigenvalues, np.einsum("ik,ik->k", phi, K @ phi))
    noise = ROUNDING * np.einsum("ik,ik->k", np.abs(phi), abs(K) @ np.abs(phi))
    noise = np.maximum(
        noise, noise[strain <= noise].max(initial=0.0)
    )  # rigid modes are mixed among themselves
    return phi, np.where(strain <= noise, 0.0, eigenvalues)


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
        except (InterstageError, la.LinAlgError):
            self.notes.append(
                "no residual vectors: something moves without resistance that is not among the modes (a lower end of "
                "the range in EIGRL or EIGR, or a mechanism)"
            )
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


def modal_damping(fe: FEModel, case: SubcaseSelections, hz: np.ndarray) -> np.ndarray:
    """Structural damping g of modes by the table that SDAMPING selects; zero without."""
    _refuse_option(fe, case, "SDAM", "HYBRID", "SDAMPING = n with TABDMP1 n is")
    table = selected(case, "SDAM")
    if not table:
        return np.zeros(len(hz))
    if table not in fe.dynamics.damping:
        known = known_names(sorted(fe.dynamics.damping))
        raise ModelError(f"SDAMPING = {table} selects a TABDMP1 that is not in the deck", hint=known)
    return fe.dynamics.damping[table].g(hz)


def _refuse_option(fe: FEModel, case: SubcaseSelections, name: str, option: str, hint: str) -> None:
    """Refuse a command of case control whose brackets make its number mean another card."""
    for key, given in case.options.items():
        if key.startswith(name) and given[:3] == option[:3]:
            raise ModelError(
                f"{key}({given}) in case control is not supported in responses",
                where=fe.source,
                hint=f"{hint} supported",
            )


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


MODAL = (11, 12, 30, 31, 71, 72, 110, 111, 112)
FIRST_PROGRAM = (11, 12)  # rigid formats of NASTRAN-95: ND modes of EIGR, whatever the end of their range


class Enforced(NamedTuple):
    """Enforced motions of m shapes: values u (m, k) and their derivatives v and a at frequencies or times."""

    u: np.ndarray
    v: np.ndarray
    a: np.ndarray


class ResponseProblem:
    """Matrices and loads of a subcase on the f-set, on the a-set where dofs are omitted, or on modes.

    kind : TimeLoad or FrequencyLoad; None without loads
    """

    def __init__(
        self, fe: FEModel, subcase: int | None, modal: bool | None, n_modes: int | None, kind: type | None
    ):
        check_model(fe)
        self.fe, self.kind = fe, kind
        if fe.dynamics.refused is not None:
            raise fe.dynamics.refused
        self.case = _case(fe, subcase)
        self.modal = fe.sol in MODAL if modal is None else modal
        self.notes = list(fe.notes)
        self.G = number(fe, "G")
        cards = fe.set_cards(self.case)
        # modes are condensed by themselves; component modes (QSET) stand for the whole model
        condensed = not self.modal and not len(cards.q)
        constraints = subcase_constraints(fe, self.case, cards if condensed else SetCards())
        constraints.hold(cards.q)
        self.reduced: ReducedModel = reduce_model(fe.K_gg, fe.M_gg, fe.grids, constraints)
        self.notes += self.reduced.notes
        self.K, self.M = self.reduced.K_ff, self.reduced.to_f(fe.M_gg)
        self.B, self.K4 = self.reduced.to_f(fe.B_gg), self.reduced.to_f(fe.K4_gg)
        self.B_gg = fe.B_gg
        for name, part, whole in (("ALPHA1", self.M, fe.M_gg), ("ALPHA2", self.K, fe.K_gg)):
            if number(fe, name):
                self.B = self.B + number(fe, name) * part
                self.B_gg = self.B_gg + number(fe, name) * whole
        self.varying = Varying(fe) if kind is FrequencyLoad else None
        self._read_loads()
        self.modes_hz = np.zeros(0)
        self.residual_hz = np.zeros(0)
        self._shapes: np.ndarray | None = None
        self._late: np.ndarray | None = None  # static response (f, parts) that modes lack (MODACC)
        self.elastic: slice | np.ndarray = slice(
            None
        )  # unknowns that resist at rest: all, or modes but rigid ones
        self._carried = np.zeros((len(self.reduced.sets.f), len(self.enforced)))
        if self.modal or self._modes_wanted():
            self._solve_modes(n_modes)
        if not self.modal and self.reduced.omits:
            self._condense()
        self._reduce_enforced()

    @property
    def dense(self) -> bool:
        """Say whether the matrices are dense: those of modes, or of dofs that others were condensed to."""
        return self._shapes is not None

    def _condense(self) -> None:
        """Omit dofs by static condensation (Guyan), as NASTRAN does where ASET or OMIT cards ask for it."""
        guyan = self.reduced.guyan
        if self.enforced:
            u = self.reduced.recover_f(self._carried, self._values_s)
            self._carried[guyan.o] = -guyan.factor.solve(self.reduced.load_f(self.fe.K_gg @ u)[guyan.o])
        self._shapes = guyan.expand(np.eye(len(guyan.a)))
        self.K, self.M, self.B, self.K4 = map(guyan.reduce, (self.K, self.M, self.B, self.K4))
        self.notes.append(f"{len(guyan.o)} dofs are omitted by static condensation (ASET, OMIT)")

    def _read_loads(self) -> None:
        """Forces and enforced motions; what is enforced on free degrees of freedom is left out, with a note."""
        parts = [] if self.kind is None else DynamicLoads(self.fe, self.case, self.kind, self.notes).parts
        self.forces = [part for part in parts if part.motion is None]
        self.enforced: list[LoadShape] = []
        held = self.reduced.sets.s
        for part in parts:
            if part.motion is None:
                continue
            free = np.setdiff1d(np.flatnonzero(part.place), held)
            if len(free):
                name = self.fe.grids.name_of(int(free[0]))
                self.notes.append(
                    f"SPCD on {name} is left out: it is not constrained (and {len(free) - 1} others)"
                    if len(free) > 1
                    else f"SPCD on {name} is left out: it is not constrained"
                )
            self.enforced.append(part)
        self._values_s = np.column_stack(
            [one.place[held] for one in self.enforced] or [np.zeros((len(held), 0))]
        )

    def _solve_modes(self, n_modes: int | None) -> None:
        low = None
        self.notes += [] if n_modes else method_missing(self.fe, self.case)
        if n_modes is None and self.fe.sol in FIRST_PROGRAM:
            asked = modes_request(self.fe, self.case)
            if asked.count and asked.nearest is None:
                n_modes, low = asked.count, asked.low
        found = normal_modes(self.fe, n_modes=n_modes, f_min=low, subcase=self.case.id)
        self.modes_hz = np.abs(found.frequencies_hz)
        if not self.modal:
            return
        phi, values = unit_modes(self.K, self.M, found.shapes[self.reduced.sets.f], found.eigenvalues)
        if self.enforced:
            u = self.reduced.recover_f(self._carried, self._values_s)
            self._carried = -self._static(self.reduced.load_f(self.fe.K_gg @ u), phi[:, values == 0.0])
        basis = ModalBasis(self, phi, values, self._kept_modes())
        self.notes += basis.notes
        self.residual_hz = basis.residual_hz
        if not basis.values.all():
            self.elastic = np.flatnonzero(basis.values)
        if number(self.fe, "MODACC", -1.0) >= 0.0 and self.forces:
            self._late = self._lacking(basis)
        self._shapes = basis.shapes
        self.K, self.M, self.B, self.K4 = basis.K, basis.M, basis.B, basis.K4

    def _static(self, P: np.ndarray, rigid: np.ndarray) -> np.ndarray:
        """Solve K u = P for loads that are in balance where the structure is free to move as a whole."""
        if rigid.shape[1]:
            return held_response(self.K, P, rigid, self._name_f)
        return RefinedFactor(self.K, self._name_f).solve(P)

    def _name_f(self, i: int) -> str:
        return self.fe.grids.name_of(int(self.reduced.sets.f[i]))

    def _lacking(self, basis: ModalBasis) -> np.ndarray:
        """Static response (f, parts) to each force that modes lack: mode acceleration is Φ q + this times the force."""
        phi = basis.shapes[:, : basis.n_modes]
        values = basis.values[: basis.n_modes]
        P = np.column_stack([self.reduced.load_f(one.place[:, None]) for one in self.forces])
        rigid = phi[:, values == 0.0]
        u = static_response(self.K, self.M, P, rigid, None, self._name_f)
        whole = basis.shapes[:, basis.values != 0.0]
        held = basis.values[basis.values != 0.0]
        self.notes.append(
            "mode acceleration: displacements hold the static response of all modes (PARAM MODACC)"
        )
        return u - whole @ ((whole.T @ P) / held[:, None])

    def load_patterns(self) -> list[np.ndarray]:
        """Loads (f, p) of all subcases with these constraints, those of enforced motions included."""
        mine = (self.case.spc, self.case.mpc, self.case.suport1)
        out = [self.reduced.load_f(one.place[:, None]) for one in self.forces]
        for case in self.fe.case.subcases:
            if case.id == self.case.id or (case.spc, case.mpc, case.suport1) != mine:
                continue
            if (case.analysis or "").startswith(("MODE", "STAT")) or not selected(case, "DLOA"):
                continue
            for part in DynamicLoads(self.fe, case, self.kind, []).parts if self.kind else ():
                if part.motion is None:
                    out.append(self.reduced.load_f(part.place[:, None]))
        if self.enforced:
            u = self.reduced.recover_f(self._carried, self._values_s)
            for A in (self.fe.M_gg, self.B_gg, self.fe.K4_gg):
                found, size = self.reduced.load_f(A @ u), self.reduced.load_f(abs(A) @ np.abs(u))
                out.append(np.where(np.abs(found) > 1e-9 * np.abs(size).max(axis=0), found, 0.0))
        return out

    def _kept_modes(self) -> np.ndarray:
        """Modes that take part: the first LMODES, or else those from LFREQ to HFREQ."""
        first = int(number(self.fe, "LMODES"))
        if first > 0:
            return np.arange(min(first, len(self.modes_hz)))
        low, high = number(self.fe, "LFREQ"), number(self.fe, "HFREQ", np.inf)
        kept = np.flatnonzero((self.modes_hz >= low) & (self.modes_hz <= high))
        if not len(kept):
            raise ModelError("no mode lies between PARAM LFREQ and HFREQ", where=self.fe.source)
        return kept

    def _modes_wanted(self) -> bool:
        lists = self.fe.dynamics.frequencies.get(selected(self.case, "FREQ"), [])
        return any(one.kind != "given" for one in lists)

    def _reduce_enforced(self) -> None:
        """Forces (n, m) of unit enforced motion through K, K4, B and M."""
        u = self.reduced.recover_f(self._carried, self._values_s)
        self._through = [
            self._to_problem(A @ u) for A in (self.fe.K_gg, self.fe.K4_gg, self.B_gg, self.fe.M_gg)
        ]
        if self.modal and self.enforced:
            # what W is made for; left over is rounding
            self._through[0] = np.zeros_like(self._through[0])

    def make_viscous(self) -> None:
        """Turn structural damping into viscous damping at W3 and W4, where those are given; else it is left out."""
        w3, w4 = number(self.fe, "W3"), number(self.fe, "W4")
        if self.G and w3 > 0.0:
            self._add_damping(self.G / w3, self.K, self._through[0], self.fe.K_gg)
        if w4 > 0.0:
            self._add_damping(1.0 / w4, self.K4, self._through[1], self.fe.K4_gg)
        structural = [("PARAM G", self.G, w3), ("GE of elements", _any(self.fe.K4_gg), w4)]
        if self.modal and int(number(self.fe, "KDAMP", 1.0)) == -1:
            structural.append(("SDAMPING (PARAM KDAMP -1)", selected(self.case, "SDAM"), w4))
        lost = [name for name, there, w in structural if there and not w]
        if lost:
            self.notes.append(f"{' and '.join(lost)}: structural damping without W3, W4 has no part in time")

    def _add_damping(self, factor: float, here, through: np.ndarray, whole) -> None:
        self.B = self.B + factor * here
        self._through[2] = self._through[2] + factor * through
        self.B_gg = self.B_gg + factor * whole

    def frequencies(self) -> np.ndarray:
        """Frequencies of the deck's FREQi, ascending; of those that lie within PARAM DFREQ of the range, the first."""
        sid, known = selected(self.case, "FREQ"), self.fe.dynamics.frequencies
        if sid not in known:
            raise ModelError(
                f"subcase {self.case.id} selects no frequencies that are in the deck",
                where=self.fe.source,
                hint="write FREQUENCY = n in case control and a FREQi card n (in Python frequencies_hz= also does); "
                "FREQi sets in the deck: " + known_names(sorted(known)),
            )
        found = np.unique(np.concatenate([one.hertz(self.modes_hz) for one in known[sid]]))
        if not len(found):
            raise ModelError(
                f"the FREQi of set {sid} give no frequency", where=self.fe.source, hint="widen F1 to F2"
            )
        apart = number(self.fe, "DFREQ", 1e-5) * (found[-1] - found[0])
        kept: list[float] = []
        for f in found.tolist():
            if not kept or f - kept[-1] >= apart:
                kept.append(f)
        return np.array(kept)

    def steps(self):
        """Time steps of the deck's TSTEP."""
        sid, known = selected(self.case, "TSTEP"), self.fe.dynamics.steps
        if sid not in known:
            what = f"subcase {self.case.id} selects no TSTEP that is in the deck"
            raise ModelError(what, where=self.fe.source, hint=known_names(sorted(known)))
        return known[sid]

    def frequency_loads(self, f: np.ndarray) -> tuple[np.ndarray, Enforced]:
        """Loads (n, k) at frequencies, those of enforced motions taken in, and these motions."""
        if not self.forces and not self.enforced:
            self._require_load()
        u = steady(self.enforced, f, self.notes)
        w = 2.0 * np.pi * f
        motion = Enforced(u, 1j * w * u, -(w**2) * u)
        K, K4, B, M = self._through
        P = self._applied(f).astype(complex)
        P -= ((1.0 + 1j * self.G) * K + 1j * K4) @ motion.u + B @ motion.v + M @ motion.a
        return P, motion

    def time_loads(self, t: np.ndarray) -> tuple[np.ndarray, Enforced]:
        """Loads (n, k) at times, as `frequency_loads`."""
        if not self.forces and not self.enforced and not selected(self.case, "IC"):
            self._require_load()
        motion = Enforced(*moving(self.enforced, t))
        K, _, B, M = self._through
        return self._applied(t).real - K @ motion.u - B @ motion.v - M @ motion.a, motion

    def _require_load(self) -> None:
        if not selected(self.case, "DLOA"):
            raise ModelError(f"subcase {self.case.id} selects no dynamic load (DLOAD)", where=self.fe.source)

    def _applied(self, at: np.ndarray) -> np.ndarray:
        """Forces (n, k) at frequencies or times."""
        if not self.forces:
            return np.zeros((self.K.shape[0], len(at)))
        place = self._to_problem(np.column_stack([one.place for one in self.forces]))
        return place @ np.stack([one.value(at) for one in self.forces])

    def applied_g(self, at: np.ndarray) -> np.ndarray:
        """Forces (n_dof, k) on the g-set at frequencies or times."""
        if not self.forces:
            return np.zeros((self.fe.grids.n_dof, len(at)))
        return np.column_stack([one.place for one in self.forces]) @ np.stack(
            [one.value(at) for one in self.forces]
        )

    def _to_problem(self, P_g: np.ndarray) -> np.ndarray:
        P_f = self.reduced.load_f(P_g)
        return P_f if self._shapes is None else self._shapes.T @ P_f

    def changing(self, f: np.ndarray) -> tuple[np.ndarray | sp.csr_array, np.ndarray, np.ndarray]:
        """What changes with frequency: D (r, n) on the problem's unknowns, δ (r, k), and strokes D W (r, m)."""
        assert self.varying is not None
        T = sp.csr_array(self.varying.D @ self.reduced.dependence.T_gn)
        D_f = T[:, self.reduced.sets.within("f", "n")]
        strokes = self.varying.D @ self.reduced.recover_f(self._carried, self._values_s)
        D = D_f if self._shapes is None else D_f @ self._shapes
        return D, self.varying.changes(f, self.G), strokes

    def start(self, motion: Enforced) -> tuple[np.ndarray, np.ndarray]:
        """Initial displacement and velocity (n,) of IC, less what enforced motion carries; from rest without."""
        for option in ("MODAL", "STATSUB", "DIFFK", "TZERO"):
            _refuse_option(self.fe, self.case, "IC", option, "IC = n with TIC cards of grids and points is")
        sid = selected(self.case, "IC")
        u, v = np.zeros((2, self.fe.grids.n_dof))
        if sid:
            if sid not in self.fe.dynamics.start:
                raise ModelError(f"IC = {sid} selects a TIC that is not in the deck", where=self.fe.source)
            dofs, u0, v0 = self.fe.dynamics.start[sid]
            u[dofs], v[dofs] = u0, v0
        u_f, v_f = u[self.reduced.sets.f], v[self.reduced.sets.f]
        u_f, v_f = u_f - self._carried @ motion.u[:, 0], v_f - self._carried @ motion.v[:, 0]
        if not self.modal:
            kept = self.reduced.sets.within("a", "f")
            return u_f[kept], v_f[kept]
        assert self._shapes is not None
        # the best fit in the sense of kinetic energy
        M = self.reduced.to_f(self.fe.M_gg)
        return self._shapes.T @ (M @ u_f), self._shapes.T @ (M @ v_f)

    def recover(
        self, q: np.ndarray, enforced: np.ndarray | None = None, late: np.ndarray | None = None
    ) -> np.ndarray:
        """Motion (n_dof, k) on the g-set of q (n, k), of enforced motions (m, k) and of what is `late` (parts, k)."""
        u_f = q if self._shapes is None else self._shapes @ q
        enforced = np.zeros((len(self.enforced), q.shape[1])) if enforced is None else enforced
        u_f = u_f + self._carried @ enforced
        if late is not None and self._late is not None:
            u_f = u_f + self._late @ late
        u_s = self._values_s @ enforced
        if np.iscomplexobj(u_f):
            return self.reduced.recover_f(u_f.real, u_s.real) + 1j * self.reduced.recover_f(
                u_f.imag, u_s.imag
            )
        return self.reduced.recover_f(u_f, u_s)

    def late(self, at: np.ndarray) -> np.ndarray | None:
        """Factors (parts, k) of what mode acceleration adds, or None."""
        return None if self._late is None else np.stack([one.value(at) for one in self.forces])

    def spc_forces(self, balance: np.ndarray) -> np.ndarray:
        """Forces of single-point constraints (n_dof, k) from elastic, damping and inertia forces less loads, g-set."""
        out = np.zeros_like(balance)
        at = self.reduced.sets.within("s", "n")
        out[self.reduced.sets.s] = (self.reduced.dependence.T_gn.T @ balance)[at]
        return out


def _case(fe: FEModel, subcase: int | None) -> SubcaseSelections:
    cases = fe.case.subcases
    if subcase is None:
        return next((one for one in cases if selected(one, "DLOA")), cases[0])
    for one in cases:
        if one.id == subcase:
            return one
    raise InputError(f"subcase {subcase} is not in the deck", hint=known_names(one.id for one in cases))


def _any(A) -> bool:
    return bool(A.nnz if sp.issparse(A) else np.any(A))
