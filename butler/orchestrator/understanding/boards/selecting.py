"""Reads which cards a request is about: by words, and by limits such as a label, a person, or when they are due."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.understanding.act_words import says, words
from butler.orchestrator.understanding.boards.board_words import group, patterns, plain
from butler.orchestrator.understanding.boards.board_words import words as words_of
from butler.orchestrator.understanding.boards.places import LIST_NOUN, everything_in, labels_in, places
from butler.orchestrator.understanding.people.who import known, without_article
from butler.orchestrator.understanding.requests.left_out_words import masked
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.things.named import POINTING, SMALL, telling
from butler.orchestrator.understanding.things.refs import outside
from butler.orchestrator.understanding.things.shown import points
from butler.orchestrator.understanding.times.loose import without_its_day
from butler.understanding.marked import SlotWords
from butler.understanding.times.lexicon import folded, lexicon
from butler.understanding.times.parse import parse

ME = re.compile(rf"^{group('me')}$", re.IGNORECASE)
NOUNS = frozenset(map(folded, plain("cards")))
"""Words for any card."""
COMPOUND = re.compile(rf"(?<=\w{{3}})-?{group('compound')}$", re.IGNORECASE)
OVERDUE = words("overdue")
PEOPLE = ("to", "with", "from")
ONE_DAY = timedelta(1)
NUMBERS = frozenset({"number", "ordinal"})
MOST_LISTS = 2
"""The lists of a move: the source and the target."""
DUE_BEFORE = phrase("I can tell apart only what is due before a day. Say it like “all cards due before Friday”.")
DONE_THEN = phrase("I can tell apart only when cards are due, not when something was done to them.")
ONE_EACH = phrase("I can look for one label and one person at a time. Say it for each of them.")


def criteria(said: Said) -> dict[str, Any]:
    """Return the arguments for all cards that fit a question."""
    found = words_of_card(said)
    archived = {"archived": True} if was_archived(said) else {}
    return places(said).where() | ({"words": found} if found else {}) | limits(said, looking=True) | archived


def was_archived(said: Said) -> bool:
    """Return whether cards are said to have been archived."""
    return _is_said("archived", said, "filter")


def described(said: Said) -> str:
    """Return an unmarked word for some of the cards, such as `all urgent cards`; empty without one."""
    return next(iter(_described(masked(said.request.text, said.request.slots), said.language).values()), "")


def _described(text: str, language: str) -> dict[int, str]:
    """Return the words for some of the cards by their places."""
    describing = patterns("describing", language)
    found = {match.start("word"): match["word"] for match in describing.finditer(text)}
    return {start: word for start, word in found.items() if _describes_cards(word, language)}


def _describes_cards(word: str, language: str) -> bool:
    known_words = words_of("undescribing", language), words_of("archived", language), OVERDUE
    if any(one.fullmatch(word) for one in known_words):
        return False
    counts = NUMBERS & lexicon(language).phrases.get((folded(word),), {}).keys()
    return not counts and bool(telling(word, POINTING, NOUNS))


def without_false_lists(said: Said) -> Said:
    """Return the request without lists that are none: `due on [Friday](list)`, `las tarjetas [urgentes](list) de …`."""
    due = words_of("due", said.language).search(outside(said)) is not None
    dated = [replace(one, slot="time") if due and _is_due(one, said) else one for one in said.request.slots]
    lists = [one for one in dated if one.slot == "list"]
    kinds = _described(said.request.text, said.language) if len(lists) > MOST_LISTS else {}
    return said.with_slots(one for one in dated if one not in lists or kinds.get(one.start) != one.text)


def _is_due(one: SlotWords, said: Said) -> bool:
    """Return whether a list or board is a time at which cards are due."""
    text = said.request.text
    if one.slot not in {"list", "board"} or parse(bare(one.text), said.language, said.scene.now()) is None:
        return False
    before, small = text[: one.start], words_of("before_day", said.language).pattern
    if re.search(rf"{words_of('due', said.language).pattern}(?:\s+{small})*\W*$", before, re.IGNORECASE):
        return True
    # German says that cards are due at the end of its clause.
    is_list = (
        LIST_NOUN.search(before[-12:]) or LIST_NOUN.match(text[one.end :].lstrip()) or says("usual_lists", one.text)
    )
    behind = words_of("due", "de").search(text, one.end)
    return said.language == "de" and behind is not None and not is_list


def words_of_card(said: Said, *slots: str) -> str:
    """Return the search words of a card, without words for any card and for what only limits the cards."""
    slot = next((slot for slot in slots or ("topic", "title", "query") if said.has(slot)), "")
    spans = [one for one in said.request.words(slot) if telling(one, POINTING, NOUNS) and not _only_overdue(one)]
    spans = spans or [one for one in said.request.words("ref") if _describes(one, said)]
    return " ".join(found for one in spans if (found := telling_words(one)))


def _describes(ref: str, said: Said) -> bool:
    """Return whether words name a card, and do not only point or mean all of a list."""
    return not (points(ref, said.language) or everything_in(said) or says("finished", ref) or _only_overdue(ref))


def _only_overdue(text: str) -> bool:
    """Return whether words say only that cards are overdue."""
    return OVERDUE.search(text) is not None and not telling(OVERDUE.sub(" ", text), POINTING, NOUNS)


def telling_words(text: str) -> str:
    """Return the identifying words of a name; all words if none identifies it."""
    words_of_it = [COMPOUND.sub("", word) for word in one_line(bare(text)).split()]
    kept = " ".join(word for word in words_of_it if folded(bare(word)) not in SMALL | NOUNS)
    return kept if telling(kept) else one_line(bare(text))


def limits(said: Said, *, looking: bool = False) -> dict[str, Any]:
    """Return the arguments that limit the cards; raise `Asking` for an act's limit that the tools do not know.

    Args:
        said: The request, without the new values of an act.
        looking: Whether more cards than were said may be found.
    """
    # A card that is named may be spoken of with words that limit others: `I'm late, archive the visa card`.
    named = bool(words_of_card(said)) and not looking
    args: dict[str, Any] = {"overdue": True} if _overdue(said, named=named) else {}
    if label := _one([bare(one) for one in labels_in(said)], looking=looking):
        args["label"] = label
    if (before := due_before(said, looking=looking)) is not None:
        args["due_before"] = before.isoformat(timespec="minutes")
    if who := _one([person_named(one, said) for slot in PEOPLE for one in said.request.words(slot)], looking=looking):
        args["assigned"] = who
    elif not named and says("own_cards", outside(said)):
        args["assigned"] = "me"
    return args


def _overdue(said: Said, *, named: bool) -> bool:
    """Return whether overdue cards are meant."""
    described = [one for slot in ("topic", "ref") for one in said.request.words(slot) if _only_overdue(one)]
    said_of_them = [*said.request.words("filter"), *described, *([] if named else [outside(said)])]
    return any(map(OVERDUE.search, said_of_them))


def _one(names: Iterable[str], *, looking: bool) -> str:
    """Return the only name, or the first one for a question; empty without any."""
    different = list(dict.fromkeys(filter(None, names)))
    if len(different) > 1 and not looking:
        raise Asking(say(ONE_EACH))
    return different[0] if different else ""


def due_before(said: Said, *, looking: bool = False) -> datetime | None:
    """Return the time before which the cards are due; None if none was said.

    Raise `Asking` for a beginning, and in an act also for a span, since it would find the cards due before the span.
    """
    slot = next((one for one in ("time", "time_of") if said.has(one)), "")
    if not slot:
        return None
    if _done_then(said):
        raise Asking(say(DONE_THEN))
    since, before = said.stretch(slot)
    bound = without_its_day(said, slot)
    if bound == "before" and since is not None:
        return since
    if before is None or bound == "since" or (since is not None and not looking):
        raise Asking(say(DUE_BEFORE))
    found = said.when(slot)
    whole_day = found is not None and found.clock is None
    return before - ONE_DAY if bound == "before" and whole_day else before


def _done_then(said: Said) -> bool:
    """Return whether a time is when something was done to the cards, not when they are due."""
    due = words_of("due", said.language).search(said.request.text)
    return due is None and (was_archived(said) or _is_said("done_before", said, "filter", "list"))


def _is_said(kind: str, said: Said, *slots: str) -> bool:
    """Return whether words of a kind stand in slots of these kinds or outside of all."""
    marked = (text for slot in slots for text in said.request.words(slot))
    return any(map(words_of(kind, said.language).search, (*marked, outside(said))))


def person_named(text: str, said: Said) -> str:
    """Return a person's name as boards know it; the owner is `me`."""
    name = re.sub(r"['’]s$", "", without_article(text))
    if ME.match(name):
        return "me"
    found = known(text, said.scene)
    return found.name if found is not None else name
