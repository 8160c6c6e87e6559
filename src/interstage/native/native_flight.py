"""Fly flight files from Python by the native library: `NativeFlight`, which needs ctypes and numpy alone."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from interstage.calls import named_arguments
from interstage.errors import InputError, SolverError, did_you_mean
from interstage.output import as_path

KINDS = ("input", "output", "parameter", "state", "discrete state", "integer state", "q", "v")
OK, PAUSED, LAW, ENDED, REFUSED = 0, 1, 2, 3, -4
SLICE = 0.05  # seconds of the wall after which an interrupt is heard
NATIVE = "INTERSTAGE_LIBRARY"  # variable of the environment with the path of the library


class _Said(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("unit", ctypes.c_char_p),
        ("kind", ctypes.c_int),
        ("size", ctypes.c_int),
        ("low", ctypes.c_double),
        ("high", ctypes.c_double),
    )


@dataclass(frozen=True)
class NativePort:
    """A port of a flight: an "input" is set from outside, an "output" is written by a device.

    number : by which C knows it;  kind : one of "input", "output", "parameter", "state", "discrete state",
    "integer state", "q", "v" (coordinates and velocities of the vehicle);  low, high : what it may be set to
    """

    number: int
    name: str
    unit: str
    kind: str
    size: int
    low: float
    high: float


_LAW = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double)
_DECLARED: dict[str, tuple] = {
    "ist_version": (ctypes.c_char_p,),
    "ist_open": (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t),
    "ist_open_bytes": (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t),
    "ist_close": (None, ctypes.c_void_p),
    "ist_describe": (ctypes.c_char_p, ctypes.c_void_p),
    "ist_ports": (ctypes.c_int, ctypes.c_void_p),
    "ist_port": (ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(_Said)),
    "ist_laws": (ctypes.c_int, ctypes.c_void_p),
    "ist_law_name": (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int),
    "ist_events": (ctypes.c_int, ctypes.c_void_p),
    "ist_event_name": (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int),
    "ist_happened": (ctypes.c_double, ctypes.c_void_p, ctypes.c_int),
    "ist_new": (ctypes.c_void_p, ctypes.c_void_p),
    "ist_free": (None, ctypes.c_void_p),
    "ist_reset": (None, ctypes.c_void_p),
    "ist_on_law": (ctypes.c_int, ctypes.c_void_p, ctypes.c_int, _LAW, ctypes.c_void_p),
    "ist_stop_at_law": (ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int),
    "ist_time": (ctypes.c_double, ctypes.c_void_p),
    "ist_advance": (ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_int),
    "ist_pause": (None, ctypes.c_void_p, ctypes.c_double),
    "ist_get": (ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p),
    "ist_set": (ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p),
    "ist_message": (ctypes.c_char_p, ctypes.c_void_p),
    "ist_saved_size": (ctypes.c_size_t, ctypes.c_void_p),
    "ist_save": (None, ctypes.c_void_p, ctypes.c_void_p),
    "ist_restore": (ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t),
}


@cache
def load_library(path: str) -> ctypes.CDLL:
    """Load a native library, once, with the types of its functions."""
    try:
        found = ctypes.CDLL(path)
        for name, (result, *arguments) in _DECLARED.items():
            function = getattr(found, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise InputError("this is not the native library", where=path, got=str(error)[:200]) from None
    return found


class _Opened:
    """A flight file in a library; it is closed when the last instance is gone."""

    def __init__(self, path: Path, library: str):
        self.library = load_library(library)
        why = ctypes.create_string_buffer(512)
        self.handle = self.library.ist_open(os.fsencode(path), why, len(why))
        if not self.handle:
            raise InputError(
                "the flight cannot be opened", where=str(path), got=why.value.decode(errors="replace")
            )
        said, ports = _Said(), []
        for k in range(self.library.ist_ports(self.handle)):
            self.library.ist_port(self.handle, k, ctypes.byref(said))
            name, unit = said.name.decode(), said.unit.decode()
            ports.append(NativePort(k, name, unit, KINDS[said.kind], said.size, said.low, said.high))
        self.ports = {port.name: port for port in ports}
        names = (self.library.ist_law_name(self.handle, k) for k in range(self.library.ist_laws(self.handle)))
        self.laws = [name.decode() for name in names]
        events = (
            self.library.ist_event_name(self.handle, k) for k in range(self.library.ist_events(self.handle))
        )
        self.events = [name.decode() for name in events]
        self.about = json.loads(self.library.ist_describe(self.handle).decode())

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self.library.ist_close(self.handle)


@named_arguments
class NativeFlight:
    """One instance of a flight that the native library flies: `export_flight` writes the file.

        flight = ist.NativeFlight("vehicle.flight", library="libinterstage.so")
        flight.set({"motor.command": 0.2})
        flight.advance(10.0)
        flight["gyro.rate"]

    Instances share nothing that changes: each thread may fly its own (`another`).

    Parameters
    ----------
    path : flight file
    library : the native library; default: the environment's INTERSTAGE_LIBRARY
    """

    def __init__(self, path: str | os.PathLike[str], library: str | os.PathLike[str] | None = None):
        found = os.environ.get(NATIVE) if library is None else os.fspath(library)
        if not found:
            raise InputError(
                "where is the native library?",
                where="NativeFlight",
                expected="library=",
                hint="ist.build_library makes it",
            )
        self._begin(_Opened(as_path(path, "flight file"), os.path.abspath(found)))

    def _begin(self, opened: _Opened) -> None:
        self._opened, self._library = opened, opened.library
        self._laws: dict[str, object] = {}  # functions that C may call live as long as the instance
        self._error: BaseException | None = None
        self._handle = self._library.ist_new(opened.handle)
        if not self._handle:
            raise MemoryError("no memory for an instance of the flight")

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.ist_free(self._handle)

    def another(self) -> NativeFlight:
        """Return a new instance of the same flight, at the start."""
        new = object.__new__(NativeFlight)
        new._begin(self._opened)
        return new

    @property
    def ports(self) -> dict[str, NativePort]:
        """Ports by name."""
        return dict(self._opened.ports)

    @property
    def laws(self) -> list[str]:
        """Names of laws that are outside of the flight (`on_law`)."""
        return list(self._opened.laws)

    @property
    def events(self) -> list[tuple[float, str]]:
        """Times and names of the events that have happened, each as it happened last, in their order."""
        times = (self._library.ist_happened(self._handle, k) for k in range(len(self._opened.events)))
        return sorted((t, name) for t, name in zip(times, self._opened.events) if t > -np.inf)

    @property
    def about(self) -> dict[str, object]:
        """What the file says of itself: name, version, method and steps."""
        return dict(self._opened.about)

    @property
    def t(self) -> float:
        """The time at which it stands, s."""
        return float(self._library.ist_time(self._handle))

    def _port(self, name: str) -> NativePort:
        port = self._opened.ports.get(name)
        if port is None:
            raise InputError(f"there is no port '{name}'", hint=did_you_mean(name, list(self._opened.ports)))
        return port

    def __getitem__(self, name: str) -> np.ndarray:
        """Return the values of a port at the present time, (size,)."""
        port = self._port(name)
        out = np.empty(port.size)
        self._check(self._library.ist_get(self._handle, port.number, out.ctypes.data))
        return out

    def set(self, values: Mapping[str, ArrayLike]) -> None:
        """Set ports by name: inputs, parameters, states; all or, where one cannot be, none of them."""
        checked = []
        for name, value in values.items():
            port = self._port(name)
            if port.kind == "output":
                raise InputError(
                    f"'{name}' is written by a device", expected="an input, a parameter or a state"
                )
            try:
                array = np.ascontiguousarray(
                    np.broadcast_to(np.asarray(value, dtype=float).ravel(), port.size)
                )
            except (TypeError, ValueError):
                raise InputError(
                    "not a value", where=name, expected=f"{port.size} numbers", got=repr(value)[:60]
                ) from None
            if not (np.isfinite(array).all() and (array >= port.low).all() and (array <= port.high).all()):
                raise InputError(
                    "a value that it cannot have",
                    where=name,
                    expected=f"{port.low:g} to {port.high:g}",
                    got=str(array),
                )
            checked.append((port, array))
        for port, array in checked:
            self._check(self._library.ist_set(self._handle, port.number, array.ctypes.data))

    def on_law(self, name: str, law: Callable[[float, NativeFlight], Mapping[str, ArrayLike]] | None) -> None:
        """Let law(t, flight), returning {output of the law: value}, be called where a law is sampled; None: nobody."""
        number = self._law(name)

        def call(user: object, instance: object, t: float) -> int:
            try:
                assert law is not None
                for port, value in law(t, self).items():
                    full = port if port in self._opened.ports else f"{name}.{port}"
                    self.set({full: value})
            except BaseException as error:  # it ends the flight, and is raised there
                self._error = error
                return 1
            return 0

        self._laws[name] = _LAW(0) if law is None else _LAW(call)
        self._check(self._library.ist_on_law(self._handle, number, self._laws[name], None))

    def stop_at(self, name: str, stop: bool = True) -> None:
        """Let `advance` come back where a law is sampled; what it says is set there, and the next `advance` goes on."""
        self._check(self._library.ist_stop_at_law(self._handle, self._law(name), int(stop)))

    def _law(self, name: str) -> int:
        if name not in self._opened.laws:
            raise InputError(
                f"there is no law '{name}'", expected=", ".join(self._opened.laws) or "none is outside"
            )
        return self._opened.laws.index(name)

    def advance(self, to: float, *, before_samples: bool = False) -> bool:
        """Go on to a time, s; return whether it came there, and not to the sample of a law (`stop_at`) or its end.

        An event that stops the flight ends it: `t` is when, and it goes no further.

        before_samples : not the samples of that time, which then see what is set here
        """
        import time

        try:
            end = float(to)
        except (TypeError, ValueError):
            raise InputError("not a time", where="to", expected="seconds", got=repr(to)[:60]) from None
        ahead = SLICE
        while True:
            begun, clock = self.t, time.perf_counter()
            self._library.ist_pause(self._handle, begun + ahead)
            status = self._library.ist_advance(self._handle, end, int(before_samples))
            if status != PAUSED:
                break
            spent = time.perf_counter() - clock  # Python hears an interrupt between two slices
            ahead = max(self.t - begun, ahead) * min(4.0, max(0.25, SLICE / max(spent, 1e-6)))
        self._check(status)
        return bool(status not in (LAW, ENDED))

    def _check(self, status: int) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error
        if status < 0:
            words = self._library.ist_message(self._handle).decode(errors="replace")
            raise (InputError if status == REFUSED else SolverError)(
                words, where=str(self._opened.about.get("flight", ""))
            )

    def reset(self) -> None:
        """Go back to the start; laws stay."""
        self._library.ist_reset(self._handle)

    def save(self) -> bytes:
        """Return all that determines what follows; `restore` of any instance of the same flight takes it."""
        out = ctypes.create_string_buffer(self._library.ist_saved_size(self._opened.handle))
        self._library.ist_save(self._handle, out)
        return out.raw

    def restore(self, saved: bytes) -> None:
        """Stand where `save` was called."""
        if not isinstance(saved, bytes):
            raise InputError("not what `save` returned", where="restore", got=type(saved).__name__)
        self._check(self._library.ist_restore(self._handle, saved, len(saved)))
