"""Vehicles in time: integrators in compiled loops, logs by name, simulations."""

from interstage.system.log import Log
from interstage.system.simulate import simulate

__all__ = ["Log", "simulate"]
