"""Second-order filters from sample to sample: the bilinear map of a transfer function, exact at one frequency.

    H(s) = (b2 s² + b1 s + b0)/(a2 s² + a1 s + a0),   s = k (1 - z⁻¹)/(1 + z⁻¹),   k = ω0/tan(ω0 T/2)

(Tustin with prewarping: H(jω0) of the samples is that of the filter; Franklin, Powell, Workman, Digital Control, 1998,
6.1). The state is that of the transposed direct form II.
"""

from __future__ import annotations

import numpy as np

from interstage.errors import InputError
from interstage.jit import kernel
from interstage.system.device import Device


@kernel
def tustin(w0, T, b2, b1, b0, a2, a1, a0):
    """Return B0, B1, B2, A1, A2 of the samples, A0 = 1."""
    k = w0 / np.tan(0.5 * w0 * T)
    kk = k * k
    scale = 1.0 / (a2 * kk + a1 * k + a0)
    return (
        scale * (b2 * kk + b1 * k + b0),
        scale * 2.0 * (b0 - b2 * kk),
        scale * (b2 * kk - b1 * k + b0),
        scale * 2.0 * (a0 - a2 * kk),
        scale * (a2 * kk - a1 * k + a0),
    )


@kernel
def run_biquad(c, u, y, state, settle):
    """Write the next sample of every channel; with `settle` as if the input had been there for ever.

    c : B0, B1, B2, A1, A2;  u, y (n,);  state (n, 2)
    """
    for i in range(len(y)):
        if settle:
            level = (c[0] + c[1] + c[2]) / (1.0 + c[3] + c[4]) * u[i]
            state[i, 1] = c[2] * u[i] - c[4] * level
            state[i, 0] = c[1] * u[i] - c[3] * level + state[i, 1]
        y[i] = c[0] * u[i] + state[i, 0]
        state[i, 0] = c[1] * u[i] - c[3] * y[i] + state[i, 1]
        state[i, 1] = c[2] * u[i] - c[4] * y[i]


def check_below_nyquist(device: Device, hz: float, name: str) -> None:
    """Refuse a frequency that the samples of a device cannot show, where its period is known."""
    if device.every is not None and hz * float(device.every) >= 0.5:
        raise InputError(
            f"{name} is not below half the sampling rate",
            where=type(device).__name__,
            expected=f"below {0.5 / float(device.every):g} Hz",
            got=f"{hz:g} Hz",
        )
