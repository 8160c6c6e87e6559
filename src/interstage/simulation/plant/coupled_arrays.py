"""The arrays of a closed loop: flat vectors of devices, tapes, places, schedule and buffers of the log.

Compiled code reads them by name through one row of addresses, as it does the vehicle's.
"""

from __future__ import annotations

import weakref
from collections import namedtuple
from collections.abc import Callable
from typing import TYPE_CHECKING

from interstage.jit import COMPILED

# name, kind (i int64, f float64, w the type of the state), number of axes
LOOP_FIELDS = (
    ("s", "w", 1),  # signals
    ("z", "w", 1),  # continuous states
    ("zdot", "w", 1),  # and their derivatives
    ("w", "w", 1),  # discrete states
    ("n", "i", 1),  # integers
    ("ahead", "i", 1),  # addresses of functions, and rows of their records
    ("ahead_row", "i", 1),
    ("before", "i", 1),
    ("before_row", "i", 1),
    ("after", "i", 1),
    ("after_row", "i", 1),
    ("rates", "i", 1),
    ("rates_row", "i", 1),
    ("place_site", "i", 1),  # (P,) site of the vehicle, or -1 - body
    ("place_body", "i", 1),  # (P,)
    ("place_l", "w", 2),  # (P, 3) place in body axes
    ("place_R", "w", 2),  # (P, 9) x_body = R x_node
    ("place_V", "w", 2),  # (P, 6) velocity, body axes
    ("look_kind", "i", 1),  # what is seen, of which place, in which axes, to which signal
    ("look_place", "i", 1),
    ("look_axes", "i", 1),
    ("look_to", "i", 1),
    ("q_from", "i", 1),  # coordinates of joints, and the signals they go to
    ("q_to", "i", 1),
    ("v_from", "i", 1),
    ("v_to", "i", 1),
    ("felt_kind", "i", 1),
    ("felt_place", "i", 1),
    ("felt_axes", "i", 1),
    ("felt_to", "i", 1),
    ("a_from", "i", 1),
    ("a_to", "i", 1),
    ("needed", "w", 1),  # (nv,) generalized forces that give the accelerations; (0,): not asked for
    ("carried_sites", "i", 1),  # where wrenches act, then ends of closures; and the wrenches (k, 10)
    ("carried_wrenches", "w", 2),
    ("end_closure", "i", 1),  # closure of each end, and which end it is
    ("end_side", "i", 1),
    ("reaction_from", "i", 1),  # forces of joints that are held, and the signals they go to
    ("reaction_to", "i", 1),
    ("reaction_body", "i", 1),
    (
        "result_to",
        "i",
        1,
    ),  # (r,) results inside bodies: signal, body, its modes, first number in result_modes
    ("result_body", "i", 1),
    ("result_first", "i", 1),
    ("result_modes", "f", 1),  # of each: C and A, n numbers each
    ("result_rigid", "f", 2),  # (r, 12) of products of spin and of the wrench across the inboard joint
    ("result_term", "i", 1),  # (r + 1,) terms of a result: a port, or -1 - row of carried_wrenches
    ("term_of", "i", 1),
    ("term_c", "f", 2),  # (terms, 6)
    ("modal_to", "i", 1),  # results of modes alone: signal, body, first number in modal_C
    ("modal_body", "i", 1),
    ("modal_first", "i", 1),
    ("modal_C", "f", 1),
    ("sites", "i", 1),  # (k,) where wrenches act
    ("wrenches", "w", 2),  # (k, 10) as forward dynamics takes them
    ("base_wrenches", "w", 2),  # (k, 10) what acts beside devices
    ("push_row", "i", 1),  # row and first column of a force or torque, and the signal it comes from
    ("push_column", "i", 1),
    ("push_from", "i", 1),
    ("tau", "w", 1),  # (nv,)
    ("base_tau", "w", 1),  # (nv,) what acts beside devices
    ("tau_to", "i", 1),
    ("tau_from", "i", 1),
    ("motion_to", "i", 1),
    ("motion_from", "i", 1),
    ("known_to", "i", 1),  # numbers of y = [q; v; z] that are known ahead, and the signals that say them
    ("known_from", "i", 1),
    ("mass_to", "i", 1),  # bodies whose mass properties are said ahead, and the first of ten signals
    ("mass_from", "i", 1),
    ("fuel_to", "i", 1),  # tanks whose propellant is a state, and the states
    ("fuel_from", "i", 1),
    ("fuel", "f", 1),  # (T,) propellant of the instant, and mass, m c and J (10,) of a body with it
    ("weight", "f", 1),
    ("corners", "f", 1),  # times at which steps of a method's own end, rising
    ("at", "w", 1),  # (n,) where the stage stands, for those who ask
    (
        "gravity_first",
        "i",
        1,
    ),  # (N + 1,) gravity of body i: sum of gravity_from[gravity_first[i]] ...; (0,): none
    ("gravity_from", "i", 1),  # signals
    ("sample", "i", 1),  # addresses of sampled functions in order, rows, period, first and next tick
    ("sample_row", "i", 1),
    ("sample_every", "i", 1),
    ("sample_first", "i", 1),
    ("sample_next", "i", 1),
    ("sample_tick", "i", 1),  # where the number of the sample lies in n
    (
        "inside",
        "i",
        1,
    ),  # (1,) samples of this tick that are behind where the run waits for a law outside, else 0
    ("clock", "i", 1),  # (2,) seconds of a tick: numerator, denominator
    ("ratio", "i", 1),  # (2,) steps in a tick: numerator, denominator
    ("now", "i", 1),  # where the run is
    ("option", "i", 1),
    ("pause", "f", 1),  # (2,) time from which no step is begun, time at which steps end
    ("flag", "i", 1),  # (3,) set by a function of a tape that raised: 1, its address and its row
    ("failed_at", "f", 1),  # (1,) and the time
    ("log", "f", 2),  # buffer of rows
    ("log_s", "i", 1),  # signals and states in its columns after time, q and v
    ("log_z", "i", 1),
    ("log_w", "i", 1),  # and discrete states and integers behind them
    ("log_n", "i", 1),
    ("group_every", "i", 1),  # groups of sampled signals: period and first tick
    ("group_first", "i", 1),
    ("group_extra", "i", 2),  # (e, 2) group and tick at which it has a row beside those
    ("group_column", "i", 1),  # (G + 1,) signals of group g are group_s[group_column[g]] ...
    ("group_s", "i", 1),
    ("group_at", "i", 1),  # first number in `samples`, rows so far, most rows
    ("group_rows", "i", 1),
    ("group_most", "i", 1),
    ("samples", "f", 1),  # buffers of all groups
    ("turned", "w", 2),  # (1, 9)
    (
        "watch_state",
        "i",
        1,
    ),  # numbers that are watched: whether in z or in s, where, and what is known of each
    ("watch_at", "i", 1),
    ("watch", "f", 2),  # (k, 6) as `coupled_kernels` has it
    ("back", "w", 1),  # (n,) y at the beginning of the step
    ("y", "w", 1),  # (n,) q, v and z of the run
    ("K", "w", 2),  # (slopes, n) of a step
    ("stage", "w", 1),  # (n,) and others as in `kernels.slope.Scratch`
    ("u", "w", 1),
    ("force", "w", 1),  # (nv,)
    ("shifted", "f", 1),
    ("pace", "f", 1),  # where the run is in its interval: see `kernels.flights`
    ("limits", "f", 1),
    ("group", "i", 1),  # of steps of a method's own: as in `kernels.stretch.Tolerance`
    ("floor", "f", 1),
    ("size", "f", 1),
    (
        "times",
        "f",
        1,
    ),  # (r,) ends of steps of a method's own, (r, n) states there, (r, slopes, n) slopes, or none
    ("ends", "w", 2),
    ("slopes", "w", 3),
    ("near", "f", 2),  # (2, gimbals) the farthest that each went in a fixed step near lock, and when
)
if TYPE_CHECKING:
    from interstage.multibody.arrays import Arrays

    class Loop(Arrays): ...

