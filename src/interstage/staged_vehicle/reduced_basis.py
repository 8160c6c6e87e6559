"""Constant shapes of a vehicle for a phase of flight, with the report that certifies them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from interstage._renamed import former_names
from interstage.calls import named_arguments
from interstage.component.integrals import ModalIntegrals, rigid_motion
from interstage.errors import InputError, ModelError, SolverError, did_you_mean, shown
from interstage.staged_vehicle.basis_selection import (
    EQUAL,
    Fill,
    RitzModes,
    attachment_vectors,
    canonical,
    fewest,
    fills_of,
    parts_of,
    ritz,
    seen_at,
    stacked,
    strain_vectors,
)
from interstage.staged_vehicle.integrals import Partition
from interstage.staged_vehicle.stack import CoupledStructure, FreeModes, check_wanted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Each: TypeAlias = int | Mapping[float, int]
Propellant: TypeAlias = Mapping[str, float] | float


MORE = 4  # modes looked at beyond those that are asked for, lest a count cut a cluster


class ModesAt(Protocol):
    """Modes of the whole structure at a fill: those that are to be met, or so many."""

    def __call__(self, part: float, n_modes: int | None = None) -> FreeModes: ...


@dataclass(frozen=True, eq=False)
class BasisReport:
    """How far constant shapes are from the modes of the whole structure, at every fill of a grid.

    fills : a comparison at each, from full to empty
    """

    title: str
    fills: list[RitzModes]

    @property
    def frequency_error(self) -> float:
        """Largest relative error of a frequency, over all modes and fills."""
        return max(float(np.abs(one.frequency_error).max(initial=0.0)) for one in self.fills)

    @property
    def mac_error(self) -> float:
        """Largest 1 - MAC, over all modes and fills; modes that lie close together are compared as subspaces."""
        return max(float((1.0 - one.mac).max(initial=0.0)) for one in self.fills)

    @property
    def condition(self) -> float:
        """Largest condition number of the modal mass."""
        return max(one.condition for one in self.fills)

    def table(self) -> list[tuple[float, int, float, float, float, float]]:
        """Return a row for each fill and mode: fill, mode, exact Hz, Hz, relative error of the frequency, MAC."""
        return [
            (one.part, k + 1, float(exact), float(hz), float(error), float(mac))
            for one in self.fills
            for k, (exact, hz, error, mac) in enumerate(
                zip(one.exact_hz, one.frequencies_hz, one.frequency_error, one.mac, strict=True)
            )
        ]

    def plot(self) -> Figure:
        """Draw frequencies and errors over the burn."""
        return import_module("interstage.report.plots").shapes_figure(self)

    def __str__(self) -> str:
        lines = [
            self.title,
            f"at {len(self.fills)} fills: frequencies within {self.frequency_error:.1e}, MAC within "
            f"{self.mac_error:.1e}, condition of the modal mass {self.condition:.3g}",
            "",
            " fill  modes  lowest Hz  highest Hz  worst df/f  of mode  worst 1-MAC  of mode",
        ]
        for one in self.fills:
            f, m = np.abs(one.frequency_error), 1.0 - one.mac
            if not len(f):
                lines.append(f"{one.part:5.3f}  {0:5d}")
                continue
            lines.append(
                f"{one.part:5.3f}  {len(f):5d}  {one.exact_hz[0]:9.4f}  {one.exact_hz[-1]:10.4f}  {f.max():10.1e}  "
                f"{_first(f):7d}  {m.max():11.1e}  {_first(m):7d}"
            )
        return "\n".join(lines)


def _first(errors: np.ndarray) -> int:
    """Return the number of the first mode that has the largest error, or as good as: of two planes, the first."""
    return int(np.argmax(errors >= 0.99 * errors.max())) + 1


@named_arguments
@dataclass(frozen=True, eq=False)
class ReducedBasis:
    """Constant shapes Φ of a vehicle: node displacements u = S_r [rigid] + Φ η at any fill.

    q : (nq, n) in the coordinates of the coupled structure;  nodes : (6N, n), T1 T2 T3 R1 R2 R3 of every node
    frequencies_hz : (n,) at the reference fill, where Φ' M Φ = 1 and no shape has a rigid part. Φ' K Φ = ω² at every
        fill unless tanks change the stiffness
    reference : {tank: mass} of the reference fill;  burning : tanks that empty in this phase
    n_attachment : vectors of attachments among those that span Φ
    gravity : (3,) of the vehicle, world axes
    attached : (stage, node) of these attachments
    """

    stack: CoupledStructure
    q: np.ndarray
    nodes: np.ndarray
    frequencies_hz: np.ndarray
    reference: dict[str, float]
    burning: tuple[str, ...]
    n_attachment: int
    report: BasisReport
    gravity: np.ndarray
    attached: tuple[tuple[str, int], ...] = ()

    def __len__(self) -> int:
        return self.q.shape[1]

    @cached_property
    def partition(self) -> Partition:
        """Modal integrals as functions of the propellant."""
        return Partition.of(self.stack, self.q, self.nodes)

    def integrals(self, propellant: Propellant | None = None) -> ModalIntegrals:
        """Return the modal integrals at a fill, from sums: no matrix of the structure is touched."""
        return self.partition.at(self.stack.propellant(propellant))

    def row(self, stage: str, node: int) -> int:
        """Return the place of a node among the nodes of the vehicle."""
        try:
            return self.stack.places.index((stage, int(node)))
        except ValueError:
            known = dict.fromkeys(one for one, _ in self.stack.places)
            hint = did_you_mean(stage, known) if stage not in known else None
            raise InputError(f"there is no node {node} of stage '{stage}'", hint=hint) from None

    @property
    def node_ids(self) -> np.ndarray:
        """Ids (N,) of the nodes in a component: their own, or 1,000,000 times the number of the stage more.

        Their own where no two stages share one; stages count from one, in the order in which they were added. Nodes
        keep them when `without` takes other stages away.
        """
        return self.stack.ids

    def node_id(self, stage: str, node: int) -> int:
        """Return the id of a node in the component that `StagedVehicle.multibody` makes."""
        return int(self.node_ids[self.row(stage, node)])

    def elastic(self) -> np.ndarray:
        """Return shapes (6N, n) at the nodes less the rigid motion that fits the translations of all nodes best."""
        S = rigid_motion(self.stack.positions)
        move = np.arange(len(S)).reshape(-1, 6)[:, :3].ravel()
        fit = np.linalg.lstsq(S[move], self.nodes[move], rcond=1e-10)[0]
        return self.nodes - S @ fit

    def modes(self, propellant: Propellant | None = None) -> FreeModes:
        """Return the Rayleigh-Ritz modes at a fill, shapes (nq, n) of unit modal mass without rigid part."""
        given = self.stack.propellant(propellant)
        M, K = self.stack.mass(given), self.stack.stiffness(given)
        shapes, omega = canonical(K, M, self.stack.rigid_basis(M), self.q)
        return FreeModes(omega / (2 * np.pi), shapes)

    def __repr__(self) -> str:
        return (
            f"<ReducedBasis: {len(self)} shapes, {self.n_attachment} attachments, frequencies within "
            f"{self.report.frequency_error:.1e} at {len(self.report.fills)} fills>"
        )


@dataclass(frozen=True)
class ShapeRequest:
    """What is asked of shapes; see `StagedVehicle.shapes`."""

    name: str
    below_hz: float | None
    n_modes: int | None
    error: float
    levels: int
    certify: int | None
    reference: float
    each: Each | None
    vectors: ArrayLike | None
    burning: Sequence[str] | None
    gravity: np.ndarray
    attached: tuple[tuple[str, int], ...] = ()

    def check(self, stack: CoupledStructure) -> tuple[str, ...]:
        """Refuse what cannot be meant; return the tanks that burn."""
        where = f"shapes of '{self.name}'"
        if self.each is None and self.vectors is None and self.below_hz is None and self.n_modes is None:
            raise InputError(
                "the modes to be met are not known", where=where, hint="give below_hz or n_modes"
            )
        check_wanted(self.n_modes, self.below_hz, where)
        if not self.error > 0.0:
            raise InputError("error must be positive", where=where, got=shown(self.error))
        self._check_each(where)
        if self.below_hz is not None and self.n_modes is not None:
            raise InputError("give below_hz or n_modes, not both", where=where)
        if self.levels < 1 or (self.certify is not None and self.certify < 1):
            raise InputError(
                "levels and certify count fills", where=where, expected="1 or more", got=f"{self.levels}"
            )
        for tank in self.burning or ():
            if tank not in stack.tanks:
                raise InputError(
                    f"there is no tank '{tank}'", where=where, hint=did_you_mean(tank, stack.tanks)
                )
        return tuple(stack.tanks if self.burning is None else self.burning)

    def _check_each(self, where: str) -> None:
        """Refuse counts of modes of each level that are no counts."""
        if self.each is None:
            return
        counts = list(self.each.values()) if isinstance(self.each, Mapping) else [self.each]
        if (
            not counts
            or not all(isinstance(n, (int, np.integer)) and n >= 0 for n in counts)
            or not any(counts)
        ):
            raise InputError(
                "each counts modes",
                where=where,
                expected="1 or more of each level, or {fill: modes}",
                got=shown(self.each),
            )


def choose(stack: CoupledStructure, wanted: ShapeRequest, loads: np.ndarray) -> ReducedBasis:
    """Choose shapes as they are wanted, make them canonical, and certify them.

    loads : (nq, p) unit loads whose attachment shapes are to be among them
    """
    burning = wanted.check(stack)
    reference = stack.filled(wanted.reference, burning)
    M_ref, K_ref = stack.mass(reference), stack.stiffness(reference)
    S_ref = stack.rigid_basis(M_ref)
    kept, _ = attachment_vectors(K_ref, M_ref, S_ref, loads)
    chosen = wanted.vectors is None and wanted.each is None
    known: dict[float, FreeModes] = {}

    def modes(part: float, n_modes: int | None = None) -> FreeModes:
        if n_modes is not None:
            return stack.modes(stack.filled(part, burning), n_modes)
        if part not in known:
            known[part] = _met(stack, stack.filled(part, burning), wanted, pairs=chosen)
        return known[part]

    if chosen:
        X = stacked([modes(part) for part in _levels(wanted, burning)])
        if not X.shape[1]:
            raise InputError(
                "no mode is to be met",
                where=f"shapes of '{wanted.name}'",
                got=f"below_hz={wanted.below_hz}",
                hint=f"the lowest is at {stack.modes(reference, 1).frequencies_hz[0]:.4g} Hz",
            )
        U, values = strain_vectors(K_ref, X, kept)
        # the metric of K is blind to rigid parts, and small singular values blow them up
        U = np.hstack([kept, U - S_ref @ (S_ref.T @ (M_ref @ U))])
        fills = _certified(stack, wanted, burning, modes, U)
        count = _count(wanted, fills, kept.shape[1], values)
        Phi, omega = _canonical(wanted, K_ref, M_ref, S_ref, U[:, :count])
    else:
        U = np.hstack([kept, _given(stack, wanted, modes)])
        count = U.shape[1]
        Phi, omega = _canonical(wanted, K_ref, M_ref, S_ref, U)
        fills = _certified(stack, wanted, burning, modes, Phi)
    compared = [_conditioned(stack, ritz(fill, slice(0, count)), Phi) for fill in fills]
    title = f"{count} shapes of '{wanted.name}'" + (f", {kept.shape[1]} of attachments" * bool(kept.shape[1]))
    title += f"; modes {_target(wanted, fills)}, reference fill {wanted.reference:g}"
    return ReducedBasis(
        stack,
        Phi,
        np.asarray(stack.V @ Phi),
        omega / (2 * np.pi),
        reference,
        burning,
        kept.shape[1],
        BasisReport(title, compared),
        wanted.gravity,
        wanted.attached,
    )


def _met(stack: CoupledStructure, fill: Mapping[str, float], wanted: ShapeRequest, pairs: bool) -> FreeModes:
    """Return the modes that are to be met at a fill; with `pairs`, both planes of a mode that a count cuts."""
    if wanted.n_modes is None or not pairs:
        return stack.modes(fill, wanted.n_modes, wanted.below_hz)
    found = stack.modes(fill, wanted.n_modes + MORE)
    hz, n = found.frequencies_hz, min(wanted.n_modes, len(found.frequencies_hz))
    while n < len(hz) and hz[n] < hz[n - 1] * (1.0 + EQUAL):
        n += 1
    return FreeModes(hz[:n], found.shapes[:, :n])


def _count(wanted: ShapeRequest, fills: list[Fill], first: int, values: np.ndarray) -> int:
    """Return how many vectors meet the error at all fills, or say that none do."""
    found = fewest(fills, first, values, wanted.error)
    if found is None:
        most = first + len(values)
        raise SolverError(
            "the modes of these levels do not meet the error between them",
            where=f"shapes of '{wanted.name}'",
            expected=f"{wanted.error:g} in frequency and MAC",
            got=f"{max(ritz(fill, slice(0, most)).worst for fill in fills):.2g} with all {most} vectors",
            hint="raise levels, or the error",
        )
    return found


def _canonical(
    wanted: ShapeRequest, K: sp.csr_matrix, M: sp.csr_matrix, S: np.ndarray, U: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    try:
        return canonical(K, M, S, U)
    except ValueError:
        raise ModelError(
            "the shapes are not independent",
            where=f"shapes of '{wanted.name}'",
            hint="a vector that others contain, or a rigid motion, is among them: leave it out",
        ) from None


def _levels(wanted: ShapeRequest, burning: tuple[str, ...]) -> np.ndarray:
    return parts_of(wanted.levels) if burning and wanted.levels > 1 else np.array([wanted.reference])


def _given(stack: CoupledStructure, wanted: ShapeRequest, modes: ModesAt) -> np.ndarray:
    """Return vectors that are given, or the first modes of each of some fills."""
    if wanted.vectors is not None:
        U = np.array(wanted.vectors, dtype=float)
        if U.ndim != 2 or U.shape[0] != stack.V.shape[1] or not np.all(np.isfinite(U)):
            raise InputError(
                "the vectors are not usable",
                where=f"shapes of '{wanted.name}'",
                expected=f"({stack.V.shape[1]}, n), in the coordinates of v.stack()",
                got=f"{U.shape}",
            )
        return U
    each = wanted.each
    if not isinstance(each, Mapping):
        each = dict.fromkeys(map(float, parts_of(wanted.levels)), int(each))  # type: ignore[arg-type]
    return np.hstack([modes(float(part), int(n)).shapes[:, : int(n)] for part, n in each.items()])


def _certified(
    stack: CoupledStructure, wanted: ShapeRequest, burning: tuple[str, ...], modes: ModesAt, U: np.ndarray
) -> list[Fill]:
    """Return the fills of the finer grid with what they need of the whole structure."""
    if not burning:
        parts = np.array([wanted.reference])
    else:
        parts = parts_of(wanted.certify if wanted.certify is not None else 4 * (wanted.levels - 1) + 1)
    n = None if wanted.below_hz is not None or wanted.n_modes is not None else U.shape[1]
    fills = fills_of(stack, parts, burning)
    return [seen_at(stack, part, fill, modes(part, n), U, wanted.n_modes) for part, fill in fills]


def _conditioned(stack: CoupledStructure, one: RitzModes, Phi: np.ndarray) -> RitzModes:
    """Return a comparison with the condition number of the canonical modal mass."""
    G = Phi.T @ (stack.mass(one.propellant) @ Phi)
    return replace(one, condition=float(np.linalg.cond(G)))


def _target(wanted: ShapeRequest, fills: list[Fill]) -> str:
    if wanted.below_hz is not None:
        counts = [len(fill.modes.frequencies_hz) for fill in fills]
        return f"below {wanted.below_hz:g} Hz ({min(counts)} to {max(counts)})"
    return f"1 to {min(fills[0].asked, len(fills[0].modes.frequencies_hz))}"


__getattr__ = former_names(__name__)
