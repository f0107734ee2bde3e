"""Which of many events are meant: `on Friday`, `with Anna`, `organised by me`, `in my Work calendar`."""

from dataclasses import dataclass, field, replace
from typing import Any

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.draft import ask_which
from butler.orchestrator.embedded.lexer import Phrases, Tail, phrases
from butler.orchestrator.embedded.people import PRONOUNS, Way, person_at
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.stretch import Stretch, from_now, stretch_at

CALENDAR = "(calendar|agenda|schedule|diary)"
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
