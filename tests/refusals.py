"""Tables of inputs that must be refused."""

from __future__ import annotations

from textwrap import dedent

import pytest


def refusals(table: str) -> pytest.MarkDecorator:
    """Run a test of `text` and `words` for each line `text -> words`; a bar in the text ends a line of it.

    `words` is what the error must say, a regular expression.
    """
    rows = [line.split(" -> ") for line in dedent(table).strip("\n").splitlines()]
    return pytest.mark.parametrize(
        ("text", "words"), [(text.rstrip().replace("|", "\n") + "\n", words) for text, words in rows]
    )
