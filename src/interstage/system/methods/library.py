"""Adaptive methods of scipy: high accuracy (dop853), and implicit ones for systems that are stiff all over."""

from __future__ import annotations

from interstage.system.methods.base import Library

DOP853 = Library("dop853", order=8, embedded=7, solver="DOP853")
RK45 = Library("rk45", order=5, embedded=4, solver="RK45")
RADAU = Library("radau", order=5, embedded=3, solver="Radau")
BDF = Library("bdf", order=5, embedded=5, solver="BDF")
LSODA = Library("lsoda", order=12, embedded=12, solver="LSODA")
