"""Reads what the owner says of a card about many items: which of them only, which too, which not, or another act."""

import re
from collections.abc import Mapping
from dataclasses import replace

from butler.agents.languages import language_of
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.edits.card_words import card_words, words_of_kind
from butler.orchestrator.edits.mail_changes import Act, MailChange, Part
from butler.orchestrator.edits.narrowed_reading import EVENTS, narrowed
from butler.orchestrator.edits.narrowing import Narrowed
from butler.orchestrator.edits.reading import Word, word_of
from butler.orchestrator.edits.ways import (
    NAMING,
    NOT_KNOWN,
    OF_CARDS,
    OF_EVENTS,
    Way,
    flag_spans,
    flags,
    folded_alike,
    leaves_out,
    leaves_out_first,
    outside,
    says_kind,
    unread_words,
    ways,
    ways_said,
)
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding.boards.changes import PREFIX as CARDS
from butler.orchestrator.understanding.boards.selecting import OVERDUE
from butler.orchestrator.understanding.context import FLAG
from butler.orchestrator.understanding.mail.acts import DESCRIBED, NAMED
from butler.orchestrator.understanding.mail.bulk import mails_said
from butler.orchestrator.understanding.mail.filters import ATTACHMENT, INBOX, READ, UNREAD
from butler.orchestrator.understanding.mail.wanted import Wanted
from butler.orchestrator.understanding.people.who import known
from butler.orchestrator.understanding.said import Said, bare
from butler.understanding.context import APPROVAL
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request, RequestReader

MAIL = "user_email_"
KINDS: Mapping[str, ReferentKind] = {MAIL: ReferentKind.MAIL, EVENTS: ReferentKind.EVENT, CARDS: ReferentKind.CARD}
STATES = (
    ("filter", re.compile(rf"{UNREAD.pattern}|(?<!-)(?:{READ.pattern})", re.IGNORECASE)),
    ("filter", re.compile(rf"\w*(?:{ATTACHMENT.pattern})\w*", re.IGNORECASE)),
    ("folder", re.compile(rf"(?:{INBOX.pattern})", re.IGNORECASE)),
)
"""What is said of mails in words of which each says only that."""
SURE_REPLY, SURE = 0.3, 0.5
"""The probability from which on words are taken for what they seem to be: in a reply to the card, or with a word such
as `only`; and without."""
WHICH_ONES = frozenset({"refine", "choose", "answer.value", "approve.change", "approve.deny", "answer.no"})
"""Intents that may say which ones are meant."""
REFUSING, AGREEING = frozenset({"approve.deny", "answer.no"}), frozenset({"approve.all", "answer.yes"})
CHANGE = "approve.change"
SAID_BY = frozenset({"trash", "spam", "mark_read", "mark_unread", "star"})
"""Acts that a reply names before they take the place of the card's own."""
MOST_UNMARKED = 3
"""Words of what is left out that were not marked: `not the dentist`."""
ONE_ACT = phrase("A card does one thing with all of them. Ask me for the other thing besides, or say “… instead”.")
OTHER_NAME = frozenset({"folder", "label", "title", "value", "topic"})

ManyReading = MailChange | Narrowed | Word | Unclear


class BulkReader:
    """Reads words about a card about many items, in any of the languages."""

    def __init__(self, reader: RequestReader | None) -> None:
        """Without a `reader`, only words such as `no` are understood."""
        self._reader = reader

    def read(self, words: str, scene: Scene, tool: str, *, replied: bool) -> ManyReading | None:
        """Read words about a card of this tool; return None if they say nothing about it.

        `replied`: they were said in a reply to the card, so that few of them are enough.
        """
        if (word := word_of(words)) is not None:
            return word
        prefix = next((one for one in KINDS if tool.startswith(one)), "")
        if self._reader is None or not prefix:
            return None
        found = self._reader.read(words, (FLAG[KINDS[prefix]], APPROVAL))
        try:
            sure = SURE_REPLY if replied or any(map(ways_said, found)) else SURE
            if not found or any(one.confidence < sure for one in found):
                return None
            language = found[0].language or language_of(words) or scene.request.language
            said = Said(_whole(found, words), scene, language, words)
            return _read(said, tool, replied=replied)
        except Asking as asking:
            return asking.unclear


def _whole(found: tuple[Request, ...], words: str) -> Request:
    """Return what was read as one request of several parts again: `also Amazon, but not the unread ones`."""
    slots = tuple(
        replace(slot, start=slot.start + one.start, end=slot.end + one.start) for one in found for slot in one.slots
    )
    return replace(found[0], text=words, start=0, slots=slots)


def _of_mail(said: Said) -> Said:
    """Return the same as what is said of mails: a person is a sender, a label a place, and states need no mark."""
    text, free = said.request.text, outside(said.request)
    slots = tuple(replace(one, slot=_mail_slot(one, text)) for one in said.request.slots)
    for slot, pattern in STATES:
        match = pattern.search(free)
        if match is not None:
            slots = (*slots, SlotWords(slot, match[0], *match.span()))
    name = unread_words(said.request)
    if name and not any(one.slot in NAMING for one in slots) and known(name, said.scene) is not None:
        at = folded_alike(text).find(name)
        slots = (*slots, SlotWords("from", text[at : at + len(name)], at, at + len(name)))
    # As a search, days are those that are over.
    return replace(said, request=replace(said.request.as_("mail.search"), slots=slots))


