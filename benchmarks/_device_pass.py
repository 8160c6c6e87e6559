"""A tape of devices many times over in compiled code."""

from __future__ import annotations

from interstage.multibody.kernels.algebra import kernel
from interstage.simulation.plant.coupled_kernels import walk


@kernel
def passes(addresses, rows, t, n):
    """Walk a tape n times."""
    for _ in range(n):
        walk(addresses, rows, t)
