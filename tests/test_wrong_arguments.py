"""Plausible mistakes in calls: one sentence that names the argument; faults of ours stay what they are."""

from __future__ import annotations

import inspect
import random
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats

import interstage as ist
from interstage import devices as dev
from interstage.calls import CallError, named_arguments
from interstage.fem import lumped_beam
from interstage.linalg import Factor
from interstage.mass import Orientation
from interstage.multibody.loads import Wrench
from interstage.nastran import CardTable, Deck, deck_from_text, expand_ids
from interstage.units import unit

sys.path.insert(0, str(Path(__file__).parent / "fuzz"))
import every_call


@named_arguments
def called(
    state: State, flag: bool = False, size: float = 1.0, rows: ArrayLike = (), name: str | None = None,  # noqa: F821
    act: Callable[[float], float] | None = None, table: Mapping[str, float] | None = None,
):  # fmt: skip
    """Fail as code does that trusts its arguments."""
    if flag:
        state.q[0]
    np.asarray(rows, dtype=float)
    return (
        float(size) + state.q[0] + (0.0 if name is None else len(name.strip())) + sum((table or {}).values())
    )


class State:
    """Stands for a state."""

    q = (1.0,)


WRONG = {
    "a number for a state": ({"state": 3.0}, "called: state must be State; got 3.0 .float."),
    "an array for a flag": ({"flag": np.zeros(3)}, "flag must be bool"),
    "text for a number": ({"size": "much"}, "size must be float; got 'much' .str."),
    "a ragged list": ({"rows": [[1, 2], [3]]}, "rows must be ArrayLike"),
    "a number for a text": ({"name": 3}, "name must be str or None"),
    "a list for a table": ({"table": [1]}, "table must be Mapping"),
}


@pytest.mark.parametrize("what", WRONG)
def test_the_argument_that_does_not_fit_is_named(what):
    change, words = WRONG[what]
    with pytest.raises(CallError, match=words):
        called(**({"state": State()} | change))


def test_faults_with_fitting_arguments_stay_raw():
    """A bug is not hidden: nothing that was given is wrong."""

    @named_arguments
    def broken(size: float):
        return [][int(size)]

    with pytest.raises(IndexError):
        broken(3.0)
    with pytest.raises(CallError, match="broken: size must be float"):
        broken("x")
    with pytest.raises(CallError, match=r"broken: size must be float; got 10+ .int, beyond 64 bits."):
        broken(10**30)
    assert called(State(), size=np.float64(2.0), rows=[1, 2]) == 3.0


def _cart():
    mb = ist.Multibody("cart")
    mb.add_body("cart", mass=2.0, inertia=[1, 1, 1], joint=ist.Prismatic("x"))
    return mb.compile()


def _boom(**given):
    ist.Component.from_matrices(
        **{"K": np.eye(12), "M": np.eye(12), "nodes": {1: (0, 0, 0), 2: (1, 0, 0)}, "n_modes": 4} | given
    )


NODES = {
    "no matrix": ({"K": None}, "K does not fit|K is no matrix"),
    "a list of matrices": ({"M": np.eye(12)[None]}, "M is no matrix of real numbers"),
    "a number too many": (
        {"nodes": {1: (0, 0, 0, 0), 2: (1, 0, 0)}},
        r"three finite numbers each .nodes, 1.",
    ),
    "half a number": ({"nodes": {1.5: (0, 0, 0), 2: (1, 0, 0)}}, "named by a whole number .nodes.; got 1.5"),
}


@pytest.mark.parametrize("what", NODES)
def test_matrices_and_nodes_of_a_component_are_checked(what):
    given, words = NODES[what]
    with pytest.raises(ist.InterstageError, match=words):
        _boom(**given)


@pytest.mark.parametrize("point", [(0, 0), (0, 0, 0, 0), 1.0, [[0, 0, 0]]])
def test_a_point_of_an_inertia_has_three_numbers(point):
    """Compiled code would read what lies beyond."""
    with pytest.raises(ist.InterstageError, match=r"wrong shape .point."):
        ist.RigidInertia.from_about_point(1.0, [0, 0, 0], np.eye(3), point)