def _mail_slot(one: SlotWords, text: str) -> str:
    """Return what a slot is of mails."""
    if one.slot == "label":
        return "folder"
    is_sender = one.slot in {"to", "with"} or (one.slot == "topic" and card_words("from").search(text[: one.start]))
    return "from" if is_sender else one.slot


def _of_other(said: Said) -> Said:
    """Return the same without times that are none, `the [all-day](time) ones`, and with what alone is left out."""
    spans = flag_spans(said.request, (*OF_EVENTS, *OF_CARDS))

    def is_flag(one: SlotWords) -> bool:
        return one.slot == "time" and any(one.start < end and start < one.end for start, end in spans)

    said = said.with_slots([one for one in said.request.slots if not is_flag(one)])
    rest = unread_words(said.request)
    if said.request.slots or not rest or not leaves_out(said.request) or len(rest.split()) > MOST_UNMARKED:
        return said
    at = folded_alike(said.request.text).find(rest)
    return (
        said.with_slots((SlotWords("topic", said.request.text[at : at + len(rest)], at, at + len(rest)),))
        if at >= 0
        else said
    )


def _read(said: Said, tool: str, *, replied: bool) -> ManyReading | None:
    said = said.with_slots(tuple(one for one in said.request.slots if not _replaced(one, said.request)))
    flagged = not tool.startswith(MAIL) and flags(said.request, OF_EVENTS if tool.startswith(EVENTS) else OF_CARDS)
    intent, named = said.request.intent, bool(flagged) or any(one.slot in NAMING for one in said.request.slots)
    if replied and not named and intent in REFUSING and not _says_which(said.request):
        return Word.NO
    if replied and not named and intent in AGREEING and not leaves_out(said.request):
        return Word.YES
    if card_words("asks_which").match(said.request.text):
        return None
    if tool.startswith(MAIL):
        if (other := _other_act(said, tool.removeprefix(MAIL), replied=replied)) is not None:
            return other
        said = _of_mail(said)
    else:
        said = _of_other(said)
    named = bool(flagged) or any(one.slot in NAMING for one in said.request.slots)
    looks = intent.startswith(("mail.", "calendar.", "card.")) and (replied or ways_said(said.request))
    if not named or not (intent in WHICH_ONES or looks) or unread_words(said.request):
        return None
    return _of_mails(said, replied=replied) if tool.startswith(MAIL) else narrowed(said, tool, replied=replied)


def _says_which(request: Request) -> bool:
    """Return whether a state is said by which some are told apart: `leave the overdue ones`."""
    said = request.text
    if any(pattern.search(said) for slot, pattern in STATES if slot == "filter") or OVERDUE.search(said):
        return True
    return leaves_out_first(request) and any(
        words_of_kind(kind).search(folded_alike(said)) for kind in ("state", "mine")
    )


def _other_act(said: Said, action: str, *, replied: bool) -> MailChange | None:
    """Return another act on the same mails, or another label or folder; None for anything else."""
    request, instead = said.request, says_kind(said.request, "instead")
    kind, _, acted = request.intent.partition(".")
    slots = {one.slot for one in request.slots if one.slot in NAMING}
    if kind == "mail" and acted in SAID_BY and not card_words(acted).search(request.text):
        return None
    if kind == "mail" and acted in DESCRIBED and says_kind(request, Way.ALSO):
        if acted != action and not slots:
            raise Asking(say(ONE_ACT))
        return None
    if kind == "mail" and acted in DESCRIBED and slots <= ({"folder", "label"} if acted in NAMED else set()):
        name = _new_name(request, "label", "folder")
        if acted == action:
            return MailChange(act=Act(acted, name), certain=instead) if name or instead else None
        meant = instead or (replied and request.confidence >= SURE and not leaves_out_first(request))
        return MailChange(act=Act(acted, name), certain=instead) if meant and (name or acted not in NAMED) else None
    others = {one.slot for one in request.slots if one.slot in OTHER_NAME}
    meant = instead or replied or request.intent == CHANGE
    if meant and action in NAMED and len(others) == 1 and slots <= others and not says_kind(request, Way.ONLY):
        return MailChange(name=_new_name(request, *others), certain=instead)
    return None


def _new_name(request: Request, *slots: str) -> str:
    """Return the label or folder that is meant: of `to Friends, not Family` the first one."""
    named = [one for one in request.slots if one.slot in slots and bare(one.text)]
    meant = [one for way, _, parts in ways(request) if way is not Way.WITHOUT for one in parts if one in named]
    return bare((meant or named)[0].text) if named else ""


def _replaced(one: SlotWords, request: Request) -> bool:
    """Return whether something else is wanted in place of what a slot names: `Friends rather than Family`."""
    return card_words("instead_of").search(request.text[: one.start]) is not None


def _of_mails(said: Said, *, replied: bool) -> MailChange | None:
    parts: list[Part] = []
    for way, spoken, slots in ways(said.request):
        for slot in slots:
            if mails_said(said.with_slots((slot,))) == Wanted():
                raise Asking(say(NOT_KNOWN, words=slot.text))
        parts.append(Part(way, said.with_slots(slots), spoken))
    spoken = any(part.spoken for part in parts)
    if not (spoken or replied):
        return None
    named = any(part.way is not Way.ONLY and part.said.has("from") for part in parts)
    return MailChange(tuple(parts), certain=named or says_kind(said.request, "instead"))
