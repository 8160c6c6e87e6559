"""Pictures and reports: nobody but the command line imports this room."""

from interstage.report.plots import (
    bode,
    frequency_errors,
    frequency_sweep,
    mac,
    nichols,
    pole_map,
)

__all__ = ["bode", "frequency_errors", "frequency_sweep", "mac", "nichols", "pole_map"]
