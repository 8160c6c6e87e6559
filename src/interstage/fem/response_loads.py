"""Dynamic loads of a subcase: where they act, and how they change with frequency or time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from interstage.errors import ModelError, known_names
from interstage.fem.case import SubcaseSelections
from interstage.fem.dynamics import FrequencyLoad, TimeLoad
from interstage.fem.model import FEModel
from interstage.fem.thermal import expansion_of_set, thermal_case
from interstage.reading import is_whole


@dataclass(frozen=True)
class LoadShape:
    """A load of one shape.

    place : (n_dof,) forces on the g-set, or enforced values; motion : None for forces, else the derivative, 0 to 2
    value : factor at frequencies in Hz or at times
    """

    place: np.ndarray
    motion: int | None
    value: Callable[[np.ndarray], np.ndarray]


class DynamicLoads:
    """The DLOAD of a subcase in parts."""

    def __init__(self, fe: FEModel, case: SubcaseSelections, kind: type, notes: list[str]):
        self.fe, self.case, self.notes = fe, case, notes
        sid = selected(case, "DLOA")
        self.parts: list[LoadShape] = []
        for factor, load in fe.dynamics.parts(sid, kind) if sid else ():
            self.parts += self._split(factor, load)

    def _split(self, factor: float, load: TimeLoad | FrequencyLoad) -> Iterator[LoadShape]:
        """One part for all points that are loaded at the same time with the same phase."""
        place = self._motion(load.spatial) if load.motion is not None else self._spatial(load.spatial)
        later, turned = np.zeros((2, len(place)))
        for values, known, number, name in (
            (later, self.fe.dynamics.delays, load.delays, "DELAY"),
            (turned, self.fe.dynamics.phases, getattr(load, "phases", 0), "DPHASE"),
        ):
            if not number:
                continue
            if number not in known:
                raise ModelError(
                    f"a dynamic load names {name} {number}, which is not in the deck",
                    where=self.fe.source,
                    hint=known_names(sorted(known)),
                )
            values[known[number][0]] = known[number][1]
        used = np.flatnonzero(place)
        for delay, angle in np.unique(np.column_stack([later[used], turned[used]]), axis=0):
            mine = np.where((later == delay) & (turned == angle), factor * place, 0.0)

            def value(at, load=load, delay=delay, angle=angle):
                return np.asarray(load(at, delay, np.deg2rad(angle)))

            yield LoadShape(mine, load.motion, value)

    def _motion(self, sid: int) -> np.ndarray:
        """Enforced values (n_dof,) of an EXCITEID: SPCD of that number, directly or through LSEQ."""
        number = self._sequence().get(sid, (sid, 0))[0]
        found = self.fe.loads.enforced(number) if number in self.fe.loads else {}
        if not found:
            raise ModelError(
                f"dynamic load enforces the motion of EXCITEID {sid}, for which there is no SPCD",
                where=self.fe.source,
                hint="name the set of SPCD cards, and hold their degrees of freedom by SPC",
            )
        out = np.zeros(self.fe.grids.n_dof)
        out[list(found)] = list(found.values())
        return out

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
                if fe.loads.spans(number):
                    self._left_out(f"what PLOAD1 of EXCITEID {sid} does between the ends of bars")
            if hot in fe.loads.temperatures or (through and hot):
                out += expansion_of_set(fe, hot, thermal_case(self.case)[1]).load
                found = True
                self._left_out(f"the thermal strains of EXCITEID {sid}")
        if not found:
            raise ModelError(
                f"dynamic load names EXCITEID {sid}, for which there is no DAREA, static load or temperature",
                where=fe.source,
            )
        return out

    def _left_out(self, what: str) -> None:
        """Say what element results do not count: as in NASTRAN, they are those of the motion alone."""
        note = f"element forces and stresses of this response leave out {what}"
        if note not in self.notes:
            self.notes.append(note)

    def _sequence(self) -> dict[int, tuple[int, int]]:
        """The LSEQ that LOADSET selects, or the only one that there is."""
        known, chosen = self.fe.dynamics.sequences, selected(self.case, "LOADSET")
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


def selected(case: SubcaseSelections, name: str) -> int:
    """Number behind a command that may be cut to four letters, the last one given; 0 if there is none."""
    found = 0
    for key, value in case.requests.items():
        plain = key.split("(")[0]
        if plain == name or (len(name) == 4 and plain.startswith(name)):
            words = value.replace("=", " ").replace(",", " ").split()
            if words and is_whole(words[0]):
                found = int(words[0])
    return found


def steady(parts: list[LoadShape], f: np.ndarray, notes: list[str]) -> np.ndarray:
    """Displacements (parts, k) of enforced motions at frequencies: u = value / (iω)^motion."""
    out = np.zeros((len(parts), len(f)), dtype=complex)
    w = 2.0 * np.pi * f
    for j, part in enumerate(parts):
        value = part.value(f)
        if part.motion and (value[w == 0.0] != 0.0).any():
            notes.append("an enforced velocity or acceleration has no part at 0 Hz")
        out[j] = np.where(w == 0.0, 0.0 if part.motion else 1.0, 1.0) * value
        out[j] /= np.where(w == 0.0, 1.0, 1j * w) ** (part.motion or 0)
    return out


def moving(parts: list[LoadShape], t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Displacements, velocities and accelerations (parts, k) of enforced motions at times.

    What is given is straight between steps: integrals from rest are exact, derivatives are central differences.
    """
    u, v, a = np.zeros((3, len(parts), len(t)))
    for j, part in enumerate(parts):
        value = part.value(t).real.astype(float)
        if part.motion == 2:
            a[j], v[j] = value, _integral(value, t)
            u[j] = _second_integral(value, v[j], t)
        elif part.motion == 1:
            v[j], u[j], a[j] = value, _integral(value, t), _slope(value, t)
        else:
            u[j], v[j], a[j] = value, _slope(value, t), _bend(value, t)
    return u, v, a


def _integral(y: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.concatenate([[0.0], np.cumsum(0.5 * (y[1:] + y[:-1]) * np.diff(t))])


def _second_integral(a: np.ndarray, v: np.ndarray, t: np.ndarray) -> np.ndarray:
    h = np.diff(t)
    return np.concatenate([[0.0], np.cumsum(h * v[:-1] + h**2 * (2.0 * a[:-1] + a[1:]) / 6.0)])


def _slope(y: np.ndarray, t: np.ndarray) -> np.ndarray:
    if len(t) < 3:
        return np.full(len(t), (y[-1] - y[0]) / (t[-1] - t[0]) if len(t) == 2 else 0.0)
    return np.gradient(y, t, edge_order=2)


def _bend(y: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Second derivative by three points; that of the ends is carried on."""
    out = np.zeros(len(t))
    if len(t) > 2:
        h = np.diff(t)
        out[1:-1] = 2.0 * np.diff(np.diff(y) / h) / (h[1:] + h[:-1])
        out[0], out[-1] = out[1], out[-2]
    return out
