"""The problem behind a response: matrices, damping, modes and loads of a subcase, on the f-set or on modes."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from interstage.errors import InputError, ModelError, known_names
from interstage.fem.case import Subcase
from interstage.fem.dynamics import FrequencyLoad, TimeLoad
from interstage.fem.model import FEModel
from interstage.fem.reduction import ReducedModel, reduce_model
from interstage.fem.requests import check_model
from interstage.fem.sets import SetCards
from interstage.fem.solutions import normal_modes, subcase_constraints
from interstage.fem.thermal import expansion_of_set, thermal_case

MODAL = (110, 111, 112)
ROUNDING = 1e-14  # of the strain energy of a mode, all of its terms taken as positive


class ResponseProblem:
    """Matrices and loads of a subcase on the f-set, or on modes."""

    def __init__(self, fe: FEModel, subcase: int | None, modal: bool | None, n_modes: int | None):
        check_model(fe)
        self.fe = fe
        if fe.dynamics.refused is not None:
            raise fe.dynamics.refused
        self.case = _case(fe, subcase)
        self.modal = fe.sol in MODAL if modal is None else modal
        self.notes = list(fe.notes)
        self.G = _param(fe, "G")
        constraints = subcase_constraints(fe, self.case, SetCards())
        constraints.hold(fe.set_cards(self.case).q)
        self.reduced: ReducedModel = reduce_model(fe.K_gg, fe.M_gg, fe.grids, constraints)
        self.notes += self.reduced.notes
        self.K, self.M = self.reduced.K_ff, self.reduced.to_f(fe.M_gg)
        self.B, self.K4 = self.reduced.to_f(fe.B_gg), self.reduced.to_f(fe.K4_gg)
        for name, part in (("ALPHA1", self.M), ("ALPHA2", self.K)):
            if _param(fe, name):
                self.B = self.B + _param(fe, name) * part
        self.modes_hz = np.zeros(0)
        self._shapes: np.ndarray | None = None
        self.elastic: slice | np.ndarray = slice(
            None
        )  # unknowns that resist at rest: all, or modes but rigid ones
        wanted = self._modes_wanted()
        if self.modal or wanted:
            found = normal_modes(fe, n_modes=n_modes, subcase=self.case.id)
            self.modes_hz = np.abs(found.frequencies_hz)
            if self.modal:
                kept = self._kept_modes()
                self._take_modes(found.shapes[self.reduced.sets.f][:, kept], found.eigenvalues[kept])

    def _kept_modes(self) -> np.ndarray:
        """Modes that take part: the first LMODES, or else those from LFREQ to HFREQ."""
        first = int(_param(self.fe, "LMODES"))
        if first > 0:
            return np.arange(min(first, len(self.modes_hz)))
        low, high = _param(self.fe, "LFREQ"), _param(self.fe, "HFREQ", np.inf)
        kept = np.flatnonzero((self.modes_hz >= low) & (self.modes_hz <= high))
        if not len(kept):
            raise ModelError("no mode lies between PARAM LFREQ and HFREQ", where=self.fe.source)
        return kept

    def _modes_wanted(self) -> bool:
        lists = self.fe.dynamics.frequencies.get(_selected(self.case, "FREQ"), [])
        return any(one.kind != "given" for one in lists)

    def _take_modes(self, shapes: np.ndarray, eigenvalues: np.ndarray) -> None:
        scale = 1.0 / np.sqrt(np.einsum("ik,ik->k", shapes, self.M @ shapes))
        phi = shapes * scale
        self._shapes = phi
        # a rigid mode has no stiffness but round-off
        noise = ROUNDING * np.einsum("ik,ik->k", np.abs(phi), abs(self.K) @ np.abs(phi))
        values = np.where(eigenvalues <= noise, 0.0, eigenvalues)
        if not values.all():
            self.elastic = np.flatnonzero(values)
        g = np.zeros(len(values))
        table = _selected(self.case, "SDAM")
        if table:
            if table not in self.fe.dynamics.damping:
                known = known_names(sorted(self.fe.dynamics.damping))
                raise ModelError(f"SDAMPING = {table} selects a TABDMP1 that is not in the deck", hint=known)
            g = self.fe.dynamics.damping[table].g(np.sqrt(values) / 2.0 / np.pi)
        B, K4 = (_cleaned(phi.T @ (A @ phi)) for A in (self.B, self.K4))
        self.K, self.M = np.diag(values), np.eye(len(values))
        if int(_param(self.fe, "KDAMP", 1.0)) == -1:
            self.B, self.K4 = B, K4 + np.diag(g * values)
        else:
            self.B, self.K4 = B + np.diag(g * np.sqrt(values)), K4
        self.notes.append(f"{len(values)} modes up to {np.sqrt(values.max(initial=0.0)) / 2 / np.pi:.5g} Hz")

    def make_viscous(self) -> None:
        """Turn structural damping into viscous damping at W3 and W4, where those are given; else it is left out."""
        w3, w4 = _param(self.fe, "W3"), _param(self.fe, "W4")
        if self.G and w3 > 0.0:
            self.B = self.B + self.G / w3 * self.K
        if w4 > 0.0:
            self.B = self.B + self.K4 / w4
        lost = [name for name, there, w in (("PARAM G", self.G, w3), ("GE of elements", _any(self.K4), w4))
                if there and not w]  # fmt: skip
        if lost:
            self.notes.append(f"{' and '.join(lost)}: structural damping without W3, W4 has no part in time")

    def frequencies(self) -> np.ndarray:
        """Frequencies of the deck's FREQi, ascending; of those that lie within PARAM DFREQ of the range, the first."""
        sid, known = _selected(self.case, "FREQ"), self.fe.dynamics.frequencies
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
        apart = _param(self.fe, "DFREQ", 1e-5) * (found[-1] - found[0])
        kept: list[float] = []
        for f in found.tolist():
            if not kept or f - kept[-1] >= apart:
                kept.append(f)
        return np.array(kept)

    def steps(self):
        """Time steps of the deck's TSTEP."""
        sid, known = _selected(self.case, "TSTEP"), self.fe.dynamics.steps
        if sid not in known:
            what = f"subcase {self.case.id} selects no TSTEP that is in the deck"
            raise ModelError(what, where=self.fe.source, hint=known_names(sorted(known)))
        return known[sid]

    def frequency_loads(self, f: np.ndarray) -> np.ndarray:
        """Loads (n, k) at frequencies."""
        return self._loads(FrequencyLoad, f)

    def time_loads(self, t: np.ndarray) -> np.ndarray:
        """Loads (n, k) at times."""
        return self._loads(TimeLoad, t)

    def _loads(self, kind: type, at: np.ndarray) -> np.ndarray:
        sid = _selected(self.case, "DLOA")
        if not sid:
            raise ModelError(f"subcase {self.case.id} selects no dynamic load (DLOAD)", where=self.fe.source)
        total: np.ndarray | float = 0.0
        for factor, load in self.fe.dynamics.parts(sid, kind):
            place = self._to_problem(self._spatial(load.spatial))
            total = total + factor * place[:, None] * np.asarray(load(at))[None, :]
        return np.asarray(total)

    def _spatial(self, sid: int) -> np.ndarray:
        """Places and sizes (n_dof,) of an EXCITEID: DAREA, loads and temperatures of that number, and LSEQ."""
        fe, out, found = self.fe, np.zeros(self.fe.grids.n_dof), False
        if sid in fe.dynamics.spatial:
            dofs, values = fe.dynamics.spatial[sid]
            np.add.at(out, dofs, values)
            found = True
        sequence = self._sequence()
        through = [sequence[sid]] if sid in sequence else []
        for number, hot in through or [(sid, sid)]:
            if number in fe.loads or (through and number):
                out += fe.loads.vector(number, fe.M_gg)
                found = True
            if hot in fe.loads.temperatures or (through and hot):
                out += expansion_of_set(fe, hot, thermal_case(self.case)[1]).load
                found = True
        if not found:
            raise ModelError(
                f"dynamic load names EXCITEID {sid}, for which there is no DAREA, static load or temperature",
                where=fe.source,
            )
        return out

    def _sequence(self) -> dict[int, tuple[int, int]]:
        """The LSEQ that LOADSET selects, or the only one that there is."""
        known, chosen = self.fe.dynamics.sequences, _selected(self.case, "LOADSET")
        if chosen and chosen not in known:
            raise ModelError(
                f"LOADSET = {chosen} selects an LSEQ that is not in the deck",
                where=self.fe.source,
                hint=known_names(sorted(known)),
            )
        if not chosen and len(known) > 1:
            raise ModelError(
                f"subcase {self.case.id} has no LOADSET, and there are {len(known)} sets of LSEQ",
                where=self.fe.source,
                hint="add LOADSET to case control; sets " + known_names(sorted(known)),
            )
        if not chosen and known:
            (chosen,) = known
            note = f"no LOADSET selects LSEQ set {chosen}, the only one: it is taken (NASTRAN needs LOADSET)"
            if note not in self.notes:
                self.notes.append(note)
        return known.get(chosen, {})

    def _to_problem(self, P_g: np.ndarray) -> np.ndarray:
        P_f = self.reduced.load_f(P_g[:, None])[:, 0]
        return P_f if self._shapes is None else self._shapes.T @ P_f

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Initial displacement and velocity (n,) of IC; from rest without."""
        n, sid = self.K.shape[0], _selected(self.case, "IC")
        u, v = np.zeros((2, self.fe.grids.n_dof))
        if not sid:
            return np.zeros(n), np.zeros(n)
        if sid not in self.fe.dynamics.start:
            raise ModelError(f"IC = {sid} selects a TIC that is not in the deck", where=self.fe.source)
        dofs, u0, v0 = self.fe.dynamics.start[sid]
        u[dofs], v[dofs] = u0, v0
        u_f, v_f = u[self.reduced.sets.f], v[self.reduced.sets.f]
        if self._shapes is None:
            return u_f, v_f
        # the best fit in the sense of kinetic energy
        M = self.reduced.to_f(self.fe.M_gg)
        return self._shapes.T @ (M @ u_f), self._shapes.T @ (M @ v_f)

    def recover(self, q: np.ndarray) -> np.ndarray:
        """Motion (n_dof, k) on the g-set."""
        u_f = q if self._shapes is None else self._shapes @ q
        if np.iscomplexobj(u_f):
            return self.reduced.recover_f(u_f.real) + 1j * self.reduced.recover_f(u_f.imag)
        return self.reduced.recover_f(u_f)


def _case(fe: FEModel, subcase: int | None) -> Subcase:
    cases = fe.case.subcases
    if subcase is None:
        return next((one for one in cases if _selected(one, "DLOA")), cases[0])
    for one in cases:
        if one.id == subcase:
            return one
    raise InputError(f"subcase {subcase} is not in the deck", hint=known_names(one.id for one in cases))


def _selected(case: Subcase, name: str) -> int:
    """Number behind a command that may be cut to four letters; 0 if there is none."""
    for key, value in case.requests.items():
        plain = key.split("(")[0]
        if plain == name or (len(name) == 4 and plain.startswith(name)):
            words = value.replace("=", " ").replace(",", " ").split()
            if words and words[0].isdigit():
                return int(words[0])
    return 0


def _param(fe: FEModel, name: str, default: float = 0.0) -> float:
    value = fe.parameter(name, default)
    if isinstance(value, str):
        raise ModelError(f"PARAM {name} is not a number", where=fe.source, got=value)
    return float(value)


def _any(A) -> bool:
    return bool(A.nnz if sp.issparse(A) else np.any(A))


def _cleaned(A: np.ndarray) -> np.ndarray:
    """A modal matrix without the round-off beside its diagonal."""
    size = np.sqrt(np.abs(np.outer(np.diag(A), np.diag(A))))
    return np.where(np.abs(A) <= 1e-9 * size, np.diag(np.diag(A)), A)
