"""Reminders that wait for somebody: `remind me when Anna answers, or on Friday at the latest, to send the form`."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from butler.contract.asked_times import NINE
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.people import Person, person_at
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.when import Spoken, at_time, settle, spoken_at

AS_SOON_AS = phrases("[,] (when|once|whenever|if)", "[,] as soon as", "[,] the moment")
ANSWERS = phrases(
    "(answers|replies|responds|writes) [me|back|to me] [back]", "has (answered|replied|responded|written) [me|to me]",
    "gets back to me", "(sends|has sent) [me] (an|a|their|her|his) (answer|reply|mail|email|message)", "gets in touch",
)  # fmt: skip
OR = phrases("[,] [or] [but] (at the latest|no later than|at latest|not later than)", "[,] or [else] [by]",
             "[,] but [by]", "[,] by")  # fmt: skip
LATEST = phrases("[,] at the latest", "[,] at latest", "[,] latest")
OF = phrases("[,] (to|that|about|of) [:]", ":", ",", "-", "–")
DAYS = 7
ASK_WHOM = phrase("I know nobody by that name, so I cannot tell when they answer. Say it with a time instead.")


def answered(start: Tail, scene: Scene) -> tuple[str, dict[str, Any], Tail] | None:
    """Whom it waits for, until when at the latest, and the text; None where it waits for nobody."""
    begins = start.take(AS_SOON_AS)
    if begins is not None:
        found = _waits(begins, scene)
        return (found[0], found[1], found[2].past(OF)) if found is not None else None
    here = start
    while (split := here.find(AS_SOON_AS)) is not None:
        found = _waits(split[1], scene)
        if found is not None and found[2].bare().done and not start.until(replace(start, at=split[0].end)).done:
            return found[0], found[1], replace(start.past(OF), end=split[0].end)
        here = split[1]
    return None


def _waits(begins: Tail, scene: Scene) -> tuple[str, dict[str, Any], Tail] | None:
    person = person_at(begins, scene)
    after = person[1].take(ANSWERS) if person is not None else None
    if person is None or after is None:
        return None
    latest, rest = _latest(after, scene)
    return _name(person[0], begins), latest, rest


def _name(person: Person, begins: Tail) -> str:
    names = sorted({contact.name for contact in person.contacts})
    if not names:
        raise Asking(say(ASK_WHOM))
    if len(names) > 1:
        words = begins.source
        raise Asking(
            say("Which {name} do you mean?", name=person.said),
            [choice(name, words.replace(person.said, name, 1)) for name in names],
        )
    return names[0]


def _latest(after: Tail, scene: Scene) -> tuple[dict[str, Any], Tail]:
    """The time at which it is said at the latest; a week from now where nobody says one."""
    now = scene.now()
    begins = after.take(OR)
    found = spoken_at(begins, now) if begins is not None else None
    if found is None:
        at = now.replace(tzinfo=None, second=0, microsecond=0) + timedelta(days=DAYS)
        return at_time("at", at) | {"latest_assumed": True}, after.past(LATEST)
    said, rest = found
    at, assumed = _moment(said, now)
    return at_time("at", at) | ({"assumed": True} if assumed else {}), rest.past(LATEST)


def _moment(said: Spoken, now: datetime) -> tuple[datetime, bool]:
    assumed = not said.whole
    at = settle(replace(said, clock=NINE) if assumed else said, now)
    if at is None:
        raise Asking(say("That time is past. When shall I remind you at the latest?"))
    return at, assumed
