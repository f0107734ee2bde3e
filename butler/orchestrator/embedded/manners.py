"""Removes politeness around a request: greetings, the butler's name, `please`, `could you ...?`; see `manners.toml`."""

from dataclasses import replace

from butler.orchestrator.embedded.lexer import QUOTES, Tail, name_phrase
from butler.orchestrator.embedded.table_words import phrases_of


def without_manners(tail: Tail, butler_name: str) -> Tail:
    """Return the bare request; words that are only polite, such as `Hello Jeeves!`, are returned as they are."""
    name = name_phrase(butler_name)
    here = tail
    while True:
        asked = here.take(phrases_of("manners", "would_you"))
        after = asked or here.take(phrases_of("manners", "polite")) or here.take(name)
        if after is None:
            return here
        if after.bare().done:
            return tail
        here = _without_question(after) if asked else after


def _without_question(tail: Tail) -> Tail:
    """Drop the question mark of `could you tell Anna I'm late?`, unless a colon or quotes make the question Anna's."""
    marked = any(token.word == ":" or token.word in QUOTES for token in tail.tokens[tail.at : tail.end])
    return replace(tail, end=tail.end - 1) if not marked and tail.tokens[tail.end - 1].word == "?" else tail
