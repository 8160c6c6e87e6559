"""A step by the kernel of a method's family: the type of its data tells which, and only that one is compiled."""

from __future__ import annotations

from numba.extending import overload

from interstage.multibody.handle import COMPILED

_steps = {}


def family(data):
    """Make a kernel the step of all methods whose data are of a type."""

    def register(step):
        _steps[data] = step
        return step

    return register


def take_step(tree, work, m, acts, t, row, y, h, s, known):
    """Take a step by the kernel of the method's family; see `explicit_step`."""
    return _steps[type(m)](tree, work, m, acts, t, row, y, h, s, known)


if COMPILED:

    @overload(take_step)
    def _typed_step(tree, work, m, acts, t, row, y, h, s, known):
        """Compile the step of one family alone: the type of the data tells which."""
        step = _steps[m.instance_class]
        return lambda tree, work, m, acts, t, row, y, h, s, known: step(
            tree, work, m, acts, t, row, y, h, s, known
        )
