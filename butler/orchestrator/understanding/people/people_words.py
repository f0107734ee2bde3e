"""Provides what is said of people and stands around their names, in any of the languages; see `people_words.toml`."""

from functools import partial

from butler.understanding.stored_words import group_in, stored

FILE = ("butler.orchestrator.understanding.people", "people_words")
plain, group = partial(stored, *FILE), partial(group_in, *FILE)