IMAGINARY = {
    "an argument": (lambda z: _cart().set_mass("cart", mass=z), "set_mass: mass must be real, .*complex128"),
    "an array": (
        lambda z: ist.Multibody("m").add_body("a", mass=1.0, com=[z, 0, 0]),
        "add_body: com must be real",
    ),
    "a list": (
        lambda z: ist.FillTable(mass=[0.0, 1.0], com=[np.full(3, z)] * 2, inertia=[np.zeros((3, 3))] * 2),
        "FillTable: com must be real",
    ),
    "a parameter": (
        lambda z: ist.Multibody("m").add_body(
            "a", mass=1.0, inertia=[1, 1, 1], joint=ist.Revolute("z", stiffness=z)
        ),
        "stiffness of a joint does not fit it",
    ),
    "a limit": (
        lambda z: ist.LinearModel(-np.eye(1), np.eye(1), np.eye(1), np.zeros((1, 1))).reduce(error=z),
        "reduce: error must be real",
    ),
    "a sparse matrix": (
        lambda z: ist.linalg.eigenmodes(np.eye(3) * z, np.eye(3), n_modes=1),
        "not a matrix of real numbers",
    ),
    "a factor": (lambda z: Factor(sp.csr_array(np.eye(3) * z)), "matrix to factorize is complex"),
    "a finite-element matrix": (lambda z: _boom(K=np.eye(12) * z), "K is no matrix of real numbers"),
    "a dimension": (
        lambda z: dev.CylinderSlosh(z, 1.0, 1.0),
        "radius must be positive; got np.complex128",
    ),
    "a requirement": (lambda z: ist.GainStabilized(z, band=(0.1, 1.0)), "below_db must be real"),
    "a state": (lambda z: setattr(_cart().state(), "v", np.array([z])), "velocities .* 1 real numbers"),
}


@pytest.mark.parametrize("where", IMAGINARY)
def test_imaginary_parts_are_not_dropped(where):
    """Numpy alone would warn, and go on with the real part."""
    call, words = IMAGINARY[where]
    with pytest.raises(ist.InterstageError, match=words):
        call(np.complex128(2.0 + 1e-9j))


def test_absurd_sizes_are_refused_at_once():
    lag = ist.Assembly("a").add("law", lambda t: 0.0, every="1 s", out={"u": "1"})
    for asked in ({"until": 1e300}, {"until": 1, "step": 1e-300}, {"until": 1e9, "step": 1e-9}):
        with pytest.raises(ist.InterstageError, match=r"1e15 s|too many steps|until|step"):
            ist.simulate(lag, None, **asked)
    with pytest.raises(ist.InterstageError, match="no number of processes"):
        ist.monte_carlo(lambda row: {"y": 1.0}, {"a": stats.norm()}, runs=2, workers=10**30)
    with pytest.raises(ist.InterstageError, match="too many runs"):
        ist.monte_carlo(lambda row: {"y": 1.0}, {"a": stats.norm()}, runs=10**12, workers=0)


