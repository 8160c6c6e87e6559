"""The command in the process of the tests: what it prints, and its exit status."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from interstage.cli.main import main


class Said(NamedTuple):
    """Exit status and output of a command."""

    status: int
    stdout: str
    stderr: str


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> Said:
    """Return what the command says to arguments."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        main([*map(str, arguments)])
    return Said(stop.value.code, *capsys.readouterr())
