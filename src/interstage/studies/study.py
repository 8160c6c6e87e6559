"""What a study found: outputs of all runs, and the questions that people ask of them."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from interstage.calls import named_arguments
from interstage.errors import FileError, InputError, caller_level, did_you_mean, shown
from interstage.files import STUDY, check_version, expect
from interstage.hdf5 import link_name, opened, plain_name, put_array, put_text, put_texts, write_hdf5
from interstage.output import as_path, is_file, is_folder
from interstage.studies.design import Design, Row, design_in, put_design
from interstage.studies.job import Job, Outcome, log_path
from interstage.studies.outputs import TIMES
from interstage.studies.statistics import Level, Sensitivity, level, rank_correlations, sobol
from interstage.studies.workers import Processes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from interstage.simulation import Log

SUMMARY = "summary.h5"
DESIGN = "design.h5"
VERSION = 1
PERCENTS = (0.135, 50.0, 99.865)


@named_arguments
class Study:
    """The runs of a study; `study["miss"]` are the outputs of all of them, (runs, ...), NaN where a run failed.

    units : of outputs and dispersed numbers, where an assembly knows them;  uneven : digests of outputs whose size
        differs from run to run, by name
    design : the table;  errors : {run: what ended it};  seconds : that each run took (runs,)
    """

    def __init__(
        self,
        design: Design,
        outputs: dict[str, np.ndarray],
        errors: dict[int, str],
        seconds: np.ndarray,
        uneven: Mapping[str, str] | None = None,
        units: Mapping[str, str] | None = None,
    ):
        self.design, self.errors, self.seconds = design, errors, seconds
        self.uneven, self.units = dict(uneven or {}), dict(units or {})
        self.folder: Path | None = None
        self._outputs = outputs
        self._job: Job | None = None

    @classmethod
    def of(
        cls,
        design: Design,
        outcomes: Sequence[Outcome],
        job: Job | None,
        folder: Path | None,
        units: Mapping[str, str] | None = None,
    ) -> Study:
        """Gather outcomes; outputs whose size differs from run to run stay in the files of the runs."""
        runs = len(design)
        by_number = {one.number: one for one in outcomes}
        names = dict.fromkeys(name for one in outcomes for name in one.outputs)
        outputs, uneven = {}, {}
        for name in names:
            there = {k: one.outputs[name] for k, one in by_number.items() if name in one.outputs}
            shapes = {value.shape for value in there.values()}
            if len(shapes) > 1:
                uneven[name] = _digest_of(there)
                continue
            outputs[name] = np.full((runs, *shapes.pop()), np.nan)
            for k, value in there.items():
                outputs[name][k] = value
        errors = {k: one.error for k, one in sorted(by_number.items()) if one.failed}
        seconds = np.array([by_number[k].seconds if k in by_number else np.nan for k in range(runs)])
        made = cls(design, outputs, errors, seconds, uneven, units)
        made.folder, made._job = folder, job
        return made

    # asking -----------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.design)

    @property
    def names(self) -> list[str]:
        """Names of the outputs."""
        return [n for n in self._outputs if not (n.startswith(TIMES) and n[len(TIMES) :] in self._outputs)]

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.uneven:
            raise InputError(
                f"'{name}' differs in size from run to run",
                hint="keep a reduced form, as 'max …' or 'final …'",
            )
        if name in self.design.names and name not in self._outputs:
            return self.design.column(name)
        if name not in self._outputs:
            raise InputError(
                f"no output '{name}'", hint=did_you_mean(name, [*self.names, *self.design.names])
            )
        return self._outputs[name]

    def label(self, name: str) -> str:
        """Return the name of an output or dispersed number with its unit, where that is known."""
        return f"{name}, {self.units[name]}" if name in self.units else name

    def row(self, number: int) -> Row:
        """Return the numbers of one run."""
        return self.design.row(number)

    def times(self, name: str) -> np.ndarray:
        """Return the times of a history, (rows,)."""
        self[name]
        if TIMES + name not in self._outputs or self._outputs[TIMES + name].ndim != 2:
            raise InputError(
                f"'{name}' is no history", hint=f"keep it by the name of its signal, not as {name!r}"
            )
        all_of_them = self._outputs[TIMES + name]
        there = all_of_them[np.isfinite(all_of_them[:, 0])]
        if not len(there) or (there != there[0]).any():
            raise InputError(f"the times of '{name}' differ from run to run", hint="give flight a log_step")
        return there[0]

    def scalars(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return an output that is one number of the runs that have it, (n,), and their numbers; infinite ones too."""
        values = self[name]
        if values.ndim != 1:
            raise InputError(
                f"'{name}' is not one number",
                got=f"shape {values.shape[1:]}",
                hint="keep a reduced form of it",
            )
        there = np.flatnonzero(~np.isnan(values))
        if not len(there):
            raise InputError(f"no run has '{name}'", got=next(iter(self.errors.values()), None))
        return values[there], there

    def without(self, name: str) -> list[int]:
        """Return the runs that did not fail but have NaN in an output, or lack it."""
        values = self[name]
        lacking = np.isnan(values).reshape(len(self), -1).any(axis=1)
        return [k for k in map(int, np.flatnonzero(lacking)) if k not in self.errors]

    def percentile(self, name: str, percent: float, confidence: float = 0.9) -> Level:
        """Return the level that `percent` of runs stay below, with bounds that hold for any distribution."""
        if self.design.sampling != "random":
            raise InputError(
                "bounds of levels need independent runs",
                where=f"percentile of '{name}'",
                expected='sampling="random"',
                got=repr(self.design.sampling),
                hint=f"np.percentile(study[{name!r}], {percent:g}) is the level without bounds",
            )
        values, _ = self.scalars(name)
        return level(name, values, percent, confidence, len(self) - len(values))

    def worst(self, name: str, n: int = 5, largest: bool = True) -> list[Row]:
        """Return the runs with the largest outputs (or smallest), the worst first."""
        values, numbers = self.scalars(name)
        order = np.argsort(-values if largest else values, kind="stable")
        return [self.row(int(numbers[k])) for k in order[:n]]

    def sensitivity(self, name: str) -> Sensitivity:
        """Return what an output depends on: Sobol's indices of a "saltelli" study, rank correlations of any."""
        self.scalars(name)
        y, drawn = self[name], self.design.drawn
        columns = (
            np.stack([self.design.column(n) for n in drawn], axis=1) if drawn else np.zeros((len(self), 0))
        )
        rank = rank_correlations(y, columns)
        if self.design.sampling != "saltelli":
            return Sensitivity(name, drawn, rank)
        return Sensitivity(name, drawn, rank, *sobol(y, len(drawn)))

    @property
    def digest(self) -> str:
        """SHA-256 of the table and all outputs: the same for the same study, whoever did the runs."""
        found = hashlib.sha256(self.design.digest.encode())
        for name in sorted(self._outputs):
            found.update(name.encode())
            found.update(np.ascontiguousarray(self._outputs[name]).tobytes())
        for name, inner in sorted(self.uneven.items()):
            found.update(f"{name} {inner}".encode())
        for number, error in sorted(self.errors.items()):
            found.update(f"{number} {error}".encode())
        return found.hexdigest()

    # again ------------------------------------------------------------------------------------------

    def repeat(self, number: int) -> dict[str, np.ndarray]:
        """Do one run again, alone, in a process as those of the study; returns its outputs, the same to the bit."""
        if self._job is None:
            raise InputError(
                "a study that was loaded does not know what to run",
                hint="call monte_carlo with its folder again",
            )
        hands = Processes(self._job, None, 1)
        try:
            (outcome,) = hands.work([self.row(number)])
        finally:
            hands.close()
        if outcome.failed:
            raise InputError(f"run {number} fails again", got=outcome.error)
        return dict(outcome.outputs)

    def log(self, number: int) -> Log:
        """Return the log of a run: from its file where it was kept, or by running it again here."""
        self.row(number)
        if self.folder is not None and log_path(self.folder, number).exists():
            return import_module("interstage.files").load(log_path(self.folder, number))
        if self._job is None:
            raise InputError(f"the log of run {number} was not kept", hint="give monte_carlo logs=True")
        result = self._job.log_of(self.row(number))
        if not isinstance(result, import_module("interstage.simulation").Log):
            raise InputError("the runs of this study have no logs", got=shown(result))
        return result

    # files ------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write table and outputs into one file (HDF5)."""

        def fill(f: Any) -> None:
            put_text(f, "FORMAT", STUDY.format)
            put_array(f, "VERSION", VERSION)
            put_design(f, self.design)
            put_array(f, "SECONDS", self.seconds)
            put_array(f, "FAILED", np.array(list(self.errors), dtype=np.int64))
            put_texts(f, "ERRORS", [text.replace("\0", "") for text in self.errors.values()])
            put_texts(f, "UNEVEN", list(self.uneven))
            put_texts(f, "UNEVEN_DIGESTS", list(self.uneven.values()))
            put_texts(f, "UNIT_NAMES", list(self.units))
            put_texts(f, "UNITS", list(self.units.values()))
            group = f.create_group("OUTPUTS")
            for name, value in self._outputs.items():
                put_array(group, link_name(name), value)

        return write_hdf5(path, fill, STUDY.words)

    @classmethod
    def load(cls, path: str | Path) -> Study:
        """Read the summary of a study, or that of its folder, which must be of the table that the folder has.

        A summary that was saved under another name may lie beside the table of another study: it has no logs then.
        """
        path = as_path(path, "study")
        path = _summary_in(path) if is_folder(path) else path
        expect(path, STUDY)
        with opened(path, STUDY.words) as f:
            check_version(f.number("VERSION"), VERSION, STUDY, path)
            design = design_in(f)
            failed = f.array("FAILED", (None,), "i")
            errors = dict(zip(failed.tolist(), f.texts("ERRORS")))
            group = f.child("OUTPUTS")
            outputs = {}
            for link in group.names():
                shape = [len(design), *(None for _ in group.dataset(link).shape[1:])]
                outputs[plain_name(link)] = group.array(link, shape, finite=False)
            seconds = f.array("SECONDS", (len(design),), finite=False)
            found = {
                names: dict(zip(f.texts(names), f.texts(values))) if f.has(values) else {}
                for names, values in (("UNEVEN", "UNEVEN_DIGESTS"), ("UNIT_NAMES", "UNITS"))
            }
            made = cls(design, outputs, errors, seconds, found["UNEVEN"], found["UNIT_NAMES"])
        if path.name == SUMMARY:
            _check_table(path.parent, made)
        if not is_file(path.parent / DESIGN) or _same_study(Design.load(path.parent / DESIGN), made):
            made.folder = path.parent
        return made

    # showing ----------------------------------------------------------------------------------------

    def scatter(self, quantity: str, output: str) -> Figure:
        """Draw an output over a dispersed quantity (or over another output)."""
        return import_module("interstage.report.studies").scatter(self, quantity, output)

    def histogram(self, output: str) -> Figure:
        """Draw how often an output has which value, with its levels."""
        return import_module("interstage.report.studies").histogram(self, output)

    def envelope(self, output: str, component: int = 0) -> Figure:
        """Draw a history: the median, what 90 % and 99.73 % of runs keep within, and the extremes."""
        return import_module("interstage.report.studies").envelope(self, output, component)

    def report(self, path: str | Path) -> Path:
        """Write a page (HTML) with tables and pictures of all outputs."""
        return import_module("interstage.report.studies").study_page(self, path)

    def __repr__(self) -> str:
        failed = f", {len(self.errors)} failed" if self.errors else ""
        return f"<Study: {len(self)} runs{failed}, {len(self.names)} outputs>"

    def __str__(self) -> str:
        head = f"{len(self)} runs, seed {self.design.seed}, {self.design.sampling} points"
        head += f", {len(self.errors)} failed" if self.errors else ""
        numbers = [name for name in self.names if self._outputs[name].ndim == 1]
        labels = {name: self.label(name) for name in (*self.names, *self.uneven)}
        wide = max(map(len, [*(labels[name] for name in numbers), "output"]))
        columns = ["mean", "std", "min", *(f"{p:g} %" for p in PERCENTS), "max"]
        lines = [head, f"{'output':{wide}s}" + "".join(f"{c:>13s}" for c in columns)]
        for name in numbers:
            every = self._outputs[name]
            y = every[np.isfinite(every)]
            beyond, without = int(np.isinf(every).sum()), len(self.without(name))
            if len(y):
                found = [
                    y.mean(),
                    y.std(ddof=1) if len(y) > 1 else 0.0,
                    y.min(),
                    *np.percentile(y, PERCENTS),
                    y.max(),
                ]
                lines.append(f"{labels[name]:{wide}s}" + "".join(f"{v:13.6g}" for v in found))
            if beyond:
                lines.append(f"{labels[name]:{wide}s}  and {beyond} runs in which it is infinite")
            if without:
                lines.append(f"{labels[name]:{wide}s}  and {without} runs in which it is NaN")
        for name in [n for n in self.names if n not in numbers]:
            without = len(self.without(name))
            left = f", NaN in {without} of the runs" if without else ""
            lines.append(f"{labels[name]:{wide}s}  array {self._outputs[name].shape[1:]} a run{left}")
        lines += [f"{labels[name]:{wide}s}  differs in size from run to run" for name in self.uneven]
        lines += [f"run {k} failed: {text}" for k, text in list(self.errors.items())[:5]]
        return "\n".join(lines)


