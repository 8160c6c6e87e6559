"""The two solutions a deck asks for: normal modes (SOL 103) and linear statics (SOL 101)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, ModelError, SolverError, known_names
from interstage.fem.case import SubcaseSelections
from interstage.fem.combinations import combinations, combined
from interstage.fem.constraints import Equations, choose_dependents, eliminate, join
from interstage.fem.geometric import geometric_stiffness
from interstage.fem.gpwg import Participation, participation
from interstage.fem.grids import Grids
from interstage.fem.model import FEModel
from interstage.fem.recovery import (
    ElementTables,
    GridPointForces,
    GridTable,
    Recovered,
    Recovery,
    grid_point_forces,
    grid_table,
    resultant,
)
from interstage.fem.reduction import Constraints, ReducedModel, reduce_model
from interstage.fem.requests import BUCKLING, check_model, method_missing, modes_case, modes_request
from interstage.fem.sets import SetCards
from interstage.fem.statics import inertia_relief, relieved, solve_static
from interstage.fem.thermal import FreeExpansion, free_expansion
from interstage.linalg.eigen import requested_modes
from interstage.output import check_finite
from interstage.reading import is_whole


@named_arguments
@dataclass
class Modes(Recovered):
    """Normal modes of a structure.

    `forces`, `stresses`, `strain_energy` and `kinetic_energy` are tables by element type with values (modes, rows,
    columns); `participation()` gives effective masses.

    Attributes
    ----------
    frequencies_hz : (k,) ascending; a rigid-body value carries the sign of its eigenvalue
    eigenvalues : (k,) rad²/s²
    shapes : (n_dof, k) on the g-set, each grid in its CD system, unit generalized mass (or largest component 1)
    generalized_mass : (k,)
    residuals : (k,) ‖Kφ - λMφ‖ / ‖Kφ‖
    sturm_checked : an inertia count confirms that no mode below the last is missing
    """

    frequencies_hz: np.ndarray
    eigenvalues: np.ndarray
    shapes: np.ndarray
    generalized_mass: np.ndarray
    residuals: np.ndarray
    sturm_checked: bool
    factor_seconds: float = 0.0
    solve_seconds: float = 0.0
    n_factorizations: int = 0

    @property
    def kinetic_energy(self) -> ElementTables:
        """Kinetic energy ½ω² φᵀ m φ by element type."""
        return self._recovery().kinetic_energy(self.eigenvalues)

    def participation(self, about: ArrayLike | None = None) -> Participation:
        """Participation factors and effective masses of rigid motion about a point, the basic origin by default."""
        return participation(self._recovery().fe, self.shapes, self.generalized_mass, about)

    def at(self, grid_id: int) -> np.ndarray:
        """Shapes (6, k) at a grid, in its CD system."""
        return self.shapes[_grid_dofs(self.grids, grid_id)]

    def __repr__(self) -> str:
        lines = [f"{len(self.frequencies_hz)} modes", "mode  frequency, Hz    residual"]
        for i, (f, r) in enumerate(zip(self.frequencies_hz, self.residuals)):
            lines.append(f"{i + 1:4d}  {f:14.6f}  {r:10.1e}")
        return "\n".join(lines)


@named_arguments
@dataclass
class Displacements(Recovered):
    """Displacements of one subcase. `u[17]` are the six components of grid 17; `np.asarray(u)` is the g-set vector.

    A scalar point has its motion in the first component.

    `forces["CBAR"]`, `stresses["CQUAD4"]` and `strain_energy` are tables by element type; `spcforces`, `mpcforces`
    and `applied_loads` tables by grid.

    Attributes
    ----------
    displacement : (n_dof,) on the g-set, each grid in its CD system
    residual : NASTRAN's EPSILON, uᵀ(P - K u) / uᵀP
    load : (n_dof,) applied loads
    thermal_load : (n_dof,) loads that stand for free expansion, zero without temperatures
    """

    subcase: int
    displacement: np.ndarray
    residual: float
    load: np.ndarray = field(repr=False)
    thermal_load: np.ndarray | float = field(repr=False, default=0.0)

    @property
    def mpc_forces(self) -> np.ndarray:
        """Forces of MPC equations and rigid elements on the g-set (n_dof,): K u - P less those of SPCs."""
        applied = self.load + self.thermal_load
        return self._recovery().fe.K_gg @ self.displacement - applied - self.spc_forces

    @property
    def mpcforces(self) -> GridTable:
        """Forces of MPC equations and rigid elements at every grid."""
        return grid_table(self.grids, self.mpc_forces)

    @property
    def applied_loads(self) -> GridTable:
        """Applied loads at every grid."""
        return grid_table(self.grids, self.load)

    @property
    def gpforces(self) -> GridPointForces:
        """Balance of forces at every grid: elements, loads, constraints."""
        return grid_point_forces(
            self._recovery(), APP_LOAD=self.load, F_OF_SPC=self.spc_forces, F_OF_MPC=self.mpc_forces
        )

    def load_resultant(self, about: ArrayLike | None = None) -> np.ndarray:
        """Resultant (6,) of the applied loads in basic axes about a point, the basic origin by default."""
        return resultant(self.grids, self.load, about, self._rings())

    def reaction_resultant(self, about: ArrayLike | None = None) -> np.ndarray:
        """Resultant (6,) of the forces of single-point constraints, as `load_resultant`."""
        return resultant(self.grids, self.spc_forces, about, self._rings())

    def _rings(self) -> np.ndarray | None:
        return None if self.recovery is None else self.recovery.fe.ring_grids

    def __getitem__(self, grid_id: int) -> np.ndarray:
        at = int(self.grids.find_spoint(grid_id))
        if at >= 0:  # as tables have it: a scalar point stands in the first column
            return np.append(self.displacement[self.grids.spoint_dof[at]], np.zeros(5))
        return self.displacement[_grid_dofs(self.grids, grid_id)]

    def __array__(self, dtype: np.dtype | type | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.displacement, dtype=dtype)


@named_arguments
def normal_modes(
    fe: FEModel,
    n_modes: int | None = None,
    f_min: float | None = None,
    f_max: float | None = None,
    subcase: int | None = None,
    progress: Callable[[str], None] | None = None,
    preload: int | None = None,
) -> Modes:
    """Compute the modes of `K φ = λ M φ` with the constraints of a subcase applied.

    Parameters
    ----------
    n_modes, f_min, f_max : number and range in Hz; without any of them the deck's EIGRL or EIGR decides,
        and ten modes where it has none
    subcase : id of the subcase whose SPC, MPC and METHOD hold; the first that asks for modes by default
    progress : called with a word on the current step
    preload : id of a static subcase whose loads stiffen or soften the structure, (K + Kg) φ = λ M φ; the
        deck's STATSUB by default, 0 for none
    """
    check_model(fe)
    say = progress or (lambda text: None)
    case = modes_case(fe, subcase)
    request = modes_request(fe, case, n_modes, f_min, f_max)
    preload = static_subcase(fe, case) if preload is None and fe.sol not in BUCKLING else preload
    K_gg = fe.K_gg
    given = any(one is not None for one in (n_modes, f_min, f_max))
    notes = [] if given else method_missing(fe, case)
    if preload:
        say("preload")
        Kg, more = preload_stiffness(fe, preload)
        K_gg = (K_gg + Kg).tocsr()
        notes += [f"modes under the loads of subcase {preload}", *more]
    say("constraints")
    _check_mass(fe)
    reduced, more = reduced_for_modes(fe, case, K_gg)
    reduced.require_mass()
    notes += more
    say("eigenvalues")

    def report(done: int, wanted: int, text: str) -> None:
        say(f"eigenvalues: {text}")

    try:
        result = requested_modes(reduced.K_aa, reduced.M_aa, request, request.norm, report)
    except np.linalg.LinAlgError as error:
        raise SolverError(
            "the modes cannot be found in numbers of this range",
            where=fe.source,
            hint="look for an exponent that is not meant in moduli, sections, springs and masses",
        ) from error
    check_finite(result.frequencies_hz, "frequencies")
    check_finite(result.vectors, "mode shapes")
    check_finite(result.residuals, "residuals")
    if not len(result.frequencies_hz):
        low, high = (0.0 if request.low is None else request.low), request.high
        ends = f"above {low:g} Hz" if high is None else f"from {low:g} to {high:g} Hz"
        notes = [*notes, f"warning: no mode lies in the range asked for, {ends}"]
    shapes = reduced.recover_a(result.vectors)
    mass = np.einsum("ij,ij->j", result.vectors, reduced.M_aa @ result.vectors)
    inertia = (fe.M_gg @ shapes) * result.eigenvalues
    return Modes(
        frequencies_hz=result.frequencies_hz,
        eigenvalues=result.eigenvalues,
        shapes=shapes,
        generalized_mass=mass,
        residuals=result.residuals,
        sturm_checked=result.sturm_checked,
        grids=fe.grids,
        factor_seconds=result.factor_seconds,
        solve_seconds=result.solve_seconds,
        n_factorizations=result.n_shifts,
        notes=[*_purpose(fe, 103), *fe.notes, *notes, *reduced.notes, *result.notes],
        spc_forces=reduced.constraint_forces(shapes, inertia),
        recovery=Recovery(fe, shapes),
    )


def static_subcase(fe: FEModel, case: SubcaseSelections | None) -> int | None:
    """Id of the static subcase that STATSUB of a subcase names, or None."""
    text = "" if case is None else case.requests.get("STATSUB", "")
    words = text.replace("=", " ").split()
    if not words or words[0].upper() == "NONE":
        return None
    ids = [one.id for one in fe.case.subcases]
    if not is_whole(words[0]) or int(words[0]) not in ids:
        raise ModelError(f"STATSUB = {text} names no subcase", where=fe.source, hint=known_names(ids))
    return int(words[0])


def preload_stiffness(fe: FEModel, subcase: int, form: str = "nastran") -> tuple[sp.csr_matrix, list[str]]:
    """Stiffness (n_dof, n_dof) that the loads of a static subcase add, and notes: of stresses and of following loads.

    form : of the geometric stiffness, see `geometric_stiffness`
    """
    solved = static(fe, subcase)
    Kg, notes = geometric_stiffness(fe, solved.recovery or solved.displacement, form)
    case = next(one for one in fe.case.subcases if one.id == subcase)
    if case.load and str(fe.parameter("FOLLOWK", "YES")).upper() != "NO":
        turning = fe.loads.follower_stiffness(case.load, fe.M_gg)
        if turning.nnz:
            Kg = (Kg + turning).tocsr()
            notes = [
                *notes,
                "loads follow the structure (FORCE1, FORCE2, pressures, RFORCE; PARAM FOLLOWK NO leaves that out)",
            ]
    return Kg, notes


@named_arguments
def static(fe: FEModel, subcase: int = 1) -> Displacements:
    """Displacements of one subcase of a linear static analysis (SOL 101)."""
    check_model(fe)
    ids = [case.id for case in fe.case.subcases]
    sums = {one.case.id: one for one in combinations(fe)}
    if subcase in sums:
        one = sums[subcase]
        return combined(
            fe, one, {u.subcase: u for u in static_subcases(fe, only=[sid for sid, _ in one.terms])}
        )
    if subcase not in ids:
        raise InputError(f"subcase {subcase} is not in the deck", hint=known_names([*ids, *sums]))
    return static_subcases(fe, only=[subcase])[0]


@named_arguments
def static_subcases(
    fe: FEModel, only: list[int] | None = None, progress: Callable[[str], None] | None = None
) -> list[Displacements]:
    """Displacements of all subcases; those with the same constraints share one factorization."""
    say = progress or (lambda text: None)
    fe.loads.check()
    cases = static_cases(fe) if only is None else [case for case in fe.case.subcases if case.id in only]
    groups: dict[tuple[int | None, ...], list[SubcaseSelections]] = {}
    for case in cases:
        groups.setdefault((case.spc, case.mpc, case.suport1), []).append(case)
    found: dict[int, Displacements] = {}
    for members in groups.values():
        say(f"statics: factorization for {len(members)} subcases")
        constraints = _static_constraints(fe, members[0])
        relief = inertia_relief(fe, members[0], constraints)
        reduced = reduce_model(fe.K_gg, None, fe.grids, constraints)
        loads = [_load(fe, case) for case in members]
        more = [[] if relief is None else relieved(relief, loads, k) for k in range(len(members))]
        hot = [free_expansion(fe, case) for case in members]
        thermal = [np.zeros(fe.grids.n_dof) if one is None else one.load for one in hot]
        enforced = [fe.loads.enforced(case.load) if case.load else None for case in members]
        applied = np.column_stack(loads) + np.column_stack(thermal)
        result = solve_static(reduced, applied, enforced, max_ratio=_max_ratio(fe))
        check_finite(result.u, "displacements")
        if relief is not None:
            result.u = np.column_stack([relief.settled(u) for u in result.u.T])
        for k, case in enumerate(members):
            found[case.id] = Displacements(
                case.id,
                result.u[:, k],
                float(result.epsilon[k]),
                loads[k],
                thermal[k],
                grids=fe.grids,
                notes=[
                    *_purpose(fe, 101),
                    *_nothing_acts(case, result.u[:, k]),
                    *fe.loads.left_out(case.load),
                    *fe.notes,
                    *result.notes,
                    *reduced.lost_loads(loads[k]),
                    *reduced.loose_values(enforced[k]),
                    *more[k],
                ],
                spc_forces=result.spc_forces[:, k],
                recovery=_static_recovery(fe, case, result.u[:, k], hot[k]),
            )
    out = [found[case.id] for case in cases]
    if only is None:
        out += [
            combined(fe, one, found) for one in combinations(fe) if all(sid in found for sid, _ in one.terms)
        ]
    return out


def _static_recovery(
    fe: FEModel, case: SubcaseSelections, u: np.ndarray, hot: FreeExpansion | None
) -> Recovery:
    """Element results of displacements u under the temperatures and the loads between ends of a subcase."""
    spans = fe.loads.spans(case.load) if case.load else {}
    if hot is None:
        return Recovery(fe, u, spans=spans)
    return Recovery(fe, u, free=hot.motion, spans=spans, heat=hot.heat)


def _nothing_acts(case: SubcaseSelections, u: np.ndarray) -> list[str]:
    """A sentence where all displacements are zero."""
    if u.any():
        return []
    selected = f"LOAD = {case.load} moves nothing" if case.load else "it selects no LOAD"
    return [f"all displacements of subcase {case.id} are zero: {selected}"]


def _purpose(fe: FEModel, sol: int) -> list[str]:
    """A sentence where the deck was written for a solution that is not run here."""
    if fe.sol in (None, sol):
        return []
    return [f"the deck is for SOL {fe.sol}: only its model, constraints and requests for SOL {sol} are used"]


def static_cases(fe: FEModel) -> Sequence[SubcaseSelections]:
    """Subcases of statics: those that ask for modes or buckling are left out, unless there are no others."""
    cases = fe.case.subcases
    chosen = [case for case in cases if (case.analysis or "STATICS").startswith("STAT")]
    if fe.sol in BUCKLING:
        chosen = [case for case in chosen if case.method is None or case.load is not None]
    return chosen or cases


def _static_constraints(fe: FEModel, case: SubcaseSelections | None) -> Constraints:
    """Constraints of a static subcase: supported dofs (SUPORT) are held, other sets do not matter."""
    constraints = subcase_constraints(fe, case, SetCards())
    constraints.hold(fe.set_cards(case).r)
    return constraints


def subcase_constraints(
    fe: FEModel, case: SubcaseSelections | None, cards: SetCards | None = None
) -> Constraints:
    """Rigid elements, and the MPC and SPC sets that a subcase selects (None: only permanent ones)."""
    spc, values = fe.constraints.spc(case.spc if case else None)
    return Constraints(
        equations=_equations(fe, case, spc),
        spc=spc,
        values=values,
        cards=fe.set_cards(case) if cards is None else cards,
        autospc=str(fe.parameter("AUTOSPC", "YES")).upper() != "NO",
        epzero=_number(fe, "EPZERO", 1e-8),
    )


def _equations(fe: FEModel, case: SubcaseSelections | None, spc: np.ndarray) -> Equations:
    """Rigid elements and the MPC set of a subcase; with PARAM AUTOMSET YES dofs that conflict are replaced."""
    given = join([fe.rigid, fe.constraints.mpc(case.mpc if case else None)])
    if str(fe.parameter("AUTOMSET", "NO")).upper() != "YES":
        return given
    named = fe.set_cards(case)
    return choose_dependents(given, fe.grids.n_dof, np.concatenate([spc, named.analysed(), named.r]))[0]


@named_arguments
def dependency_matrix(
    fe: FEModel, case: SubcaseSelections | None = None
) -> tuple[np.ndarray, np.ndarray, sp.csr_array]:
    """Dependent dofs m, the others n, and the sparse G_mn of `u_m = G_mn u_n` of rigid elements and MPCs."""
    given = _equations(fe, case, fe.constraints.spc(case.spc if case else None)[0])
    found = eliminate(given, fe.grids.n_dof, fe.grids.name_of)
    return found.m, found.n, sp.csr_array(found.T_gn[found.m])


def reduced_for_modes(
    fe: FEModel, case: SubcaseSelections | None, K_gg: sp.csr_matrix | None = None
) -> tuple[ReducedModel, list[str]]:
    """The model that the eigenvalue problem is solved on.

    With ASET or OMIT cards NASTRAN condenses (Guyan). With QSET points beside them it keeps component modes of
    the omitted dofs, so that the answer is that of the whole model: the whole model is solved. A run that makes an
    external superelement (EXTSEOUT) lists the modes with its boundary held.
    """
    cards = fe.set_cards(case)
    constraints = subcase_constraints(fe, case, cards)
    notes = []
    external = case is not None and "EXTSEOUT" in case.requests
    held = cards.held() if external else np.zeros(0, dtype=np.int64)
    if len(held):
        constraints.cards = SetCards()
        constraints.hold(np.concatenate([held, cards.q]))
        notes.append(f"fixed-interface modes: the {len(held)} boundary dofs (BSET, ASET) are held")
    elif len(cards.q):
        constraints.cards = SetCards()
        constraints.hold(_empty_q(fe, cards.q))
        notes.append("QSET points carry no modes here: the whole model is solved without reduction")
    return reduce_model(fe.K_gg if K_gg is None else K_gg, fe.M_gg, fe.grids, constraints), notes


def _empty_q(fe: FEModel, q: np.ndarray) -> np.ndarray:
    """q-set dofs without stiffness: places for generalized coordinates that this solution does not need."""
    rows = np.diff(fe.K_gg.indptr)[q]
    return q[rows == 0]


def _load(fe: FEModel, case: SubcaseSelections) -> np.ndarray:
    out = fe.loads.vector(case.load, fe.M_gg) if case.load else np.zeros(fe.grids.n_dof)
    return out + fe.loads.direct.get(case.id, 0.0)


def _max_ratio(fe: FEModel) -> float | None:
    return None if "MAXRATIO" not in fe.params else _number(fe, "MAXRATIO", 0.0)


def _number(fe: FEModel, name: str, default: float) -> float:
    """A PARAM as a number."""
    value = fe.parameter(name, default)
    if isinstance(value, str):
        raise ModelError(f"PARAM {name} is not a number", where=fe.source, got=value)
    return float(value)


def _grid_dofs(grids: Grids, grid_id: int) -> slice:
    row = int(grids.find(grid_id))
    if row < 0:
        raise InputError(f"grid {grid_id} is not in the model", hint=known_names(grids.id))
    return slice(int(grids.dof[row]), int(grids.dof[row]) + 6)


def _check_mass(fe: FEModel) -> None:
    """Negative point masses may take mass away; they may not leave less than none."""
    diagonal = fe.M_gg.diagonal()
    worst = int(np.argmin(diagonal)) if len(diagonal) else 0
    if len(diagonal) and diagonal[worst] < 0.0:
        raise ModelError(
            f"the mass at {fe.grids.name_of(worst)} is negative",
            where=fe.source,
            got=f"{diagonal[worst]:.4g}",
            hint="look at CONM2, CMASS and non-structural mass there",
        )
