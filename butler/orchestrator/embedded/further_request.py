"""Finds a second request inside the text of the first: `tell Anna I'm late and put dinner at 8 into my calendar`.

Words that may be meant for the butler are never sent, kept or looked for as part of a text without a question. How such
a request begins is in `further_requests.toml`.
"""

from collections.abc import Iterator
from dataclasses import replace

from butler.orchestrator.embedded.lexer import QUOTES, Phrases, Tail
from butler.orchestrator.embedded.people import person_at
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.table_words import phrases_of
from butler.orchestrator.planning.kind_words import all_nouns
from butler.understanding.stored_words import patterns_in

_NAME = "further_requests"
MOST_BEFORE = 4
"""Most words between a verb and the noun of its object."""
MOST_WORDS = 14
"""Most words between a verb such as `put` and its place."""


def further_requests(tail: Tail, scene: Scene) -> Iterator[Tail]:
    """Yield the further requests in a text, without their joints."""
    here, closing = tail, ""
    while not here.done:
        word = here.word()
        if closing or word in QUOTES:
            closing = "" if word == closing else closing or QUOTES[word]
        elif here.at > tail.at and (after := _joint(here)) is not None and _begins_request(after, scene):
            yield after
        here = here.skip()


def _joint(here: Tail) -> Tail | None:
    after = here.take(_phrases("joints")) or (here if here.new_line() else None)
    return after if after is not None and not after.done else None


def _begins_request(tail: Tail, scene: Scene) -> bool:
    """Return whether a request begins here that only the butler can be asked."""
    if tail.take(_phrases("remind")) is not None or _puts(tail):
        return True
    if tail.take(_phrases("farewells")) is not None and tail.take(_phrases("tell_me")) is None:
        return False
    if _writes(tail, scene) or _leaves_out(tail, scene) or _is_told_to_do(tail.word()):
        return True
    return any(tail.take(_phrases(kind)) is not None for kind in ("keep", "greet", "show", "handle")) or _acts(
        tail, scene
    )


def _leaves_out(tail: Tail, scene: Scene) -> bool:
    """Return whether the words leave somebody out: `not Bob`, `don't tell Bob`."""
    after = tail.take(_phrases("leaves_out"))
    return after is not None and person_at(after, scene) is not None


def _acts(tail: Tail, scene: Scene) -> bool:
    """Return whether the words act on something of the butler's: `archive her mail`, `turn off the reminder`."""
    start = tail.take(_phrases("act"))
    if start is None:
        return False
    near = {word.strip(",.;!?") for word in start.text.casefold().split()[:MOST_BEFORE]}
    brands = (spec.about.brands for spec in scene.request.tools)
    return not all(near.isdisjoint(things) for things in (all_nouns(), *brands))


def _puts(tail: Tail) -> bool:
    start = tail.take(_phrases("put"))
    if start is None:
        return False
    here = replace(start, end=min(start.end, start.at + MOST_WORDS))
    while not here.done:
        if here.take(_phrases("places")) is not None:
            return True
        here = here.skip()
    return False


def _writes(tail: Tail, scene: Scene) -> bool:
    if tail.take(_phrases("to_him")) is not None:
        return True
    start = tail.take(_phrases("write"))
    if start is None:
        return False
    behind = start.past(_phrases("before_person"))
    return any(person_at(one, scene) is not None or one.take(_phrases("them")) is not None for one in (start, behind))


def _is_told_to_do(word: str) -> bool:
    """Return whether a word is a command with its object."""
    return patterns_in("butler.orchestrator.embedded", _NAME, "told_to_do").fullmatch(word) is not None


def _phrases(kind: str) -> Phrases:
    return phrases_of(_NAME, kind)
