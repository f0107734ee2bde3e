"""Acts on many events at once: `clear my calendar on Friday`, `move all meetings on Friday to Monday`.

Which events are meant has to be said: when, with whom, what they are called. Nothing is done before a card has shown
how many there are.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_words import (
    COLOUR,
    DECLINE,
    DELETE,
    GENERIC,
    MOVE,
    NAMED,
    NOT_EVENTS,
    REMIND,
    need,
)
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.colours import colour_at
from butler.orchestrator.embedded.draft import ask_which
from butler.orchestrator.embedded.hours import length_at
from butler.orchestrator.embedded.lexer import Phrases, Tail, phrases
from butler.orchestrator.embedded.people import PRONOUNS, Way, person_at
from butler.orchestrator.embedded.say import content, one_line
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.shift import shift_at
from butler.orchestrator.embedded.stretch import Stretch, from_now, stretch_at
from butler.orchestrator.embedded.target import target_at
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

CALENDAR = "(calendar|agenda|schedule|diary)"
CLEAR = phrases("(clear|empty|wipe|free up|clear out|clean out)")
DELETE_VERB = phrases("(delete|remove|cancel|clear|call off|drop|scrap|get rid of|take)")
DECLINE_VERB = phrases("decline", "turn down", "say no to")
MOVE_VERB = phrases("(move|shift|push|postpone|reschedule|delay|bring|put off|put)")
PAINT = phrases("(colour|color|paint|mark|make)")
REMIND_ME = phrases("remind me", "(set|add) [me] (a reminder|reminders)")
BEFORE = phrases("(before|ahead of)")
NO_REMINDERS = phrases("(turn off|remove|switch off|delete) [the|all] (reminders|reminder) (of|for|from)")
ONLY_EVENTS = frozenset({"cancel", "call", "clear"})
"""Verbs that are for nothing but events."""
COMMENT = phrases("[and] (with the comment|saying|with the note|and say|with the message) [:|that]")
TO, TO_CALENDAR = phrases("to", "onto", "into"), phrases("(to|into) (my|the|our)")
ALL = phrases("(all|every|each|any) [of] [the|my|our|these|those]", "(all|every) [of] my", "these", "those")
MINE = phrases("(my|the|our)")
EVERYTHING = phrases("(everything|all|anything) [that is|that's|there is|i have]")
ALL_DAY = phrases("(all-day|all day|whole-day)")
WITH = phrases("[that are] with")
BY = phrases("[that were] [organised|organized|sent|created|made] by", "[that are] from", "[i was] invited by")
ABOUT = phrases("(about|called|named|titled|regarding|concerning|containing)", "with the (word|title|words)")
IN_CALENDAR = phrases(f"[that are] (in|from|on|off|out of) (my|the|our) {CALENDAR}")
BY_ME = phrases("[that] i (organised|organized|made|created|set up)", "of mine", "organised by me", "organized by me")
BY_OTHERS = phrases(
    "[that] others (organised|organized|made|created)", "[that] i (am|was) invited to", "[that] i'm invited to",
    "(organised|organized) by others",
)  # fmt: skip
SERIES = phrases("(and|with) (their|the) (whole|entire) series", "as (a|whole) series", "for good")
FIXED: tuple[tuple[Phrases, dict[str, Any]], ...] = (
    (IN_CALENDAR, {}),
    (BY_ME, {"organiser": "me"}),
    (BY_OTHERS, {"organiser": "others"}),
    (SERIES, {"series": True}),
)
AND = phrases("and", ",", "or")
JOINT = phrases(",", "and", "which are", "that are")
WHICH = phrase(
    "Which events do you mean? Say when, with whom or what they are called, like “delete all meetings on Friday”."
)
MOST_WORDS = 6


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which events, as the tools take it."""

    words: str = ""
    when: Stretch = field(default_factory=Stretch)
    people: tuple[str, ...] = ()
    calendar: str = ""
    organiser: str = ""
    all_day: bool = False
    series: bool = False

    def args(self, scene: Scene) -> dict[str, object]:
        """Only what was said; what is over is never meant by leaving out the beginning."""
        when = from_now(self.when, scene.now()).args() if self.when != Stretch() else {}
        said: dict[str, object] = {
            "words": self.words,
            "people": list(self.people),
            "calendar": self.calendar,
            "organiser": self.organiser,
            "all_day": self.all_day,
            "series": self.series,
        }
        return when | {name: value for name, value in said.items() if value}


