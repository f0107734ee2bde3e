"""Reads which cards a request is about: by words, and by limits such as a label, a person, or when they are due."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.understanding.act_words import says, words
from butler.orchestrator.understanding.boards.places import everything_in, labels_in, places
from butler.orchestrator.understanding.people.who import known, without_article
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.things.named import POINTING, SMALL, telling
from butler.orchestrator.understanding.things.refs import outside
from butler.orchestrator.understanding.things.shown import points
from butler.orchestrator.understanding.times.loose import without_its_day
from butler.understanding.times.lexicon import folded

ME = re.compile(r"^(?:me|myself|i|mir|mich|moi|m['’]|mí|mi|yo|ich|je)$", re.IGNORECASE)
NOUNS = frozenset(
    folded(
        "card cards task tasks ticket tickets karte karten kärtchen aufgabe aufgaben carte cartes tarjeta tarjetas "
        "tarea tareas ficha fichas trello"
    ).split()
)
"""Words for any card."""
COMPOUND = re.compile(r"(?<=\w{3})-?(?:karte|card)$", re.IGNORECASE)
OVERDUE = words("overdue")
PEOPLE = ("to", "with", "from")
ONE_DAY = timedelta(1)
DUE_BEFORE = phrase("I can tell apart only what is due before a day. Say it like “all cards due before Friday”.")
ONE_EACH = phrase("I can look for one label and one person at a time. Say it for each of them.")


def criteria(said: Said) -> dict[str, Any]:
    """Return the arguments for all cards that fit a question."""
    found = words_of_card(said)
    return places(said).where() | ({"words": found} if found else {}) | limits(said, looking=True)


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
    since, before = said.stretch(slot)
    bound = without_its_day(said, slot)
    if bound == "before" and since is not None:
        return since
    if before is None or bound == "since" or (since is not None and not looking):
        raise Asking(say(DUE_BEFORE))
    found = said.when(slot)
    whole_day = found is not None and found.clock is None
    return before - ONE_DAY if bound == "before" and whole_day else before


def person_named(text: str, said: Said) -> str:
    """Return a person's name as boards know it; the owner is `me`."""
    name = re.sub(r"['’]s$", "", without_article(text))
    if ME.match(name):
        return "me"
    found = known(text, said.scene)
    return found.name if found is not None else name
