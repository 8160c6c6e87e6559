"""Fields of the component are declared once: files, units, shapes and choices follow from the declaration."""

from dataclasses import dataclass, field

import h5py
import numpy as np
import pytest
from component_models import bent
from hypothesis import given, settings
from hypothesis import strategies as st

from interstage.component import Component
from interstage.component.schema import powers, stored
from interstage.component.units import LENGTH, MASS, TIME, converted
from interstage.errors import FileError, InputError

SYSTEMS = st.tuples(
    st.sampled_from(sorted(MASS)), st.sampled_from(sorted(LENGTH)), st.sampled_from(sorted(TIME))
)


def made(mass="kg", length="m", time="s", aset=None, **options):
    """The component of one frame, built from its matrices in other units."""
    m, L, T = 1.0 / MASS[mass], 1.0 / LENGTH[length], 1.0 / TIME[time]
    K, M, nodes = bent(lumped=True)
    per = np.tile([1 / L] * 3 + [1.0] * 3, len(nodes))  # a force does work on L, a moment on a rotation
    energy = np.outer(per, per) * m * L**2
    B = 1e-3 * K
    B[1, 1] += 0.5
    return Component.from_matrices(
        K * energy / T**2, M * energy, {i: np.asarray(p) * L for i, p in nodes.items()}, n_modes=4, aset=aset,
        B=B * energy / T, K4=0.02 * K * energy / T**2, damping=0.01, rotary_integrals=True, reference=20,
        rigid_threshold_hz=1e-4 / T, units=f"{mass}-{length}-{time}",
    )  # fmt: skip


INTERFACE = {10: 123456, 70: 123}
FREE, HELD = made(), made(aset=INTERFACE)


def arrays_of(c: Component, sign: np.ndarray) -> dict[str, np.ndarray]:
    """All that depends on units, the modes with given signs."""
    s = sign
    out = {
        "positions": c.node_positions, "reference": c.reference_position, "gamma": c.gamma * s, "lam": c.lam * s,
        "hz": c.frequencies_hz, "mass": c.mass, "com": c.com, "inertia": c.inertia, "E": c.E * s, "F0": c.F0 * s,
        "G0": c.G0, "J1": c.J1 * s[:, None, None], "J2": c.J2 * np.outer(s, s)[:, :, None, None],
        "F1": c.F1 * s[:, None, None] * s, "pm_mass": c.pm_mass, "pm_c": c.pm_c, "pm_S2": c.pm_S2, "pm_E": c.pm_E * s,
        "viscous": c.viscous * np.outer(s, s), "structural": c.structural * np.outer(s, s),
        "rotary G1": np.einsum("rsl,r,s,l->rsl", c.rotary["G1"], s, s, s),
        "rotary G2": np.einsum("rslm,r,s,l,m->rslm", c.rotary["G2"], s, s, s, s),
        "rotary F2": np.einsum("rlas,r,l,s->rlas", c.rotary["F2"], s, s, s),
        "rotary E1": np.einsum("ras,r,s->ras", c.rotary["E1"], s, s), "cards": c.bgpdt,
    }  # fmt: skip
    if c.ground_damping is not None:
        out["ground"] = c.ground_damping * np.concatenate([np.ones(6), s])
    if c.craig_bampton is not None:
        cb = c.craig_bampton
        out |= {"cb hz": cb.frequencies_hz}
        out |= {"cb K": cb.stiffness[:9, :9], "cb M": cb.mass[:9, :9], "cb B": cb.viscous[:9, :9]}
    return {key: np.asarray(value) for key, value in out.items()}


@settings(max_examples=8, deadline=None)
@given(system=SYSTEMS, held=st.booleans())
def test_conversion_agrees_with_matrices_in_other_units(system, held):
    """A component converted to other units is the one made from matrices in those units."""
    ours = converted(HELD if held else FREE, "-".join(system))
    truth = made(*system, aset=INTERFACE if held else None)
    sign = np.sign(np.einsum("nar,nar->r", ours.gamma, truth.gamma))
    plain, other = arrays_of(ours, sign), arrays_of(truth, np.ones(truth.n_modes))
    assert plain.keys() == other.keys()
    # modes of a free body have no E and F0 but rounding
    size = {"E": np.sqrt(truth.mass), "pm_E": np.sqrt(truth.mass), "F0": np.sqrt(np.trace(truth.inertia))}
    for key, value in plain.items():
        largest = size.get(key, np.abs(other[key]).max(initial=0.0))
        # modes of a matrix come out to about 1e-9 of their largest entry, second moments of them likewise
        assert np.allclose(value, other[key], rtol=1e-6, atol=1e-7 * largest), key


def datasets(path) -> dict[str, np.ndarray]:
    out = {}
    with h5py.File(path) as f:
        f.visititems(
            lambda name, item: out.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None
        )
    del out["TIME_STAMP"]
    return out


