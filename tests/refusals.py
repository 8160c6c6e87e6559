"""Tables of inputs that must be refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from interstage.errors import InterstageError


def refusals(table: str) -> pytest.MarkDecorator:
    """Run a test of `text` and `words` for each line `text -> words`; a bar in the text ends a line of it.

    `words` is what the error must say, a regular expression.
    """
    rows = [line.split(" -> ") for line in dedent(table).strip("\n").splitlines()]
    return pytest.mark.parametrize(
        ("text", "words"), [(text.rstrip().replace("|", "\n") + "\n", words) for text, words in rows]
    )


def assert_file_is_refused(path: Path, text: str, words: str, read: Callable[[Path], object]) -> None:
    """Assert that a file with a text is refused, and what is said."""
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InterstageError, match=words):
        read(path)
