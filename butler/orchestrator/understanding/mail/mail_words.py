"""Provides what requests about mails say, in any of the languages; see `mail_words.toml`."""

from functools import partial

from butler.understanding.stored_words import group_in, patterns_in, stored, whole_in

FILE = ("butler.orchestrator.understanding.mail", "mail_words")
plain, group = partial(stored, *FILE), partial(group_in, *FILE)
patterns, whole = partial(patterns_in, *FILE), partial(whole_in, *FILE)