@settings(max_examples=8, deadline=None)
@given(system=SYSTEMS, held=st.booleans(), lazy=st.booleans())
def test_there_and_back_through_files(tmp_path_factory, system, held, lazy):
    """Written, read in other units, written, read back: the first file, dataset by dataset."""
    folder = tmp_path_factory.mktemp("units")
    component = HELD if held else FREE
    component.save(folder / "one.h5", write_modal_matrix=True)
    there = Component.load(folder / "one.h5", units="-".join(system), lazy=lazy)
    there.save(folder / "two.h5")
    back = Component.load(folder / "two.h5", units="SI", lazy=lazy)
    back.save(folder / "three.h5", write_modal_matrix=True)
    one, three = datasets(folder / "one.h5"), datasets(folder / "three.h5")
    assert one.keys() == three.keys()
    for name, value in one.items():
        assert (value.shape, value.dtype) == (three[name].shape, three[name].dtype), name
        if value.dtype.kind == "f":
            assert np.allclose(three[name], value, rtol=1e-13, atol=1e-14 * np.abs(value).max(initial=0.0)), (
                name
            )
        else:
            assert np.array_equal(three[name], value), name


@dataclass(eq=False)
class Stiffened(Component):
    """A component with two fields more: nothing but their declaration."""

    unit_stiffness: np.ndarray | None = field(
        default=None, metadata=stored("Stiffened/UNIT", "3 n n", "m L/T^2 eta^2")
    )
    unit_loads: np.ndarray | None = field(default=None, metadata=stored("Stiffened/LOAD", "N 3"))


def test_a_field_needs_its_declaration_alone(tmp_path):
    """Written, read, converted, checked, cut to some modes and nodes; older readers pass it by."""
    rng = np.random.default_rng(3)
    n = FREE.n_modes
    G = rng.normal(size=(3, n, n))
    c = Stiffened(**FREE.__dict__, unit_stiffness=G, unit_loads=rng.normal(size=(7, 3)))
    c.save(tmp_path / "more.h5")
    back = Stiffened.load(tmp_path / "more.h5")
    assert np.array_equal(back.unit_stiffness, G)
    assert np.array_equal(back.unit_loads, c.unit_loads)
    there = Stiffened.load(tmp_path / "more.h5", units="t-mm-ms")
    # energy 1/2 eta' G eta per unit of length, with eta in kg^1/2 m
    eta = rng.normal(size=n)
    factor = np.sqrt(1e-3) * 1e3
    energy = 1e-3 * 1e6 / 1e6
    assert np.allclose(
        np.einsum("r,ars,s->a", eta * factor, there.unit_stiffness, eta * factor),
        np.einsum("r,ars,s->a", eta, G, eta) * energy / 1e3,
        rtol=1e-13,
    )
    assert np.array_equal(c.keep_modes([0, 2]).unit_stiffness, G[:, [0, 2]][:, :, [0, 2]])
    assert np.array_equal(c.keep_nodes([70, 20]).unit_loads, c.unit_loads[[1, 6]])
    with pytest.raises(InputError, match=r"'unit_stiffness' does not fit.*\(3, 4, 4\)"):
        c.with_changes(unit_stiffness=G[:, :2])
    with h5py.File(tmp_path / "more.h5", "r+") as f:
        del f["Stiffened/UNIT"]
        f["Stiffened/UNIT"] = np.zeros((3, n))
    with pytest.raises(FileError, match="Stiffened/UNIT"):
        Stiffened.load(tmp_path / "more.h5")
    assert Component.load(tmp_path / "more.h5").n_modes == n


def test_some_modes_keep_their_integrals():
    """The integrals of some modes are those of a component that has these modes alone."""
    few, all_of = FREE.keep_modes([1, 3]), FREE
    assert np.array_equal(few.rotary["G1"], all_of.rotary["G1"][np.ix_([1, 3], [1, 3], [1, 3])])
    assert np.array_equal(few.ground_damping[:, 6:], all_of.ground_damping[:, [7, 9]])
    assert np.array_equal(few.J2, all_of.J2[np.ix_([1, 3], [1, 3])])


@pytest.mark.parametrize("modes", [[0, 0], [99], [0.5], 2, [True], "a", None, [[0, 1]], ["a"]])
def test_a_choice_of_modes_that_is_none_is_refused(modes):
    with pytest.raises(InputError, match=r"choice of modes is not usable.*from 0 to 3, each once"):
        FREE.keep_modes(modes)


def test_a_choice_of_nodes():
    assert FREE.keep_nodes([]).n_nodes == 0 and FREE.keep_modes([]).n_modes == 0
    for nodes in ([0.5], ["a"], 5, None, "10", [[10, 20]]):
        with pytest.raises(InputError, match="choice of nodes is not usable"):
            FREE.keep_nodes(nodes)


def test_integrals_go_together():
    with pytest.raises(InputError, match="J1 and F1 alone"):
        FREE.with_changes(J2=None)


@pytest.mark.parametrize(
    ("unit", "wanted"),
    [("1", (0, 0, 0)), ("m L^2/T", (1, 2, -1)), ("m L/eta", (0.5, 0, 0)), ("m L^2/T^2 eta^2", (0, 0, -2))],
)
def test_units_in_powers(unit, wanted):
    assert powers(unit) == wanted
