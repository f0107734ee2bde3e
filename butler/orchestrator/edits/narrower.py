"""What `only ...` comes to: what was meant before and what is said now have to hold both, so it is never more.

Where nothing holds both, or where both cannot be looked for at once, it is asked.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from butler.contract.speech import phrase, say, say_date, say_list
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.understanding.mail.wanted import Wanted

NOTHING_LEFT = phrase("Then nothing would be left of it. Say “never mind” if it shall not be done.")
NONE_FROM = phrase(
    "There are none from {said} among them: it is about those from {old}. Say “also those from {said}” to take them in."
)
KEPT = phrase("Those from {said} are left out of it. Say “also those from {said}” to take them in.")
NOT_BOTH = phrase(
    "It is about “{old}” already, and “{said}” cannot be looked for besides. Say “never mind” and ask anew if only "
    "that is meant."
)
OUTSIDE = phrase(
    "There are none of that time among them: it is about {time}. Say a time within that, or “never mind” and ask anew."
)
MORE = phrase("That would be more than it is about. Say “never mind” and ask anew if that is meant.")
OPEN = "…"
ONE_DAY = timedelta(1)


def within(old: Sequence[str], said: Sequence[str]) -> tuple[str, ...]:
    """Who is among both, each as exactly as either says it; nobody where they have nobody in common."""
    found: dict[str, str] = {}
    for known in old:
        for name in said:
            if _holds(name, known):
                found.setdefault(known.casefold(), known)
            elif _holds(known, name):
                found.setdefault(name.casefold(), name)
    return tuple(found.values())


def _holds(name: str, longer: str) -> bool:
    """Whether whoever `longer` is found by is found by `name`, too."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", longer, re.IGNORECASE) is not None


def same(old: str, said: str) -> str:
    """The one that is said; asks where it was another."""
    if old and said and old.casefold() != said.casefold():
        raise Asking(say(NOT_BOTH, old=old, said=said))
    return old or said


def all_words(old: str, said: str) -> str:
    """All words of both, without those that would stand there twice."""
    known = old.casefold().split()
    return f"{old} {said}".strip() if any(word not in known for word in said.casefold().split()) else old


def as_day(bound: date) -> date:
    """The day of a bound."""
    return bound.date() if isinstance(bound, datetime) else bound


def not_empty(since: date | None, before: date | None, old: tuple[date | None, date | None]) -> None:
    """Asks where nothing lies from `since` to `before`; `old` is what it was about."""
    if since is None or before is None or since < before:
        return
    first, end = old
    last = as_day(end - timedelta(microseconds=1) if isinstance(end, datetime) else end - ONE_DAY) if end else None
    start = as_day(first) if first else None
    if start is not None and start == last:
        time = say_date(start)
    else:
        time = f"{say_date(start) if start else OPEN} – {say_date(last) if last else OPEN}"
    raise Asking(say(OUTSIDE, time=time))


def narrower(wanted: Wanted, said: Wanted) -> Wanted:
    """The mails of which both is said. Raises `Asking`."""
    senders = (
        within(wanted.senders, said.senders) if wanted.senders and said.senders else wanted.senders or said.senders
    )
    if said.senders and not senders:
        raise Asking(say(NONE_FROM, said=say_list(said.senders), old=say_list(wanted.senders)))
    spared = {one.casefold() for one in wanted.keep}
    if said.senders and all(one.casefold() in spared for one in senders):
        raise Asking(say(KEPT, said=say_list(senders)))
    since = max((day for day in (wanted.since, said.since) if day), default=None)
    before = min((day for day in (wanted.before, said.before) if day), default=None)
    not_empty(since, before, (wanted.since, wanted.before))
    return replace(
        wanted,
        senders=senders,
        keep=(*wanted.keep, *(one for one in said.keep if one.casefold() not in spared)),
        words=all_words(wanted.words, said.words),
        category=same(wanted.category, said.category),
        label=same(wanted.label, said.label),
        since=since,
        before=before,
        unread=either(wanted.unread, said.unread),
        attachment=either(wanted.attachment, said.attachment),
        larger_kb=max(wanted.larger_kb, said.larger_kb),
        inbox=wanted.inbox or said.inbox,
    )


def either(old: bool | None, said: bool | None) -> bool | None:
    """What is said of a mark; asks where it was the opposite."""
    if old is not None and said is not None and old is not said:
        raise Asking(say(NOTHING_LEFT))
    return old if said is None else said


def as_of(scene: Scene, day: date) -> Scene:
    """The same request as if it were said on another day."""
    return later(scene, timedelta((day - scene.now().date()).days))


def later(scene: Scene, by: timedelta) -> Scene:
    """The same request as if it were said so much later."""
    return replace(scene, request=replace(scene.request, now=scene.request.now + by))
