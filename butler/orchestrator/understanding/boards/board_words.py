"""Provides what requests about boards and cards say, in any of the languages; see `board_words.toml`."""

from functools import partial

from butler.understanding.stored_words import group_in, patterns_in, stored, whole_in, words_in

FILE = ("butler.orchestrator.understanding.boards", "board_words")
plain, group = partial(stored, *FILE), partial(group_in, *FILE)
patterns, whole, words = partial(patterns_in, *FILE), partial(whole_in, *FILE), partial(words_in, *FILE)
