"""A real browser for the tests of the report: Debian's chromium, headless, with software GL and no network."""

import shutil
from contextlib import contextmanager

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
]
SOFTWARE_GL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
WITHOUT_GL = ["--disable-gpu", "--disable-3d-apis"]


@contextmanager
def launcher():
    """Yield a function that starts a chromium, with WebGL in software or without any; skip where there is none."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("chromium is not installed")
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    started = []

    def launch(gl=True):
        try:
            started.append(
                play.chromium.launch(executable_path=path, args=FLAGS + (SOFTWARE_GL if gl else WITHOUT_GL))
            )
        except sync.Error as error:
            pytest.skip(f"chromium does not start: {str(error).splitlines()[0]}")
        return started[-1]

    with sync.sync_playwright() as play:
        try:
            yield launch
        finally:
            for chromium in started:
                chromium.close()


class Page:
    """An open report: the page, what it printed to the console, and what it asked of the network."""

    def __init__(self, chromium, path, **context):
        self.context = chromium.new_context(**context)
        self.page = self.context.new_page()
        self.console, self.requests = [], []
        self.page.on("console", lambda message: self.console.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.console.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.url = path.resolve().as_uri()
        self.page.goto(self.url, timeout=180_000)  # ms; a busy machine starts a browser late
        self.page.wait_for_selector("html[data-ready=true]", timeout=60_000)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # an animation left running in software GL would take the machine
        self.context.close()

    def drawn(self):
        """Return {figure: whether it was drawn}."""
        return self.page.eval_on_selector_all(
            "[data-figure]", "all => Object.fromEntries(all.map(e => [e.dataset.figure, e.dataset.drawn]))"
        )

    def assert_clean(self):
        """No word on the console, no request but the page itself."""
        assert self.console == []
        assert self.requests == [self.url]
