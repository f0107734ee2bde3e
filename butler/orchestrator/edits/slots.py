"""Changes a waiting card by values that the reader of requests has marked: `make it [seven](time)`, `to [carol](to)`.

Each slot has one reader, which puts the value where the card has a place for it: an argument of the call, such as when
an event begins, or else the only fitting place in its text. What is in doubt raises `Asking`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from typing import Any

from approvals.card_replies import CardDraft
from approvals.revise import Change, NewValue
from butler.contract.provenance import Labelled
from butler.contract.speech import phrase, say
from butler.contract.tools import Recipient
from butler.contract.wall_time import moment
from butler.orchestrator.edits.answers import change_of
from butler.orchestrator.edits.bulk_edits import CONTACTS
from butler.orchestrator.edits.card_content import CardContent, account, add, make, sheet_of, subject, swap, whole
from butler.orchestrator.edits.grammar import text_or_addition
from butler.orchestrator.edits.recipients import People
from butler.orchestrator.edits.spots import Place, alike, core, lengths_in, times_in
from butler.orchestrator.edits.times import NewTime, moved, new_time, said_of
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.planning.plan_types import AboutCards, Unclear
from butler.orchestrator.understanding.people.who import without_article
from butler.orchestrator.understanding.said import bare
from butler.provenance import Labels
from butler.understanding.times.parse import length_of, parse
from butler.understanding.times.saying import TimeSaid

CANNOT = phrase("I cannot change that on a card. Tap Deny, and ask me anew for what you want.")
WHAT = phrase("What shall I change on the card? Say for example “make it seven” or “to Anna instead”.")
OTHER_CHANNEL = phrase("A card cannot go another way. Tap Deny, and ask me anew for what you want.")
NO_PLACE = phrase(
    "The card has nothing that “{words}” could stand for. Say “change … to …”, or send the whole new text."
)
WHICH_PLACE = phrase("What shall “{words}” stand for?")
NOON = time(12)
LONG = 4
"""Words from which on a new text is no phrase within the old one."""
ALSO = re.compile(
    r"\b(?:also|as well|too|add|auch|außerdem|dazu|noch|zusätzlich|aussi|ajoute\w*|también|además|agrega\w*|añad\w*"
    r"|suma\w*)\b",
    re.IGNORECASE,
)
ADDED = re.compile(
    r"\b(?:add|append|at the end|am ende|häng\w*|füg\w*|ergänz\w*|ajoute\w*|à la fin|agrega\w*|añad\w*|al final)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Edited:
    """A card with changes so far."""

    sheet: CardContent
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Other arguments, as JSON."""
    not_before: datetime | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """The card, what was said of it, and when."""

    draft: CardDraft
    about: AboutCards
    said: str
    people: People
    now: datetime
    """Local and aware."""

    @property
    def args(self) -> Mapping[str, Any]:
        """The call's arguments, as JSON."""
        return self.draft.args

    def time(self, words: str) -> TimeSaid:
        """Read a time; raise `Asking`."""
        found = parse(words, self.about.language, self.now)
        if found is None or found.or_day is not None:
            raise Asking(say("Which time is “{words}”? Say it like “tomorrow at 9”.", words=words))
        return found


Reader = Callable[[Edited, Sequence[str], Scene], Edited]
"""Puts the words of a slot into a card; raises `Asking`."""


def changed_by_slots(
    draft: CardDraft, about: AboutCards, people: People, now: datetime, said: Labelled[str], by: str
) -> Change:
    """Return the change of a card by the values that were marked; raise `Asking`. `now` is local and aware."""
    scene = Scene(draft, about, said.value, people, now)
    edited = Edited(sheet_of(draft))
    slots = list(dict.fromkeys(slot for slot, _ in about.values))
    if not slots:
        raise Asking(say(WHAT))
    for slot in slots:
        words = [bare(one) for name, one in about.values if name == slot]
        edited = SLOTS.get(slot, _cannot)(edited, words, scene)
    change = change_of(sheet_of(draft), edited.sheet, said.origins, by)
    puts = {name: _put(name, value, said.origins) for name, value in edited.values.items()}
    return replace(change, values=puts or None, not_before=edited.not_before)


