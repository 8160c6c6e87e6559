"""Files of every release are read for ever: archives of this folder, one a release."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from write_files import ANSWERS, numbers_of

import interstage as ist
from interstage.files import KINDS, file_kind

ARCHIVES = sorted(Path(__file__).parent.glob("interstage-*.zip"))
NEW = {"linear set"}  # kinds of files since the last release


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.stem)
def test_every_file_of_a_release_is_read(archive, tmp_path):
    """The numbers are stored beside the files; sums of a mass matrix may round otherwise."""
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path)
    answers = json.loads((tmp_path / ANSWERS).read_text())
    kinds = set()
    for name, numbers in answers.items():
        kinds.add(file_kind(tmp_path / name).name)
        np.testing.assert_allclose(numbers_of(tmp_path / name), numbers, rtol=1e-13, err_msg=name)
    assert kinds == {kind.name for kind in KINDS} - NEW


def test_the_released_version_has_its_archive():
    assert f"interstage-{ist.__version__}.zip" in {path.name for path in ARCHIVES}
