"""INCLUDE: nested, quoted, continued, in any section, and never out of the folder tree unless allowed."""

from __future__ import annotations

import os

import pytest

from interstage.errors import DeckError
from interstage.nastran import deck_from_text, read_deck, source


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_bdf", ".bdf")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder / "main.bdf"


def test_nested_includes_are_relative_to_the_including_file(tmp_path):
    main = write(
        tmp_path,
        main_bdf="SOL 103\nCEND\nBEGIN BULK\nGRID,1\ninclude 'parts/a.bdf'\nGRID,4\nENDDATA\nGARBAGE\n",
        parts__a_bdf='GRID,2\nINCLUDE "deep/b.bdf"\n',
        parts__deep__b_bdf="GRID,3,,1.,2.,3.",
    )
    table = read_deck(main).cards("GRID")
    assert table.integer(1).tolist() == [1, 2, 3, 4]
    assert table.where(2) == "deep/b.bdf, line 1"
    assert table.where(3).endswith("main.bdf, line 6")


@pytest.mark.parametrize(
    "statement",
    [
        "INCLUDE 'parts/a.bdf'",
        'Include "parts/a.bdf"   $ comment',
        "INCLUDE parts/a.bdf $ comment",
        "INCLUDE 'parts\\a.bdf'",
        "INCLUDE 'par\nts/\n  a.bdf'",
        "INCLUDE='parts/a.bdf'",
        "  INCLUDE   'parts/a.bdf'",
        "INCLUDE\n'parts/a.bdf'",
    ],
)
def test_spellings(tmp_path, statement):
    main = write(tmp_path, main_bdf=f"GRID,1\n{statement}\nGRID,3\n", parts__a_bdf="GRID,2\n")
    table = read_deck(main).cards("GRID")
    assert table.integer(1).tolist() == [1, 2, 3]
    assert table.where(2).endswith(f"line {statement.count(chr(10)) + 3}")


def test_include_in_every_section(tmp_path):
    sections = {"exec_bdf": "SOL SEMODES\n", "case_bdf": "SPC = 4\n", "bulk_bdf": "BEGIN BULK\nGRID,1\n"}
    main = write(
        tmp_path, main_bdf="INCLUDE 'exec.bdf'\nCEND\nINCLUDE 'case.bdf'\nINCLUDE 'bulk.bdf'\n", **sections
    )
    deck = read_deck(main)
    assert deck.sol == 103 and deck.case.subcases[0].spc == 4 and len(deck.cards("GRID")) == 1
    assert len(deck.files) == 4


def test_enddata_in_an_included_file_ends_the_deck(tmp_path):
    main = write(tmp_path, main_bdf="GRID,1\nINCLUDE 'a.bdf'\nGRID,3\n", a_bdf="GRID,2\nENDDATA\n")
    assert read_deck(main).cards("GRID").integer(1).tolist() == [1, 2]


def test_a_file_may_be_included_twice_but_not_by_itself(tmp_path):
    main = write(tmp_path, main_bdf="INCLUDE 'a.bdf'\nINCLUDE 'a.bdf'\n", a_bdf="SPC1,1,123,1\n")
    assert len(read_deck(main).cards("SPC1")) == 2
    write(tmp_path, a_bdf="INCLUDE 'b.bdf'\n", b_bdf="GRID,1\nINCLUDE 'a.bdf'\n")
    with pytest.raises(
        DeckError, match=r"the INCLUDE files form a loop .b.bdf, line 2.*a.bdf -> b.bdf -> a.bdf"
    ):
        read_deck(main)


def test_missing_file(tmp_path):
    main = write(tmp_path, main_bdf="GRID,1\nINCLUDE 'none.bdf'\n")
    with pytest.raises(DeckError, match=r"the INCLUDE file was not found .*line 2.*got 'none.bdf'"):
        read_deck(main)


def test_leaving_the_folder_tree_needs_permission(tmp_path):
    write(tmp_path, outside_bdf="GRID,2\n")
    main = write(tmp_path / "job", main_bdf="GRID,1\nINCLUDE '../outside.bdf'\n")
    with pytest.raises(DeckError, match=r"the INCLUDE leaves the folder tree of the main deck .*line 2"):
        read_deck(main)
    assert len(read_deck(main, allow_outside=True).cards("GRID")) == 2


def test_symbolic_links_are_followed_before_the_check(tmp_path):
    write(tmp_path, outside_bdf="GRID,2\n")
    main = write(tmp_path / "job", main_bdf="INCLUDE 'link.bdf'\n")
    os.symlink(tmp_path / "outside.bdf", tmp_path / "job" / "link.bdf")
    with pytest.raises(DeckError, match="leaves the folder tree"):
        read_deck(main)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("INCLUDE 'a.bdf\n", "the file name of INCLUDE has no closing quote"),
        ("INCLUDE ''\n", "INCLUDE without a file name"),
        ("INCLUDE\n", "INCLUDE without a file name"),
        ("INCLUDE 'a\0b'\n", "INCLUDE without a file name"),
        ("INCLUDE '/dev/zero'\n", "the INCLUDE leaves the folder tree"),
    ],
)
def test_bad_statements(tmp_path, text, message):
    with pytest.raises(DeckError, match=message):
        read_deck(write(tmp_path, main_bdf=text))


def test_special_files_are_not_read(tmp_path):
    main = write(tmp_path, main_bdf="INCLUDE 'pipe'\n")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DeckError, match="the INCLUDE file was not found"):
        read_deck(main)
    with pytest.raises(DeckError, match="the deck is a pipe or a device"):
        read_deck(tmp_path / "pipe")


def test_multiplying_includes_are_stopped(tmp_path, monkeypatch):
    """Files that include two others each, twenty deep, would give a million: the count is limited."""
    monkeypatch.setattr(source, "MAX_INCLUDES", 500)
    files = {f"f{k}_bdf": f"INCLUDE 'f{k + 1}.bdf'\n" * 2 for k in range(20)}
    main = write(tmp_path, main_bdf="INCLUDE 'f0.bdf'\n", f20_bdf="GRID,1\n", **files)
    with pytest.raises(DeckError, match="too many INCLUDEs"):
        read_deck(main)


def test_main_file_errors(tmp_path):
    with pytest.raises(DeckError, match="the deck was not found"):
        read_deck(tmp_path / "none.bdf")
    with pytest.raises(DeckError, match="the deck is a folder"):
        read_deck(tmp_path)
    with pytest.raises(DeckError, match="INCLUDE cannot be followed"):
        deck_from_text("INCLUDE 'a.bdf'")


def test_odd_encodings_and_line_ends(tmp_path):
    main = write(tmp_path, main_bdf=b"\xef\xbb\xbf$ \xe9\xff\r\nGRID,1,,1.5 $ \xff\rGRID,2\r\n")
    assert read_deck(main).cards("GRID").integer(1).tolist() == [1, 2]


def test_a_logical_folder_is_left_out(tmp_path):
    """NASTRAN would replace MODELS: by a folder that is not known here."""
    main = write(tmp_path, main_bdf="INCLUDE 'MODELS:a.bdf'\nGRID,2\n", a_bdf="GRID,1\n")
    assert read_deck(main).cards("GRID").integer(1).tolist() == [1, 2]
    with pytest.raises(DeckError, match="the INCLUDE file was not found"):
        read_deck(write(tmp_path, main_bdf="INCLUDE 'MODELS:b.bdf'\n"))
