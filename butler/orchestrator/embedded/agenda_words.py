"""Words for what stands in a calendar, and for what was shown of it: `my meeting with Anna on Friday`, `it`, `event-2`.

One event that was not shown yet is looked for; something is only done to it where that finds just one.
"""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from butler.contract.agents import PlanStep, When
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.items import HANDLE, Rephrase, Spoken, find, item_at, last_shown_kind
from butler.orchestrator.embedded.lexer import QUOTES, Tail, phrases, word_set
from butler.orchestrator.embedded.people import PRONOUNS, Person, person_at
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene, not_set_up, words_of
from butler.orchestrator.embedded.stretch import Stretch, day_of, from_now, stretch_at
from butler.orchestrator.planning.plan_types import Planned

PREFIX = "user_calendar_"
LIST, READ, FREE = f"{PREFIX}list_events", f"{PREFIX}read_event", f"{PREFIX}find_free_time"
CALENDARS, CREATE, CHANGE = f"{PREFIX}list_calendars", f"{PREFIX}create_event", f"{PREFIX}change_event"
DELETE, MOVE, DECLINE = f"{PREFIX}delete_event", f"{PREFIX}move_event", f"{PREFIX}decline_event"
REMIND, COLOUR = f"{PREFIX}remind_event", f"{PREFIX}colour_event"

GENERIC = word_set("meeting meetings appointment appointments event events entry entries engagement engagements")
"""Nouns that stand in no title for what it is about."""
NAMED = word_set(
    "call calls lunch lunches dinner dinners breakfast breakfasts standup standups stand-up sync syncs interview "
    "interviews birthday birthdays party parties flight flights lesson lessons class classes dentist rehearsal "
    "rehearsals training trainings workshop workshops webinar webinars holiday holidays review reviews visit visits "
    "session sessions briefing briefings demo demos seminar seminars"
)
"""Nouns that an event may well be called."""
EVENT = phrases("[the|this|that|my] (event|meeting|appointment|entry)")
SERIES = phrases(
    "[the|this] (whole|entire|complete) series [of]", "[the] series [of]", "all (occurrences|instances) [of]",
    "[the] whole series",
)  # fmt: skip
OF_SERIES = phrases(
    "(and|with) (the|its) (whole|entire) series", "(and|with) all (its|the) (repetitions|occurrences)", "for good",
    "as a (whole|series)", "every (week|day|month|time)",
)  # fmt: skip
DETERMINER = phrases("(my|the|our|this|that|a|an|your)")
WITH, ABOUT = phrases("with", "and"), phrases("(about|called|named|titled|regarding|concerning)")
IN_CALENDAR = phrases("(in|from|on|off|out of) (my|the|our) (calendar|agenda|diary|schedule)")
BETWEEN = phrases(",", "that is", "which is", "that's")
WHICH = phrase("Which event do you mean? Say when it is or with whom, like “cancel the meeting with Anna on Friday”.")
NOT_EVENTS = word_set(
    "reminder reminders card cards request requests approval approvals subscription newsletter newsletters order "
    "message messages mail mails email emails plan plans rule rules run note notes file files draft drafts everything "
    "all anything nothing that it this them him her board boards list lists contact contacts memory run runs chat "
    "chats inbox document documents pdf letter contract attachment page article link"
)
"""What can be cancelled, deleted or moved, and stands in no calendar."""
ONE, A_YEAR = 1, timedelta(365)
LAST_WORDS = 14


@dataclass(frozen=True, slots=True)
class One:
    """One event: something that was shown, or what is known of it to look for."""

    shown: Spoken | None = None
    words: str = ""
    when: Stretch = field(default_factory=Stretch)
    series: bool = False


def need(tool: str, scene: Scene) -> None:
    """Say that there is no calendar, where there is none."""
    if not scene.has(tool):
        raise Asking(not_set_up(tool))


def events_shown(scene: Scene) -> bool:
    """Whether what was replied to, or else shown last, is in a calendar."""
    return last_shown_kind(scene) is ReferentKind.EVENT


def shown_at(tail: Tail, scene: Scene) -> tuple[Spoken, Tail] | None:
    """An event that was shown: by its handle, by its place in the list, or as `it` where one was shown last."""
    handle = tail.word().startswith("event-")
    if not (handle or events_shown(scene)):
        return None
    if (after := tail.take(EVENT)) is not None:
        return Spoken(kind=ReferentKind.EVENT), after
    found = item_at(tail, scene)
    if found is None or (found[0].kind not in {None, ReferentKind.EVENT}):
        return None
    return replace(found[0], kind=ReferentKind.EVENT), found[1].past(phrases("(event|meeting|appointment)"))


def one_at(tail: Tail, scene: Scene, *, sure: bool = False) -> One | None:
    """The one event that all of these words are about; None where they are about something else.

    Without a noun of an event or a time, words are taken for an event's only where `sure`, such as behind `cancel`.
    """
    bare = tail.bare()
    series = bare.take(SERIES)
    here = series if series is not None else bare
    if series is not None and series.done:
        return One(Spoken(kind=ReferentKind.EVENT), series=True) if events_shown(scene) else None
    shown = shown_at(here, scene)
    if shown is not None and (end := shown[1].past(IN_CALENDAR)).past(OF_SERIES).done:
        return One(shown[0], series=series is not None or end.take(OF_SERIES) is not None)
    named = series is not None and any(token.word == "series" for token in bare.tokens[bare.at : here.at])
    found = _described(here, scene, sure=sure or named)
    return replace(found, series=found.series or series is not None) if found else None


