"""Provides the words from which the texts of messages are made, by kind and language; see `text_words.toml`."""

from functools import partial

from butler.understanding.stored_words import group_in, patterns_in, stored, whole_in

FILE = ("butler.orchestrator.understanding.texts", "text_words")
plain, group = partial(stored, *FILE), partial(group_in, *FILE)
patterns, whole = partial(patterns_in, *FILE), partial(whole_in, *FILE)
