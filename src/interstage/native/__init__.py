"""Flights without Python: files of data (`export_flight`) and the library that flies them (`build_library`)."""

from interstage.native.flight_file import FlightFile, export_flight
from interstage.native.library import NativeLibrary, build_library, shelf
from interstage.native.native_flight import NativeFlight, NativePort

__all__ = [
    "FlightFile",
    "NativeFlight",
    "NativeLibrary",
    "NativePort",
    "build_library",
    "export_flight",
    "shelf",
]
