"""Entry point of the `interstage` command: options, and errors as one sentence with exit status 2."""

from __future__ import annotations

import errno
import os
import sys

import typer

from interstage import __version__
from interstage.cli import (
    bench,
    buckling,
    check,
    component,
    demo,
    extract,
    info,
    modes,
    report,
    response,
    static,
    validate,
    view,
    warm,
)
from interstage.cli.tables import readable, tolerant_output
from interstage.errors import InterstageError
from interstage.interrupts import hear_dropped_interrupts

DISK_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG)

app = typer.Typer(
    name="interstage",
    help="From finite elements to guidance and control.",
    epilog="Examples:  interstage demo   |   interstage modes panel.bdf --modes 12 --json   |   "
    "interstage component panel.bdf -o panel.h5   |   interstage report panel.h5",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("modes", epilog="Example:  interstage modes panel.bdf --modes 20")(modes.modes)
app.command("static", epilog="Example:  interstage static bracket.bdf --json > displacements.json")(
    static.static
)
app.command("buckling", epilog="Example:  interstage buckling panel.bdf --modes 3")(buckling.buckling)
app.command("response", epilog="Example:  interstage response boom.bdf --point 17 --csv tip.csv")(
    response.response
)
app.command("check", epilog="Example:  interstage check panel.bdf")(check.check)
app.command(
    "component",
    epilog="Example:  interstage component panel.bdf -o panel.h5 --aset 1:123456 --modes 30 --modal-integrals",
)(component.component)
app.command(
    "extract", epilog="Example:  interstage extract vehicle.bdf -o payload.bdf --properties 24 --without 301"
)(extract.extract)
app.command("info", epilog="Example:  interstage info panel.h5")(info.info)
app.command("report", epilog="Example:  interstage report panel.h5 --deck panel.bdf -o panel.html")(
    report.report
)
app.command("view", epilog="Example:  interstage view ascent.h5 --deck core.bdf --port 'imu.*'")(view.view)
app.command("demo", epilog="Example:  interstage demo --out demo")(demo.demo)
app.command("validate", epilog="Example:  interstage validate two_beams")(validate.validate)
app.command("warm", epilog="Example:  interstage warm")(warm.warm)
app.command("library", epilog="Example:  interstage library libinterstage.so")(warm.library)
app.command("bench", epilog="Example:  interstage bench multibody")(bench.bench)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"interstage {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    """From finite elements to guidance and control."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command; bad input ends with one sentence on stderr and exit status 2."""
    command = typer.main.get_command(app)
    tolerant_output()
    hear_dropped_interrupts()
    try:
        status = command.main(args=arguments, prog_name="interstage", standalone_mode=False)
        sys.stdout.flush()
    except InterstageError as error:
        _fail(str(error))
    except KeyboardInterrupt:
        _stop("stopped", 130)
    except BrokenPipeError:
        _abandon_output()
        sys.exit(1)
    except OSError as error:
        if error.errno not in DISK_FAULTS:
            if os.environ.get("INTERSTAGE_DEBUG"):
                raise
            _stop(_fault(error), 1)
        _abandon_output()
        _fail(f"the output cannot be written; got {error.strerror}")
    except Exception as error:
        # Typer brings its own copy of click, so that its usage errors are known by what they offer
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):
            said, context = error.format_message().rstrip("."), getattr(error, "ctx", None)
            if not said:  # a bare command has shown its help
                sys.exit(error.exit_code)
            _fail(f"{said}; see '{getattr(context, 'command_path', 'interstage')} --help'")
        if type(error).__name__ == "Abort":
            _stop("stopped", 130)
        if os.environ.get("INTERSTAGE_DEBUG"):
            raise
        what = "there is not enough memory" if isinstance(error, MemoryError) else _fault(error)
        _stop(what, 1)
    if status == 130:  # newer typer makes an exit of Ctrl-C
        _stop("stopped", 130)
    sys.exit(status if isinstance(status, int) else 0)


def _abandon_output() -> None:
    """Send what is left in the buffer nowhere, so that closing the output raises no second complaint."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fault(error: Exception) -> str:
    """Say that the program, not its input, is at fault."""
    text = " ".join(str(error).split())
    return (
        f"a fault of the program ({type(error).__name__}: {text}); please report it with the input, and "
        "set INTERSTAGE_DEBUG=1 to see where it happens"
    )


def _fail(sentence: str) -> None:
    _stop(" ".join(sentence.split()), 2)


def _stop(sentence: str, status: int) -> None:
    print(f"interstage: {readable(sentence)}", file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    main()
