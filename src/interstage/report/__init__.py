"""Pictures and reports: no other room but the command line and the demo imports this one."""

from interstage.report.plots import (
    bode,
    frequency_errors,
    frequency_sweep,
    mac,
    nichols,
    pole_map,
)

__all__ = ["bode", "frequency_errors", "frequency_sweep", "mac", "nichols", "pole_map"]
