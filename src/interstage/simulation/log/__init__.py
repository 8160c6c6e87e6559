"""Logs of runs: in memory and in files, rows as operating points, quantities over time."""

from interstage.lazy import door

__getattr__ = door(__name__, {"Log": "interstage.simulation.log.log"})
