"""Builds LogQL from words and labels, which are always quoted, and escaped in patterns."""

import json
import re
from collections.abc import Mapping, Sequence

_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$]")


def quoted(text: str) -> str:
    """Return a text as a LogQL string: LogQL accepts JSON's escapes."""
    return json.dumps(text, ensure_ascii=False)


def selector_of(labels: Mapping[str, str]) -> str:
    """Return a selector of the streams with exactly these labels."""
    return "{" + ", ".join(f"{name}={quoted(value)}" for name, value in sorted(labels.items())) + "}"


def with_words(query: str, words: Sequence[str]) -> str:
    """Return a query of the lines that contain each of the words, ignoring case."""
    return "".join([query.strip(), *(f" |~ {quoted('(?i)' + _plain(word))}" for word in words)])


def _plain(word: str) -> str:
    """Return a pattern that matches only this text."""
    return _SPECIAL.sub(r"\\\g<0>", word)
