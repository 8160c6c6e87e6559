"""Many samples of one vehicle at once, on the cores of this machine or its GPU.

A sample is a column of a table of numbers. The engine's own kernels fly it, the same ones that `simulate` calls: there
is no second text of the equations.
"""

from interstage._renamed import former_names
from interstage.batch.flying import simulate_batch
from interstage.batch.law import LinearController
from interstage.batch.log import BatchLog

__all__ = ["BatchLog", "LinearController", "simulate_batch"]

__getattr__ = former_names(__name__)
