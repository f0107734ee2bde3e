"""Reads filters of mails: their senders, topics, days and states."""

import re
from dataclasses import replace
from datetime import date, timedelta

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.searching import Search
from butler.orchestrator.understanding.act_words import words
from butler.orchestrator.understanding.mail.mail_words import group, patterns, plain, whole
from butler.orchestrator.understanding.mail.senders import PROMOTIONS, Sender, senders, told_of
from butler.orchestrator.understanding.people.who import known
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.things.named import POINTING, telling
from butler.orchestrator.understanding.things.pointing import pointed, pointing_words
from butler.orchestrator.understanding.things.refs import outside
from butler.orchestrator.understanding.times.loose import length_within, without_its_day
from butler.understanding.marked import SlotWords
from butler.understanding.times.lengths import shifted
from butler.understanding.times.parse import length_of

THAN = re.compile(rf"^{group('than')}\s+", re.IGNORECASE)
MOST_BETWEEN = 2
"""The most words between those that compare an age and the age: `moins d'un [mois]`."""
UNREAD = re.compile(
    rf"\b{group('unread')}\b|{group('not')}\W+(?:\w+\W+){{0,2}}?{group('read_or_opened')}\b", re.IGNORECASE
)
NEW_MAIL = re.compile(
    rf"\b{group('new_mail')}\b|\b{group('new')} (?:e-?)?{group('new_noun')}|"
    rf"\b{group('not_yet')} (?:{group('yet')} )?{group('done_yet')}\b",
    re.IGNORECASE,
)
"""Words for unread mail in unmarked text."""
READ, NOT_READ = whole("read"), patterns("not_read")
ATTACHMENT, STARRED, IMPORTANT = patterns("attachment"), patterns("starred"), patterns("important")
SPAM, INBOX = patterns("spam"), patterns("inbox")
TABS = tuple((tab, patterns(tab)) for tab in ("social", "forums", "updates"))
OWN_BOX = whole("own_box")
SMALL = re.compile(rf"^{group('small')}\s+", re.IGNORECASE)
MAIL_OF = re.compile(
    rf"{group('mail')} {group('mail_about')} ?{group('article_of_topic')}?([^\W\d_][\w'’-]{{2,}})", re.IGNORECASE
)
THING = re.compile(rf"\b{group('article_of_thing')} ?([^\W\d_]{{3,}})", re.IGNORECASE)
"""A noun for the mail to forward."""
SIZE = re.compile(r"(\d+(?:[.,]\d+)?)\s*(kb|mb|gb|ko|mo|go)\b", re.IGNORECASE)
KB = {"kb": 1, "ko": 1, "mb": 1_000, "mo": 1_000, "gb": 1_000_000, "go": 1_000_000}
WITHOUT = re.compile(rf"\b{group('without')}\s+(?:\w+\s+)?$", re.IGNORECASE)
NAMING = ("from", "with", "topic", "subject", "query", "time", "time_of", "age", "filter")
"""Slots that describe mails in any folder."""


def words_about(said: Said, *slots: str) -> str:
    """Return a mail's topic as search words."""
    found = [SMALL.sub("", bare(words)) for slot in slots or ("topic",) for words in said.request.words(slot)]
    return one_line(" ".join(found))


def about(said: Said) -> str:
    """Return the words that a mail has to hold: its topic without small words and words for any mail."""
    nouns = frozenset(plain("nouns"))
    words = one_line(" ".join(filter(None, (words_about(said, "topic", "subject", "query"), described(said)))))
    return telling(words, nouns) or words


def unmarked(said: Said) -> str:
    """Return a mail's unmarked topic or kind: `forward the invoice to Bob`."""
    text = outside(said)
    found = MAIL_OF.search(text) or (THING.search(text) if said.request.intent == "mail.forward" else None)
    return telling(found[1], POINTING, pointing_words(), frozenset(plain("nouns"))) if found else ""


def described(said: Said) -> str:
    """Return the description within words that point at a mail: `Zara` in `that Zara one`; empty if they only point."""
    found = told_of(said)
    return "" if found and known(found, said.scene) is not None else found


def names_mails(said: Said) -> bool:
    """Return whether the request describes mails, apart from pointing at shown ones."""
    return any(said.has(slot) for slot in NAMING if slot not in {"from", "with"}) or bool(senders(said))