def many_events(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to act on all events of a kind; None where it is none."""
    bare = tail.bare()
    if not scene.has(DELETE):
        return None
    return (
        _cleared(bare, scene)
        or _reminded(bare, scene)
        or _moved(bare, scene)
        or _coloured(bare, scene)
        or _declined(bare, scene)
        or _deleted(bare, scene)
    )


def _cleared(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`clear my calendar on Friday`, `clear my Friday afternoon`."""
    start = bare.take(CLEAR)
    if start is None:
        return None
    here = start.past(MINE)
    calendar = here.take(phrases(CALENDAR))
    here = calendar if calendar is not None else here
    found = stretch_at(here.past(phrases("(for|of)")), scene.now()) or stretch_at(here, scene.now())
    if calendar is not None and here.done:
        raise Asking(say(WHICH))
    if found is None or not found[1].past(IN_CALENDAR).done:
        return None
    return _plan(DELETE, Wanted(when=found[0]), scene)


def _deleted(bare: Tail, scene: Scene) -> PlannerOutput | None:
    start = bare.take(DELETE_VERB)
    wanted = _all_of(start, scene) if start else None
    if start is None or wanted is None:
        return None
    named = {token.word for token in start.tokens[start.at : start.end]} & (GENERIC | NAMED)
    if not named and start.find(IN_CALENDAR) is None and bare.word() not in ONLY_EVENTS:
        raise _mails_or_events(start.past(EVERYTHING).text, scene)
    return _plan(DELETE, wanted, scene)


def _mails_or_events(rest: str, scene: Scene) -> Asking:
    """`delete everything on Friday`: what is to come, or what came?"""
    choices = [choice(say("Events"), f"delete everything in my calendar {rest}")]
    choices += [choice(say("Mails"), f"trash all mails {rest}")] * scene.has("user_email_trash")
    return Asking(say("Do you mean events of your calendar?"), choices)


def _declined(bare: Tail, scene: Scene) -> PlannerOutput | None:
    start = bare.take(DECLINE_VERB)
    split = start.find(COMMENT) if start else None
    wanted = _all_of(split[0] if split else start, scene, sure=True) if start else None
    if wanted is None:
        return None
    comment = {"comment": one_line(content(split[1]))} if split and not split[1].done else {}
    return _plan(DECLINE, wanted, scene, **comment)


def _reminded(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`remind me 30 minutes before all meetings next week`."""
    if (start := bare.take(NO_REMINDERS)) is not None:
        wanted = _all_of(start, scene)
        return _plan(REMIND, wanted, scene, off=True) if wanted else None
    start = bare.take(REMIND_ME)
    long = length_at(start) if start else None
    which = long[1].take(BEFORE) if long else None
    wanted = _all_of(which, scene, sure=True) if which else None
    return _plan(REMIND, wanted, scene, remind_minutes=long[0]) if wanted and long else None


def _coloured(bare: Tail, scene: Scene) -> PlannerOutput | None:
    start = bare.take(PAINT)
    if start is None:
        return None
    for at in range(start.at + 1, start.end):
        colour = colour_at(replace(start, at=at).past(phrases("(in|as)")))
        if colour is not None and colour[1].done:
            wanted = _all_of(replace(start, end=at), scene)
            return _plan(COLOUR, wanted, scene, colour=colour[0]) if wanted else None
    return None


def _moved(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`move all meetings on Friday to Monday`, `... by an hour`, `... to my Work calendar`."""
    start = bare.take(MOVE_VERB)
    if start is None or not (start.take(ALL) or start.take(EVERYTHING) or start.take(MINE)):
        return None
    here = start
    while (split := here.find(TO)) is not None:
        what, here = replace(start, end=split[0].end), split[1]
        named = _calendar_at(here.past(MINE))
        wanted = _all_of(what, scene) if not what.done else None
        if wanted is None:
            continue
        if named is not None and named[1].done:
            return _plan(MOVE, wanted, scene, to_calendar=named[0])
        if (target := target_at(here, scene)) is not None and target[1].done:
            if target[0].day is None or target[0].clock is not None or wanted.when.day is None:
                raise Asking(say("From which day to which day? Say it like “move all meetings on Friday to Monday”."))
            sure = target[0].sure_after(wanted.when.day, bare.until(here).text)
            assert sure.day is not None, "it was there before"
            return _plan(MOVE, wanted, scene, days=(sure.day - wanted.when.day).days)
    for at in range(start.at + 1, start.end):
        wanted = _all_of(replace(start, end=at), scene, quiet=True)
        shift = shift_at(replace(start, at=at), bare) if wanted else None
        if shift is not None and shift[1].done and wanted is not None:
            by = {"days": shift[0].days} if shift[0].days else {"minutes": shift[0].minutes}
            return _plan(MOVE, wanted, scene, **by)
    return None


def _all_of(start: Tail, scene: Scene, *, quiet: bool = False, sure: bool = False) -> Wanted | None:
    """`all meetings with Anna next week`; None where one thing is meant, or something else is said."""
    begun = _noun(start, scene, sure=sure)
    if begun is None:
        return None
    wanted, here = begun
    while not here.done:
        found = filter_at(wanted, here, scene, quiet=quiet)
        if found is None or found[1].at <= here.at:
            return None
        wanted, here = found
    if replace(wanted, all_day=False, series=False) == Wanted():
        if quiet:
            return None
        raise Asking(say(WHICH))
    return wanted


def _noun(start: Tail, scene: Scene, *, sure: bool = False) -> tuple[Wanted, Tail] | None:
    """`all meetings`, `my dentist appointments`, `everything`; what is one only, or no event, is none of these."""
    every = start.take(ALL)
    here = every if every is not None else start.past(MINE)
    all_day = here.take(ALL_DAY)
    here = all_day if all_day is not None else here
    wanted = Wanted(all_day=all_day is not None)
    for length in range(MOST_WORDS):
        word = here.word(length)
        if word in GENERIC | NAMED and here.word(length + 1) not in GENERIC:
            plural = word.endswith("s") and word != "class"
            if not (every is not None or plural):
                return None
            title = here.until(here.skip(length + (word in NAMED)))
            name = one_line(title.text.removesuffix("s") if word in NAMED and plural else title.text)
            name = "" if title.done else name
            return replace(wanted, words=name), here.skip(length + 1)
        if not word or not word[0].isalpha() or word in NOT_EVENTS or person_at(here.skip(length), scene):
            break
    everything = start.take(EVERYTHING)
    if everything is None or start.take(phrases("all (of|the|my)")) is not None:
        return None
    after = everything.past(IN_CALENDAR)
    # Of mails, chats and boards there is an everything, too: a time has to be the first thing said.
    in_calendar = after.at > everything.at
    return (wanted, after) if sure or in_calendar or _future(after, scene) else None


def _future(tail: Tail, scene: Scene) -> bool:
    found = stretch_at(tail, scene.now())
    over = {"yesterday", "last", "older", "before"}
    words = {token.word for token in tail.tokens[tail.at : tail.end]}
    return found is not None and not words & over


def filter_at(wanted: Wanted, here: Tail, scene: Scene, *, quiet: bool) -> tuple[Wanted, Tail] | None:
    """One more thing that is said of them."""
    for words, changed in FIXED:
        if (after := here.take(words)) is not None:
            return replace(wanted, **changed), after
    if wanted.when == Stretch() and (found := _stretch(here, scene, quiet=quiet)) is not None:
        return replace(wanted, when=found[0]), found[1]
    found = _with(wanted, here, scene) or _in_named(wanted, here) or _about(wanted, here, scene)
    if found is not None:
        return found
    after = here.take(JOINT)
    return filter_at(wanted, after, scene, quiet=quiet) if after is not None and not after.done else None


def _with(wanted: Wanted, here: Tail, scene: Scene) -> tuple[Wanted, Tail] | None:
    for words in (WITH, BY):
        after = here.take(words)
        if after is not None and words is WITH and (quoted := after.quoted()) is not None and not wanted.words:
            return replace(wanted, words=one_line(quoted[0])), quoted[1]
        if after is not None and not wanted.people and not after.done:
            return _people(wanted, after, scene, organised=words is BY)
    return None


def _in_named(wanted: Wanted, here: Tail) -> tuple[Wanted, Tail] | None:
    named = here.take(phrases("(in|from|of) (my|the|our)"))
    found = _calendar_at(named) if named is not None else None
    return (replace(wanted, calendar=found[0]), found[1]) if found else None


def _about(wanted: Wanted, here: Tail, scene: Scene) -> tuple[Wanted, Tail] | None:
    after = here.take(ABOUT)
    if after is None or wanted.words or after.done:
        return None
    end = _end_of_words(after, scene)
    return replace(wanted, words=one_line(after.until(end).text.strip('"“”„«» '))), end


def _stretch(here: Tail, scene: Scene, *, quiet: bool) -> tuple[Stretch, Tail] | None:
    try:
        return stretch_at(here, scene.now())
    except Asking:
        if quiet:
            return None
        raise


def _calendar_at(tail: Tail) -> tuple[str, Tail] | None:
    """`Work calendar`, by its name."""
    for length in (1, 2, 3):
        if tail.word(length) == "calendar":
            return one_line(replace(tail, end=tail.at + length).text), tail.skip(length + 1)
    return None


def _people(wanted: Wanted, tail: Tail, scene: Scene, *, organised: bool) -> tuple[Wanted, Tail]:
    people: tuple[str, ...] = ()
    here = tail
    while True:
        found, here = _person(here, scene)
        people += found
        after = here.take(AND)
        if after is None or after.done or person_at(after, scene) is None:
            organiser = wanted.organiser or ("others" if organised else "")
            return replace(wanted, people=people, organiser=organiser), here
        here = after


def _person(tail: Tail, scene: Scene) -> tuple[tuple[str, ...], Tail]:
    """Of a contact, every mail address; somebody else by name."""
    if (found := person_at(tail, scene)) is not None:
        person, after = found
        if len(person.contacts) > 1:
            again = tail.source
            raise ask_which(person, (person,), scene, (Way.MAIL,), lambda name: again.replace(person.said, name, 1))
        written = (person.address, *(address for contact in person.contacts for address in contact.addresses))
        mails = [one.removeprefix("mail:") for one in written if one.startswith("mail:")]
        return tuple(dict.fromkeys(mails)) or (person.name,), after
    if tail.done or tail.word() in PRONOUNS or not any(map(str.isalnum, tail.written())):
        raise Asking(say("With whom? Say the name."))
    return (one_line(tail.written()),), tail.skip()


def _end_of_words(tail: Tail, scene: Scene) -> Tail:
    here = tail.skip()
    while not here.done and not (
        here.take(WITH) or here.take(IN_CALENDAR) or stretch_at(here, scene.now()) is not None
    ):
        here = here.skip()
    return here


DESCRIBED = {
    DELETE: phrase("Delete events"),
    MOVE: phrase("Move events"),
    DECLINE: phrase("Decline events"),
    REMIND: phrase("Set reminders before events"),
    COLOUR: phrase("Colour events"),
}


def _plan(tool: str, wanted: Wanted, scene: Scene, **more: Any) -> Planned:
    need(tool, scene)
    return calls.plan(calls.call(tool, say(DESCRIBED[tool]), **wanted.args(scene), **more))
