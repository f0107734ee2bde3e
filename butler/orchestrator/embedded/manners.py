"""What people say around a request: greetings, the butler's name, `please`, `could you ...?`."""

from dataclasses import replace

from butler.orchestrator.embedded.lexer import QUOTES, Tail, name_phrase, phrases

POLITE = phrases(
    "please", "pls", "plz", "kindly", ",", "hey", "yo", "so", "well", "right", "alright", "great", "oh", "hi",
    "hello", "ok", "okay", "and", "then", "now", "also",
    "i (want|need) you to", "i would like you to", "i'd like you to", "i'd like to", "i would like to", "i want to",
    "i wanted to", "would you mind", "do me a favour and", "let's", "quickly", "go ahead and",
)  # fmt: skip
ENDING = phrases(
    "(please|pls|plz|thanks|thx|cheers)", "thank you", "for me", "for me please", "if you can", "if possible",
    "when you can", "when you have a moment", "right now", "now", "again", "real quick",
)  # fmt: skip
THANKS = phrases(", (please|thanks|thx)", ", thank you", ", many thanks")
WOULD_YOU = phrases(
    "(can|could|would|will) (you|u|ya) [please|kindly|pls|possibly|maybe|also|just|quickly]", "are you able to",
    "is it possible to", "would you be able to", "would you be so kind as to", "could i ask you to", "may i ask you to",
)  # fmt: skip


def without_thanks(tail: Tail) -> Tail:
    """Without a `please` or `thanks` behind a comma at the end, where no message can end in it."""
    bare = tail.bare()
    for at in range(max(bare.at + 1, bare.end - 4), bare.end):
        after = replace(bare, at=at).take(THANKS)
        if after is not None and after.done:
            return replace(bare, end=at)
    return tail


def without_ending(tail: Tail) -> Tail:
    """Without a `please` or `for me` at the end, comma or not; only for words that mean nothing with it."""
    here = tail.bare()
    for at in range(max(here.at + 1, here.end - 5), here.end):
        after = replace(here, at=at).take(ENDING)
        if after is not None and after.done:
            end = at - 1 if here.tokens[at - 1].word == "," else at
            return without_ending(replace(here, end=max(end, here.at + 1)))
    return here


def without_manners(tail: Tail, butler_name: str) -> Tail:
    """The bare request. Where there is nothing but manners, they are the request: `Hello Jeeves!`."""
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
    """`could you tell Anna I'm late?` asks the butler; after a colon or in quotes the question is for Anna."""
    marked = any(token.word == ":" or token.word in QUOTES for token in tail.tokens[tail.at : tail.end])
    return replace(tail, end=tail.end - 1) if not marked and tail.tokens[tail.end - 1].word == "?" else tail
