"""A run and the clock on the wall: pacing, other processes over UDP, and how far it has come.

Runs in step with the clock on the wall, for hardware in the loop.

Before the samples of a tick the run waits until t/pace has passed since its start: it sleeps, and spins for the last
200 µs, since a sleep alone ends some 100 µs late. A tick that comes too late is an overrun; nothing is skipped, and the
run goes as fast as it can until it is on time again.

Another process as a device: numbers out and in over UDP, once a sample.

A packet, both ways, little-endian:

    bytes 0-3     b"IST1"
    bytes 4-7     uint32   number of the packet, from 1; an answer has the number of what it answers
    bytes 8-15    float64  time of the run, s
    bytes 16-19   uint32   n
    bytes 20-     float64  n numbers: the ports in the order of their declaration, in their units

What is not that, has another n, numbers that are not finite, or comes from another host than the partner's, is counted
and dropped. Where no address is given, both ends are on the loopback address: nothing leaves the machine.

How far a run has come: a bar on the terminal, or in a notebook, for runs that take more than two seconds.

Where nobody looks (no terminal) nothing is shown. Otherwise a run pauses some times a second, which changes nothing in
it, shows where it is and how fast beside the clock on the wall, and hears Ctrl-C. One that writes a file pauses too, as
often as rows are committed there, where others may follow them.
"""

from __future__ import annotations

import inspect
import math
import socket
import struct
import sys
import time
import warnings
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, caller_level
from interstage.simulation.plant.clock import Period, period_of
from interstage.simulation.plant.python_block import declared

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar


SPIN = 200e-6  # seconds before a tick in which the run does not sleep


@dataclass(frozen=True)
class Pacing:
    """How well a run kept time, in seconds of the wall.

    pace : simulated seconds a second;  ticks : at which it waited;  overruns : ticks that were reached too late
    worst, mean : lateness of ticks, of those that were on time too
    """

    pace: float
    ticks: int
    overruns: int
    worst: float
    mean: float

    def __str__(self) -> str:
        return (
            f"{self.ticks} ticks at {self.pace:g} of real time, {self.overruns} overruns, "
            f"late by {1e6 * self.mean:.3g} µs in the mean, {1e6 * self.worst:.3g} µs at worst"
        )


class Pacer:
    """Wait for the time of each tick, and take notes."""

    __slots__ = ("begin", "last", "overruns", "pace", "ticks", "total", "worst", "zero")

    def __init__(self, pace: float):
        number = isinstance(pace, int | float | np.integer | np.floating) and not isinstance(pace, bool)
        if not number or not np.isfinite(pace) or pace <= 0.0:
            raise InputError("pace must be a positive number", expected="1.0 for real time", got=repr(pace))
        self.pace, self.zero, self.begin, self.last = float(pace), 0.0, 0.0, -np.inf
        self.ticks, self.overruns, self.total, self.worst = 0, 0, 0.0, 0.0

    def wait(self, t: float) -> None:
        """Return when it is time for t; the first call is on time."""
        if t == self.last:
            return
        if self.last == -np.inf:
            self.zero, self.begin = time.perf_counter(), t
        self.last = t
        due = self.zero + (t - self.begin) / self.pace
        ahead = due - time.perf_counter()
        if ahead < 0.0 and t > self.begin:
            self.overruns += 1
        if ahead > SPIN:
            time.sleep(ahead - SPIN)
        while (late := time.perf_counter() - due) < 0.0:
            pass
        self.ticks += 1
        self.total += late
        self.worst = max(self.worst, late)

    def result(self) -> Pacing:
        """Return how well the run kept time."""
        return Pacing(self.pace, self.ticks, self.overruns, self.worst, self.total / max(self.ticks, 1))


LOOPBACK = "127.0.0.1"
MAGIC = b"IST1"
HEAD = struct.Struct("<4sIdI")
MOST = 8000  # numbers in a packet
COUNTS = {"missed": "1", "malformed": "1"}
Address = int | tuple[str, int]


