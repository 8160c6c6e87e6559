"""Ask how much memory is free, and print sizes."""

from __future__ import annotations

import os


def available_memory() -> int | None:
    """Bytes that a program can still take without swapping; None where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def readable_bytes(size: float) -> str:
    """Print a size for a person.

    >>> readable_bytes(3.2e9), readable_bytes(52000)
    ('3.2 GB', '0.1 MB')
    """
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"