def _described(tail: Tail, scene: Scene, *, sure: bool) -> One | None:
    here = tail.past(DETERMINER)
    words = {token.word for token in here.tokens[here.at : here.end]}
    if here.done or here.word() in NOT_EVENTS | PRONOUNS or here.word() in QUOTES or ":" in words:
        return None
    if (item := item_at(tail, scene)) is not None and item[1].done:
        return None
    when, rest, series, marked = Stretch(), here, False, False
    for ending in (OF_SERIES, IN_CALENDAR):
        if (split := rest.find(ending)) is not None and split[1].done:
            series, marked = series or ending is OF_SERIES, True
            rest = split[0]
    if (cut := _stretch_at_end(rest, scene)) is not None:
        when, rest = cut
    told = words_told(rest, scene)
    if told is None:
        return None
    looked, noun = told
    if not looked and when == Stretch():
        if not noun:
            return None
        raise Asking(say(WHICH))
    if not (noun or marked or sure or when != Stretch()):
        return None
    return One(words=looked, when=when, series=series)


def _stretch_at_end(tail: Tail, scene: Scene) -> tuple[Stretch, Tail] | None:
    """The time that the words end in, and what stands before it."""
    for start in range(max(tail.at, tail.end - LAST_WORDS), tail.end):
        here = replace(tail, at=start)
        found = stretch_at(here, scene.now())
        if found is not None and found[1].done:
            before = replace(tail, end=start)
            comma = not before.done and before.tokens[before.end - 1].word == ","
            return found[0], replace(before, end=before.end - 1) if comma else before
    return None


def words_told(tail: Tail, scene: Scene) -> tuple[str, bool] | None:
    """What to look for, and whether a noun of an event stands there; None for words that say something else."""
    looked: list[str] = []
    noun = False
    here = tail.past(DETERMINER)
    while not here.done:
        word = here.word()
        person = person_at(here, scene)
        if person is not None:
            looked.append(name_in_title(person[0]))
            noun, here = noun or here.at > tail.at, person[1]
        elif word in GENERIC or here.take(WITH) or here.take(ABOUT) or here.take(BETWEEN):
            noun, here = noun or word in GENERIC or (here.take(WITH) is not None and word == "with"), here.skip()
        elif word in {"the", "my", "our", "a", "an"}:
            here = here.skip()
        elif _is_no_title(word, begun=bool(looked)):
            return None
        else:
            noun = noun or word in NAMED
            looked.append(here.written())
            here = here.skip()
    return one_line(" ".join(looked)).strip('"“”„«» '), noun


def _is_no_title(word: str, *, begun: bool) -> bool:
    """Whether a word shows that something else is spoken of than what an event is called."""
    joins = begun and word in {"to", "by", "from", "if", "when", "that", "and"}
    handle = HANDLE.fullmatch(word) is not None
    return handle or word in NOT_EVENTS or joins or not (any(map(str.isalnum, word)) or word in QUOTES)


def name_in_title(person: Person) -> str:
    """How somebody is called in a title: as was said, unless that is no name of theirs."""
    name = person.name
    return person.said if set(words_of(person.said)) <= set(words_of(name)) else name


@dataclass(frozen=True, slots=True)
class Found:
    """One event as a step refers to it, and to the times that it has."""

    event: dict[str, Any]
    read: tuple[PlanStep, ...] = ()
    """What finds or reads it first."""
    fact: str = ""
    """The beginning of the path to what the first step says of it."""
    when: When | None = None

    def time(self, name: str, **moves: Any) -> dict[str, Any]:
        """Its `start` or `end`, moved."""
        return {"step": 1, "fact": f"{self.fact}{name}", **moves}

    def then(self, step: PlanStep) -> Planned:
        """The plan that does this to it."""
        before = len(self.read)
        return calls.plan(*self.read, step.model_copy(update={"when": self.when, "depends_on": [1] if before else []}))


def reach(one: One, scene: Scene, again: Rephrase, *, times: bool = False) -> Found:
    """How the event is referred to; it is read first where its `times` are needed, or looked for."""
    need(LIST, scene)
    if one.shown is not None:
        referent = find(one.shown, scene, again, frozenset({ReferentKind.EVENT}))
        if referent is None:
            raise Asking(say(WHICH))
        handle = {"handle": referent.handle}
        reading = (calls.call(READ, say("Look it up in your calendar"), event=handle),)
        return Found(handle, reading if times else ())
    found = look(one.words, from_now(one.when, scene.now()))
    only = When(step_id=1, fact="count", is_="equal", value=ONE)
    return Found({"step": 1, "fact": "events.0.event_id"}, (found,), "events.0.", only)


def look(words: str, when: Stretch, **more: object) -> PlanStep:
    """The step that lists events."""
    told = say("Look into your calendar")
    if words and when.since is not None and when.before is None:
        # What is looked for by its name may be months away.
        when = replace(when, before=day_of(when.since) + A_YEAR)
    return calls.call(LIST, told, **when.args(), **({"words": words} if words else {}), **more)
