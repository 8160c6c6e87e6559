"""Element tables on the command line: for machines (JSON), for people, and as CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

# Options that carry out a request of case control, by its first four letters.
REQUESTS = {"FORC": "forces", "ELFO": "forces", "STRE": "stresses", "ELST": "stresses", "SPCF": "spcforces"}
REQUESTS |= {"STRA": "strains"}
KINDS = ("forces", "stresses", "strains")
# Commands of case control that ask for a quantity, by their first four letters; the later of two holds.
COMMANDS = {"displacement": ("DISP", "VECT", "PRES"), "velocity": ("VELO",), "acceleration": ("ACCE",)}
COMMANDS |= {"spc_forces": ("SPCF",), "forces": ("FORC", "ELFO"), "stresses": ("STRE", "ELST")}
COMMANDS |= {"strains": ("STRA",)}


class Asked:
    """Which tables a command shows, and where it writes them.

    forces, stresses, strains, spcforces : asked for by option
    csv : folder for CSV files, or None
    """

    def __init__(self, forces: bool, stresses: bool, strains: bool, spcforces: bool, csv: Path | None = None):
        self.forces, self.stresses, self.strains, self.spcforces = forces, stresses, strains, spcforces
        self.csv = csv

    def carry_out(self, cards) -> None:
        """Take the requests of case control that the options answer off the deck's list of those not carried out."""
        for name in list(cards.ignored_requests):
            option = REQUESTS.get(name[:4])
            if option is not None and getattr(self, option):
                del cards.ignored_requests[name]

    def taken(self, result) -> dict[str, dict]:
        """The element tables of a result, computed once: {"forces": {"CBAR": Table}, ...}."""
        names = [name for name in KINDS if getattr(self, name)]
        return {name: dict(getattr(result, name).items()) for name in names}

    def listing_notes(self) -> list[str]:
        """A sentence on tables that are asked for and that listings do not have."""
        asked = [name for name in KINDS if getattr(self, name)]
        if not asked:
            return []
        return [
            f"listings have no element {' and '.join(asked)}: --json, --csv and op2 files (--out) have them"
        ]

    def notes(self, result) -> list[str]:
        """Sentences on elements that the tables asked for leave out."""
        notes = []
        for words, kinds in (("forces and stresses", KINDS[:2]), ("strains", KINDS[2:])):
            without: dict[str, int] = {}
            for name in kinds:
                if getattr(self, name):
                    without |= getattr(result, name).left_out
            if without:
                names = ", ".join(f"{name} ({n})" for name, n in sorted(without.items()))
                notes.append(f"{words} of {names} are not recovered: these elements are in no table")
        return notes


def requested(case, subcase: int, quantity: str) -> str | None:
    """Return the command of a subcase that asks for a quantity, as written; None without one, or with NONE."""
    for one in (*case.subcases, *(sum_of.case for sum_of in case.combinations)):
        if one.id == subcase:
            named = [name for name in one.requests if name[:4] in COMMANDS[quantity]]
            return named[-1] if named and one.requests[named[-1]].upper() != "NONE" else None
    return None


def chosen_rows(case, subcase: int, quantity: str, ids) -> tuple[np.ndarray | None, str]:
    """Return the rows of `ids` that the SET of a request names (DISP = 4), and words for a title.

    None stands for all: no request, ALL, or a SET that the deck does not have, which the words say.
    """
    import numpy as np

    command = requested(case, subcase, quantity)
    if command is None:
        return None, ""
    try:
        named = case.members(subcase, command[:4], np.unique(np.asarray(ids, dtype=np.int64)))
    except ValueError:  # a SET of other things than numbers
        return None, f" (the SET of {command} cannot be read: all are shown)"
    if named is not None:
        rows = np.flatnonzero(np.isin(ids, named))
        what = "elements" if quantity in KINDS else "points"
        return rows, f", {len(named)} {what if len(named) != 1 else what[:-1]} of the SET of {command}"
    number = case.missing_set(subcase, command[:4])
    return None, "" if number is None else f" (SET {number} of {command} is not in the deck: all are shown)"


def show_titles(console, cards, subcase: int, head: str = "") -> None:
    """Print TITLE, SUBTITLE and LABEL of a subcase in one line behind `head`; nothing where there are none."""
    from interstage.cli.tables import readable

    texts = cards.case.texts(subcase)
    if texts:
        console.print(readable(head + "; ".join(texts.values())))


def by_point(fe, values: np.ndarray) -> dict[str, list[float]]:
    """Values (n_dof,) of a g-set vector by grid id; one number for a scalar point."""
    out = {str(gid): values[d : d + 6].tolist() for gid, d in zip(fe.grids.id, fe.grids.dof)}
    out.update({str(sid): [float(values[d])] for sid, d in zip(fe.grids.spoint, fe.grids.spoint_dof)})
    return out


