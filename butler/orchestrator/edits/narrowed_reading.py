"""Reads which events or board cards of a waiting card only are meant, or which not: `only those with Anna`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.edits.card_words import card_words, words_of_kind
from butler.orchestrator.edits.narrowing import Narrowed
from butler.orchestrator.edits.ways import (
    NOT_KNOWN,
    OF_CARDS,
    OF_EVENTS,
    TIMES,
    Way,
    counted_from_today,
    flags,
    folded_alike,
    leaves_out,
    named_by_weekday,
    says_kind,
    ways,
    ways_said,
    without_reasons,
)
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.stretch import Stretch
from butler.orchestrator.understanding.act_words import says
from butler.orchestrator.understanding.boards.changes import DONE
from butler.orchestrator.understanding.boards.selecting import ME, OVERDUE, limits
from butler.orchestrator.understanding.boards.selecting import criteria as of_cards
from butler.orchestrator.understanding.calendar import event
from butler.orchestrator.understanding.mail.senders import GENITIVE
from butler.orchestrator.understanding.people.who import AND, known
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.things.named import event_words
from butler.orchestrator.understanding.times.upcoming import spanned
from butler.understanding.marked import SlotWords

EVENTS = "user_calendar_"
KEEPING = frozenset({"topic", "title", "with", "from", "to", "label", "list", "query", "subject"})
"""Slots by which events or cards can be left out."""
CANNOT_LEAVE_OUT = phrase(
    "I cannot leave single ones out of this. Say which of them only, like “only those about the trip”, or tap Deny and "
    "ask me anew."
)
ONE_PLACE = phrase("I can look in one list and one board at a time. Say it for each of them.")
TITLES = frozenset({"topic", "title", "query"})


def narrowed(said: Said, tool: str, *, replied: bool) -> Narrowed | None:
    """Return which events or cards only are meant, or which not; None for more of them, or others."""
    found = ways(said.request)
    kinds = OF_EVENTS if tool.startswith(EVENTS) else OF_CARDS
    flagged = flags(said.request, kinds)
    every = {*flagged.values(), *(way for way, _, _ in found)}
    if Way.ALSO in every or not (replied or ways_said(said.request) or says_kind(said.request, Way.ONLY)):
        return None
    if said.has("value"):
        raise Asking(say(NOT_KNOWN, words=said.words("value")))
    meant = said.with_slots([one for way, _, slots in found if way is Way.ONLY for one in slots])
    out = said.with_slots([one for way, _, slots in found if way is Way.WITHOUT for one in slots])
    read = _events if tool.startswith(EVENTS) else _cards

    def again(scene: Scene) -> dict[str, Any]:
        args = read(replace(meant, scene=scene)) | _kept(replace(out, scene=scene), tool)
        for kind, way in flagged.items():
            args |= _flagged(kind, way)
        return args

    weekday, today = (any(counts(one) for one in (meant, out)) for counts in (named_by_weekday, counted_from_today))
    return Narrowed(again(said.scene), said.scene, again, weekday, today)


def _kept(out: Said, tool: str) -> dict[str, Any]:
    """Return the arguments for what is left out: by names and words, or since or before a day."""
    names = [name for one in out.request.slots if one.slot not in TIMES for name in _names_of(one, out, tool)]
    args: dict[str, Any] = {"keep": list(dict.fromkeys(filter(None, names)))} if names else {}
    if out.has(*TIMES):
        when = spanned(out, _time_slot(out))
        if not tool.startswith(EVENTS) or (when.since is not None and when.before is not None) or when == Stretch():
            raise Asking(say(CANNOT_LEAVE_OUT))
        args |= Stretch(when.before, when.since).args()
    return args


def _names_of(one: SlotWords, out: Said, tool: str) -> Iterator[str]:
    """Yield the names and words by which a slot leaves something out: two of `the one with Bob or Anna`."""
    if one.slot not in KEEPING or OVERDUE.search(one.text) or _is_state(one.text):
        raise Asking(say(CANNOT_LEAVE_OUT))
    parts = [part for part in card_words("or").split(one.text) if part.strip()]
    several = [part for part in AND.split(one.text) if part.strip()]
    if len(several) > 1 and all(known(part, out.scene) is not None for part in several):
        parts = several
    for part in parts:
        name = GENITIVE.sub("", part)
        words = event_words(name) if tool.startswith(EVENTS) else bare(name)
        if ME.match(words):
            yield "me"
            continue
        yield words
        if tool.startswith(EVENTS):
            yield from _mail_addresses(name, out.scene)


def _is_state(words: str) -> bool:
    """Return whether words name a state and no title: `recurring`, `erledigte`."""
    return words_of_kind("state").fullmatch(folded_alike(bare(words))) is not None


def _mail_addresses(name: str, scene: Scene) -> Iterator[str]:
    person = known(name, scene)
    for contact in person.contacts if person is not None else ():
        yield from (one.removeprefix("mail:") for one in contact.addresses if one.startswith("mail:"))


FLAGS: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "all_day": ({"all_day": True}, {"all_day": False}),
    "by_me": ({"organiser": "me"}, {"organiser": "others"}),
    "by_others": ({"organiser": "others"}, {"organiser": "me"}),
    "series": ({"series": True}, {}),
    "mine": ({"assigned": "me"}, {"keep": ["me"]}),
}  # fmt: skip
"""The arguments that words besides the slots come to: where these only are meant, and where they are left out."""


def _flagged(kind: str, way: Way) -> Mapping[str, Any]:
    only, without = FLAGS[kind]
    if way is Way.WITHOUT and not without:
        raise Asking(say(CANNOT_LEAVE_OUT))
    return without if way is Way.WITHOUT else only


def _time_slot(said: Said) -> str:
    return "time" if said.has("time") else "time_of"


def _events(said: Said) -> dict[str, Any]:
    if card_words("and").search(said.all_words("time")) and len(said.request.words("time")) > 1:
        raise Asking(say(NOT_KNOWN, words=said.all_words("time")))
    args = event.criteria(said, spanned(said, _time_slot(said)))
    if calendar := bare(said.words("account") or said.words("folder") or said.words("list")):
        args["calendar"] = calendar
    _sure_of_all(said, OF_EVENTS, frozenset({"age", "label", "board", "query", "subject"}))
    return args


def _cards(said: Said) -> dict[str, Any]:
    said = said.with_slots([_of_card(one, said.scene) for one in said.request.slots])
    if (who := said.words("to") or said.words("with")) and known(who, said.scene) is None and not ME.match(who):
        raise Asking(say(NOT_KNOWN, words=who))
    _sure_of_all(said, OF_CARDS, frozenset({"age", "account", "folder"}))
    for slot in ("list", "board"):
        if len(set(said.request.words(slot))) > 1:
            raise Asking(say(ONE_PLACE))
    if says("finished", without_reasons(said.request)) and not said.has("list") and not leaves_out(said.request):
        said = said.with_slots((*said.request.slots, SlotWords("list", DONE, 0, 0)))
    found = of_cards(said) | limits(said)
    # Words outside of slots, such as `mine`, say that cards are left out as well.
    if leaves_out(said.request) and not any(map(OVERDUE.search, said.request.words("filter"))):
        found.pop("overdue", None)
    if not said.has("to", "with"):
        found.pop("assigned", None)
    return found


def _of_card(one: SlotWords, scene: Scene) -> SlotWords:
    """Return what a slot is of a card: `from Anna` are those assigned to her, `from Doing` those in that list."""
    if one.slot != "from":
        return one
    return replace(one, slot="to" if known(one.text, scene) is not None or ME.match(one.text) else "list")


def _sure_of_all(said: Said, kinds: Sequence[str], unknown: frozenset[str]) -> None:
    """Raise `Asking` for a slot that nothing is made of."""
    for one in said.request.slots:
        if one.slot in TITLES and _is_state(one.text):
            raise Asking(say(NOT_KNOWN, words=one.text))
        known_state = flags(replace(said.request, text=one.text, slots=()), kinds) or OVERDUE.search(one.text)
        if one.slot in unknown or (one.slot == "filter" and not known_state):
            raise Asking(say(NOT_KNOWN, words=one.text))