FOUND = {
    "numbers that exist without end": lambda: expand_ids([1, "THRU", 5], ValueError, within=np.inf),
    "a site that is an empty array": lambda: dev.Earth(site=np.zeros(0)),
    "a site of texts": lambda: dev.Earth(site=np.array(["a", "b"])),
    "weights of a matrix": lambda: dev.ControlAllocation([[1.0]], weights=np.zeros((3, 3))),
    "a sample time beyond 64 bits": lambda: ist.LinearModel(-np.eye(1), [[1]], [[1]], [[0]]).discretize(
        10**30
    ),
    "rows of unequal length for an orientation": lambda: Orientation.of([[1, 2], [3]]),
    "a vector for the rotation of a joint": lambda: ist.Revolute("z").reversed(np.zeros(3), "joint"),
    "a matrix that stretches": lambda: ist.Ball().reversed(2.0 * np.eye(3), "joint"),
    "masses by node for a beam": lambda: lumped_beam(2.0, 3, EA=1.0, GJ=1.0, EI=1.0, mass=[1.0] * 4),
    "a beam without elements": lambda: lumped_beam(2.0, 0, EA=1.0, GJ=1.0, EI=1.0, mass=[1.0] * 6),
    "an array for forces": lambda: _body().bias(_body().state(), forces=np.eye(6)),
    "a list for the name of a body": lambda: _body().state()[["a"]],
    "a matrix for a name in a study": lambda: _study()[np.eye(3)],
    "text in an array for a name in a study": lambda: _study()[np.array("y")],
    "two factors for a force": lambda: Wrench("a", np.zeros(6)).scaled([1.0, 2.0]),
    "a class for a list of modes": lambda: ist.track_modes(dict),
    "a rotation of two numbers": lambda: ist.Rotation.identity() @ [1.0, 2.0],
    "a rotation of a text": lambda: ist.Rotation.identity() @ "x",
    "a field before the first": lambda: _grids().real(0),
    "a field that is a text": lambda: _grids().real("x"),
    "a card that is not there": lambda: _grids().row(7),
    "a mask for other cards": lambda: _grids().select(np.array([True, False])),
    "cards to keep that the deck lacks": lambda: _deck().keep("x", np.array([True])),
    "numbers of cards to keep": lambda: _deck().keep("GRID", np.array([0])),
    "cards to keep by a mask for others": lambda: _deck().keep("GRID", np.array([True, False])),
    "a factor of a matrix for other rows": lambda: Factor(np.eye(3)).solve(np.zeros(4)),
    "an event of a log that is none": lambda: _log().note(3.0),
    "an end of a log that is none": lambda: _log().finished(3.0),
    "a point of no run that goes on": lambda: ist.trim(_body(), _body().state()).going_on(),
    "times of a series that are none": lambda: _log().series("a.q").at({"a"}),
    "a time of a series that is NaN": lambda: _log().series("a.q").at(np.nan),
    "an array for a region of margins": lambda: _loop().margins().region(np.zeros(2)),
    "another matrix for a factor": lambda: Factor(np.eye(3)).refactor(np.eye(2)),
}


def _body() -> ist.System:
    mb = ist.Multibody("m")
    mb.add_body("a", mass=1.0, inertia=[1, 1, 1], joint=ist.Free())
    return mb.compile()


def _log() -> ist.Log:
    return ist.simulate(_body(), _body().state(), until=0.02, step=0.01)


def _loop() -> ist.LinearModel:
    return ist.LinearModel([[-1.0]], [[1.0]], [[3.0]], [[0.0]], inputs=["u"], outputs=["u"])


def _study() -> ist.Study:
    return ist.monte_carlo(lambda row: {"y": 1.0}, {"a": stats.norm()}, runs=1, workers=0, progress=False)


def _deck() -> Deck:
    return deck_from_text("CEND\nBEGIN BULK\nGRID,1,,0.0,0.0,0.0\nENDDATA\n")


def _grids() -> CardTable:
    return _deck().cards("GRID")


@pytest.mark.parametrize("what", FOUND)
def test_what_longer_walks_found(what):
    with pytest.raises(ist.InterstageError):
        FOUND[what]()


@pytest.mark.parametrize("nodes", [{"a": [0, 0, 0]}, {9: [0.0, 0.0]}, {9: "x"}, {9: [[1], [2, 3]]}])
def test_a_call_that_is_refused_leaves_a_stage_as_it_was(nodes):
    """Whatever was wrong: a later call does not stumble over what the refused one left."""
    K, M, at = lumped_beam(2.0, 3, EA=1e7, GJ=1e5, EI=1e5, mass=[1.0, 1.0, 1.0, 0.1, 0.1, 0.1])
    stage = ist.Stage("s", K=K, M=M, nodes=at)
    before = repr(stage), stage.nodes.keys(), stage.K.shape
    for call in (
        lambda: stage.add_riders(nodes, 1),
        lambda: stage.add_riders({9: [0.0, 0.0, 0.0]}, "x"),
        lambda: stage.add_tank("t", levels={0.0: np.zeros((6, 6)), 1.0: np.eye(6)}, nodes=nodes),
        lambda: stage.add_tank("t", levels={0.0: "x", 1.0: object()}, nodes={9: [0.0, 0.0, 0.0]}),
    ):
        with pytest.raises(ist.InterstageError):
            call()
        assert (repr(stage), stage.nodes.keys(), stage.K.shape) == before
        stage.rigid()


