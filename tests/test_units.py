"""Units as strings: factors against their legal definitions, kinds, and the sentences for what cannot be read."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interstage.component import units
from interstage.errors import InputError
from interstage.units import UNITS, check_unit, parsed, quantity, split_quantity, unit

# by definition: international yard and pound (1959), standard gravity (CGPM 1901), BIPM's list of units
DEFINED = [
    ("ft", "m", 0.3048),
    ("in", "mm", 25.4),
    ("nmi", "km", 1.852),
    ("lbm", "g", 453.59237),
    ("lbf", "N", 0.45359237 * 9.80665),
    ("slug*ft/s^2", "lbf", 1.0),
    ("slinch*in/s**2", "lbf", 1.0),
    ("psi", "lbf/in^2", 1.0),
    ("psf", "lbf/ft^2", 1.0),
    ("psi", "psf", 144.0),
    ("deg", "rad", math.pi / 180.0),
    ("deg", "arcsec", 3600.0),
    ("rpm", "deg/s", 6.0),
    ("rev/min", "rpm", 1.0),
    ("deg/sqrt(h)", "deg/sqrt(s)", 1.0 / 60.0),
    ("deg/h/sqrt(s)", "rad/s^1.5", math.pi / 180.0 / 3600.0),
    ("kW*h", "MJ", 3.6),
    ("N m", "J", 1.0),
    ("kg·m^2/s^3", "W", 1.0),
    ("V*A*s", "J", 1.0),
    ("T*m^2/s", "V", 1.0),
    ("1/s", "Hz", 1.0),
    ("µrad", "urad", 1.0),
    ("(N*m)/(rad/s)", "N*m*s/rad", 1.0),
    ("percent", "", 0.01),
]


@pytest.mark.parametrize(("given_", "wanted", "factor"), DEFINED, ids=[f"{a} in {b}" for a, b, _ in DEFINED])
def test_factors_are_those_of_the_definitions(given_, wanted, factor):
    assert check_unit(given_, wanted, "here") == pytest.approx(factor, rel=4e-16, abs=0.0)


@pytest.mark.parametrize(
    ("given_", "wanted"),
    [("Hz", "rad/s"), ("rad", ""), ("N", "kg"), ("N*m", "N*m/rad"), ("lbf", "lbm"), ("deg/h", "deg/sqrt(h)")],
)
def test_other_kinds_are_refused(given_, wanted):
    with pytest.raises(InputError, match=r"the units do not fit \(imu.rate\); expected"):
        check_unit(given_, wanted, "imu.rate")


def test_an_angle_that_was_forgotten_is_named():
    with pytest.raises(InputError, match="1 Hz is 2π rad/s"):
        check_unit("Hz", "rad/s", "tvc.bandwidth")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("radd/s", "no unit 'radd'.*did you mean rad"),
        ("lbs", "did you mean lbm, lbf"),
        ("hz", "did you mean Hz"),
        ("sec", "did you mean s$"),
        ("m/seconds", "'seconds'.*did you mean s$"),
        ("Nm", r"did you mean N\*m$"),  # not the nanometre, which is like it
        ("N*", "cannot be read"),
        ("deg/(h", "not closed"),
        ("deg)", "cannot be read"),
        ("m^x", "its power"),
        ("2 m", "cannot be read"),
        ("m#", "cannot be read"),
    ],
)
def test_bad_units_are_named(text, said):
    with pytest.raises(InputError, match=said):
        unit(text)


def test_a_unit_is_text():
    with pytest.raises(InputError, match="a unit is a string"):
        unit(3)


@pytest.mark.parametrize(
    ("value", "wanted", "number"),
    [
        ("0.9 MN", "N", 9e5),
        ("6 deg", "rad", math.pi / 30.0),
        ("-1.5e3mm", "m", -1.5),
        ("1/3 s", "s", 1.0 / 3.0),
        ("1 /s", "Hz", 1.0),
        ("5", "", 5.0),
        (5, "kg", 5.0),
        ("2.5", "percent", 250.0),
    ],
)
def test_quantities(value, wanted, number):
    assert quantity(value, wanted) == pytest.approx(number, rel=1e-15)


@pytest.mark.parametrize(
    ("value", "wanted"), [("5", "m"), ("5 kg", "m"), ("five m", "m"), ([1.0], "m"), (None, "m")]
)
def test_what_is_no_quantity_is_refused(value, wanted):
    with pytest.raises(InputError, match=r"engine\.thrust"):
        quantity(value, wanted, "engine.thrust")


def test_numbers_and_units_are_split():
    assert split_quantity("  2.5ms ") == (2.5, "ms")
    with pytest.raises(InputError, match="not a quantity"):
        split_quantity("ms")


NAMES = st.sampled_from(sorted(set(UNITS) - {"%"}))


@settings(deadline=None)
@given(NAMES, NAMES, st.integers(-3, 3))
def test_products_and_powers_agree_with_arithmetic(a, b, p):
    both = unit(f"{a}*{b}")
    assert both.factor == pytest.approx(UNITS[a].factor * UNITS[b].factor, rel=1e-14)
    assert (both / unit(b)).same_kind(unit(a))
    assert unit(f"{a}^{p}").same_kind(unit("*".join([a] * p) if p > 0 else "1" + f"/{a}" * -p))
    assert unit(unit(a).si).same_kind(unit(a)) and unit(unit(a).si).factor == 1.0


def test_a_parse_takes_microseconds():
    read = parsed.__wrapped__
    begin = time.process_time()
    for _ in range(300):
        read("deg/sqrt(h)")
    assert (time.process_time() - begin) / 300 < 50e-6  # 7 µs where nobody disturbs


def test_files_take_their_factors_from_the_same_table():
    for table in units.TABLES.values():
        for name, factor in table.items():
            assert factor == UNITS[name].factor
