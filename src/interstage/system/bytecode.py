"""What a function does to the fields of its first argument, read from its bytecode.

The stack is followed with marks: where the record lies, and where one of its fields. A field that anything takes from
the stack is read, unless it is what `d.x[k] = …` stores into.
"""

from __future__ import annotations

import dis
from types import CodeType

_RECORD = ("", True)
_OTHER = ("", False)
Mark = tuple[str, bool]  # a field by name, or the record, or something else
_PUSH_NOTHING = {
    "POP_TOP",
    "RETURN_VALUE",
    "STORE_NAME",
    "STORE_GLOBAL",
    "STORE_DEREF",
    "STORE_FAST",
    "PRECALL",
}
_TOUCH_NOTHING = {"RESUME", "NOP", "CACHE", "KW_NAMES", "MAKE_CELL", "COPY_FREE_VARS", "EXTENDED_ARG"}


class _Machine:
    """The stack while the instructions are gone through once, in order."""

    def __init__(self, record: str):
        self.record = record
        self.stack: list[Mark] = []
        self.at: dict[int, list[Mark]] = {}  # stacks where jumps lead to
        self.reads: set[str] = set()
        self.writes: set[str] = set()
        self.whole: set[str] = set()
        self.handed_on = False

    def pop(self, n: int = 1, taken: bool = True) -> list[Mark]:
        """Take marks from the stack; what is taken is read."""
        marks = [self.stack.pop() if self.stack else _OTHER for _ in range(n)]
        for name, record in marks if taken else ():
            self.handed_on |= record
            if name:
                self.reads.add(name)
        return marks

    def store_into(self, mark: Mark) -> None:
        """Note what `d.x[k] = …` stores into."""
        self.handed_on |= mark[1]
        if mark[0]:
            self.writes.add(mark[0])

    def join(self, other: list[Mark], dead: bool) -> None:
        """Go on where a jump led to: with its stack if there is no other way here, else what differs is read."""
        if dead:
            self.stack = list(other)
            return
        for (name, record), here in zip(other, self.stack):
            if (name, record) != here:
                self.handed_on |= record
                self.reads |= {name} if name else set()

    def step(self, ins: dis.Instruction) -> None:
        """Follow one instruction."""
        op, stack, arg = ins.opname, self.stack, ins.arg or 0
        if op.startswith("LOAD_FAST"):
            names = ins.argval if isinstance(ins.argval, tuple) else (ins.argval,)
            stack.extend(_RECORD if name == self.record else _OTHER for name in names)
        elif op in ("LOAD_ATTR", "LOAD_METHOD"):
            (mark,) = self.pop(taken=False)
            if mark == _RECORD:
                stack.append((ins.argval, False))
            else:
                stack.append(mark)
                self.pop()
                stack.append(_OTHER)
            stack.extend([_OTHER] * dis.stack_effect(ins.opcode, ins.arg))
        elif op == "STORE_ATTR":
            (owner,) = self.pop(taken=False)
            self.pop()
            if owner == _RECORD:
                self.writes.add(ins.argval)
                self.whole.add(ins.argval)
        elif op in ("STORE_SUBSCR", "STORE_SLICE"):
            self.pop(1 if op == "STORE_SUBSCR" else 2)
            self.store_into(self.pop(taken=False)[0])
            self.pop()
        elif op == "COPY":
            stack.append(stack[-arg] if len(stack) >= arg else _OTHER)
        elif op == "SWAP":
            if len(stack) >= arg:
                stack[-1], stack[-arg] = stack[-arg], stack[-1]
        else:
            self.plain(ins)

    def plain(self, ins: dis.Instruction) -> None:
        """Follow an instruction that only takes and gives."""
        op = ins.opname
        effect = dis.stack_effect(ins.opcode, ins.arg, jump=False)
        if op in _TOUCH_NOTHING or (effect == 0 and "JUMP" in op):
            return
        if op.startswith("UNPACK"):
            self.pop()
            self.stack.extend([_OTHER] * (effect + 1))
        elif effect > 0:
            self.stack.extend([_OTHER] * effect)
        elif op in _PUSH_NOTHING or "JUMP" in op:
            self.pop(-effect)
        else:
            self.pop(1 - effect)
            self.stack.append(_OTHER)


def effects(code: CodeType) -> tuple[set[str], set[str], set[str], bool]:
    """Return the fields of the first argument that code reads, writes, and writes whole (`d.x = …`).

    Last, whether it hands the record on.
    """
    machine = _Machine(code.co_varnames[0] if code.co_argcount else "")
    dead = False
    for ins in dis.get_instructions(code):
        if ins.offset in machine.at:
            machine.join(machine.at[ins.offset], dead)
            dead = False
        machine.step(ins)
        if ins.opcode in dis.hasjrel or ins.opcode in dis.hasjabs:
            left = machine.stack[:-2] if ins.opname == "FOR_ITER" else machine.stack
            machine.at.setdefault(ins.argval, list(left))
            dead = ins.opname in (
                "JUMP_FORWARD",
                "JUMP_BACKWARD",
                "JUMP_ABSOLUTE",
                "JUMP_BACKWARD_NO_INTERRUPT",
            )
        elif ins.opname in ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS"):
            dead = True
    inner = [c for c in code.co_consts if isinstance(c, CodeType) and machine.record in c.co_freevars]
    return machine.reads, machine.writes, machine.whole, machine.handed_on or bool(inner)
