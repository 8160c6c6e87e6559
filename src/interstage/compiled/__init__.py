"""The one interface to numba's internals: records by address, calls through addresses, callbacks, the cache on disk.

Kernels that need none of it use `jit.kernel`. Here is what public numba does not offer:

- `records`: `Record`, a row of addresses that compiled code reads by names (`tree.body_parent`), one light
  reference instead of eighty arrays;
- `addresses`: `address` and `caller`, functions compiled once and called through their address; `functions_by_address`,
  what linkers need of them;
- `objects`: `object_code`, functions with addresses for a linker: what programs without Python call;
- `raised`: `called`, what calls a Python function for compiled code; `WELL` and `taken_error`, status and exceptions of
  functions that are called by address;
- `emitted`: `claim`, `release`, `vector_at`, `matrix_at`, `word`: a lock of one word, and what lies at an address;
- `doors`: `make_door`, a kernel of addresses as a builtin function of Python; `AddressedKernel`, a kernel whose address
  lies in a record;
- `disk`: `keep_on_disk`, compiled code on disk that knows the sources of everything a kernel calls, kernels linked into
  those that call them, and the seconds that compiling takes (`compiling_timed`);
- `quick`: the compiler itself, made quicker.

Nothing is registered with numba before the first kernel is compiled or loaded. The package is used by the versions
of numba in `jit.NUMBA_RANGE`; `INTERSTAGE_PLAIN=1` does without it (see `jit`).
"""

from interstage.compiled.addresses import AddressedFunction, address, caller, functions_by_address
from interstage.compiled.disk import keep_on_disk, print_of_sources, reach
from interstage.compiled.doors import AddressedKernel, make_door, stages_of, trap
from interstage.compiled.emitted import Emitted, claim, matrix_at, release, vector_at, word
from interstage.compiled.objects import ObjectCode, object_code
from interstage.compiled.quick import KernelCompiler
from interstage.compiled.raised import WAITING, WELL, called, taken_error, whole_numbers
from interstage.compiled.records import SLOTS, Record, RecordType

__all__ = [
    "SLOTS",
    "WAITING",
    "WELL",
    "AddressedFunction",
    "AddressedKernel",
    "Emitted",
    "KernelCompiler",
    "ObjectCode",
    "Record",
    "RecordType",
    "address",
    "called",
    "caller",
    "claim",
    "functions_by_address",
    "keep_on_disk",
    "make_door",
    "matrix_at",
    "object_code",
    "print_of_sources",
    "reach",
    "release",
    "stages_of",
    "taken_error",
    "trap",
    "vector_at",
    "whole_numbers",
    "word",
]
