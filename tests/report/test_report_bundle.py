"""The script in the package is what its sources make, byte for byte."""

import hashlib
import shutil
import subprocess

import pytest

from conftest import ROOT

BUILT = ROOT / "src" / "interstage" / "report" / "web"
FILES = ("report.js", "report.css", "notices.txt")


def test_rebuild_gives_the_same_bytes(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    if not (ROOT / "web" / "node_modules" / "esbuild").is_dir():
        pytest.skip("the build's packages are not installed: npm ci in web/")
    subprocess.run([node, "build.mjs", str(tmp_path)], cwd=ROOT / "web", check=True, timeout=120)
    for name in FILES:
        new, old = (hashlib.sha256((folder / name).read_bytes()).hexdigest() for folder in (tmp_path, BUILT))
        assert new == old, f"{name} is not what web/src makes: run 'make page'"


def test_bundle_is_small():
    """The page without data stays under 800 kB, so that a report can be sent by mail."""
    assert sum((BUILT / name).stat().st_size for name in FILES) < 800_000
