"""The shelf: actuators, sensors, environment, software blocks, ready to be members of an assembly.

    from interstage import devices as dev

    flight.add("wheel", dev.ReactionWheel(at=("bus", 12), axis=[0, 0, 1], inertia=0.02, max_torque=0.1))

Each device is one file with its equation, its source and its units; `docs/shelf.md` lists them with the truth that
each was compared with. The names are listed in the stub beside this file and loaded on first use.
"""

from __future__ import annotations

from interstage.lazy import door, listed

_PUBLIC = listed(__file__)
__all__ = sorted(_PUBLIC)
__getattr__ = door(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return __all__