def wanted(said: Said, *, strictly: bool = False) -> Search:
    """Return the search for the request's mails: sender, topic, days, state and number.

    Args:
        said: The request.
        strictly: Whether a described sender has to be the sender, not just a word in the mail.
    """
    since, before = _days_or_none(said)
    found = next(iter(senders(said)), Sender())
    by_words = found.person is None and not found.is_named and not strictly
    states = " ".join((*said.request.words("filter"), *said.request.words("folder")))
    tab = [state for state in said.request.words("filter") if PROMOTIONS.search(state)]
    return Search(
        words=one_line(" ".join(filter(None, (found.name if by_words else "", about(said), *tab)))),
        sender=found.name if found.person is None and not by_words else "",
        person=found.person,
        unread=bool(UNREAD.search(states) or NEW_MAIL.search(said.request.text)),
        attachment=bool(ATTACHMENT.search(states)),
        starred=bool(STARRED.search(states)),
        important=bool(IMPORTANT.search(states)),
        limit=how_many(said),
        since=since.isoformat() if since else "",
        before=before.isoformat() if before else "",
        account=said.words("account"),
        side="bot" if OWN_BOX.search(said.words("account") + said.words("folder")) else "",
    )


def larger_kb(said: Said) -> int:
    """Return the least size of the mails in kB; 0 if none was said."""
    found = SIZE.search(said.request.text)
    return round(float(found[1].replace(",", ".")) * KB[found[2].casefold()]) if found else 0


def how_many(said: Said) -> int:
    """Return the requested number of mails; 0 if none was said."""
    digits = re.search(r"\d+", said.words("count"))
    way = pointed(said.words("count"), said.language)
    return int(digits[0]) if digits else way.first or way.final or next(iter(way.numbers), 0)


def _days_or_none(said: Said) -> tuple[date | None, date | None]:
    try:
        return days_before_now(said)
    except Asking:
        return None, None


def days_before_now(said: Said) -> tuple[date | None, date | None]:
    """Return the days of the mails, the end excluded; they are in the past, even if a time would mean the future.

    Raise `Asking` for a time that is not understood.
    """
    today = said.scene.now().date()
    if said.has("age") and not SIZE.search(said.words("age")):
        return _days_by_age(said, "age")
    if said.has("time") and (_compares("younger", said, "time") or _compares("older", said, "time")):
        return _days_by_age(said, "time")
    slot = "time" if said.has("time") else "time_of"
    if not said.has(slot):
        return None, None
    since, before = said.days(slot)
    if without_its_day(said, slot):
        before = before - timedelta(1) if since is None and before is not None else before
        since = since + timedelta(1) if before is None and since is not None else since
    if since is not None and since > today:
        long = before - since if before else timedelta(1)
        since = since - timedelta(7) if since - today <= timedelta(7) else shifted(since, -12)
        before = since + long
    return (since, None) if before is not None and before > today else (since, before)


def _days_by_age(said: Said, slot: str) -> tuple[date | None, date | None]:
    """Return the days of mails `older than a month`, or `newer than a month`; raise `Asking`."""
    lengths = (length_within(one, said) for one in said.request.words(slot))
    age = next(filter(None, lengths), None)
    if age is None:
        raise Asking(say("How long is “{words}”? Say it like “30 minutes”.", words=said.words(slot)))
    today = said.scene.now().date()
    day = shifted(today, -age.months) - timedelta(age.days)
    return (day, None) if _compares("younger", said, slot) else (None, day)


def _compares(kind: str, said: Said, slot: str) -> bool:
    """Return whether a length is compared with an age: `less than [a week](age) old`."""
    last = [one for one in said.request.slots if one.slot == slot][-1]
    found = [match.end() for match in words(kind).finditer(said.request.text, 0, last.end)]
    between = said.request.text[found[-1] : last.start].split() if found else []
    is_length = length_of(THAN.sub("", last.text), said.language, said.scene.now()) is not None
    return bool(found) and len(between) <= MOST_BETWEEN and (slot == "age" or is_length)


def only_time(said: Said) -> bool:
    """Return whether the request only has a time, which may belong to another act in the same words."""
    return said.has("time") and not senders(said) and not any(said.has(one) for one in NAMING if one != "time")


def with_topic(said: Said, topic: str) -> Said:
    """Return the request with an unmarked topic."""
    slots = (*said.request.slots, SlotWords("topic", topic, 0, 0))
    return said.with_slots(slots)


def without(said: Said, *slots: str) -> Said:
    """Return the request without some slots."""
    return said.with_slots(one for one in said.request.slots if one.slot not in slots)


def as_slot(said: Said, slot: str, other: str) -> Said:
    """Return the request with the words of a slot in another slot."""
    slots = tuple(replace(one, slot=other) if one.slot == slot else one for one in said.request.slots)
    return said.with_slots(slots)
