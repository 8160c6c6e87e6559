"""What a study runs, as a fingerprint: so that a folder does not mix runs of one thing with those of another.

Code counts by its source, numbers by their bits, vehicles by what their file would hold. What has no name (a function
inside a function, a lambda) has no fingerprint, and is believed.
"""

from __future__ import annotations

import hashlib
import pickle
from typing import Any

import h5py
import numpy as np

from interstage.ensemble.job import Job
from interstage.multibody import State, System
from interstage.multibody.model_file import put_model
from interstage.system.code_names import NoName
from interstage.system.described import Describer


def fingerprint(job: Job) -> str:
    """Return a digest of what a study runs and keeps, "" where that cannot be told."""
    build = job.build if job.assembly is None else pickle.loads(job.assembly)
    flight = {k: v.qv if isinstance(v, State) else v for k, v in job.flight.items()}
    describer = Describer()
    digest = hashlib.sha256()
    try:
        text = describer.text([build, dict(job.wanted or {}), flight])
    except NoName:
        return ""
    digest.update(text.encode())
    for name, array in describer.arrays.items():
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    for system in describer.systems:
        _of_system(system, digest)
    return digest.hexdigest()


def _of_system(system: System, digest: Any) -> None:
    """Digest the numbers that describe a vehicle."""
    with h5py.File("vehicle", "w", driver="core", backing_store=False) as f:
        put_model(f.create_group("MODEL"), system.model)
        found: list[str] = []
        f.visit(found.append)
        for name in sorted(found):
            digest.update(name.encode())
            if isinstance(f[name], h5py.Dataset):
                digest.update(np.ascontiguousarray(f[name][()]).tobytes())
    for name, array in system.settings.arrays().items():
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(array).tobytes())
