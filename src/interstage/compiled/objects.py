"""Functions with addresses as object code for a linker: what a program needs that has no Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from llvmlite import binding
from llvmlite.binding import ModuleRef, parse_bitcode

from interstage.compiled.addresses import AddressedFunction

PREFIX = "ist_rt_"  # of symbols that stand for those of the interpreter and of numba
_OURS = re.compile(
    r"^(_?Py|numba_|NRT_)"
)  # symbols of the interpreter and of numba: they get names of their own
PROVIDED = {  # symbols of numba that whoever links the code has
    "NRT_Allocate", "NRT_Free", "NRT_MemInfo_alloc", "NRT_MemInfo_alloc_aligned", "NRT_MemInfo_alloc_safe",
    "NRT_MemInfo_alloc_safe_aligned", "NRT_MemInfo_call_dtor", "NRT_incref", "NRT_decref",
    "numba_attempt_nocopy_reshape",
}  # fmt: skip
# symbols of the way of errors alone: whoever comes there has failed
_COLD = re.compile(
    r"^_?Py(Err|Exc|Gil|GILState|Eval|Bytes|Unicode|Tuple|List|Dict|Object|Long|Float|ThreadState|Exception|Import|Bool|"
    r"_|Sys|Number)|^numba_(unpickle|do_raise|gil|recreate_record|runtime_build_excinfo|extract|fatal|get|unpack|list)|"
    r"^_Py_|^Py_|^NRT_(adapt|get_api|manage)"
)
_PLACED = re.compile(r"inttoptr \(i64 \d{7,}")  # an address of this process inside of code


@dataclass(frozen=True)
class ObjectCode:
    """Object code of functions; the k-th of `functions` is the symbol ist_f`k`.

    left_out : functions that need what no program without Python has, and why
    calls, variables : symbols that stand for those of the interpreter, on the way of errors alone
    """

    data: bytes
    functions: list[AddressedFunction]
    left_out: dict[AddressedFunction, str]
    calls: frozenset[str]
    variables: frozenset[str]


def object_code(
    functions: Sequence[AddressedFunction], cpu: str | None = None, triple: str | None = None
) -> ObjectCode:
    """Return functions as object code for a kind of processor and system; None: this machine.

    A function is compiled as it is here, optimized by the same passes: for this machine it gives the same bits.
    """
    whole, used, left_out = None, list[AddressedFunction](), dict[AddressedFunction, str]()
    for made in functions:
        module = _module(made, len(used))
        if (why := _cannot(module)) is not None:
            left_out[made] = why
            continue
        used.append(made)
        if whole is None:
            whole = module
        else:
            whole.link_in(module)
    assert whole is not None
    whole.verify()
    here = cpu is None and triple is None
    if triple is None:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        target = binding.Target.from_default_triple()
    else:
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
        target = binding.Target.from_triple(triple)
    machine = target.create_target_machine(
        cpu=binding.get_host_cpu_name() if here else cpu or "",
        features=binding.get_host_cpu_features().flatten() if here else "",
        opt=3,
        reloc="pic",
        codemodel="default",
    )
    if triple is not None:
        whole.triple, whole.data_layout = triple, str(machine.target_data)
    return ObjectCode(
        machine.emit_object(whole), used, left_out, _needed(whole.functions), _needed(whole.global_variables)
    )


def _needed(values: Iterable) -> frozenset[str]:
    """Return the symbols among some functions or variables that stand for others, less those that are provided."""
    names = (one.name for one in values if one.is_declaration and one.name.startswith(PREFIX))
    return frozenset(name for name in names if name.removeprefix(PREFIX) not in PROVIDED)


def _module(made: AddressedFunction, number: int) -> ModuleRef:
    """Return the instructions of a function as `ist_f…`, everything else private, with symbols that C has."""
    module = parse_bitcode(made.bitcode())
    for function in module.functions:
        plain = re.sub(r"\.\d+$", "", function.name)
        if plain in PROVIDED and not function.is_declaration:
            function.linkage = "available_externally"  # in C, without operations of one kind of processor
            function.name = f"{PREFIX}{plain}"
        elif function.is_declaration:
            if _OURS.match(function.name):
                function.name = f"{PREFIX}{function.name}"
        elif function.name == made.symbol:
            function.name, function.linkage, function.visibility = f"ist_f{number}", "external", "hidden"
        else:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
        elif _OURS.match(variable.name):
            variable.name = f"{PREFIX}{variable.name}"
    return module


def _cannot(module: ModuleRef) -> str | None:
    """Return why a function cannot go into a library, None: it can."""
    needed = [f.name for f in (*module.functions, *module.global_variables) if f.is_declaration]
    for name in (one.removeprefix(PREFIX) for one in needed if one.startswith(PREFIX)):
        if name not in PROVIDED and not _COLD.match(name):
            return f"it needs {name}"
    if _PLACED.search(str(module)):
        return "it holds an address of this process"
    return None
