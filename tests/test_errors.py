"""Messages say what, where, expected and got, and what to do, in that order."""

from interstage.errors import DeckError, InterstageError, known_names


def test_every_part_in_order():
    text = str(InterstageError("a", where="b", expected="c", got="d", hint="e"))
    assert text == "a (b); expected c, got d; e"


def test_a_message_is_one_line():
    """Whatever is quoted: arrays are written on several."""
    assert (
        str(InterstageError("a", got="array([[1, 0],\n       [0, 1]])")) == "a; got array([[1, 0], [0, 1]])"
    )


def test_deck_error_names_file_line_and_card():
    error = DeckError("the real is bad", file="wing.bdf", line=12, image="GRID    1   x", got="'x'")
    assert str(error) == "the real is bad (wing.bdf, line 12: 'GRID    1   x'); got 'x'"
    assert (error.file, error.line) == ("wing.bdf", 12)
    assert isinstance(error, InterstageError)


def test_long_lists_of_names_are_cut():
    assert known_names(range(20), limit=3) == "known: 0, 1, 2 and 17 more"
