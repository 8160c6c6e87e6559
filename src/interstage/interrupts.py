"""Ctrl-C is heard wherever it comes: Python drops an interrupt that falls into a callback of a compiler.

What must be done whole holds signals back (`uninterrupted`); while files are written, signals that would end the
process at once end it after they are closed (`terminations_heard`).
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 0.02  # seconds until a dropped interrupt is sent again: the callback has long returned


def hear_dropped_interrupts() -> list[threading.Timer]:
    """Send an interrupt again where Python could only say that it ignores it, as in callbacks from C.

    Returns a list in which the one that is sent again will be.
    """
    others, waiting = sys.unraisablehook, list[threading.Timer]()

    def heard(ignored: sys.UnraisableHookArgs) -> None:
        if not issubclass(ignored.exc_type, KeyboardInterrupt):
            others(ignored)
            return
        number = getattr(ignored.exc_value, "number", signal.SIGINT)
        # from another thread: here it would fall into this hook itself
        while waiting:  # one is enough for several
            waiting.pop().cancel()
        later = threading.Timer(AGAIN, _send, [number])
        later.daemon = True
        waiting.append(later)
        later.start()

    sys.unraisablehook = heard
    return waiting


@contextmanager
def dropped_interrupts_heard() -> Iterator[None]:
    """Do so in a `with` block, in programs that are not ours; only the main thread is interrupted.

    A block that fails because its callback did not come to its end ends with the interrupt.
    """
    if not _in_main_thread():
        yield
        return
    others = sys.unraisablehook
    waiting = hear_dropped_interrupts()
    try:
        yield
    except Exception:
        for later in waiting:
            later.join()
        raise
    finally:
        sys.unraisablehook = others


def _send(number: int) -> None:
    """Interrupt the main thread, also one that waits where the platform can."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, number)
    else:
        _thread.interrupt_main(signal.Signals(number))


class Terminated(KeyboardInterrupt):
    """The process was told to end; files are closed, then it does."""

    def __init__(self, number: int):
        super().__init__(signal.Signals(number).name)
        self.number = number


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextmanager
def terminations_heard() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise `Terminated` in a `with` block; the process ends of them where the block ends.

    That is so in the main thread, and where the program has no handler of its own.
    """
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    heard = [n for n in numbers if _in_main_thread() and signal.getsignal(n) is signal.SIG_DFL]

    def end(number: int, frame: object) -> None:
        raise Terminated(number)

    for number in heard:
        signal.signal(number, end)
    try:
        yield
    except Terminated as why:
        for number in heard:
            signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(why.number)
        raise
    finally:
        for number in heard:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold signals of the main thread back in a `with` block; the handler of the first is called where it ends."""
    before, kept = {}, list[tuple[int, FrameType | None]]()

    def later(number: int, frame: FrameType | None) -> None:
        kept.append((number, frame))

    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2")
    if _in_main_thread():
        for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
            handler = signal.getsignal(number)
            if callable(handler):
                before[number] = handler
                signal.signal(number, later)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number, frame in kept[:1]:
            before[signal.Signals(number)](number, frame)
