"""Constructors of a component: from decks, matrices and NASTRAN runs, from files, and of simple structures.

Each constructor has its own signature and puts what is asked into one `ReductionOptions`, which is checked there and
handed on. Beams, plates and cylinders, for vehicles that have no deck yet, write a deck (`interstage.nastran.builders`)
and reduce it as any other, so that it can be looked at, changed, and replaced by the real one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.component.options import Damping, Grids, ReductionOptions, Units, Wanted
from interstage.component.rigid_body_modes import RIGID_THRESHOLD_HZ

if TYPE_CHECKING:
    from typing import Self

    from interstage.component.component import ChildBody, Component
    from interstage.component.from_matrices import Matrix, Stiffness
    from interstage.component.integrals import PointMasses
    from interstage.nastran import Deck


@named_arguments
class Constructors:
    """Methods that make, save and load a `Component`."""

    @named_arguments
    def save(
        self,
        path: str | Path,
        *,
        write_gset: bool = True,
        write_fset: bool = True,
        write_modal_matrix: bool = False,
        uset: Sequence[int] = (),
    ) -> None:
        """Write the component file (HDF5, layout of NESC report C.3), whole or not at all.

        Parameters
        ----------
        write_gset, write_fset : physical matrices, where the component has them
        write_modal_matrix : all shapes as one matrix besides the shapes by grid
        uset : grids whose positions and shapes are written; none means all
        """
        from interstage.component.file import write_component

        left_out = tuple(name for name, wanted in (("gset", write_gset), ("fset", write_fset)) if not wanted)
        write_component(self, path, left_out, write_modal_matrix, uset)  # type: ignore[arg-type]

    @classmethod
    @named_arguments
    def load(
        cls,
        path: str | Path,
        *,
        units: Units | None = None,
        matrices: bool = False,
        lazy: bool | None = None,
    ) -> Self:
        """Read a component file.

        Parameters
        ----------
        units : convert to these, as in "SI" or {"length": "mm"}
        matrices : read the g-set and f-set too
        lazy : leave mode shapes in the file until they are used (default: for more than a few thousand nodes)
        """
        from interstage.component.file import read_component

        return read_component(path, units=units, matrices=matrices, lazy=lazy, kind=cls)  # type: ignore

    @classmethod
    @named_arguments
    def from_deck(
        cls,
        deck: Deck | str | os.PathLike[str],
        n_modes: int | None = None,
        *,
        aset: Grids | None = None,
        rvdof: Grids | None = None,
        loads: Sequence[Mapping[int, ArrayLike]] = (),
        damping: Damping | None = None,
        modal_integrals: bool = True,
        rotary_integrals: bool = False,
        inertia_relief: bool = False,
        geometric_stiffness: bool | Sequence[int] | None = None,
        recover: Wanted | None = None,
        load_grids: Sequence[int] = (),
        separate_lumped: bool | Sequence[int] = False,
        add_lumped_to_aset: bool = False,
        csid: int = 0,
        grdpnt: int | None = None,
        subcase: int | None = None,
        rigid_threshold_hz: float = RIGID_THRESHOLD_HZ,
        massless: str = "add",
        keep_matrices: bool = False,
        name: str | None = None,
        units: Units | None = None,
        allow_outside: bool = False,
    ) -> Component:
        """Build a component from a NASTRAN deck: constraints and rigid elements applied, mass taken apart.

        Parameters
        ----------
        deck : path or Deck
        n_modes : flexible modes of a free body; fixed-interface modes with an interface. Default: the modes that the
            deck's EIGRL or EIGR asks for, with its V1, V2 and ND as `normal_modes` reads them; of a free body the
            rigid ones among them are taken out
        aset : interface, grid -> components such as 123456. Default: the deck's ASET, BSET and SUPORT;
            {} for a free body whatever the deck says
        rvdof : grid -> components whose unit loads get residual vectors
        loads : load patterns that get residual vectors, each grid -> up to six forces and moments, component axes
        damping : ratio, ratios, or table of (Hz, ratio), besides the deck's own matrices and PARAM G; a table is read
            at the frequencies of the modes in the file, with an interface those of the free body
        modal_integrals, rotary_integrals : first and second order integrals; those of rotary nodes
        inertia_relief : residual vectors of unit accelerations
        geometric_stiffness : change of modal stiffness with the loads that the body carries: with its spin, and with
            forces at the grids of aset, rvdof and loads; a list of grids names more, as those of joints and thrust.
            Default: made where it can be, at the grids of child bodies too; the notes say where it cannot (a structure
            that is held), or would be large. False: not made
        recover : name -> (type, element, column) of a force or stress of an element that motions of the body give back,
            as in {"root moment": ("CBAR", 1, "bending_moment_a1")}; then the grid of a corner or end, or the ply, then
            the fibre; "forces" or "stresses" in front where both tables have the column
        load_grids : grids besides those of aset, rvdof and loads, as those of joints and thrust, whose loads
            geometric_stiffness and recover know
        separate_lumped : take every CONM2 out, or those with these element ids, as in [301], and list them among the
            child bodies
        add_lumped_to_aset : put what carries the child bodies into the interface
        csid : coordinate system whose axes become the component's
        grdpnt : grid of the reference point. Default: PARAM GRDPNT of the deck, else the basic origin
        subcase : whose SPC, MPC and METHOD hold (default, as in `normal_modes`: the first that asks for modes)
        rigid_threshold_hz : modes below it count as rigid; those that geometry or strain energy show to be rigid are
            taken out in any case
        massless : "add" gives interface motions without mass a small inertia and notes it; "error" refuses them
        keep_matrices : keep the g-set and f-set matrices for the file
        name : of the component (default: that of the deck)
        units : of the deck, as in "SI" or "t-mm-s"; a deck does not tell (default: not known)
        allow_outside : follow INCLUDEs that leave the deck's folder
        """
        options = ReductionOptions(
            n_modes=n_modes,
            aset=aset,
            rvdof=rvdof,
            loads=loads,
            damping=damping,
            modal_integrals=modal_integrals,
            rotary_integrals=rotary_integrals,
            inertia_relief=inertia_relief,
            geometric_stiffness=geometric_stiffness,
            recover=recover,
            load_grids=load_grids,
            separate_lumped=separate_lumped,
            add_lumped_to_aset=add_lumped_to_aset,
            csid=csid,
            grdpnt=grdpnt,
            subcase=subcase,
            rigid_threshold_hz=rigid_threshold_hz,
            massless=massless,
            keep_matrices=keep_matrices,
            name=name,
            units=units,
        )
        from interstage.component.from_nastran.deck import component_from_deck

        return component_from_deck(deck, options, allow_outside=allow_outside)

    @classmethod
    @named_arguments
    def from_matrices(
        cls,
        K: Matrix,
        M: Matrix,
        nodes: Mapping[int, ArrayLike],
        *,
        n_modes: int,
        aset: Grids | None = None,
        rvdof: Grids | None = None,
        loads: Sequence[Mapping[int, ArrayLike]] = (),
        spc: Grids | None = None,
        B: Matrix | None = None,
        K4: Matrix | None = None,
        damping: Damping | None = None,
        modal_integrals: bool = True,
        rotary_integrals: bool = False,
        inertia_relief: bool = False,
        geometric_stiffness: bool | Sequence[int] | None = None,
        geometric: Stiffness | None = None,
        recover: Mapping[str, tuple[ArrayLike, str]] | None = None,
        load_grids: Sequence[int] = (),
        reference: int | Sequence[float] | None = None,
        axes: ArrayLike | None = None,
        points: PointMasses | None = None,
        lumped: Sequence[ChildBody] = (),
        add_lumped_to_aset: bool = False,
        rigid_threshold_hz: float = RIGID_THRESHOLD_HZ,
        massless: str = "add",
        name: str = "component",
        units: Units | None = None,
    ) -> Component:
        """Build a component from the matrices of any finite-element code.

        Parameters
        ----------
        K, M, B, K4 : (6N, 6N) stiffness, mass, viscous and structural damping, sparse or dense; six dofs a node in the
            order T1 T2 T3 R1 R2 R3, nodes in the order of `nodes`, one set of axes for all
        nodes : id -> position in those axes
        n_modes : flexible modes of a free body; fixed-interface modes where `aset` is given (all modes of the
            Craig-Bampton system are then kept, rigid ones apart)
        aset : interface, grid -> components such as 123456: normalized component modes
        rvdof : residual vectors for unit loads there; inertia_relief adds those for unit rigid accelerations
        loads : load patterns that get residual vectors, each grid -> up to six forces and moments, component axes
        spc : grid -> components that are held to ground
        damping : ratio, ratios, or table of (Hz, ratio)
        modal_integrals, rotary_integrals : first and second order integrals; those of rotary nodes
        geometric_stiffness : as in `from_deck`; needs `geometric`, without which the default is none
        geometric : function from displacements (6N,) to the geometric stiffness (6N, 6N) of their stresses, in the
            order and axes of K
        recover : name -> (row (6N,), quantity): a result y = row @ u of displacements in the order and axes of K, and
            what it is: force, moment, force per length, moment per length, stress, strain, displacement or rotation
        load_grids : as in `from_deck`
        reference : grid id or point that becomes the component's origin (default: the origin)
        axes : (3,3) R with `x_input = R @ x_component`
        points : point masses of the integrals (default: those of M)
        lumped : child bodies to take out of M (offsets and inertia in the input axes)
        add_lumped_to_aset : put what carries them into the interface
        rigid_threshold_hz : modes below it count as rigid whatever geometry and strain energy say
        massless : "add" gives interface motions without mass a small inertia and notes it; "error" refuses them
        name : of the component
        units : of the matrices, as in "SI" or "t-mm-s" (default: not known)
        """
        options = ReductionOptions(
            n_modes=n_modes,
            aset=aset,
            rvdof=rvdof,
            loads=loads,
            damping=damping,
            modal_integrals=modal_integrals,
            rotary_integrals=rotary_integrals,
            inertia_relief=inertia_relief,
            geometric_stiffness=geometric_stiffness,
            load_grids=load_grids,
            add_lumped_to_aset=add_lumped_to_aset,
            rigid_threshold_hz=rigid_threshold_hz,
            massless=massless,
            name=name,
            units=units,
        )
        from interstage.component.from_matrices import Structure, component_from_matrices

        structure = Structure(K, M, nodes, B, K4, spc, reference, axes, points, lumped, geometric, recover)
        return component_from_matrices(structure, options)

    @classmethod
    @named_arguments
    def from_op4(
        cls,
        deck: Deck | str | os.PathLike[str],
        op4: str | os.PathLike[str],
        *,
        aset: Grids | None = None,
        punch: str | os.PathLike[str] | None = None,
        nodes: Sequence[int] | None = None,
        modal_integrals: bool = True,
        csid: int = 0,
        grdpnt: int | None = None,
        damping: Damping | None = None,
        rigid_threshold_hz: float = RIGID_THRESHOLD_HZ,
        name: str | None = None,
        units: Units | None = None,
        allow_outside: bool = False,
    ) -> Component:
        """Build a component from NASTRAN's own Craig-Bampton matrices: KXX, MXX, BXX1, K4XX1 and MUG1 of EXTSEOUT.

        Parameters
        ----------
        deck, op4 : deck of the run, and the file of its matrices
        aset : interface of the superelement (default: that of `punch`, else the deck's ASET, BSET, SUPORT)
        punch : punch file of the same run (EXTBULK), whose EXTRN entry lists the interface
        nodes : grids of the displacement recovery MUG1 in its order, interface included; default: all grids of
            the deck
        modal_integrals : first- and second-order integrals from the point masses of the deck, where MUG1 has
            all grids
        csid, grdpnt, damping, rigid_threshold_hz, name, units, allow_outside : as in `from_deck`
        """
        options = ReductionOptions(
            aset=aset,
            modal_integrals=modal_integrals,
            csid=csid,
            grdpnt=grdpnt,
            damping=damping,
            rigid_threshold_hz=rigid_threshold_hz,
            name=name,
            units=units,
        )
        from interstage.component.from_nastran.superelement import component_from_op4

        return component_from_op4(deck, op4, options, punch=punch, nodes=nodes, allow_outside=allow_outside)

    @classmethod
    @named_arguments
    def from_op2(
        cls,
        deck: Deck | str | os.PathLike[str],
        op2: str | os.PathLike[str],
        *,
        op4: str | os.PathLike[str] | None = None,
        aset: Grids | None = None,
        punch: str | os.PathLike[str] | None = None,
        nodes: Sequence[int] | None = None,
        modal_integrals: bool = True,
        csid: int = 0,
        grdpnt: int | None = None,
        damping: Damping | None = None,
        rigid_threshold_hz: float = RIGID_THRESHOLD_HZ,
        name: str | None = None,
        units: Units | None = None,
        allow_outside: bool = False,
    ) -> Component:
        """Build a component from NASTRAN's own Craig-Bampton matrices and the op2 file of the run.

        Parameters
        ----------
        deck, op2 : deck of the run, and its op2 file
        op4 : file of the matrices; default: the op2 file itself, or where it has none, that of the same name with .op4
        aset : interface of the superelement; default: that of `punch`, else the ASET, BSET and CSET cards in the
            op2 file, else those of the deck
        nodes : grids of the displacement recovery MUG1, interface included; default: the interface and the grids of
            the displacements in the op2 file, or all grids of the deck where it has no displacements
        punch, modal_integrals : as in `from_op4`
        csid, grdpnt, damping, rigid_threshold_hz, name, units, allow_outside : as in `from_deck`
        """
        options = ReductionOptions(
            aset=aset,
            modal_integrals=modal_integrals,
            csid=csid,
            grdpnt=grdpnt,
            damping=damping,
            rigid_threshold_hz=rigid_threshold_hz,
            name=name,
            units=units,
        )
        from interstage.component.from_nastran.superelement import component_from_op2

        return component_from_op2(
            deck, op2, options, op4=op4, punch=punch, nodes=nodes, allow_outside=allow_outside
        )

    @classmethod
    def beam(
        cls,
        length: float,
        *,
        deck: str | os.PathLike[str] | None = None,
        n_modes: int = 10,
        **options: object,
    ) -> Component:
        """Build a straight beam along +x; grids 1 (root, at the origin) to elements + 1 (tip). SI units.

        Parameters
        ----------
        length : m
        deck : file to which the deck is written, to look at and change (default: none)
        n_modes : as in `from_deck`
        options : cross section and material, as in `interstage.nastran.builders.beam_deck` (`diameter` or `width` and
            `height`, with or without `wall`, m; or `EI`, N·m², `EA`, N, `GJ`, N·m², and `mass_per_length`, kg/m;
            `material="aluminum"`; `elements=20`); and what `from_deck` takes (`aset`, `rvdof`, `damping`, ...)

        Examples
        --------
        >>> from interstage import Component
        >>> boom = Component.beam(6.0, diameter=0.1, wall=0.002, n_modes=4, aset={1: 123456})
        >>> round(boom.mass, 3)
        10.382
        """
        from interstage.component.from_nastran.deck import built

        return built(cls, "beam", (length,), deck, n_modes, options)

    @classmethod
    def plate(
        cls,
        length: float,
        width: float,
        thickness: float,
        *,
        deck: str | os.PathLike[str] | None = None,
        n_modes: int = 10,
        **options: object,
    ) -> Component:
        """Build a flat plate in the x-y plane; grid 1 is the middle of its root edge, at the origin. SI units.

        Parameters
        ----------
        length, width, thickness : along x, along y, and of the plate, m
        deck, n_modes : as in `beam`
        options : as in `interstage.nastran.builders.plate_deck` (`material`, `elements=(12, 8)`, `root="edge"`,
            `extra_mass_per_area`, kg/m²); and what `from_deck` takes
        """
        from interstage.component.from_nastran.deck import built

        return built(cls, "plate", (length, width, thickness), deck, n_modes, options)

    @classmethod
    def cylinder(
        cls,
        length: float,
        radius: float,
        thickness: float,
        *,
        deck: str | os.PathLike[str] | None = None,
        n_modes: int = 10,
        **options: object,
    ) -> Component:
        """Build a thin cylinder along +x; grids 1 and 2 are the centers of its ends, x = 0 and x = length. SI units.

        Parameters
        ----------
        length, radius, thickness : of the cylinder, of the middle of its wall, and of the wall, m
        deck, n_modes : as in `beam`
        options : as in `interstage.nastran.builders.cylinder_deck` (`material`, `elements=(16, 24)`, `stations`,
            `axis`); and what `from_deck` takes
        """
        from interstage.component.from_nastran.deck import built

        return built(cls, "cylinder", (length, radius, thickness), deck, n_modes, options)
