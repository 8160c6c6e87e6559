"""A run that goes on, followed: rows that are told are those of the log, and the page takes them."""

import json
import os
import threading
import time
import urllib.error
import urllib.request

import numpy as np
import pytest
from browser import launcher

import interstage as ist
from interstage.errors import FileError, InputError
from interstage.report.live import LiveServer, follower_of

CANVAS = "[data-kind=replay] canvas"


class Run:
    """A flight in another thread that goes on when it is told so."""

    def __init__(self, path, until=6.0):
        self.path, self.held = path, threading.Event()
        mb = ist.Multibody("bus and panel")
        mb.add_body("bus", mass=100.0, inertia=[20.0, 30.0, 40.0], joint=ist.Free())
        mb.add_body("panel", mass=5.0, com=[1, 0, 0], inertia=[0.1, 2, 2], parent="bus", at=[0.5, 0, 0],
                    joint=ist.Revolute("z", stiffness=40.0, damping=0.5))  # fmt: skip
        system = mb.compile()
        x = system.state()
        x["bus"].velocity[:] = [0.02, -0.01, 0.5, 1.0, 0.0, 0.0]
        x["panel"].q[0] = 0.3

        def law(t):
            if t > 0.5 * until:
                self.held.wait(60.0)
            return {"u": np.sin(t)}

        flight = ist.Assembly("followed", vehicle=system).add("law", law, every="100 ms", out={"u": "1"})
        self.thread = threading.Thread(
            target=lambda: ist.simulate(flight, x, until=until, step="10 ms", log=path, progress=False),
            daemon=True,
        )
        self.thread.start()

    def finish(self):
        self.held.set()
        self.thread.join(60.0)
        assert not self.thread.is_alive()


