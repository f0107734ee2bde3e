"""Provides what requests about reminders say, in any of the languages; see `reminder_words.toml`."""

from functools import partial

from butler.understanding.stored_words import group_in, stored, whole_in

FILE = ("butler.orchestrator.understanding.reminders", "reminder_words")
plain, group, whole = partial(stored, *FILE), partial(group_in, *FILE), partial(whole_in, *FILE)
