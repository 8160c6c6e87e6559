"""Another process as a device: numbers out and in over UDP, once a sample.

A packet, both ways, little-endian:

    bytes 0-3     b"IST1"
    bytes 4-7     uint32   number of the packet, from 1; an answer has the number of what it answers
    bytes 8-15    float64  time of the run, s
    bytes 16-19   uint32   n
    bytes 20-     float64  n numbers: the ports in the order of their declaration, in their units

What is not that, has another n, numbers that are not finite, or comes from another host than the partner's, is counted
and dropped. Where no address is given, both ends are on the loopback address: nothing leaves the machine.
"""

from __future__ import annotations

import inspect
import socket
import struct
import time
import warnings
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, caller_level
from interstage.system.law import declared
from interstage.system.ticks import Period, period_of

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