def all_points(fe, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ids (n,) and values (n, 6) of a g-set vector at grids, then at scalar points (T1 alone, the rest NaN)."""
    import numpy as np

    grids = fe.grids
    scalar = np.full((len(grids.spoint), 6), np.nan)
    scalar[:, 0] = values[grids.spoint_dof]
    rows = np.vstack([values[grids.dof[:, None] + np.arange(6)], scalar])
    return np.concatenate([grids.id, grids.spoint]).astype(int), rows


def machine_tables(taken: dict[str, dict], mode: int | None = None) -> dict:
    """Tables as JSON data: columns, element_ids, node_ids (or null), values; of one mode where there are many."""
    return {kind: {name: _machine(table, mode) for name, table in t.items()} for kind, t in taken.items()}


def _machine(table, mode: int | None) -> dict:
    values = table.values if mode is None else table.values[mode]
    rows = values.tolist()
    # what is not known (margins of safety, stress points of some sections) is null
    for i, j in zip(*(values != values).nonzero()):
        rows[i][j] = None
    return {
        "columns": list(table.columns),
        "element_ids": table.element_ids.tolist(),
        "node_ids": None if table.node_ids is None else table.node_ids.tolist(),
        "values": rows,
    }


def show_tables(
    console, taken: dict[str, dict], mode: int | None = None, most: int = 40, case=None, subcase: int = 0
) -> None:
    """Print element tables: rows of the elements that the SET of a subcase names, or the first of all.

    case, subcase : case control whose FORCE = n, STRESS = n and STRAIN = n choose elements; None: all
    """
    from rich.table import Table

    from interstage.cli.tables import show_table

    for kind, tables in taken.items():
        for name, table in tables.items():
            values = table.values if mode is None else table.values[mode]
            named, words = (None, "") if case is None else chosen_rows(case, subcase, kind, table.element_ids)
            rows = range(len(table)) if named is None else named
            shown = rows[:most] if named is None else rows
            title = f"{kind} of {name}{words}"
            out = Table(title=title, title_justify="left", box=None, padding=(0, 1, 0, 0))
            places = [] if table.node_ids is None else ["ply" if name.endswith("_COMPOSITE") else "grid"]
            for heading in ("element", *places, *table.columns):
                out.add_column(heading, justify="right")
            for i in shown:
                place = [] if table.node_ids is None else [_place(table.node_ids[i])]
                cells = ("" if x != x else f"{x + 0.0:.4g}" for x in values[i])
                out.add_row(str(table.element_ids[i]), *place, *cells)
            show_table(console, out)
            if len(rows) > len(shown):
                console.print(f"... and {len(rows) - most} more rows: --json or --csv give them all")


def _place(node: int) -> str:
    return "centre" if node == 0 else str(node)


def show_points(console, title: str, ids, values: np.ndarray, zeros: bool = False, most: int = 40) -> None:
    """Print six components (NaN: blank) at points, with `zeros` also at those where all are zero."""
    from rich.table import Table

    from interstage.cli.tables import show_table

    out = Table(title=title, title_justify="left", box=None, padding=(0, 1, 0, 0))
    for name in ("grid", "T1", "T2", "T3", "R1", "R2", "R3"):
        out.add_column(name, justify="right")
    rows = [i for i in range(len(ids)) if zeros or (abs(values[i]) > 0.0).any()]
    for i in rows[:most]:
        out.add_row(str(ids[i]), *("" if x != x else f"{x: .3e}" for x in values[i]))
    show_table(console, out)
    if len(rows) > most:
        console.print(f"... and {len(rows) - most} more grids: --json or --csv give them all")


def show_extremes(console, fe, u: np.ndarray) -> None:
    """Print the largest and the smallest value of each component, and where they are."""
    import numpy as np

    ids, values = all_points(fe, u)
    parts = []
    for k, name in enumerate(("T1", "T2", "T3", "R1", "R2", "R3")):
        column = values[:, k]
        there = np.isfinite(column)
        if there.any() and np.abs(column[there]).max() > 0.0:
            low, high = int(np.nanargmin(column)), int(np.nanargmax(column))
            parts.append(f"{name} {column[low]:.4g} at {ids[low]} to {column[high]:.4g} at {ids[high]}")
    if parts:
        console.print("extremes: " + "; ".join(parts))


def show_element_extremes(console, found: dict) -> None:
    """Print extremes that are not zero, by type and, where there are several, by property."""
    for kind, tables in found.items():
        for name, groups in tables.items():
            for group, columns in groups.items():
                if group != "all" and len(groups) < 3:
                    continue
                parts = [
                    f"{column} {one['min']:.4g} at {one['min_at']} to {one['max']:.4g} at {one['max_at']}"
                    for column, one in columns.items()
                    if one["min"] or one["max"]
                ]
                if parts:
                    of = "" if group == "all" else f", property {group}"
                    console.print(f"extremes of {kind} of {name}{of}: " + "; ".join(parts))


def write_csv(
    folder: Path, label: str, points: dict, taken: dict[str, dict], mode: int | None = None
) -> None:
    """Write LABEL_displacements.csv and the like (points: name -> `all_points`) and one file a table."""
    from interstage.output import make_folder, write_text

    make_folder(folder)
    for name, (ids, values) in points.items():
        lines = ["grid,t1,t2,t3,r1,r2,r3"]
        lines += [
            ",".join([str(i), *("" if x != x else repr(float(x)) for x in row)])
            for i, row in zip(ids, values)
        ]
        write_text(folder / f"{label}_{name}.csv", "\n".join(lines) + "\n", "table")
    for kind, tables in taken.items():
        for name, table in tables.items():
            values = table.values if mode is None else table.values[mode]
            nodes = table.node_ids
            place = [] if nodes is None else ["ply" if name.endswith("_COMPOSITE") else "grid"]
            lines = [",".join(["element", *place, *table.columns])]
            for i, row in enumerate(values):
                at = [] if nodes is None else [str(nodes[i])]
                cells = ("" if x != x else repr(float(x)) for x in row)
                lines.append(",".join([str(table.element_ids[i]), *at, *cells]))
            write_text(folder / f"{label}_{kind}_{name}.csv", "\n".join(lines) + "\n", "table")
