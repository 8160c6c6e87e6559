"""The table of a study: which number each run has for each dispersed quantity.

A run is a point u of the unit cube, drawn by the seed; a quantity is x = F⁻¹(u) with its distribution function F, a
correlated set is m + L Φ⁻¹(u) with the covariance L Lᵀ, a derived one is a function of the row. The kinds of points:

    "random"    each run from a stream of its own, Philox keyed by (seed, run): more runs change none
    "latin"     a Latin hypercube, "sobol" a scrambled Sobol sequence: fewer runs for a smooth answer
    "saltelli"  N (d + 2) runs of A, B and A with one column of B: for Sobol's indices of sensitivity

Sources: McKay, Beckman, Conover (1979); Owen (1998); Saltelli et al., Comput. Phys. Commun. 181 (2010) 259.
"""

from __future__ import annotations

import hashlib
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import h5py
import numpy as np

from interstage.calls import named_arguments
from interstage.errors import FileError, InputError, did_you_mean, raised, shown
from interstage.hdf5 import Group, opened, put_array, put_text, put_texts, write_hdf5

Dispersions: TypeAlias = Mapping[str | tuple[str, ...], object]
"""{name: distribution of scipy.stats, array of a number for each run, or function of the row}; {(names): multivariate
normal of scipy.stats}."""

SAMPLINGS = ("random", "latin", "sobol", "saltelli")
EDGE = 2.0**-54  # points of the cube keep away from its faces, where F⁻¹ may be infinite
MOST_RUNS = 10**8  # rows of a table that memory holds
FORMAT = "interstage design"
VERSION = 1


@named_arguments
class Row(Mapping[str, float]):
    """One run: its numbers by name, `number` (from 0) and `seed`, which belongs to this run alone."""

    def __init__(self, number: int, seed: int, values: Mapping[str, float]):
        self.number, self.seed = number, seed
        self._values = dict(values)

    def __getitem__(self, name: str) -> float:
        try:
            return self._values[name]
        except KeyError:
            raise InputError(
                f"nothing is dispersed under the name '{name}'", hint=did_you_mean(name, self._values)
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={value:.6g}" for name, value in self._values.items())
        return f"Row({self.number}: {inner})"


@named_arguments
@dataclass(frozen=True)
class Design:
    """The table: names of columns, values (runs, columns), how each was drawn in words, and from what.

    build : fingerprint of what is run with it, "" where there is none
    """

    names: tuple[str, ...]
    values: np.ndarray
    words: tuple[str, ...]
    seed: int
    sampling: str
    build: str = ""

    def __len__(self) -> int:
        return len(self.values)

    def row(self, number: int) -> Row:
        """Return one run."""
        if not isinstance(number, int | np.integer) or not 0 <= number < len(self):
            raise InputError("there is no such run", expected=f"0 to {len(self) - 1}", got=shown(number))
        return Row(int(number), seed_of(self.seed, int(number)), dict(zip(self.names, self.values[number])))

    def column(self, name: str) -> np.ndarray:
        """Return the numbers of one quantity, (runs,)."""
        if name not in self.names:
            raise InputError(
                f"nothing is dispersed under the name '{name}'", hint=did_you_mean(name, self.names)
            )
        return self.values[:, self.names.index(name)]

    @property
    def drawn(self) -> tuple[str, ...]:
        """Names of the quantities that were drawn: not those that are functions of others."""
        return tuple(name for name, words in zip(self.names, self.words) if words != DERIVED)

    @property
    def digest(self) -> str:
        """SHA-256 of names, values and seed."""
        found = hashlib.sha256("\n".join([*self.names, str(self.seed), self.sampling]).encode())
        found.update(np.ascontiguousarray(self.values).tobytes())
        return found.hexdigest()

    @property
    def origin(self) -> str:
        """SHA-256 of all that the rows come from and of what is run with them, the same for any number of runs."""
        said = [*self.names, *self.words, str(self.seed), self.sampling, self.build]
        return hashlib.sha256("\0".join(said).encode()).hexdigest()

    def save(self, path: str | Path) -> Path:
        """Write the table (HDF5)."""

        def fill(f: h5py.File) -> None:
            put_text(f, "FORMAT", FORMAT)
            put_array(f, "VERSION", VERSION)
            put_design(f, self)

        return write_hdf5(path, fill, "table of runs")

    @classmethod
    def load(cls, path: str | Path) -> Design:
        """Read a table that `save` wrote."""
        with opened(path, "table of runs") as f:
            if f.text("FORMAT") != FORMAT or f.integer("VERSION") != VERSION:
                raise FileError("this is no table of runs that is known", where=str(path))
            return design_in(f)


def put_design(group: h5py.Group, design: Design) -> None:
    """Write a table into a group of a file."""
    put_texts(group, "NAMES", design.names)
    put_texts(group, "DISTRIBUTIONS", design.words)
    put_array(group, "VALUES", design.values)
    put_text(group, "SEED", str(design.seed))
    put_text(group, "SAMPLING", design.sampling)
    put_text(group, "BUILD", design.build)


def design_in(group: Group) -> Design:
    """Read the table that `put_design` wrote."""
    names = tuple(group.texts("NAMES"))
    values = group.array("VALUES", (None, len(names)))
    seed = group.text("SEED")
    if not (seed.isascii() and seed.isdigit() and len(seed) < 1000):
        raise InputError("the seed is no number", got=seed[:40])
    words, sampling = tuple(group.texts("DISTRIBUTIONS")), group.text("SAMPLING")
    return Design(names, values, words, int(seed), sampling, group.text("BUILD"))


DERIVED = "a function of the row"
GIVEN = "given"


def draw(dispersions: Dispersions, runs: int, seed: int = 0, sampling: str = "random") -> Design:
    """Draw the table of a study.

    dispersions : {name: frozen distribution of scipy.stats}; {(name, name, ...): frozen multivariate_normal};
        {name: array (runs,)}; {name: f(row)} derived from what stands before it
    runs : how many;  seed : same seed, same table
    sampling : "random", "latin", "sobol", or "saltelli" where Sobol's indices are wanted
    """
    _check_counts(runs, seed, sampling)
    if not isinstance(dispersions, Mapping):
        raise InputError(
            "dispersions are not given by name", expected="{name: distribution}", got=shown(dispersions)
        )
    sources = [_source(key, what) for key, what in dispersions.items()]
    names = [name for source in sources for name in source.names]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"'{name}' is dispersed twice", where="dispersions")
    width = sum(source.width for source in sources)
    if sampling == "saltelli" and any(isinstance(source, _Together | _Given) for source in sources):
        raise InputError(
            "indices of sensitivity need independent quantities",
            where='sampling="saltelli"',
            got="a correlated set, or given numbers",
        )
    u = np.clip(points(width, runs, seed, sampling), EDGE, 1.0 - EDGE)
    columns: dict[str, np.ndarray] = {}
    at = 0
    for source in sources:
        if isinstance(source, _Derived):
            rows = (Row(k, seed_of(seed, k), {n: c[k] for n, c in columns.items()}) for k in range(runs))
            columns[source.names[0]] = source.values(rows, runs)
        elif isinstance(source, _Given):
            columns[source.names[0]] = source.of_runs(runs)
        else:
            columns |= dict(zip(source.names, source.of(u[:, at : at + source.width]).T))
            at += source.width
    values = np.stack(list(columns.values()), axis=1) if columns else np.zeros((runs, 0))
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        run, column = bad[0]
        raise InputError("a drawn number is not finite", where=f"'{names[column]}', run {run}")
    words = tuple(word for source in sources for word in source.words)
    return Design(tuple(names), values, words, int(seed), sampling)


