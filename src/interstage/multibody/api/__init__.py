"""The algorithms on a compiled vehicle, by names: `System`, built up from what it is to how it changes.

`Compiled` (arrays, settings, states) - `Kinematics` (places) - `Dynamics` (forces, sums) - `Closures` (loops) -
`System` (changes of the vehicle): each layer uses the ones before.
"""

from interstage.multibody.api.dynamics import Energies
from interstage.multibody.api.system import System

__all__ = ["Energies", "System"]
