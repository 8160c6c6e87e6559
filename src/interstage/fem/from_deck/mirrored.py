"""Mirror images of parts: the model of a part, seen in a plane.

A motion u, θ of the part has the image Qu, -Qθ with Q = 1 - 2nnᵀ. CD systems of the image are Q R diag(1, 1, -1), which
are right-handed, so that its dofs are those of the part but for the signs of T3, R1 and R2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from interstage.fem.constraints import Equations
from interstage.fem.coordinates import Coordinates, CoordinateSystem
from interstage.fem.elements.block import ElementBlock, Heat, OutputOptions, ResultRows
from interstage.fem.elements.point_mass import PointMassBlock
from interstage.fem.from_deck.constraints import ConstraintCards
from interstage.fem.grids import Grids
from interstage.fem.loads import Gravity, LoadSet, SpinLoad, StaticLoadSets
from interstage.fem.model import FEModel
from interstage.fem.scalars import ScalarTerms, Springs, SystemTerms

FLIP = np.diag([1.0, 1.0, -1.0])
SIGNS = np.array([1.0, 1.0, -1.0, -1.0, -1.0, 1.0])


@dataclass(frozen=True)
class Mirror:
    """A plane through a point (3,) with a unit normal (3,), basic axes."""

    point: np.ndarray
    normal: np.ndarray

    @property
    def Q(self) -> np.ndarray:
        """Matrix (3, 3) of the reflection."""
        return np.eye(3) - 2.0 * np.outer(self.normal, self.normal)

    def place(self, x: np.ndarray) -> np.ndarray:
        """Images of points (..., 3)."""
        return self.point + (x - self.point) @ self.Q

    def grids(self, g: Grids) -> Grids:
        """The grid table of the image."""
        return Grids(g.id, self.place(g.xyz), self.Q @ g.R_basic_cd @ FLIP, g.cd, g.ps, g.spoint, g.cp)


def mirrored_model(model: FEModel, mirror: Mirror) -> FEModel:
    """The image of a model: elements, equations and loads."""
    grids = mirror.grids(model.grids)
    sign = np.ones(grids.n_dof)
    sign[grids.dof[:, None] + np.arange(6)] = SIGNS
    systems = Coordinates()
    for cid, one in model.coordinates.systems.items():
        systems.systems[cid] = CoordinateSystem(one.kind, mirror.place(one.origin), mirror.Q @ one.R @ FLIP)
    springs = [half for one in model.springs for half in _springs(one, sign)]
    dropped = sum(map(len, (one.eid for one in model.springs))) - sum(len(one.eid) for one in springs)
    notes = [f"forces of {dropped} springs of the image are not shown"] if dropped else []
    if any(one.followers for one in model.loads.sets.values()):
        notes.append("loads of the image do not follow its motion in buckling and modes under preload")
    return replace(
        model,
        grids=grids,
        coordinates=systems,
        blocks=[_image(block, mirror.Q) for block in model.blocks],
        terms=SystemTerms(*([_terms(one, sign) for one in part] for part in model.terms)),
        springs=springs,
        rigid=_equations(model.rigid, sign),
        constraints=_constraints(model.constraints, sign),
        loads=_loads(model.loads, grids, sign, mirror),
        dynamics=replace(
            model.dynamics,
            spatial=_signed(model.dynamics.spatial, sign),
            start=_signed(model.dynamics.start, sign),
        ),
        notes=[*model.notes, *notes],
    )


def _image(block: ElementBlock, Q: np.ndarray) -> ElementBlock:
    """Elements seen in the plane; lumped bodies stay what they are, so that they can be taken out of the structure."""
    if isinstance(block, PointMassBlock):
        return PointMassBlock(
            block.eid, block.nodes, block.point_mass, block.offset @ Q, Q @ block.inertia @ Q
        )
    return MirroredBlock(block, Q)


def _terms(one: ScalarTerms, sign: np.ndarray) -> ScalarTerms:
    return replace(one, value=one.value * sign[one.i] * sign[one.j])


def _equations(one: Equations, sign: np.ndarray) -> Equations:
    return replace(one, value=one.value * sign[one.dof])


def _springs(one: Springs, sign: np.ndarray) -> list[Springs]:
    """Springs whose ends have one sign; with a negative one the ends change places, and so does the force."""
    both = np.append(sign, np.nan)  # ground has that of the other end
    s_a, s_b = both[one.a], both[one.b]
    s_a, s_b = np.where(one.a < 0, s_b, s_a), np.where(one.b < 0, s_a, s_b)
    out = []
    for wanted in (1.0, -1.0):
        k = np.flatnonzero((s_a == wanted) & (s_b == wanted))
        if len(k):
            a, b = (one.a, one.b) if wanted > 0.0 else (one.b, one.a)
            out.append(Springs(one.name, one.eid[k], a[k], b[k], one.k[k], one.S[k]))
    return out


def _constraints(c: ConstraintCards, sign: np.ndarray) -> ConstraintCards:
    return replace(
        c,
        spc_sets={sid: (dofs, values * sign[dofs]) for sid, (dofs, values) in c.spc_sets.items()},
        mpc_sets={sid: _equations(one, sign) for sid, one in c.mpc_sets.items()},
    )


def _loads(loads: StaticLoadSets, grids: Grids, sign: np.ndarray, mirror: Mirror) -> StaticLoadSets:
    """Loads of the image: forces, and gravity and spin seen in the plane."""
    out = StaticLoadSets(grids, loads.refused)
    out.combinations, out.temperatures = loads.combinations, loads.temperatures
    out.direct = {case: sign * load for case, load in loads.direct.items()}
    for sid, one in loads.sets.items():
        out.sets[sid] = LoadSet(
            one.dof,
            [value * sign[dof] for dof, value in zip(one.dof, one.value)],
            [_field(item, mirror) for item in one.fields],
            {dof: value * float(sign[dof]) for dof, value in one.enforced.items()},
            [],
            one.spans,
            one.refused,
        )
    return out


def _field(item, mirror: Mirror):
    if isinstance(item, Gravity):
        return Gravity(mirror.Q @ item.acceleration)
    assert isinstance(item, SpinLoad)
    return SpinLoad(mirror.place(item.point), -mirror.Q @ item.omega, -mirror.Q @ item.alpha)


def _signed(sets: dict, sign: np.ndarray) -> dict:
    return {sid: (dofs, *(value * sign[dofs] for value in rest)) for sid, (dofs, *rest) in sets.items()}


class MirroredBlock(ElementBlock):
    """The image of elements: their matrices with motions turned, S K S, S = diag(Q, -Q) at every node.

    Element forces and stresses are those of the part in the same motion, in the image of its axes.
    """

    def __init__(self, inner: ElementBlock, Q: np.ndarray):
        super().__init__(inner.name, inner.eid, inner.nodes, inner.ge)
        self.inner, self.dofs_per_node = inner, inner.dofs_per_node
        self.expansion, self.reference_temperature = inner.expansion, inner.reference_temperature
        one = np.kron(np.diag([1.0, -1.0]), Q)[: inner.dofs_per_node, : inner.dofs_per_node]
        self.S = np.kron(np.eye(inner.nodes.shape[1]), one)

    def placed(self, rows: np.ndarray, eid: np.ndarray, n_grids: int) -> MirroredBlock:
        out = super().placed(rows, eid, n_grids)
        assert isinstance(out, MirroredBlock)
        out.inner = self.inner.placed(rows, eid, n_grids)
        return out

    @property
    def corner_count(self) -> int:
        return self.inner.corner_count

    def _turned(self, matrix: np.ndarray | None) -> np.ndarray | None:
        return None if matrix is None else self.S @ matrix @ self.S

    def stiffness(self, rows: slice) -> np.ndarray | None:
        return self._turned(self.inner.stiffness(rows))

    def mass(self, rows: slice, coupled: bool) -> np.ndarray | None:
        return self._turned(self.inner.mass(rows, coupled))

    def damping(self, rows: slice) -> np.ndarray | None:
        return self._turned(self.inner.damping(rows))

    def structural_damping(self, rows: slice) -> np.ndarray | None:
        return self._turned(self.inner.structural_damping(rows))

    def thermal_motion(self, heat: Heat) -> np.ndarray:
        return self.inner.thermal_motion(heat) @ self.S

    def recovery(self, rows: slice) -> np.ndarray | None:
        found = self.inner.recovery(rows)
        return None if found is None else found @ self.S

    def force_tables(self, results: np.ndarray, options: OutputOptions) -> list[ResultRows]:
        return self.inner.force_tables(results, options)

    def stress_tables(self, results: np.ndarray, options: OutputOptions) -> list[ResultRows]:
        return self.inner.stress_tables(results, options)

    def strain_tables(self, results: np.ndarray, options: OutputOptions) -> list[ResultRows]:
        return self.inner.strain_tables(results, options)

    def geometric_stiffness(self, rows: slice, results: np.ndarray, full: bool) -> np.ndarray | None:
        return self._turned(self.inner.geometric_stiffness(rows, results, full))
