"""What commands say while they work, to a pipe or a file: one line, late or never; one for each of many steps."""

from __future__ import annotations

from interstage.cli import progress


def test_one_line_for_work_that_takes_long(capsys, monkeypatch):
    with progress.progress() as say:
        say("reading")
    assert capsys.readouterr().err == ""  # soon done
    monkeypatch.setattr(progress, "PATIENCE_S", -1.0)
    with progress.progress() as say:
        for words in ("reading", "constraints", "eigenvalues"):
            say(words)
    assert capsys.readouterr().err == "interstage: reading ...\n"
    with progress.progress(quiet=True) as say:
        say("reading")
    assert capsys.readouterr().err == ""


def test_one_line_for_each_step(capsys):
    with progress.steps() as report:
        for k, words in enumerate(("deck", "modes", "done")):
            report(k, 2, words)
    lines = ["interstage: step 1 of 2: deck ...", "interstage: step 2 of 2: modes ..."]
    assert capsys.readouterr().err.splitlines() == lines