def _put(name: str, value: Any, origins: Labels) -> NewValue[Any]:
    """Return a new value with the labels of who chose it; guests are added to those who were there."""
    return NewValue(value, origins | {CONTACTS}, partly=True) if name in GUESTS else NewValue(value, origins)


def _cannot(_edited: Edited, _words: Sequence[str], _scene: Scene) -> Edited:
    raise Asking(say(CANNOT))


def _with(edited: Edited, **values: Any) -> Edited:
    return replace(edited, values={**edited.values, **values})


# Times.


def _time(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    said = " ".join(words)
    if "start" in scene.args:
        return _begins(edited, scene.time(said), scene)
    if "due" in scene.args:
        due = scene.args["due"]
        old = datetime.fromisoformat(due) if due else datetime.combine(scene.now.date(), NOON)
        return _with(edited, due=moved(old, scene.time(said), scene.now).isoformat())
    if scene.draft.not_before is not None:
        return replace(edited, not_before=_sent_at(said, scene.draft.not_before, scene))
    return _time_in_text(edited, said, scene)


def _begins(edited: Edited, found: TimeSaid, scene: Scene) -> Edited:
    """When an event begins; it keeps its length."""
    was: Mapping[str, Any] = scene.args.get("was") or {}
    old = _wall(scene.args["start"] or was.get("named_start"), scene)
    new = moved(old, found, scene.now)
    edited, end = _with(edited, start=new.isoformat()), scene.args.get("end")
    if found.until_clock is not None:
        until = datetime.combine(new, found.until_clock)
        return _with(edited, end=until.isoformat(), minutes=None)
    if end:
        later = _wall(end, scene) + (_at(new) - _at(old))
        return _with(edited, end=later.isoformat())
    return edited


def _wall(iso: str | None, scene: Scene) -> date:
    """Return a day, or a local time without offset."""
    if iso is None:
        raise Asking(say(CANNOT))
    if len(iso) == len("2026-03-05"):
        return date.fromisoformat(iso)
    at = datetime.fromisoformat(iso)
    return at.astimezone(scene.now.tzinfo).replace(tzinfo=None) if at.tzinfo else at


def _at(day: date) -> datetime:
    return day if isinstance(day, datetime) else datetime.combine(day, time())


def _sent_at(words: str, shown: datetime, scene: Scene) -> datetime:
    zone = scene.people.scene.request.zone
    match new_time(said_of(words, scene.people.scene, scene.about.language), shown, scene.draft.text or ""):
        case NewTime(at=at):
            return at
        case Unclear() as unclear:
            raise Asking(unclear.question, unclear.choices)
        case None:
            old = shown.astimezone(zone).replace(tzinfo=None)
            return moment(_at(moved(old, scene.time(words), scene.now)), zone)


def _time_in_text(edited: Edited, words: str, scene: Scene) -> Edited:
    found, language = scene.time(words), scene.about.language
    new = core(words, language, scene.now)
    if language == "en":
        sheet = edited.sheet
        return replace(edited, sheet=make(f"at {new}" if found.day is None and found.clock else words)(sheet))
    return _swapped(edited, new, times_in(edited.sheet.body, found, language, scene.now))


def _duration(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    found = length_of(words[0], scene.about.language, scene.now)
    if found is None:
        raise Asking(say("How long is “{words}”? Say it like “30 minutes”.", words=words[0]))
    if "start" in scene.args:
        minutes = found.seconds // 60 + (found.days + 30 * found.months) * 24 * 60
        return _with(edited, minutes=minutes, **({"end": None} if scene.args.get("end") else {}))
    if scene.about.language == "en":
        return replace(edited, sheet=make(words[0])(edited.sheet))
    return _swapped(edited, words[0], lengths_in(edited.sheet.body, scene.about.language, scene.now))


def _lead(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    found = length_of(words[0], scene.about.language, scene.now)
    if found is None or "remind_minutes" not in scene.args:
        raise Asking(say(CANNOT))
    return _with(edited, remind_minutes=found.seconds // 60 + found.days * 24 * 60)


# People.


def _to(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    if not edited.sheet.recipients:
        return _guests(edited, words, scene)
    people, sheet = scene.people, edited.sheet
    names = [without_article(one) for one in words]
    gone = [one for one in names if len(names) > 1 and people.reached(sheet, one)]
    new = [one for one in names if one not in gone]
    for one in gone:
        sheet = people.less(one)(sheet) if len(sheet.recipients) > 1 else sheet
    alone = len(gone) == len(edited.sheet.recipients) or not gone
    also = not gone and ALSO.search(scene.said) is not None
    for number, one in enumerate(new):
        sheet = (people.only if alone and not also and number == 0 else people.more)(one)(sheet)
    return replace(edited, sheet=sheet)


def _also(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    if not edited.sheet.recipients:
        return _guests(edited, words, scene)
    sheet = edited.sheet
    for one in words:
        sheet = scene.people.more(without_article(one))(sheet)
    return replace(edited, sheet=sheet)


GUESTS = ("guests", "add_guests")


def _guests(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    name = next((one for one in GUESTS if one in scene.args), "")
    if not name:
        raise Asking(say(CANNOT))
    invited = tuple(Recipient.model_validate(one) for one in scene.args[name])
    sheet = CardContent(None, None, invited, ())
    for one in words:
        sheet = scene.people.more(without_article(one))(sheet)
    return _with(edited, **{name: [one.model_dump(mode="json") for one in sheet.recipients]})


def _account(edited: Edited, words: Sequence[str], _scene: Scene) -> Edited:
    return replace(edited, sheet=account(words[0])(edited.sheet))


def _channel(_edited: Edited, _words: Sequence[str], _scene: Scene) -> Edited:
    raise Asking(say(OTHER_CHANNEL))


# Words.


def _subject(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    if edited.sheet.subject is not None:
        return replace(edited, sheet=subject(words[0])(edited.sheet))
    return _title(edited, words, scene)


def _title(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    if name := next((one for one in ("title", "name") if one in scene.args), ""):
        return _with(edited, **{name: words[0]})
    if edited.sheet.subject is not None:
        return replace(edited, sheet=subject(words[0])(edited.sheet))
    return _text(edited, words, scene)


def _place(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    return _with(edited, location=words[0]) if "location" in scene.args else _text(edited, words, scene)


def _argument(name: str) -> Reader:
    """Return the reader of a slot that has an argument of its own."""

    def put(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
        return _with(edited, **{name: words[0]}) if name in scene.args else _cannot(edited, words, scene)

    return put


def _text(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    """New words: for the same kind of thing in the text, at its end, or the whole text where they are a sentence."""
    new, body = words[-1], edited.sheet.body
    if ADDED.search(scene.said.replace(new, "")):
        return replace(edited, sheet=add(new)(edited.sheet))
    if places := alike(body, new):
        return _swapped(edited, new, places)
    if len(new.split()) >= LONG:
        return replace(edited, sheet=whole(new)(edited.sheet))
    asked = text_or_addition(new)
    raise Asking(asked.question, asked.choices)


def _swapped(edited: Edited, new: str, places: Sequence[Place]) -> Edited:
    """Put words in the only place; raise `Asking` where there is none, or several."""
    body = edited.sheet.body
    old = [body[start:end] for start, end in places]
    if not places:
        raise Asking(say(NO_PLACE, words=new))
    if len(set(old)) > 1:
        raise Asking(
            say(WHICH_PLACE, words=new), [choice(one, f"change “{one}” to “{new}”") for one in dict.fromkeys(old)]
        )
    return replace(edited, sheet=swap(old[0], new)(edited.sheet))


SLOTS: Mapping[str, Reader] = {
    "time": _time, "duration": _duration, "lead": _lead,
    "to": _to, "with": _also, "account": _account, "channel": _channel,
    "subject": _subject, "title": _title, "place": _place, "list": _argument("in_list"), "board": _argument("board"),
    "text": _text, "reported": _text, "value": _text,
}  # fmt: skip
