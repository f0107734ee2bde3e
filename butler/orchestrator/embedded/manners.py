"""Removes politeness around a request: greetings, the butler's name, `please`, `could you ...?`."""

from dataclasses import replace

from butler.orchestrator.embedded.lexer import QUOTES, Tail, name_phrase, phrases

POLITE = phrases(
    "please", "pls", "plz", "kindly", ",", "hey", "yo", "so", "well", "right", "alright", "great", "oh", "hi",
    "hello", "ok", "okay", "and", "then", "now", "also",
    "i (want|need) you to", "i would like you to", "i'd like you to", "i'd like to", "i would like to", "i want to",
    "i wanted to", "would you mind", "do me a favour and", "let's", "quickly", "go ahead and",
)  # fmt: skip
WOULD_YOU = phrases(
    "(can|could|would|will) (you|u|ya) [please|kindly|pls|possibly|maybe|also|just|quickly]", "are you able to",
    "is it possible to", "would you be able to", "would you be so kind as to", "could i ask you to", "may i ask you to",
)  # fmt: skip


def without_manners(tail: Tail, butler_name: str) -> Tail:
    """Return the bare request; words that are only polite, such as `Hello Jeeves!`, are returned as they are."""
    name = name_phrase(butler_name)
    here = tail
    while True:
        asked = here.take(WOULD_YOU)
        after = asked or here.take(POLITE) or here.take(name)
        if after is None:
            return here
        if after.bare().done:
            return tail
        here = _without_question(after) if asked else after


def _without_question(tail: Tail) -> Tail:
    """Drop the question mark of `could you tell Anna I'm late?`, unless a colon or quotes make the question Anna's."""
    marked = any(token.word == ":" or token.word in QUOTES for token in tail.tokens[tail.at : tail.end])
    return replace(tail, end=tail.end - 1) if not marked and tail.tokens[tail.end - 1].word == "?" else tail