@named_arguments
class UDP:
    """A process that is sent numbers and answers with others, every period; add it as a law.

        flight.add("hil", ist.UDP(send={"rate": "rad/s[3]"}, receive={"torque": "N*m[3]"}, to=5005), every="10 ms")

    send, receive : {port: "unit[size]"}, its inputs and outputs
    to, listen : port on this machine, or (host, port); listen=0: one that is free, see `address`
    wait : how long a sample waits for an answer; then what was received last is held (zero before that), and counted
    lockstep : take the answer to the packet just sent, and no other; otherwise the newest that has come

    Beside `receive` it has outputs `missed` and `malformed`, how many answers did not come, and how many packets were
    dropped. The socket is this process's alone. Only runs send: trims and linear models hold what it says. Every run,
    also a resumed one, begins to count anew, and to hold zeros.
    """

    sampled = True  # never continuous
    outside = True  # only runs may call it
    # no dictionary: nothing of it goes into checkpoints
    __slots__ = (
        "__signature__",
        "__weakref__",
        "_in",
        "_last",
        "_out",
        "_partner",
        "_socket",
        "address",
        "inputs",
        "lockstep",
        "malformed",
        "missed",
        "number",
        "out",
        "stale",
        "to",
        "wait",
    )

    def __init__(
        self,
        send: Mapping[str, str] | None = None,
        receive: Mapping[str, str] | None = None,
        *,
        to: Address | None = None,
        listen: Address = 0,
        wait: Period = "10 ms",
        lockstep: bool = True,
    ):
        self.inputs, received = dict(send or {}), dict(receive or {})
        for name in COUNTS:
            if name in received:
                raise InputError(f"'{name}' is an output of every UDP device", where="receive")
        if (self.inputs or lockstep) and to is None:
            raise InputError(
                "nobody is there to send to", where="UDP", hint="give to=, a port or (host, port)"
            )
        self.out = received | COUNTS
        self._in, self._out = _sizes(self.inputs), _sizes(received)
        self.to = None if to is None else _address(to, "to")
        self.wait, self.lockstep = float(period_of(wait, "UDP, wait", zero=True)), lockstep
        self.number = self.missed = self.malformed = self.stale = 0
        self._last = np.zeros(sum(size or 1 for size in self._out.values()))
        time_first = [inspect.Parameter("t", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        ports = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in self.inputs]
        self.__signature__ = inspect.Signature(time_first + ports)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        weakref.finalize(self, self._socket.close)  # where `close` was not called
        try:
            self._partner = None if self.to is None else socket.gethostbyname(self.to[0])
            self._socket.bind(_address(listen, "listen"))
        except OSError as err:
            raise InputError(
                f"no socket can be had: {err}", where="UDP", got=f"to {to}, listen {listen}"
            ) from err
        self.address: tuple[str, int] = self._socket.getsockname()

    def begin(self) -> None:
        """Begin a run: nothing is received or missed yet. Packets are numbered on, so that old answers are known."""
        self.missed = self.malformed = self.stale = 0
        self._last = np.zeros_like(self._last)

    def close(self) -> None:
        """Give the socket back."""
        self._socket.close()

    def __call__(self, t: float, **values: ArrayLike) -> dict[str, object]:
        """Send the inputs, wait for an answer, and return it, or what was received last."""
        self.number += 1
        if self.to is not None:
            numbers = [np.ravel(np.asarray(values[name], dtype=float)) for name in self.inputs]
            body = np.concatenate([np.zeros(0), *numbers])
            self._socket.sendto(
                HEAD.pack(MAGIC, self.number & 0xFFFFFFFF, t, len(body)) + body.tobytes(), self.to
            )
        if self._out and not self._received():
            self._miss(t)
        return self._by_name() | {"missed": self.missed, "malformed": self.malformed}

    def _received(self) -> bool:
        """Take packets until there is an answer; return whether there was one."""
        end, found = time.perf_counter() + self.wait, False
        while True:
            # in lockstep one answer is enough; otherwise all that is there is taken
            left = 0.0 if found else max(end - time.perf_counter(), 0.0)
            self._socket.settimeout(left)
            try:
                packet, sender = self._socket.recvfrom(65535)
            except (BlockingIOError, TimeoutError):
                return found
            except ConnectionError:  # nobody listened there when something was sent
                continue
            numbers = self._read(packet, sender[0])
            if numbers is not None:
                found, self._last = True, numbers
                if self.lockstep:
                    return True

    def _read(self, packet: bytes, host: str) -> np.ndarray | None:
        """Return the numbers of a packet that is one and is wanted."""
        n = len(self._last)
        if len(packet) == HEAD.size + 8 * n and self._partner in (None, host):
            magic, number, _, count = HEAD.unpack_from(packet)
            numbers = np.frombuffer(packet, "<f8", offset=HEAD.size)
            if magic == MAGIC and count == n and np.isfinite(numbers).all():
                if self.lockstep and number != self.number & 0xFFFFFFFF:
                    self.stale += 1
                    return None
                return numbers.astype(float)
        self.malformed += 1
        return None

    def _by_name(self) -> dict[str, object]:
        found: dict[str, object] = {}
        at = 0
        for name, size in self._out.items():
            part = self._last[at : at + (size or 1)]
            found[name] = float(part[0]) if size is None else part.copy()
            at += size or 1
        return found

    def _miss(self, t: float) -> None:
        """Count an answer that did not come; the first time say what is held."""
        self.missed += 1
        if self.missed == 1:
            held = ", ".join(
                f"{name} = {np.asarray(value).tolist()}" for name, value in self._by_name().items()
            )
            who = "anyone" if self.to is None else f"{self.to[0]}:{self.to[1]}"
            warnings.warn(
                f"no answer from {who} within {self.wait:g} s at t = {t:.9g}; held: {held} (later ones are counted)",
                stacklevel=caller_level(),
            )

    def __repr__(self) -> str:
        return f"UDP({', '.join(self.inputs)})"


def _sizes(ports: Mapping[str, str]) -> dict[str, int | None]:
    """Return the size of each port; None: one number."""
    found = {name: declared(text, f"UDP.{name}")[1] for name, text in ports.items()}
    total = sum(size or 1 for size in found.values())
    if total > MOST:
        raise InputError("too many numbers for a packet", expected=f"{MOST} at most", got=str(total))
    return found


def _address(given: Address, what: str) -> tuple[str, int]:
    """Return host and port; a number alone is a port on this machine."""
    host, port = given if isinstance(given, tuple) and len(given) == 2 else (LOOPBACK, given)
    whole = isinstance(port, int) and not isinstance(port, bool)
    if not isinstance(host, str) or not whole or not (0 if what == "listen" else 1) <= port <= 65535:
        raise InputError(
            "not an address", where=f"UDP, {what}", expected="a port or (host, port)", got=repr(given)
        )
    return host, port


PATIENCE_S = 2.0  # runs shorter than this show nothing
BLINK_S = 0.15  # seconds between two looks


def console() -> Console | None:
    """Return a console that someone looks at, None where there is none."""
    if not (sys.stderr is not None and sys.stderr.isatty()) and "ipykernel" not in sys.modules:
        return None
    from rich.console import Console

    return Console(stderr=True, markup=False, emoji=False, highlight=False)


class Progress:
    """The progress of a run from one time to another, until `close`.

    shown : False shows nothing;  commits : seconds between commits of rows to a file, 0: there is none
    """

    def __init__(self, name: str, start: float, until: float, shown: bool = True, commits: float = 0.0):
        self.name, self.start, self.until = name, start, until
        self.console = console() if shown else None
        self.every = max(commits, BLINK_S if self.console is not None else 0.0)  # seconds between two looks
        self.ahead = (until - start) / 2000.0
        self.begun = self.last = time.perf_counter()
        self.bar: Bar | None = None

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()

    def pause(self, t: float) -> float:
        """Return the time at which the run shall look up again."""
        return t + self.ahead if self.every else math.inf

    def show(self, t: float) -> None:
        """Show where the run is."""
        now = time.perf_counter()
        # as far ahead as takes about that long
        self.ahead *= min(4.0, max(0.1, self.every / max(now - self.last, 1e-6)))
        self.last = now
        if self.console is None or now - self.begun < PATIENCE_S:
            return
        if self.bar is None:
            self.bar = started(self.console, self.name, self.until - self.start)
        speed = (t - self.start) / (now - self.begun)
        self.bar.update(
            self.bar.task_ids[0],
            completed=t - self.start,
            description=f"{self.name}  t = {t:.{self._digits()}f} of {self.until:g} s",
            speed=f"{speed:.3g}× real time",
        )

    def _digits(self) -> int:
        """Return how many digits of the time are worth showing."""
        return max(0, 2 - math.floor(math.log10(max(self.until - self.start, 1e-9))))


def started(console: Console, name: str, total: float) -> Bar:
    """Return a bar that has begun: what it says, how far it is, its field `speed`, and the time left."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=28),
        TextColumn("{task.fields[speed]}", markup=False),
        TimeRemainingColumn(),
    )
    bar = Bar(*columns, console=console, transient=True)
    bar.add_task(name, total=total, speed="")
    bar.start()
    return bar