@pytest.mark.parametrize("kind", [ist.MassBody, ist.DynBody])
@pytest.mark.parametrize(
    "place",
    [
        (np.zeros(3), [0.0, 0.0, 0.0]),
        (2.0 * np.eye(3), [0.0, 0.0, 0.0]),
        (np.eye(3), [1.0, 2.0]),
        (np.eye(3), [np.nan, 0, 0]),
    ],
)
def test_a_place_that_is_none_leaves_a_mass_tree_as_it_was(kind, place):
    """A part at no place would spoil the mass of the whole, at some later question."""
    a, b, c = (kind(name, mass=1.0, inertia=[1, 1, 1]) for name in "abc")
    c.attach_to(b, offset=[0.0, 2.0, 0.0])
    before = str(b)
    for call in (lambda: a.attach_at(b, *place), lambda: b.move_part(c, b, *place)):
        with pytest.raises(ist.InterstageError):
            call()
        assert a.parent is None and c.parent is b and str(b) == before


def test_operators_leave_what_they_do_not_know_to_python():
    for call in (
        lambda: ist.RigidInertia(1.0, [0, 0, 0], np.eye(3)) + 3.0,
        lambda: ist.RigidInertia(1.0, [0, 0, 0], np.eye(3)) - "x",
        lambda: unit("m") * 3.0,
        lambda: unit("m") / "s",
    ):
        with pytest.raises(TypeError, match="unsupported operand"):
            call()


# methods of devices that the package calls, or that are compiled
HOOKS = {
    "also_at", "bound", "check_period", "elsewhere", "following", "jumps", "limits_at", "shorthands", "longest_step",
    "moved", "run_switch",
}  # fmt: skip


def test_every_method_that_users_call_names_the_argument_that_does_not_fit(tmp_path, monkeypatch):
    """Of every public class, and of those that public calls return."""
    monkeypatch.chdir(tmp_path)
    objects = every_call.things()
    kinds = {one for _, one in every_call.callables(objects) if isinstance(one, type)}
    kinds |= {type(one) for one in objects.values()}
    without = {
        f"{kind.__name__}.{name}"
        for one in kinds
        for kind in one.__mro__
        if kind.__module__.startswith("interstage")
        for name, held in vars(kind).items()
        if inspect.isfunction(held)
        and (not name.startswith("_") or name == "__getitem__")
        and name not in HOOKS | set(every_call.NOT_METHODS)
        and len(inspect.signature(held).parameters) > 1
        and not getattr(held, "named_arguments", False)
    }
    assert without == set()


# a seeded walk ------------------------------------------------------------------------------------

BAD = [
    None,
    np.nan,
    -1,
    10**30,
    "x",
    b"x",
    [],
    [[1, 2], [3]],
    np.zeros((3, 3)),
    np.array(["a"]),
    {},
    {1: 2},
    object(),
    1j,
]
DOORS = ("simulate", "linearize", "trim", "monte_carlo", "simulate_batch")


