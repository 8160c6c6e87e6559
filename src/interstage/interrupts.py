"""Ctrl-C is heard wherever it comes: Python drops an interrupt that falls into a callback of a compiler."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

AGAIN = 0.02  # seconds until a dropped interrupt is sent again: the callback has long returned


def hear_dropped_interrupts() -> None:
    """Send an interrupt again where Python could only say that it ignores it, as in callbacks from C."""
    others, waiting = sys.unraisablehook, list[threading.Timer]()

    def heard(ignored: sys.UnraisableHookArgs) -> None:
        if ignored.exc_type is not KeyboardInterrupt:
            others(ignored)
            return
        # from another thread: here it would fall into this hook itself
        while waiting:  # one is enough for several
            waiting.pop().cancel()
        later = threading.Timer(AGAIN, _send)
        later.daemon = True
        waiting.append(later)
        later.start()

    sys.unraisablehook = heard


@contextmanager
def dropped_interrupts_heard() -> Iterator[None]:
    """Do so in a `with` block, in programs that are not ours."""
    others = sys.unraisablehook
    hear_dropped_interrupts()
    try:
        yield
    finally:
        sys.unraisablehook = others


def _send() -> None:
    """Interrupt the main thread, also one that waits where the platform can."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        _thread.interrupt_main()
