"""Forward dynamics many times over in compiled code."""

from __future__ import annotations

from interstage.multibody.address_table import tree_of, work_of
from interstage.multibody.kernels.algebra import kernel
from interstage.multibody.kernels.articulated import forward


@kernel
def repeat(handle, q, v, tau, sites, wrenches, vdot, n):
    """Call `forward` n times on a handle."""
    tree, work = tree_of(handle), work_of(handle, vdot)
    for _ in range(n):
        forward(tree, work, q, v, tau, sites, wrenches, vdot)