def walk(seed: int, calls: int) -> list[str]:
    """Call the doors with wrong arguments; return what came back that is no sentence."""
    rng, raw = random.Random(seed), []
    mb = ist.Multibody("m")
    mb.add_body("a", mass=1.0, inertia=[1, 1, 1], joint=ist.Free())
    system = mb.compile()
    for _ in range(calls):
        name = rng.choice(DOORS)
        first = rng.choice([system, system, *BAD])
        second = rng.choice([system.state(), *BAD])
        more = {"until": 0.01, "step": 0.01} if name == "simulate" else {}
        if name == "simulate_batch":
            more = {"until": 0.01, "step": 0.01, "samples": 1}
        if name == "monte_carlo":
            more = {"runs": rng.choice([1, *BAD]), "workers": 0, "progress": False}
        if rng.random() < 0.5 and more:
            more[rng.choice(list(more))] = rng.choice(BAD)
        more |= {"workers": 0} if name == "monte_carlo" else {}
        try:
            getattr(ist, name)(first, second, **more)
        except ist.InterstageError:
            pass
        except Exception as error:
            raw.append(
                f"{name}({first!r:.40}, {second!r:.40}, {more!r:.80}): {type(error).__name__}: {error}"
            )
    return raw


def test_the_main_doors_answer_wrong_arguments_in_sentences():
    assert walk(1, 150) == []


def test_every_public_callable_answers_wrong_arguments_in_sentences(tmp_path, monkeypatch):
    """A few calls of each; many at night (tests/fuzz/wrong_calls.py)."""
    monkeypatch.chdir(tmp_path)
    calls, raw = every_call.walk(seed=3, each=3)
    assert calls > 1000
    assert raw == {}


# what declarations say ----------------------------------------------------------------------------


@named_arguments
class Shelf:
    """Has methods of each kind, which fail as code does that trusts its arguments."""

    def __init__(self, size: float):
        self.size = size + 1.0

    def named(self, names: list[str]) -> str:
        """Need a text in each place."""
        return "".join(names)

    @classmethod
    def of(cls, table: dict[str, float]) -> Shelf:
        """Need numbers under names."""
        return cls(sum(table.values()))

    @staticmethod
    def twice(rows: np.ndarray) -> np.ndarray:
        """Need an array, which has no owner before it."""
        return rows.T @ rows

    def outputs(self, t: float) -> float:
        """Stay as written: it would be compiled."""
        return t + 1.0


METHODS = {
    "a constructor": (lambda: Shelf("x"), "Shelf: size must be float; got 'x' .str."),
    "a number in a list of texts": (lambda: Shelf(1.0).named([1]), r"Shelf.named: names must be list\[str\]"),
    "a text in a table": (lambda: Shelf.of({"a": "x"}), r"Shelf.of: table must be dict\[str, float\]"),
    "a list for an array": (lambda: Shelf.twice([1.0]), "twice: rows must be ndarray; got .1.0. .list."),
    "a word that is none": (lambda: Shelf(1.0).named(name=["a"]), "Shelf.named has no argument 'name'"),
}


@pytest.mark.parametrize("what", METHODS)
def test_methods_of_a_class_name_the_argument(what):
    call, words = METHODS[what]
    with pytest.raises(CallError, match=words):
        call()


def test_the_error_behind_a_sentence_is_kept():
    with pytest.raises(CallError) as caught:
        Shelf("x")
    assert isinstance(caught.value.__cause__, TypeError)
    with pytest.raises(TypeError, match="unsupported operand") as caught:
        Shelf(1.0).outputs(None)
    assert not isinstance(caught.value, CallError)


def test_warnings_name_the_line_of_the_program():
    """However many calls lie between: a guarded call has a frame of its own."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        body = ist.MassBody("b", mass=1.0, inertia=[1, 1, 1], inertia_spec="none")
        body.set_core(mass=1.0, inertia=[1, 1, 1], inertia_spec="none")
    assert [Path(one.filename).name for one in heard] == [Path(__file__).name] * 2


@pytest.mark.parametrize("digits", [400, 5000])
def test_numbers_of_hundreds_of_digits_in_a_mass_tree_are_one_sentence(digits, tmp_path):
    path = tmp_path / "tree.json"
    ist.MassBody("b", mass=7.0, inertia=[1, 1, 1]).save(path)
    text = path.read_text()
    assert text.count('"mass": 7.0') == 1
    path.write_text(text.replace('"mass": 7.0', '"mass": ' + "7" * digits))
    with pytest.raises(ist.InterstageError, match=f"a number of {digits} digits is beyond double precision"):
        ist.MassBody.load(path)