def _check_counts(runs: object, seed: object, sampling: object) -> None:
    if isinstance(runs, bool) or not isinstance(runs, int | np.integer) or runs < 1:
        raise InputError("runs is no number of runs", expected="1 or more", got=shown(runs))
    if runs > MOST_RUNS:
        raise InputError("there are too many runs", expected=f"at most {MOST_RUNS:.0e}", got=shown(runs))
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**63:
        raise InputError("seed is no seed", expected="a whole number from 0", got=shown(seed))
    if sampling not in SAMPLINGS:
        raise InputError(
            f"there is no sampling {sampling!r}", where="sampling", expected=", ".join(map(repr, SAMPLINGS))
        )


# points of the unit cube ----------------------------------------------------------------------------------


def seed_of(seed: int, number: int) -> int:
    """Return the seed of one run: 63 bits that belong to (seed of the study, number of the run)."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0] >> np.uint64(1))


def points(width: int, runs: int, seed: int, sampling: str) -> np.ndarray:
    """Return points of the unit cube, (runs, width)."""
    if width == 0:
        return np.zeros((runs, 0))
    if sampling == "random":
        streams = (np.random.Philox(key=np.array([seed, k], dtype=np.uint64)) for k in range(runs))
        return np.array([np.random.Generator(stream).random(width) for stream in streams])
    from scipy.stats import qmc

    if sampling == "latin":
        return qmc.LatinHypercube(width, **_by_seed(qmc.LatinHypercube, seed)).random(runs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of numbers of points that are no power of two
        if sampling == "sobol":
            return qmc.Sobol(width, **_by_seed(qmc.Sobol, seed)).random(runs)
        base, left = divmod(runs, width + 2)
        if left or not base:
            near = max(1, round(runs / (width + 2)))
            raise InputError(
                f"{runs} runs do not fit the design",
                where='sampling="saltelli"',
                expected=f"a multiple of the {width} quantities + 2, best with a power of two",
                hint=f"{near * (width + 2)} runs would do",
            )
        both = qmc.Sobol(2 * width, **_by_seed(qmc.Sobol, seed)).random(base)
    a, b = both[:, :width], both[:, width:]
    mixed = [np.where(np.arange(width) == k, b, a) for k in range(width)]
    return np.concatenate([a, b, *mixed])


def _by_seed(sampler: Any, seed: int) -> dict[str, Any]:
    """Return the argument by which a sampler of this scipy takes its generator."""
    name = "rng" if "rng" in inspect.signature(sampler.__init__).parameters else "seed"
    return {name: np.random.default_rng(seed)}


# what is drawn --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Alone:
    names: tuple[str, ...]
    distribution: Any
    width: int = 1

    @property
    def words(self) -> tuple[str, ...]:
        given = [f"{v:.6g}" if isinstance(v, float | int) else str(v) for v in self.distribution.args]
        given += [
            f"{k}={v:.6g}" if isinstance(v, float | int) else f"{k}={v}"
            for k, v in self.distribution.kwds.items()
        ]
        return (f"{self.distribution.dist.name}({', '.join(given)})",)

    def of(self, u: np.ndarray) -> np.ndarray:
        return np.asarray(self.distribution.ppf(u), dtype=float)


@dataclass(frozen=True)
class _Together:
    names: tuple[str, ...]
    mean: np.ndarray
    factor: np.ndarray

    @property
    def width(self) -> int:
        return len(self.names)

    @property
    def words(self) -> tuple[str, ...]:
        sigma = np.linalg.norm(self.factor, axis=1)
        together = ", ".join(self.names)
        return tuple(f"norm({m:.6g}, {s:.6g}) with {together}" for m, s in zip(self.mean, sigma))

    def of(self, u: np.ndarray) -> np.ndarray:
        from scipy.special import ndtri

        return self.mean + ndtri(u) @ self.factor.T


@dataclass(frozen=True)
class _Derived:
    names: tuple[str, ...]
    function: Callable[[Row], float]
    width: int = 0
    words: tuple[str, ...] = (DERIVED,)

    def values(self, rows: Iterator[Row], runs: int) -> np.ndarray:
        out = np.empty(runs)
        for row in rows:
            try:
                out[row.number] = float(self.function(row))
            except Exception as error:
                raise InputError(
                    f"'{self.names[0]}' cannot be derived",
                    where=f"run {row.number}",
                    got=raised(error),
                    expected="a function of the row that returns a number",
                ) from error
        return out


@dataclass(frozen=True)
class _Given:
    names: tuple[str, ...]
    numbers: np.ndarray
    width: int = 0
    words: tuple[str, ...] = (GIVEN,)

    def of_runs(self, runs: int) -> np.ndarray:
        if self.numbers.shape != (runs,):
            raise InputError(
                f"the numbers of '{self.names[0]}' are not one for each run",
                expected=f"{runs} numbers",
                got=f"shape {self.numbers.shape}",
            )
        return self.numbers


def _source(key: object, what: Any) -> _Alone | _Together | _Derived | _Given:
    """Return what one entry of the dispersions means."""
    names = key if isinstance(key, tuple) else (key,)
    if not names or not all(isinstance(name, str) and name for name in names):
        raise InputError("not a name of a dispersed quantity", where="dispersions", got=shown(key))
    where = f"dispersion of '{', '.join(names)}'"
    if hasattr(what, "mean") and hasattr(what, "cov") and not callable(what.mean):
        return _together(names, what, where)
    if isinstance(key, tuple):
        raise InputError(
            "a set of names needs a joint distribution",
            where=where,
            expected="scipy.stats.multivariate_normal(mean, cov)",
            got=shown(what),
        )
    if hasattr(what, "ppf") and hasattr(what, "dist"):
        if np.ndim(what.ppf(0.5)):
            raise InputError("this is more than one distribution", where=where, hint="give each its own name")
        return _Alone(names, what)
    if callable(what) and not hasattr(what, "ppf"):
        return _Derived(names, what)
    if isinstance(what, np.ndarray | list) and np.asarray(what).dtype.kind in "iuf":
        return _Given(names, np.asarray(what, dtype=float))
    raise InputError(
        "this is no dispersion",
        where=where,
        expected="a frozen distribution of scipy.stats, as norm(1.0, 0.05), an array, or a function of the row",
        got=shown(what),
    )


def _together(names: Sequence[str], what: Any, where: str) -> _Together:
    mean = np.atleast_1d(np.asarray(what.mean, dtype=float))
    cov = np.atleast_2d(np.asarray(what.cov, dtype=float))
    if mean.shape != (len(names),):
        raise InputError(
            "names and distribution do not fit",
            where=where,
            expected=f"{len(names)} means",
            got=f"{len(mean)}",
        )
    # covariances may be singular: the symmetric root serves where Cholesky's does not exist
    values, vectors = np.linalg.eigh(cov)
    return _Together(tuple(names), mean, vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T)
