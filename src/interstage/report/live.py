"""A run that goes on, in the browser: a page that asks a server of this machine for the rows that have come.

The server listens on the loopback interface and answers two paths: the page, and `rows`, what has come since. Every
user of the machine reaches that interface: the paths begin with a random token, without which nothing is answered. Rows
are read from the growing log of the run; the run itself knows nothing of it.
"""

from __future__ import annotations

import os
import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np

from interstage.errors import FileError, InputError, InterstageError
from interstage.files import LOG, file_kind
from interstage.growing import is_marked
from interstage.multibody.types import Node
from interstage.output import is_file, json_text
from interstage.report.document import Report
from interstage.report.figures import pack
from interstage.report.forces import acting, arrows_of, surround
from interstage.report.replay import Arrow, ReplayMaker, Stretch
from interstage.report.view import add_charts, add_replay, model_of_deck, port_panels
from interstage.simulation.log.log import Log

GAP = 0.02  # s between the rows that are shown, at first
MOST_ROWS = 4000  # with more of them the gap is doubled
FIRST_ROWS, WAIT = 2, 0.2  # rows that a page needs; s between looks at a file without them


class LogFollower:
    """The log of a run that goes on, as far as a page has been told of it.

    version : goes up when what was told is no longer right: another vehicle, other times
    """

    def __init__(
        self,
        path: str | Path,
        decks: Sequence[str | Path] = (),
        ports: Sequence[str] = (),
        arrows: Mapping[str, tuple[str, Node, str]] | None = None,
    ):
        self.path, self.ports, self.arrows = Path(path), ports, arrows
        self.models = [model_of_deck(deck) for deck in decks]
        self.log, self.gap, self.version = Log.load(path), GAP, 0
        self.lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        """Make the replay anew from what the log holds."""
        kept = [self._kept(phase.t, -np.inf) for phase in self.log.phases]
        thin = [
            Stretch(phase.system, phase.t[rows], phase.q[rows], phase.v[rows])
            for phase, rows in zip(self.log.phases, kept)
            if len(rows)
        ]
        if sum(len(one.t) for one in thin) < FIRST_ROWS or not self.log.phases[0].system.bodies:
            raise InputError("there is nothing to replay", expected="a vehicle at two times or more")
        self.maker = ReplayMaker(thin, self.models, self._arrows(), stress=False, every_mode=True)
        surround(self.maker.replay, self.log)
        self.version += 1

    def _kept(self, t: np.ndarray, last: float) -> np.ndarray:
        """Return the rows that are shown: each a gap after the one before."""
        rows = []
        for k, time_here in enumerate(t):
            if time_here >= last + self.gap * (1.0 - 1e-9):
                rows.append(k)
                last = time_here
        return np.array(rows, dtype=int)

    def _arrows(self) -> list[Arrow]:
        return arrows_of(self.arrows, self.log) if self.arrows else acting(self.log, still=True)

    def look(self) -> None:
        """Take what has come to the file."""
        before, self.log = self.log, self.log.again()
        if len(self.log.phases) != len(before.phases):
            self._begin()
            return
        phase, last = self.log.phases[-1], float(self.maker.replay.t[-1])
        new = phase.t > last
        rows = np.flatnonzero(new)[self._kept(phase.t[new], last)]
        if len(rows):
            self.maker.extend(
                Stretch(phase.system, phase.t[rows], phase.q[rows], phase.v[rows]), self._arrows()
            )
        if len(self.maker.replay.t) > MOST_ROWS:
            self.gap *= 2.0
            self._begin()

    def page(self) -> Report:
        """Return the page of what has come, which goes on asking."""
        with self.lock:
            replay = self.maker.replay
            report = Report(
                self.log.name, f"A run that goes on, from {self.path.name}; at {replay.t[-1]:.6g} s.", "Live"
            )
            add_replay(report.section("flight", "Flight", ""), replay)
            figure = next(iter(report.figures.values()))
            figure["live"] = True
            if self.ports or self.log.written():
                section = report.section("charts", "Charts", "What is logged beside it.")
                add_charts(section, replay.t, port_panels(self.log, self.ports, replay.t))
            report.live = {"url": "rows", "rows": len(replay.t), "version": self.version}
            return report

    def rows(self, first: int, version: int) -> dict[str, Any]:
        """Return what has come since a page had `first` rows of a version."""
        with self.lock:
            running = is_marked(self.path)
            self.look()
            replay = self.maker.replay
            said: dict[str, Any] = {
                "rows": len(replay.t),
                "time": f"{replay.t[-1]:.6g}",
                "done": not running,
                "changed": version != self.version or not 0 <= first <= len(replay.t),
                "figures": {},
            }
            if said["changed"] or first == len(replay.t):
                return said
            said["figures"]["flight-1"] = replay.rows(first)
            if self.ports or self.log.written():
                t = replay.t[first:]
                panels = port_panels(self.log, self.ports, t)
                said["figures"]["charts-2"] = {
                    "x": pack(t, "f8"),
                    "panels": [[pack(curve.values, "f4") for curve in panel.curves] for panel in panels],
                }
            return said


