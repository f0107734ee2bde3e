"""Two requests in one message: told apart only where the second begins like one beyond doubt."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.hours import length_at
from butler.orchestrator.embedded.items import item_at
from butler.orchestrator.embedded.lexer import QUOTES, Tail, phrases
from butler.orchestrator.embedded.manners import without_manners
from butler.orchestrator.embedded.people import person_at
from butler.orchestrator.embedded.scene import Scene

JOINTS = frozenset({"and", "then", ".", ";", "!", "?"})
REMIND = phrases("remind me")
WRITE = phrases(
    "(tell|text|message|email|mail)", "(write|send) [to]", "(send|write) (a|an) (mail|email|message|telegram) to"
)
POINT = phrases("(forward|fwd|read|open)", "reply to")
SURELY = phrases(
    "search (my|your)", "show [me] [my] unread", "any (mail|mails|emails)", "remember that", "note :",
    "(what's|what is) new", "(show|list|check|open) [me] my", "what reminders",
)  # fmt: skip
AND = phrases("and", "&")
BEFORE = phrases("(before|beforehand|earlier) [it]")
MOST_WORDS, MOST_PAIRS = 1_000, 3
"""A message of more words is one long text; and so many cuts are tried."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two requests. `sure`: a new line or a semicolon stands between them, or the second asks for a reminder."""

    first: Tail
    second: Tail
    sure: bool


def pairs(tail: Tail, scene: Scene) -> Iterator[Pair]:
    """The ways to cut a message in two, the earliest first."""
    found, closing = 0, ""
    if tail.end - tail.at > MOST_WORDS:
        return
    for at in range(tail.at, tail.end):
        word = tail.tokens[at].word
        if closing:
            closing = "" if word == closing else closing
        elif word in QUOTES:
            closing = QUOTES[word]
        elif at > tail.at and (word in JOINTS or replace(tail, at=at).new_line()):
            rest = replace(tail, at=at if word not in JOINTS else at + 1)
            second = without_manners(rest, scene.request.butler_name)
            if found < MOST_PAIRS and _begins_request(second, scene):
                found += 1
                first = _closed(replace(tail, end=at))
                yield Pair(first, second, word == ";" or rest.new_line() or second.take(REMIND) is not None)


def shared_verb(tail: Tail) -> Iterator[tuple[Tail, str]]:
    """`show my reminders and my notes`: the first request, and the second with the first one's verb."""
    here, found = tail.bare(), 0
    while (split := here.find(AND)) is not None and found < MOST_PAIRS:
        found += 1
        here = split[1]
        first = replace(tail, end=here.at - 1)
        if not first.done and not here.done:
            yield first, f"{tail.written()} {replace(tail.bare(), at=here.at).text}"


def _begins_request(tail: Tail, scene: Scene) -> bool:
    if (reminded := tail.take(REMIND)) is not None and _of_what_is_made(reminded):
        return False
    if reminded or tail.take(SURELY):
        return True
    written, pointed = tail.take(WRITE), tail.take(POINT)
    return bool((written and person_at(written, scene)) or (pointed and _points_at_item(pointed, scene)))


def _of_what_is_made(tail: Tail) -> bool:
    """`... and remind me 30 minutes before`: of an event that the same request makes."""
    long = length_at(tail)
    after = long[1].take(BEFORE) if long else None
    return after is not None and after.bare().done


def _points_at_item(tail: Tail, scene: Scene) -> bool:
    try:
        return item_at(tail, scene) is not None
    except Asking:
        # An item, of somebody whom nobody knows.
        return True


def _closed(tail: Tail) -> Tail:
    """Without the comma before an `and`."""
    return replace(tail, end=tail.end - 1) if tail.end > tail.at and tail.tokens[tail.end - 1].word == "," else tail
