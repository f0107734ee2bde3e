"""Changes a waiting card by values that the reader of requests has marked: `make it [seven](time)`, `to [carol](to)`.

Each slot has one reader, which puts the value where the card has a place for it: an argument of the call, such as when
an event begins, or else the only fitting place in its text. What is in doubt raises `Asking`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from approvals.card_replies import CardDraft
from approvals.revise import Change, NewValue
from butler.contract.provenance import Labelled
from butler.contract.speech import phrase, say
from butler.orchestrator.edits.answers import change_of
from butler.orchestrator.edits.bulk_edits import CONTACTS
from butler.orchestrator.edits.card_content import account, add, sheet_of, subject, swap, whole
from butler.orchestrator.edits.card_words import card_words
from butler.orchestrator.edits.grammar import text_or_addition
from butler.orchestrator.edits.recipient_slots import GUESTS, also_to, to
from butler.orchestrator.edits.recipients import People
from butler.orchestrator.edits.slot_scene import (
    WHAT,
    Edited,
    Reader,
    Scene,
    cannot,
    named_in,
    stands_once,
    swapped,
    with_values,
)
from butler.orchestrator.edits.slot_times import duration, lead, time_value
from butler.orchestrator.edits.spots import alike
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.main_clause import main_clause
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.planning.plan_types import AboutCards
from butler.orchestrator.understanding.said import bare
from butler.provenance import Labels

OTHER_CHANNEL = phrase("A card cannot go another way. Tap Deny, and ask me anew for what you want.")
ONE_BY_ONE = phrase("I can change one thing of the text at a time. Say them one after the other.")
LONG = 4
"""Words from which on a new text is no phrase within the old one."""


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
        edited = SLOTS.get(slot, cannot)(edited, words, scene)
    change = change_of(sheet_of(draft), edited.sheet, said.origins, by)
    puts = {name: _put(name, value, said.origins) for name, value in edited.values.items()}
    return replace(change, values=puts or None, not_before=edited.not_before, at_once=edited.at_once)


def _put(name: str, value: Any, origins: Labels) -> NewValue[Any]:
    """Return a new value with the labels of who chose it; guests are added to those who were there."""
    return NewValue(value, origins | {CONTACTS}, partly=True) if name in GUESTS else NewValue(value, origins)


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
        return with_values(edited, **{name: words[0]})
    if edited.sheet.subject is not None:
        return replace(edited, sheet=subject(words[0])(edited.sheet))
    return _text(edited, words, scene)


def _place(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    return with_values(edited, location=words[0]) if "location" in scene.args else _text(edited, words, scene)


def _argument(name: str) -> Reader:
    """Return the reader of a slot that has an argument of its own."""

    def put(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
        return with_values(edited, **{name: words[0]}) if name in scene.args else cannot(edited, words, scene)

    return put


def _text(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    """New words: for the same kind of thing in the text, at its end, or the whole text where they are a sentence."""
    if len(words) > 1:
        raise Asking(say(ONE_BY_ONE))
    new, body = card_words("at_end").sub("", words[0]).strip(), edited.sheet.body
    if card_words("added").search(scene.said.replace(new, "")):
        return replace(edited, sheet=add(new)(edited.sheet))
    if swap_of := _rather_than(new, body):
        return replace(edited, sheet=swap(*swap_of)(edited.sheet))
    if old := named_in(body, scene):
        return replace(edited, sheet=swap(old, new)(edited.sheet))
    if places := alike(body, new):
        return swapped(edited, new, places)
    if len(new.split()) >= LONG and (
        scene.about.language == "en" or card_words("writes").search(scene.said.replace(new, " "))
    ):
        return replace(edited, sheet=whole(new)(edited.sheet))
    asked = text_or_addition(new)
    raise Asking(asked.question, asked.choices)


def _rather_than(words: str, body: str) -> tuple[str, str] | None:
    """Return the words of the text and the new ones of `hello, not dear Bob`; None for anything else."""
    new, *old = card_words("rather_than").split(words, maxsplit=1)
    return (old[0], new) if old and stands_once(body, old[0]) else None


def _reported(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    """Words after `that`, which a German text has in another order."""
    clause = main_clause(words[0]) if scene.about.language == "de" else words[0]
    if clause is None:
        asked = text_or_addition(words[0])
        raise Asking(asked.question, asked.choices)
    if card_words("added").search(scene.said.replace(words[0], "")):
        return replace(edited, sheet=add(clause)(edited.sheet))
    asked = text_or_addition(capital(clause))
    raise Asking(asked.question, asked.choices)


SLOTS: Mapping[str, Reader] = {
    "time": time_value, "duration": duration, "lead": lead,
    "to": to, "with": also_to, "account": _account, "channel": _channel,
    "subject": _subject, "title": _title, "place": _place, "list": _argument("in_list"), "board": _argument("board"),
    "text": _text, "reported": _reported, "value": _text,
}  # fmt: skip
