"""Whatever is asked for, `only ...` and `not ...` said of it never take in what was not meant before."""
# names: made up here

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import product
from typing import Any

import pytest

from butler.orchestrator.edits.mail_changes import MailChange
from butler.orchestrator.edits.narrowing import Narrowed
from butler.orchestrator.embedded.asking import Asking
from tests.orchestrator.edits.bulk_words import CARDS, EVENTS, read
from tests.orchestrator.embedded.scene import NOW, ZONE
from tests.support.nightly import every_nth

Args = Mapping[str, Any]
TODAY = NOW.astimezone(ZONE).date()


@dataclass(frozen=True)
class Thing:
    """A mail, an event or a card of a made-up person."""

    by: str
    text: str
    place: str
    """Its tab, calendar or list."""
    at: datetime
    mark: bool
    """Unread, of a whole day, or overdue."""
    size: int = 0


def _things(people: Iterable[str], places: Iterable[str], days: Iterable[int]) -> list[Thing]:
    texts, hours, sizes = ("the trip", "our trip budget", "gym"), (9, 16), (100, 5_000, 30_000)
    kinds = product(people, places, (True, False), days)
    return [
        Thing(
            by,
            texts[n % 3],
            place,
            datetime.combine(TODAY + timedelta(day), time(hours[n % 2])),
            mark,
            sizes[n // 2 % 3],
        )
        for n, (by, place, mark, day) in enumerate(kinds)
    ]


MAILS = _things(
    ("billing@hostinger.example", "shop@amazon.example", "anna@friends.example", "carol@work.example"),
    ("promotions", "social"),
    (*range(-18, 1, 2), -40, -100, -300, -400, -800, -1200),
)
MEETINGS = _things(
    ("anna@friends.example", "carol@work.example", "bob"), ("Home", "Work"), (*range(-9, 34), 300, 365, 366, 367, 800)
)
TASKS = _things(("Anna Berg", "me"), ("Doing", "Done"), (*range(-5, 20), 60))


def is_mail(mail: Thing, args: Args) -> bool:
    since, before = args.get("since"), args.get("before")
    return (
        (not args.get("senders") or any(one.casefold() in mail.by for one in args["senders"]))
        and not any(one.casefold() in mail.by for one in args.get("keep") or ())
        and all(word in mail.text for word in (args.get("words") or "").split())
        and args.get("category") in {None, "", mail.place}
        and (not since or date.fromisoformat(since) <= mail.at.date())
        and (not before or mail.at.date() < date.fromisoformat(before))
        and args.get("unread") in {None, mail.mark}
        and mail.size > (args.get("larger_kb") or 0)
    )


def is_event(event: Thing, args: Args) -> bool:
    since, before = (datetime.fromisoformat(args[n]) if args.get(n) else None for n in ("since", "before"))
    if before is None:
        since = since or datetime.combine(TODAY, time(0))
        before = since + timedelta(366)
    return (
        (since is None or event.at >= since)
        and event.at < before
        and (not args.get("people") or any(one.casefold() in event.by for one in args["people"]))
        and all(word in event.text for word in (args.get("words") or "").split())
        and args.get("calendar") in {None, "", event.place}
        and args.get("all_day") in {None, False, event.mark}
    )


def is_card(card: Thing, args: Args) -> bool:
    due = args.get("due_before")
    return (
        (not due or card.at < datetime.fromisoformat(due))
        and args.get("assigned") in {None, "", card.by}
        and all(word in card.text for word in (args.get("words") or "").split())
        and args.get("in_list") in {None, "", card.place}
        and (not args.get("overdue") or card.mark)
    )


def grid(**options: Iterable[Any]) -> list[dict[str, Any]]:
    """All orders that have one of these values, or none, of each; a tuple is of since and before."""
    orders: list[dict[str, Any]] = []
    for values in product(*((None, *some) for some in options.values())):
        order = {name: value for name, value in zip(options, values, strict=True) if value is not None}
        span = order.pop("span", ("", ""))
        orders.append({**order, **{name: day for name, day in zip(("since", "before"), span, strict=True) if day}})
    return orders


def of_mail(words: str) -> Callable[[Args], dict[str, Any]] | None:
    more = read(words)
    return (lambda args: more.changed(args, "archive")) if isinstance(more, MailChange) else None


def of(tool: str) -> Callable[[str], Callable[[Args], dict[str, Any]] | None]:
    def said(words: str) -> Callable[[Args], dict[str, Any]] | None:
        more = read(words, tool)
        return more.changed if isinstance(more, Narrowed) else None

    return said


MAIL_WORDS = (
    "only those from Anna", "only those from hostinger", "only those from Amazon and Carol", "not those from Amazon",
    "but keep those from Carol", "only the unread ones", "not the unread ones", "only those about the trip",
    "only the newsletters", "only those older than a month", "only those older than a year",
    "not the ones older than a week",
    "only those from this week", "only those from Wednesday", "only those since Friday", "not those since Friday",
    "only those before Monday", "only those from 2025", "only those since 2024", "only those larger than 1 MB",
    "only those larger than 10 MB",
)  # fmt: skip
MAIL_ORDERS = grid(
    senders=(["hostinger"], ["anna@friends.example", "amazon"], ["carol@work.example"]),
    keep=(["Amazon"],),
    span=(("", "2025-03-04"), ("2026-02-16", "2026-02-23"), ("2026-03-02", ""), ("", "2026-02-25")),
    unread=(True, False),
    category=("social",),
    larger_kb=(10240,),
)
EVENT_WORDS = (
    "only those after Wednesday", "only those on Wednesday", "only those before Thursday", "only the ones this month",
    "only those next week", "only those tomorrow", "only those yesterday", "only those until Monday",
    "only those on Friday afternoon", "only those in March", "only those with Anna", "only those with Bob and Carol",
    "only those about the trip", "only the all-day ones", "only those in my Work calendar", "only those after 3 pm",
)  # fmt: skip
EVENT_ORDERS = grid(
    people=(["anna@friends.example"], ["bob", "carol@work.example"]),
    span=(("2026-03-09", "2026-03-16"), ("2026-03-04", "2026-03-09"), ("2026-03-13", "2026-03-14"),
          ("2026-03-11T12:00", "2026-03-11T18:00"), ("2026-03-20", ""), ("", "2026-03-07")),
    calendar=("Home", "Work"),
    words=("trip",),
)  # fmt: skip
CARD_WORDS = (
    "only those due before Monday", "only those due before Friday", "only those about the gym", "only those in Doing",
    "only the overdue ones", "only those assigned to Anna", "only those about the trip",
)  # fmt: skip
CARD_ORDERS = grid(
    due_before=("2026-03-06T00:00:00", "2026-03-09T00:00:00", "2026-03-20T00:00:00"),
    in_list=("Doing", "Done"),
    assigned=("me", "Anna Berg"),
    overdue=(True,),
)


@pytest.mark.parametrize(
    ("things", "matches", "reads", "words", "orders"),
    every_nth(
        [
            pytest.param(things, matches, reads, words, orders, id=words)
            for things, matches, reads, sentences, orders in (
                (MAILS, is_mail, of_mail, MAIL_WORDS, MAIL_ORDERS),
                (MEETINGS, is_event, of(EVENTS), EVENT_WORDS, EVENT_ORDERS),
                (TASKS, is_card, of(CARDS), CARD_WORDS, CARD_ORDERS),
            )
            for words in sentences
        ],
        3,
    ),
)
def test_only_and_not_take_in_nothing_that_was_not_meant_before(
    things: list[Thing],
    matches: Callable[[Thing, Args], bool],
    reads: Callable[[str], Callable[[Args], dict[str, Any]] | None],
    words: str,
    orders: list[dict[str, Any]],
) -> None:
    changed = reads(words)
    assert changed is not None
    fewer = 0
    for order in orders:
        try:
            after = order | changed(order)
        except Asking:
            continue
        meant = {thing for thing in things if matches(thing, order)}
        left = {thing for thing in things if matches(thing, after)}
        assert left <= meant, (order, after)
        fewer += left < meant
    assert fewer or words == "only those yesterday"
