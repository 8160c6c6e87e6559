"""The linear flow of an assembly between samples, along the motion of its point, exact in what is constant there.

Small changes δ of q, v and states of devices, and changes of what is held, follow

    δ̇ = A(t) δ + g(t)

with A and g at the motion of the point. Where A does not change over the time h between two samples the flow is the
matrix exponential, however fast devices, springs and modes are:

    δ' = exp(hA) δ + φ₁(hA) h g,        φ₁(Ω) = ∫₀¹ exp(uΩ) du

Where it changes, pieces of at most `step` go by Magnus' series of fourth order with A and g at the two points of Gauss,
½ h ∓ h/√12 (Iserles and Nørsett, Phil. Trans. R. Soc. A 357 (1999) 983):

    Ω = ½h (A₁ + A₂) - (√3/12) h² [A₁, A₂],      ω = ½h (g₁ + g₂) - (√3/12) h² (A₁g₂ - A₂g₁),    δ' = exp(Ω) δ + φ₁(Ω) ω
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from interstage.errors import SolverError
from interstage.linear.assembly_plant import AssemblyPlant, split_parts
from interstage.linear.chart import position_names
from interstage.linear.plant import state_space
from interstage.multibody.state import State
from interstage.simulation.run.integrators.scipy_solvers import LoopSlope

GAUSS = 0.5 - math.sqrt(3.0) / 6.0, 0.5 + math.sqrt(3.0) / 6.0
SAME = {
    "complex-step": 1e-9,
    "central-2": 1e-6,
}  # of entries of A that are one: beyond the rounding of each way
ROUNDING = 1e-4  # the same beside the largest entry of the row, in parts of it
RTOL, ATOL = 1e-10, 1e-12  # of the motion of the point

Held = Mapping[str, np.ndarray]


class InstantModel:
    """An assembly at an instant of the motion of its point: A of its small changes, and its rates.

    held : vectors of the devices there;  like : another, whose independent changes are those here too
    chosen, T : places of independent changes in [q; v; z], and from them to all
    """

    def __init__(
        self, plant: AssemblyPlant, x: State, held: Held, t: float, like: InstantModel | None = None
    ):
        self.plant = plant.at(x, held, t)
        self.sizes = plant.sizes()
        self.chosen, self.T = independent_at(self.plant, None, like)
        found = self.plant.jacobian(self.chosen, self.T)
        self.A = state_space(self.plant, self.chosen, self.T, found)[0]
        self.tolerance = SAME[str(found.how["method"])]
        self.rates = self.said({})

    def said(self, held: Held) -> np.ndarray:
        """Return the rates of independent changes with other values held, those of q left out (zero)."""
        kind = complex if any(np.iscomplexobj(v) for v in held.values()) else float
        still = {name: np.zeros(size, kind) for name, size in self.sizes.items()}
        m = self.sizes["q"]
        found = self.plant.evaluate(still, {**self.plant.vectors, **held})
        return np.concatenate([still["q"], found[: m + self.sizes["z"]]])[self.chosen]

    def is_like(self, A: np.ndarray) -> bool:
        """Return whether a matrix is A, to its rounding."""
        size = np.abs(self.A) + ROUNDING * np.abs(self.A).max(axis=1, keepdims=True, initial=0.0)
        return bool((np.abs(self.A - A) <= self.tolerance * size).all())


def independent_at(
    plant: AssemblyPlant, n: int | None, like: InstantModel | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return places (k,) of independent changes and T (n, k) from them to all, the same ones as elsewhere."""
    if like is None or not plant.system.n_closure:
        return plant.independent(None, n)
    names, nv = position_names(plant.system), plant.system.nv
    found = plant.independent([names[k] for k in plant.motions(like.chosen) if 0 <= k < nv], n)
    return found if np.array_equal(found[0], like.chosen) else (like.chosen, like.T)


@dataclass
class FlowPiece:
    """The flow over a time h: δ' = exp(Ω) δ + φ₁(Ω) ω; one stand where nothing changes, else those of Gauss."""

    h: float
    stands: Sequence[InstantModel]
    whole: np.ndarray
    mean: np.ndarray

    @classmethod
    def of(cls, h: float, stands: Sequence[InstantModel]) -> FlowPiece:
        """Return the flow by one or two stands."""
        A = [stand.A for stand in stands]
        if len(A) == 1:
            return cls(h, stands, *exponentials(h * A[0]))
        first, last = A
        turn = math.sqrt(3.0) / 12.0 * h * h * (first @ last - last @ first)
        return cls(h, stands, *exponentials(0.5 * h * (first + last) - turn))

    def __call__(self, d: np.ndarray, held: Held) -> np.ndarray:
        """Return independent changes at the end, of those at the beginning and of other values held."""
        out = self.whole @ d
        if not held:
            return out
        g = [stand.said(held) - stand.rates for stand in self.stands]
        if len(g) == 1:
            return out + self.mean @ (self.h * g[0])
        first, last = (stand.A for stand in self.stands)
        turn = math.sqrt(3.0) / 12.0 * self.h * self.h * (first @ g[1] - last @ g[0])
        return out + self.mean @ (0.5 * self.h * (g[0] + g[1]) - turn)


