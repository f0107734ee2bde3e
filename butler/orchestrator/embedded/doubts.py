"""Who exactly: what follows a name may belong to it, or to a list of names, or be the message."""

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.draft import Draft
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.message import Opening
from butler.orchestrator.embedded.people import Person, goes_on, person_at
from butler.orchestrator.embedded.say import content
from butler.orchestrator.embedded.scene import Scene

MARKS = phrases(
    ":", "that", "saying", "and say", "to say", "about", "know", "subject", "with", "on", "by", "via", "over",
    "through", "a", "an", ",", "-", "–", "—", '"', "“", "„", "«",
)  # fmt: skip
BEFORE_TEXT = phrases(":", "that", "saying")
SAYING_SUBJECTS = frozenset({"i", "i'm", "i'll", "i've", "i'd", "we", "we're", "we'll", "im"})
"""Behind a name, these begin what all who were named are told."""
COMMA = phrases(",")


def sure_of_list(opening: Opening, people: tuple[Person, ...], tail: Tail, after: Tail, scene: Scene) -> None:
    """Ask about `Anna, Bob and Carol are ...` and `Anna, Bob: ...`: all of them, or a message to Anna alone?"""
    comma = tail.find(COMMA)
    if comma is None or after.done:
        return
    inside = len(people) > 1 and comma[1].at < after.at
    if inside and after.take(MARKS) is None:
        raise _all_or_first(opening, people, comma[1], after)
    more, behind = list(people), after
    while behind.word() == "," and (found := person_at(behind.skip(), scene)) is not None:
        more, behind = [*more, found[0]], found[1]
    if len(more) > len(people) and (behind.take(BEFORE_TEXT) or behind.word() in SAYING_SUBJECTS):
        rest = after.skip() if len(people) == 1 else comma[1]
        raise _all_or_first(opening, tuple(more), rest, behind.past(BEFORE_TEXT))


def _all_or_first(opening: Opening, people: tuple[Person, ...], rest: Tail, after: Tail) -> Asking:
    everybody = Draft(people, content(after), opening.way)
    first = Draft(people[:1], content(rest), opening.way)
    return Asking(
        say("To {names}, or only to {name}?", names=everybody.said, name=people[0].said),
        [
            choice(say("To all: {text}", text=everybody.text), everybody.words()),
            choice(say("Only to {name}: {text}", name=people[0].said, text=first.text), first.words()),
        ],
    )


def sure_of_name(opening: Opening, people: tuple[Person, ...], after: Tail) -> None:
    """Ask about `Anna Bergman ...` where only an Anna is known."""
    if not goes_on(people[-1], after):
        return
    said = people[-1].said
    name = f"{said} {after.written()}"
    words = Draft(people, content(after), opening.way).words()
    raise Asking(
        say(
            "I know {known}, but nobody called {name}. Is “{text}” the message to {known}?",
            known=said,
            name=name,
            text=after.text,
        ),
        [choice(say("Yes, to {name}: {text}", name=said, text=after.text), words)],
    )
