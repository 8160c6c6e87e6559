"""Ctrl-C wherever it comes."""

from __future__ import annotations

import subprocess
import sys

IN_A_CALLBACK = """
import ctypes, signal, time
from interstage.interrupts import hear_dropped_interrupts

def called_from_c():
    signal.raise_signal(signal.SIGINT)
    time.sleep(0.001)

hear_dropped_interrupts()
try:
    ctypes.CFUNCTYPE(None)(called_from_c)()
    time.sleep(30.0)
except KeyboardInterrupt:
    print("heard")
"""


def test_ctrl_c_that_falls_into_a_callback_is_heard():
    """Compilers call back into Python, where an interrupt would be printed and dropped; other faults are still said."""
    result = subprocess.run([sys.executable, "-c", IN_A_CALLBACK], capture_output=True, text=True, timeout=20)
    assert (result.stdout, result.stderr) == ("heard\n", "")
    code = IN_A_CALLBACK.replace("signal.raise_signal(signal.SIGINT)", "raise ValueError('mine')")
    code = code.replace("30.0", "0.0")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20)
    assert result.stderr.count("ValueError: mine") == 1


def test_what_fails_because_a_callback_was_interrupted_is_the_interrupt():
    """A compiler whose callback did not come to its end fails with words of its own."""
    code = IN_A_CALLBACK.replace(
        "hear_dropped_interrupts()\ntry:\n", "try:\n  with dropped_interrupts_heard():\n"
    )
    code = code.replace("import hear_dropped", "import dropped").replace(
        "interrupts\n\n", "interrupts_heard\n\n", 1
    )
    code = code.replace("time.sleep(30.0)", "raise RuntimeError('no compiled object yet')")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20)
    assert (result.stdout, result.stderr) == ("heard\n", "")
    code = code.replace("signal.raise_signal(signal.SIGINT)", "pass")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20)
    assert result.stderr.endswith("RuntimeError: no compiled object yet\n")


WHILE_COMPILING = """
import signal, sys, time
from numba.core.codegen import JITCodeLibrary
from interstage.jit import kernel

before, told = sys.unraisablehook, []

def asked_from_c(*given):
    if not told:
        told.append(1)
        signal.raise_signal(signal.SIGINT)

JITCodeLibrary._object_getbuffer_hook = classmethod(asked_from_c)

@kernel
def twice(x):
    return 2.0 * x

try:
    twice(1.0)
    time.sleep(30.0)
except KeyboardInterrupt:
    print("heard", told, sys.unraisablehook is before)
"""


def test_ctrl_c_that_falls_into_the_compiler_of_a_users_script_is_heard(tmp_path):
    """The compiler asks Python for code from C; afterwards the hook is the user's own again."""
    script = tmp_path / "script.py"
    script.write_text(WHILE_COMPILING)
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert (result.stdout, result.stderr) == ("heard [1] True\n", "")