def follower_of(path: str | Path, wait: Callable[[], bool] = lambda: True, **more: Any) -> LogFollower:
    """Return the follower of a log once its first rows are there; `wait` is asked whether to go on waiting."""
    while True:
        try:
            if is_file(path) and file_kind(path) is not LOG:
                raise InputError("only logs are followed", where=str(path), hint="simulate(..., log=)")
            log = Log.load(path)
            if len(log.t) >= FIRST_ROWS:
                return LogFollower(path, **more)
        except FileError:
            if is_file(path) and not is_marked(Path(path)):
                raise
        if not wait():
            raise FileError("there are no rows in the log yet", where=str(path))
        time.sleep(WAIT)


def whole(text: str) -> int:
    """Return a number of rows; ValueError where it is none."""
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise ValueError(text[:20])
    return int(text)


class LiveServer(ThreadingHTTPServer):
    """Gives the page of a follower to browsers on this machine, and to nobody else."""

    daemon_threads = True

    def __init__(self, follower: LogFollower):
        super().__init__(("127.0.0.1", 0), _Answers)
        self.follower, self.token = follower, secrets.token_urlsafe(24)

    @property
    def url(self) -> str:
        """Address of the page, with its token: whoever has it can read the flight."""
        return f"http://127.0.0.1:{self.server_address[1]}/{self.token}/"

    def opener(self) -> Path:
        """Write a page that leads to the address, which its owner alone can read; returns its path.

        The command line of a browser is seen by all users of a machine: it shall not have the token in it.
        """
        folder = Path(tempfile.mkdtemp(prefix="interstage-view-"))  # for its owner alone
        page = folder / "open.html"
        handle = os.open(page, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(handle, "w", encoding="utf-8") as f:
            f.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={self.url}">\n')
        return page


class _Answers(BaseHTTPRequestHandler):
    server: LiveServer
    timeout = 30.0  # s that a connection may be idle

    def answer(self) -> None:
        """Answer the page, or rows that have come."""
        asked = urlsplit(self.path)
        token, _, path = asked.path[1:].partition("/")
        # a page of elsewhere that gives its own name the address of this machine has no business here, and so nobody
        # who does not know the address
        if self.headers.get("Host") != urlsplit(self.server.url).netloc or not secrets.compare_digest(
            token.encode("utf-8", "replace"), self.server.token.encode()
        ):
            self.send_error(403)
        elif path == "":
            self._send(self.server.follower.page().html().encode(), "text/html; charset=utf-8")
        elif path == "rows":
            wanted = parse_qs(asked.query)
            try:
                first, version = (whole(wanted[name][0]) for name in ("rows", "version"))
                found = self.server.follower.rows(first, version)
            except (KeyError, ValueError):
                self.send_error(400)
            except (InterstageError, OSError):  # gone, or written anew: the page keeps what it has
                self.send_error(410)
            else:
                self._send(json_text(found, gaps=True).encode(), "application/json")
        else:
            self.send_error(404)

    do_GET = answer  # the name that the library calls

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        """Say nothing on the terminal."""
