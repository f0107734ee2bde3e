"""Provides what joins, begins and ends the requests of a message, in any of the languages; see `request_words.toml`."""

from functools import partial

from butler.understanding.stored_words import group_in, patterns_in, stored, whole_in

FILE = ("butler.orchestrator.understanding.requests", "request_words")
plain, group = partial(stored, *FILE), partial(group_in, *FILE)
patterns, whole = partial(patterns_in, *FILE), partial(whole_in, *FILE)