else:
    Loop = namedtuple("Loop", [name for name, _, _ in LOOP_FIELDS])

# without addresses a row is the key of a set of tapes, and an address a number in its list
_plain: weakref.WeakValueDictionary[int, PlainTapes] = weakref.WeakValueDictionary()


def _call_plain(address: int, row: int, t: float) -> int:
    """Call a function of a tape; return its status."""
    return _plain[int(row)].functions[int(address)](t)


# compiled code calls these alone; without addresses `loop_of` is not called
call: Callable[..., object] = _call_plain
loop_of: Callable[..., object] = _call_plain
if COMPILED:
    from interstage.compiled import WAITING, WELL, Record, caller

    loop_of = Record("Loop", LOOP_FIELDS).reference("loop_of", like=True)
    call = caller("nd", "int64")
else:
    WELL = 1  # status of a function of a tape that came to its end; 0 after it raised
    WAITING = 2  # of one that is outside, and waited for


class PlainTapes:
    """Functions of time that stand for compiled ones where nothing is called by address."""

    def __init__(self) -> None:
        self.functions: list[Callable[[float], int]] = []
        self.row = id(self)
        _plain[self.row] = self

    def add(self, function: Callable[[float], int]) -> int:
        """Return the number of a function."""
        self.functions.append(function)
        return len(self.functions) - 1
