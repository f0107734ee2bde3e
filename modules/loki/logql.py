"""LogQL of words and labels. Whatever they hold, they stay texts within quotes, and plain in a pattern."""

import json
import re
from collections.abc import Mapping, Sequence

_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$]")


def quoted(text: str) -> str:
    """A text as LogQL writes it: JSON's escapes are among those that it knows."""
    return json.dumps(text, ensure_ascii=False)


def selector_of(labels: Mapping[str, str]) -> str:
    """The streams whose labels are just these."""
    return "{" + ", ".join(f"{name}={quoted(value)}" for name, value in sorted(labels.items())) + "}"


def with_words(query: str, words: Sequence[str]) -> str:
    """The lines of a query in which each of the words stands; case does not count."""
    return "".join([query.strip(), *(f" |~ {quoted('(?i)' + _plain(word))}" for word in words)])


def _plain(word: str) -> str:
    """A pattern that a text alone fits."""
    return _SPECIAL.sub(r"\\\g<0>", word)