def exponentials(W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return exp(Ω) and φ₁(Ω), each (n, n): Ω is balanced first, as units and stiff modes make its entries differ."""
    n = len(W)
    if n == 0:
        return W.copy(), W.copy()
    balanced, (scale, _) = scipy.linalg.matrix_balance(W, permute=False, separate=True)
    both = scipy.linalg.expm(np.block([[balanced, np.eye(n)], [np.zeros((n, 2 * n))]]))
    back = scale[:, None] / scale
    return both[:n, :n] * back, both[:n, n:] * back


class FlowInterval:
    """The motion of the point from the samples of a tick to the next ones, and the linear flow along it.

    begin, h : time and length
    x : state of the vehicle at the beginning;  held : vectors of the devices there, after the samples
    end, z : state of the vehicle and states of all devices where it ends
    last : the leg before, None: this is the first
    """

    def __init__(
        self, plant: AssemblyPlant, x: State, begin: float, h: float, step: float, last: FlowInterval | None
    ):
        self.plant, self.x = plant, x
        self.held = {kind: vector.copy() for kind, vector in plant.loops[float].tapes.vectors.items()}
        # what jumps at the beginning has jumped
        self.stand: InstantModel = InstantModel(
            plant, x, self.held, begin + 0.5 * h, None if last is None else last.stand
        )
        stood = self._reach(x, self.held["z"], begin, h)
        self.end, self.z, _ = stood[-1]
        if all(self._stood(*one).is_like(self.stand.A) for one in stood[:-1]):
            self.pieces = [self._steady(h, last)]
        else:
            self.pieces = self._pieces(begin, h, step)

    def _steady(self, h: float, last: FlowInterval | None) -> FlowPiece:
        """Return the flow of what does not change; that of the leg before where it is the same."""
        known = None if last is None else last.pieces[-1]
        alike = known is not None and len(known.stands) == 1 and known.h == h
        if known is not None and alike and known.stands[0].is_like(self.stand.A):
            return FlowPiece(h, [self.stand], known.whole, known.mean)
        return FlowPiece.of(h, [self.stand])

    def _stood(self, x: State, z: np.ndarray, t: float) -> InstantModel:
        """Return the assembly on the motion of the point; the same motions are independent."""
        return InstantModel(self.plant, x, {**self.held, "z": z}, t, self.stand)

    def _pieces(self, begin: float, length: float, step: float) -> list[FlowPiece]:
        """Return the flow in pieces, each by its points of Gauss."""
        n = max(1, math.ceil(length / step - 1e-9))
        h, x, z, found = length / n, self.x, self.held["z"], []
        for k in range(n):
            *inner, (x, z, _) = self._reach(x, z, begin + k * h, h)
            found.append(FlowPiece.of(h, [self._stood(*one) for one in inner]))
        return found

    def _reach(self, x: State, z: np.ndarray, t: float, h: float) -> list[tuple[State, np.ndarray, float]]:
        """Return where the point moves in a time h from t: at the points of Gauss, and at the end."""
        loop, nq, n = self.plant.loops[float], len(x.q), len(x.q) + len(x.v)
        for kind, vector in self.held.items():
            loop.tapes.vectors[kind][:] = vector
        slope, y = LoopSlope(loop), np.concatenate([x.q, x.v, z])
        times = np.append(t + h * np.array(GAUSS), t + h)
        solved = scipy.integrate.solve_ivp(slope, (t, t + h), y, "LSODA", times, rtol=RTOL, atol=ATOL)
        if not solved.success or not np.isfinite(solved.y).all():
            if slope.refused is not None:
                self.plant.done(loop, slope.refused[0])
            raise SolverError(
                f"the motion of the point cannot be followed from t = {t:.6g} to {t + h:.6g}",
                got=str(solved.message),
                hint="linearize about a point that is balanced, as from ist.trim",
            )
        found = []
        for at, row in zip(times, solved.y.T):
            q, v = row[:nq].copy(), row[nq:n].copy()
            loop.tapes.vectors["z"][:] = row[n:]
            self.plant.done(loop, loop.arrive(q, v, at))
            found.append((State(x.layout, q, v), row[n:].copy(), float(at)))
        return found

    def begun(self, d: np.ndarray) -> tuple[State, np.ndarray]:
        """Return the state of the vehicle and the changes of z at independent changes at the beginning."""
        sizes = {kind: self.stand.sizes[kind] for kind in "qvz"}
        parts = split_parts(self.stand.T @ d, sizes)
        return self.stand.plant.moved(parts), parts["z"]

    def flown(self, d: np.ndarray, held: Held) -> np.ndarray:
        """Return independent changes at the end of the leg.

        held : vectors s and w of the devices as samples have left them
        """
        moved = any((held[kind] != self.held[kind]).any() for kind in held)
        for piece in self.pieces:
            d = piece(d, held if moved else {})
        return d
