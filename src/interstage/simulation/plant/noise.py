"""Random numbers without state: each belongs to (seed, stream, tick, channel) and to nothing else.

Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC11, 2011) turns a counter of four 32-bit words under a key of two into
four random words. The key is (seed, stream of the device), the counter (tick, channel): a run that is resumed, a
device that is added, or another number of threads changes no number.

    def sample(d, t):
        d.y = d.x + d.sigma * normal(d.seed, d.stream, d.tick, 0)
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from interstage.jit import kernel

_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_LOW, _HALF, _ONE = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(1)
_UP, _DOWN = np.uint64(21), np.uint64(11)
_FULL_TURN = 2.0 * np.pi
_RUN: ContextVar[int] = ContextVar("seed of the current run of a study", default=0)


@contextmanager
def noise_of_run(seed: int) -> Iterator[None]:
    """Let assemblies without a seed of their own draw their noise from this seed while the context lasts."""
    before = _RUN.set(seed)
    try:
        yield
    finally:
        _RUN.reset(before)


def seed_or_run(seed: int | None) -> int:
    """Return a given seed; for None that of the current run of a study, 0 outside of studies."""
    return _RUN.get() if seed is None else seed


@kernel
def philox(c0, c1, c2, c3, k0, k1):
    """Return four random words of a counter (4 words) and a key (2 words), all 32 bits in uint64."""
    for _ in range(10):
        a, b = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (b >> _HALF) ^ c1 ^ k0, b & _LOW, (a >> _HALF) ^ c3 ^ k1, a & _LOW
        k0, k1 = (k0 + _W0) & _LOW, (k1 + _W1) & _LOW
    return c0, c1, c2, c3


@kernel
def _pair(seed, stream, tick, channel):
    """Return two numbers, uniform in 0 to 1, of 53 bits each."""
    n, s = np.uint64(tick), np.uint64(seed)
    a, b, c, d = philox(
        n & _LOW, n >> _HALF, np.uint64(channel) & _LOW, s >> _HALF, s & _LOW, np.uint64(stream) & _LOW
    )
    x = (float((a << _UP) ^ (b >> _DOWN)) + 0.5) * 2.0**-53
    y = (float((c << _UP) ^ (d >> _DOWN)) + 0.5) * 2.0**-53
    return x, y


@kernel
def uniform(seed, stream, tick, channel):
    """Return a number, uniform in 0 to 1; `channel` 0, 1, 2 ... gives others."""
    x, y = _pair(seed, stream, tick, channel // 2)
    return x if channel % 2 == 0 else y


@kernel
def normal(seed, stream, tick, channel):
    """Return a standard normal number (Box and Muller); `channel` 0, 1, 2 ... gives independent ones."""
    x, y = _pair(seed, stream, tick, channel // 2)
    r = np.sqrt(-2.0 * np.log(x))
    return r * (np.cos(_FULL_TURN * y) if channel % 2 == 0 else np.sin(_FULL_TURN * y))


def stream_of(name: str) -> int:
    """Return the stream (32 bits) of a device by its full name: it does not depend on what else there is."""
    return zlib.crc32(name.encode())