def asked(server, path, **headers):
    request = urllib.request.Request(server.url + path, headers=headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read()


@pytest.fixture
def server(tmp_path):
    run = Run(tmp_path / "run.h5")
    with LiveServer(follower_of(tmp_path / "run.h5")) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server, run
        run.held.set()
        server.shutdown()


def test_a_page_takes_what_a_run_writes(server):
    """It follows the run to its end, asks this machine alone, and shows every row that is a gap apart."""
    server, run = server
    with launcher() as launch:
        context = launch().new_context(viewport={"width": 900, "height": 900})
        page, said, requests = context.new_page(), [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(server.url)
        page.wait_for_selector("html[data-live=on]", timeout=60_000)
        shown = float(page.get_attribute("input.time", "max"))
        assert 0.0 < shown <= 3.2
        run.finish()
        page.wait_for_selector("html[data-live=done]", timeout=60_000)
        assert float(page.get_attribute("input.time", "max")) == pytest.approx(6.0)
        for _ in range(100):
            if float(page.get_attribute(CANVAS, "data-time")) == pytest.approx(6.0):
                break
            page.wait_for_timeout(100)
        log = ist.load(run.path)
        seen = page.evaluate(
            """() => { const { stage } = document.querySelector('[data-kind=replay]');
                return [Array.from(stage.t), ...stage.bodies.map((body) => Array.from(body.poses))]; }"""
        )
        t, bus, panel = (np.array(values) for values in seen)
        rows = np.searchsorted(log.t, t - 1e-9)
        np.testing.assert_allclose(log.t[rows], t, atol=1e-12)
        assert 2.0 * len(t) == pytest.approx(len(log.t), abs=2)  # 20 ms of rows that are 10 ms apart
        np.testing.assert_array_equal(bus.reshape(-1, 7)[:, :3], log.position("bus")[rows])
        np.testing.assert_allclose(panel.reshape(-1, 7)[:, :3], log.position("panel")[rows], atol=1e-12)
        points = page.evaluate("document.querySelector('[data-kind=lines] canvas') !== null")
        assert points and said == []
        assert {url.split("?")[0] for url in requests} <= {server.url, server.url + "rows"}
        context.close()


def test_only_pages_of_this_machine_are_answered(server):
    server, run = server
    assert server.server_address[0] == "127.0.0.1"
    assert b"connect-src 'self'" in asked(server, "")
    first = json.loads(asked(server, "rows?rows=0&version=1"))
    assert not first["done"] and first["rows"] > 2 and set(first["figures"]) == {"flight-1", "charts-2"}
    assert json.loads(asked(server, "rows?rows=0&version=7"))["changed"]
    for path, headers, status in (
        ("rows?rows=0&version=1", {"Host": "elsewhere.example"}, 403),
        ("rows?rows=many", {}, 400),
        ("etc/passwd", {}, 404),
    ):
        with pytest.raises(urllib.error.HTTPError) as refused:
            asked(server, path, **headers)
        assert refused.value.code == status
    run.finish()
    last = json.loads(asked(server, f"rows?rows={first['rows']}&version=1"))
    assert last["done"] and last["time"] == "6" and last["rows"] > first["rows"]


def status_of(url, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        return refused.code


def test_nobody_reads_a_flight_without_the_address(server):
    """Every user of a machine reaches its loopback interface: what they do not know is the token."""
    server, _ = server
    base = f"http://127.0.0.1:{server.server_address[1]}"
    assert len(server.token) >= 32 and server.url == f"{base}/{server.token}/"
    wrong = server.token[:-1] + ("a" if server.token[-1] != "a" else "b")
    for path in (
        "/",
        "/rows?rows=0&version=1",
        f"/{wrong}/",
        f"/{wrong}/rows?rows=0&version=1",
        "//",
        "/%FF/",
    ):
        assert status_of(base + path) == 403
    assert status_of(server.url) == status_of(server.url + "rows?rows=0&version=1") == 200
    assert status_of(server.url + "rows?rows=" + "9" * 5000 + "&version=1") == 400
    page = server.opener()
    assert page.stat().st_mode & 0o077 == page.parent.stat().st_mode & 0o077 == 0
    assert server.url in page.read_text()
    with LiveServer(server.follower) as other:
        assert other.token != server.token


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
@pytest.mark.parametrize("what", ["nothing", "garbage", "a pipe", "a folder", "another kind", "no vehicle"])
def test_a_log_that_is_no_longer_there_is_gone(tmp_path, what):
    """The page is told so (410), at once: nothing waits for a pipe, and no traceback is printed."""
    run = Run(tmp_path / "run.h5", until=0.2)
    run.finish()
    mb = ist.Multibody("stone")
    mb.add_body("stone", mass=2.0, inertia=[1, 1, 1], joint=ist.Free())
    with LiveServer(follower_of(tmp_path / "run.h5")) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        (tmp_path / "run.h5").unlink()
        if what == "garbage":
            (tmp_path / "run.h5").write_bytes(b"x" * 1000)
        elif what == "a pipe":
            os.mkfifo(tmp_path / "run.h5")
        elif what == "a folder":
            (tmp_path / "run.h5").mkdir()
        elif what == "another kind":
            mb.save(tmp_path / "run.h5")
        elif what == "no vehicle":
            alone = ist.Assembly("a").add("law", lambda t: np.sin(t), every="100 ms", out={"u": "1"})
            ist.simulate(alone, None, until=1, step=0.1, log=tmp_path / "run.h5", progress=False)
        assert status_of(server.url + "rows?rows=0&version=1") == 410
        assert status_of(server.url) == 200  # the page keeps what it has
        server.shutdown()


def test_what_cannot_be_followed_is_said(tmp_path):
    with pytest.raises(FileError, match="no rows"):
        follower_of(tmp_path / "nothing.h5", wait=lambda: False)
    mb = ist.Multibody("stone")
    mb.add_body("stone", mass=2.0, inertia=[1, 1, 1], joint=ist.Free())
    mb.save(tmp_path / "stone.h5")
    with pytest.raises(InputError, match="only logs are followed"):
        follower_of(tmp_path / "stone.h5", wait=lambda: False)
    started = time.monotonic()
    with pytest.raises(FileError, match="no rows"):
        follower_of(tmp_path / "late.h5", wait=lambda: time.monotonic() < started + 0.3)
