"""Run the scripts of the FModal papers with one line changed: `from interstage.fmodal import Nastran`.

    nast = Nastran()
    nast.read("SimpleBeam.dat")
    nast.run_103(n_modes=30, aset={1: 123456})
    nast.load_op2(modal_integral_flag=True)
    nast.write_hdf5("sbeam.h5")

The built-in solver does the work unless `executable_path` names a NASTRAN. Sources: NASA/TM-2020-5008164,
section C.2, and "FModal: a flexible body dynamics modeling pipeline", section 3 and App. B.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from interstage.calls import named_arguments
from interstage.component.component import Component
from interstage.component.from_nastran.deck import component_from_deck
from interstage.component.from_nastran.deck_common import check_points, deck_aset, deck_moving
from interstage.component.from_nastran.external import (
    Dialect,
    Run,
    dropped_statements,
    matrix_run_deck,
    read_g_matrices,
    run_deck,
    run_nastran,
)
from interstage.component.from_nastran.superelement import component_from_op2, component_from_op4
from interstage.component.options import ReductionOptions
from interstage.errors import FidelityWarning, InputError, caller_level, known_names
from interstage.fem.model import FEModel
from interstage.fem.requests import modes_case
from interstage.nastran import Deck, read_deck

__all__ = ["Nastran"]

# options that no external run can carry out, and those that need the matrices of the g-set
_BUILT_IN = {
    "geometric_stiffness": "geometric stiffness is computed",
    "recover": "recovery rows are made",
}
_EMPTY = (
    "executable_path was set to nothing (is the environment variable defined?): the built-in solver was used"
)
_ALTERS = ("separate_lumped", "loads", "inertia_relief", "rotary_integrals")


@named_arguments
class Nastran:
    """Read a deck, run normal modes, load the results, write the component file.

    Attributes
    ----------
    executable_path : a NASTRAN program; None or "" for the built-in solver, which a warning and the notes of the
        component say where it was set so, as by an environment variable that is not defined
    timeout_s : time limit of an external run
    dialect : of that program, "msc" or "nx", in which the DMAP alter is written
    alters : let the external run write the matrices of the g-set by a DMAP alter, so that all that the built-in solver
        makes of a deck is made of them; None: only where EXTSEOUT cannot do what is asked for
    component : the result of `load_op2`
    """

    def __init__(self) -> None:
        self._executable: str | os.PathLike | None = None
        self._asked = False
        self.timeout_s = 24 * 3600.0
        self.dialect: Dialect = "msc"
        self.alters: bool | None = None
        self.component: Component | None = None
        self._deck: Deck | None = None
        self._path: Path | None = None
        self._options: ReductionOptions | None = None
        self._run: Run | None = None
        self._solved: tuple[tuple, Component] | None = None

    @property
    def executable_path(self) -> str | os.PathLike | None:
        """A NASTRAN program; None or "" for the built-in solver, which a warning says where it was set so."""
        return self._executable

    @executable_path.setter
    def executable_path(self, path: str | os.PathLike | None) -> None:
        self._executable, self._asked = path, True

    def read(self, fpath: str | os.PathLike, allow_outside: bool = False) -> None:
        """Read the main deck and all that it includes."""
        self._path = Path(fpath)
        self._deck = read_deck(self._path, allow_outside=allow_outside)
        self._options = self._run = self._solved = self.component = None

    def run_103(
        self,
        n_modes: int = 7,
        csid: int = 0,
        aset: Mapping[int, int] | None = None,
        rvdof: Mapping[int, int] | None = None,
        grdpnt: int | None = None,
        separateLumpedRigidBodies: bool = False,
        addLumpedRigidBodiesToAset: bool = False,
        **options: Any,
    ) -> None:
        """Run a normal modes solution.

        Parameters
        ----------
        n_modes : flexible modes, in ascending order (fixed-interface modes with an aset)
        csid : coordinate system of the output
        aset : grids and components held in the multibody model, as in {101: 123456, 102: 123}; none: the
            deck's ASET, BSET and SUPORT, or a free body
        rvdof : grids and components with residual vectors
        grdpnt : grid of the reference point
        separateLumpedRigidBodies : take every CONM2 out, into ChildBodies
        addLumpedRigidBodiesToAset : put what carries them into the aset
        options : anything else of `interstage.component.ReductionOptions`
        """
        if self._deck is None or self._path is None:
            raise InputError("there is no deck yet", hint="call read first")
        given: dict[str, Any] = {"keep_matrices": True, **options}
        unknown = sorted(set(given) - {field.name for field in fields(ReductionOptions)})
        if unknown:
            raise InputError(
                f"'{unknown[0]}' is no option of a component",
                hint=known_names(field.name for field in fields(ReductionOptions)),
            )
        self._options = ReductionOptions(
            n_modes=n_modes,
            csid=csid,
            aset=aset or None,
            rvdof=rvdof or None,
            grdpnt=grdpnt,
            separate_lumped=separateLumpedRigidBodies,
            add_lumped_to_aset=addLumpedRigidBodiesToAset,
            **given,
        )
        self._solved = self.component = self._run = None
        if self.executable_path:
            self._run = self._external()
        else:
            if self._asked:
                warnings.warn(_EMPTY, FidelityWarning, stacklevel=caller_level())
            self._solve(grdpnt, self._options.rigid_threshold_hz)

    def _solve(self, grdpnt: int | None, threshold_hz: float) -> Component:
        """Component of the built-in solver; solved again only where an option of the solution changed."""
        key = (grdpnt, threshold_hz)
        if self._solved is None or self._solved[0] != key:
            options = self._options.with_changes(
                grdpnt=grdpnt, rigid_threshold_hz=threshold_hz, modal_integrals=True
            )
            made = component_from_deck(self._deck, options)
            if self._asked:
                made.notes.append(_EMPTY)
            self._solved = (key, made)
        return self._solved[1]

    def load_op2(
        self,
        fop2: str | os.PathLike = "",
        grdpnt: int = 0,
        modal_integral_flag: bool = False,
        rigid_body_mode_thresh: float | None = None,
    ) -> None:
        """Load the results of the run.

        Parameters
        ----------
        fop2 : op2 or op4 file of an external run with EXTSEOUT, for which nothing need have been run here; none:
            the results of this run. Matrices that are not in the op2 file are taken from the op4 beside it
        grdpnt : grid of the reference point; 0: that of the run
        modal_integral_flag : integrals of first and second order too
        rigid_body_mode_thresh : modes below this frequency in Hz are rigid; none: that of the run
        """
        if self._options is None and not (fop2 and self._deck is not None):
            raise InputError("nothing has been run yet", hint="call run_103 first")
        options = self._options or ReductionOptions()
        reference = grdpnt or options.grdpnt
        threshold = options.rigid_threshold_hz if rigid_body_mode_thresh is None else rigid_body_mode_thresh
        if fop2 or self._run is not None:
            options = options.with_changes(
                grdpnt=reference,
                modal_integrals=modal_integral_flag,
                rotary_integrals=False,
                rigid_threshold_hz=threshold,
            )
            if not fop2 and self._run is not None and self._run.alters:
                options = options.with_changes(rotary_integrals=self._options.rotary_integrals)
                component = self._from_g_set(self._run, options)
            else:
                component = self._from_files(Path(fop2) if fop2 else self._run.op4, options)
        else:
            component = self._solve(reference, threshold)
        if self._run is not None and not fop2:
            component = component.with_changes(notes=[*component.notes, *self._run.notes])
        if not modal_integral_flag:
            component = component.without_integrals()
        self.component = component

    def _from_g_set(self, run: Run, options: ReductionOptions) -> Component:
        """Component of the matrices that an alter wrote."""
        made = component_from_deck(self._deck, options, matrices=partial(read_g_matrices, run.op4))
        version = {
            "solver": "external NASTRAN (DMAP alter)",
            "nastran_version": run.version,
            "op4": run.op4.name,
        }
        return made.with_changes(provenance={**made.provenance, **version})

    def _from_files(self, path: Path, options: ReductionOptions) -> Component:
        """Component of an external run's op2 or op4 file."""
        if path.suffix.lower() == ".op2":
            return component_from_op2(self._deck, path, options)
        version = self._run.version if self._run else "unknown"
        return component_from_op4(self._deck, path, options, nastran_version=version)

    def write_hdf5(
        self,
        fh5: str | os.PathLike,
        write_gset: bool = False,
        write_fset: bool = False,
        write_modal_matrix: bool = False,
        uset: Sequence[int] = (),
    ) -> None:
        """Write the component file; `uset` names the grids whose shapes are written, none means all."""
        if self.component is None:
            raise InputError("there is nothing to write yet", hint="call load_op2 first")
        self.component.save(
            fh5,
            write_gset=write_gset,
            write_fset=write_fset,
            write_modal_matrix=write_modal_matrix,
            uset=uset,
        )

    def _external(self) -> Run:
        """Run NASTRAN in `analysis_<name>` of the working folder."""
        options = self._options
        for what, words in _BUILT_IN.items():
            if options.stiffens if what == "geometric_stiffness" else getattr(options, what):
                raise InputError(
                    f"{words} by the built-in solver only",
                    where=what,
                    hint="leave executable_path empty for this component",
                )
        fe = FEModel.from_deck(self._deck)
        case = modes_case(fe, options.subcase)
        aset = dict(options.aset or deck_aset(fe, case))
        moving = {} if options.aset else deck_moving(fe, case)
        rvdof = options.rvdof or {}
        check_points(fe, "aset", aset)
        check_points(fe, "rvdof", rvdof)
        name = self._path.stem
        op4 = f"FModal_{name}.op4"
        needed = [what for what in _ALTERS if getattr(options, what)] or ([] if aset else ["free-free modes"])
        if needed and self.alters is False:
            raise InputError(
                f"EXTSEOUT has no {needed[0].replace('_', ' ')}",
                where="alters",
                hint="leave alters at None or True",
            )
        alters = bool(needed) if self.alters is None else self.alters
        if alters:
            text = matrix_run_deck(self._deck, options.n_modes, op4, self.dialect, case)
        else:
            self._options = options.with_changes(aset=aset)
            top = int(np.max(np.concatenate([fe.grids.id, fe.grids.spoint])))
            first = 10 ** len(str(top)) + 1
            text = run_deck(self._deck, options.n_modes, aset, rvdof, first, op4, case, moving)
        folder = Path.cwd() / f"analysis_{name}"
        gone = dropped_statements(self._deck, case)
        notes = (f"left out of the deck of the external run: {', '.join(gone)}",) if gone else ()
        for words in notes:
            warnings.warn(words, FidelityWarning, stacklevel=caller_level())
        run = run_nastran(self.executable_path, text, name, folder, self.timeout_s)
        return replace(run, alters=alters, notes=notes)