def _summary_in(folder: Path) -> Path:
    """Return the summary of a folder; a study that has not ended yet is a sentence."""
    if is_file(folder / SUMMARY) or not is_file(folder / DESIGN):
        return folder / SUMMARY
    raise FileError(
        "the study has no summary: it has not ended",
        where=str(folder),
        got=f"{runs_done(folder)} of {len(Design.load(folder / DESIGN))} runs done",
        hint="the same call of monte_carlo with this folder goes on; interstage info shows what is done",
    )


def runs_done(folder: Path) -> int:
    """Return how many runs of a folder have their files."""
    return sum(1 for _ in (folder / "runs").glob("run_*.h5"))


def _same_study(table: Design, study: Study) -> bool:
    """Return whether a study is of a table, or of its first runs."""
    return table.origin == study.design.origin and np.array_equal(
        table.values[: len(study)], study.design.values
    )


def _check_table(folder: Path, study: Study) -> None:
    """Refuse a summary that is not of the table in its folder; say so where that has more runs."""
    if not is_file(folder / DESIGN):
        return
    table, n = Design.load(folder / DESIGN), len(study)
    if not _same_study(table, study):
        raise FileError(
            f"{SUMMARY} and {DESIGN} are of different studies",
            where=str(folder),
            hint="remove the one that does not belong there",
        )
    if len(table) > n:
        warnings.warn(
            f"the summary has {n} of the {len(table)} runs of the study ({folder}); "
            "the same call of monte_carlo goes on",
            stacklevel=caller_level(),
        )


def _digest_of(values: Mapping[int, np.ndarray]) -> str:
    """Return a digest of arrays of any sizes by the number of their run."""
    found = hashlib.sha256()
    for number, value in sorted(values.items()):
        found.update(f"{number} {value.shape}".encode())
        found.update(np.ascontiguousarray(value).tobytes())
    return found.hexdigest()
