"""`interstage view`: a log in 3-D in the browser."""

from __future__ import annotations

from pathlib import Path

import typer


def view(
    log: Path = typer.Argument(..., metavar="LOG", help="Log of a flight or simulation."),
    output: Path | None = typer.Option(
        None, "--output", "-o", metavar="OUT.html", help="Page to write; LOG with .view.html otherwise."
    ),
    vehicle: Path | None = typer.Option(
        None, "--vehicle", metavar="FILE", help="Multibody file, of a log that does not hold its vehicle."
    ),
    deck: list[Path] = typer.Option(
        [],
        "--deck",
        metavar="DECK",
        help="NASTRAN deck of a flexible body, to draw its elements; may be repeated.",
    ),
    port: list[str] = typer.Option(
        [], "--port", metavar="NAME", help="Port or pattern to chart; may be repeated."
    ),
    arrow: list[str] = typer.Option(
        [],
        "--arrow",
        metavar="PORT=BODY[:NODE[:world]]",
        help="Logged vector to draw at a place, in its axes or the world's; may be repeated.",
    ),
    show: bool = typer.Option(True, "--open/--no-open", help="Open the page in the browser."),
    follow: bool | None = typer.Option(
        None, "--follow/--no-follow", help="Follow a run that goes on; by itself where a run is writing LOG."
    ),
) -> None:
    """Replay a log in 3-D: vehicle moving and bending, time slider, cameras, charts at the same time."""
    import webbrowser

    from interstage.cli.progress import progress
    from interstage.growing import is_marked
    from interstage.output import checked_target, is_file
    from interstage.report.view import view_file

    wanted = dict(arrow_of(text) for text in arrow)
    if follow or (follow is None and is_file(log) and is_marked(log)):
        _follow(log, show, decks=deck, ports=port, arrows=wanted)
        return
    output = output or log.parent / f"{log.stem}.view.html"  # also of "."
    checked_target(output, "page", source=log)
    with progress(quiet=False) as say:
        say("reading the log")
        page = view_file(log, vehicle=vehicle, decks=deck, ports=port, arrows=wanted)
        say("writing the page")
        page.save(output)
    if show and webbrowser.open(output.resolve().as_uri()):
        print(f"{output} is open in the browser")
    else:
        print(f"open {output} in a browser")


def _follow(log: Path, show: bool, **more: object) -> None:
    """Give a page that follows a run, until Ctrl-C."""
    import shutil
    import webbrowser

    from interstage.output import is_file
    from interstage.report.live import LiveServer, follower_of

    if not is_file(log):
        print(f"waiting for {log}")
    try:
        with LiveServer(follower_of(log, **more)) as server:
            print(
                f"{log} is followed at {server.url} (for whoever has this address); Ctrl-C ends", flush=True
            )
            page = server.opener() if show else None
            try:
                if page is not None:
                    webbrowser.open(page.as_uri())
                server.serve_forever()
            finally:
                if page is not None:
                    shutil.rmtree(page.parent, ignore_errors=True)
    except KeyboardInterrupt:
        print("no longer followed")


def arrow_of(text: str) -> tuple[str, tuple[str, int | None, str]]:
    """Return port, body, node and axes of an arrow.

    >>> arrow_of("engine.push=core:101")
    ('engine.push', ('core', 101, 'node'))
    """
    from interstage.errors import InputError
    from interstage.reading import is_whole

    port, _, place = text.partition("=")
    body, _, rest = place.partition(":")
    node, _, frame = rest.partition(":")
    if not port or not body or frame not in ("", "world") or not (node == "" or is_whole(node)):
        raise InputError("an arrow cannot be read", expected="PORT=BODY[:NODE[:world]]", got=text)
    return port, (body, int(node) if node else None, frame or "node")
