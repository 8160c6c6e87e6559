"""Frames a second of a replay in the browser: a tube of 20,000 triangles that moves and bends, drawn by Chromium.

Chromium is that of the tests, headless; its renderer is printed: software (SwiftShader) where no other is asked for.
The best second of some is taken, as others may use the machine.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

import numpy as np

from interstage.report.document import Report
from interstage.report.replay import Drawn, Replay
from interstage.report.scene import part_of_elements
from interstage.report.view import add_replay

SOFTWARE = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
AROUND, ALONG, SHAPES, TIMES = 100, 101, 24, 200
NAME = """() => { const gl = document.createElement('canvas').getContext('webgl2');
    return gl.getParameter(gl.getExtension('WEBGL_debug_renderer_info').UNMASKED_RENDERER_WEBGL); }"""


def tube() -> Replay:
    """Return a tube that flies ahead and bends in two dozen shapes."""
    angle, x = 2.0 * np.pi * np.arange(AROUND) / AROUND, np.linspace(0.0, 50.0, ALONG)
    points = np.array([[a, 2.0 * np.cos(b), 2.0 * np.sin(b)] for a in x for b in angle])
    level, after = AROUND * np.arange(ALONG - 1)[:, None], (np.arange(AROUND) + 1) % AROUND
    low = np.stack([level + np.arange(AROUND), level + after], axis=2)
    quads = np.concatenate([low, (low + AROUND)[:, :, ::-1]], axis=2).reshape(-1, 4)
    shapes = np.zeros((len(points), 3, SHAPES))
    for k in range(SHAPES):
        shapes[:, 1 + k % 2, k] = np.sin((1 + k // 2) * np.pi * points[:, 0] / 50.0)
    t = np.linspace(0.0, 20.0, TIMES)
    eta = 0.1 * np.sin(np.outer(t, 1.0 + np.arange(SHAPES))) / (1.0 + np.arange(SHAPES))
    poses = np.column_stack([100.0 * t, 0 * t, 0 * t, np.ones(TIMES), 0 * t, 0 * t, 0 * t])
    body = Drawn("tube", points, [part_of_elements("tube", [("CQUAD4", quads)])], poses, shapes, eta)
    return Replay(t, [body])


def measured(path: Path, seconds: int, width: int, height: int) -> tuple[str, list[int]]:
    """Return the renderer, and frames in each of some seconds while the page plays."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        chromium = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", *SOFTWARE]
        )
        page = chromium.new_page(viewport={"width": width, "height": height})
        page.goto(path.resolve().as_uri(), timeout=180_000)
        page.wait_for_selector("html[data-ready=true]", timeout=60_000)
        page.locator(".play").click()
        counts = [0]
        for _ in range(seconds):
            # frames of the page's own clock: a second that the browser had, not that this program waited
            counts.append(
                page.evaluate("""() => new Promise((done) => {
                const canvas = document.querySelector('[data-kind=replay] canvas');
                const [from, begun] = [Number(canvas.dataset.frames), performance.now()];
                setTimeout(() => done((1000 * (canvas.dataset.frames - from)) / (performance.now() - begun)), 1000);
            })""")
            )
        name = page.evaluate(NAME)
        chromium.close()
        return name, counts[1:]


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args([] if arguments is None else arguments)
    replay = tube()
    report = Report("Frames", "A tube that flies.", "Benchmark")
    add_replay(report.section("flight", "Flight", ""), replay)
    with tempfile.TemporaryDirectory() as folder:
        path = report.save(Path(folder) / "tube.html")
        print(
            f"triangles {2 * (ALONG - 1) * AROUND}, shapes {SHAPES}, page {path.stat().st_size / 1e6:.1f} MB"
        )
        for width, height in ((1200, 900), (600, 700)):
            name, counts = measured(path, options.seconds, width, height)
            print(
                f"window {width} by {height}: best {max(counts):.0f}, median {np.median(counts):.0f} frames a second"
            )
        print(f"renderer: {name}")


if __name__ == "__main__":
    main()
