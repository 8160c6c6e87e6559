"""Sparse symmetric linear algebra for `fem` and `component`: factors with inertia, pencils, eigenmodes.

>>> import numpy as np
>>> modes = eigenmodes(np.diag([4.0, 1.0, 9.0]), np.eye(3), n_modes=2)
>>> np.round(modes.eigenvalues, 12)
array([1., 4.])
"""

from interstage.linalg.eigen import EigenResult, eigenmodes
from interstage.linalg.factor import Factor, NotPositiveDefinite

__all__ = ["EigenResult", "Factor", "NotPositiveDefinite", "eigenmodes"]
