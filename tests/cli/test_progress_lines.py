"""What commands say while they work, to a pipe or a file: one line, late or never."""

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


def test_one_line_for_many_steps(capsys):
    with progress.steps() as report:
        for k in range(13):
            report(k, 12, f"part {k + 1}")
    assert capsys.readouterr().err == "interstage: 12 steps, now: part 1 ...\n"
