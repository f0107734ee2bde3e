"""The weekly digest: what was decided and by whom, what rules allowed, and where the audit log ends.

Its work row queues the next one when it is done. Each digest counts from the end of the previous one, so a week during
which Butler was down is reported late, once, and whole.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.context import Context
from approvals.rule_card import rule_words
from approvals.states import State
from butler.contract.card import OwnerMessage, Rich, Span, Style, plain
from butler.contract.speech import phrase, say, say_many
from butler.store.queries import approvals, audit, cursors, history, outbox, rules, work
from butler.store.queries.rules import RuleState

WEEKLY = "weekly_digest"
OWNER = "owner"
"""The subject of the one work row."""
HOUR = time(9)


@dataclass(frozen=True, slots=True)
class DigestStart:
    """The end of the last digest."""

    at: datetime
    seq: int
    """The last row of the audit log at that time."""


def next_monday(at: datetime, zone: ZoneInfo) -> datetime:
    """Return the first Monday 09:00 of the zone after a moment, in UTC."""
    local = at.astimezone(zone)
    due = datetime.combine(local.date() - timedelta(days=local.weekday()), HOUR, zone)
    while due <= at:
        due = datetime.combine(due.date() + timedelta(days=7), HOUR, zone)
    return due.astimezone(UTC)


class WeeklyDigest:
    """Handles `weekly_digest`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def schedule(self) -> None:
        """Queue exactly one digest at the start, for the hour of the present zone."""
        await self._context.store.write(self._schedule, "weekly.schedule")

    async def tell(self, _subject: str) -> None:
        """Report what has happened since the last digest, and queue the next one for Monday."""
        await self._context.store.write(self._tell, "weekly.tell")
        self._context.wake()

    def _schedule(self, connection: sa.Connection) -> None:
        now = self._context.clock.now()
        since = _last(connection)
        if since is None or since.at > now:
            # A time in the future was recorded before the clock was set back.
            since = DigestStart(now, since.seq if since else audit.head(connection)[0])
            _note(connection, since)
        self._wait(connection, since, now)

    def _wait(self, connection: sa.Connection, since: DigestStart, now: datetime) -> None:
        work.cancel(connection, WEEKLY, OWNER)
        work.add(connection, WEEKLY, OWNER, now=now, run_at=next_monday(since.at, self._context.zone))

    def _tell(self, connection: sa.Connection) -> None:
        now = self._context.clock.now()
        since = _last(connection)
        if since is None or now < next_monday(since.at, self._context.zone):
            # An earlier run of this row sent it, or the clock went back.
            self._schedule(connection)
            return
        until = DigestStart(now, audit.head(connection)[0])
        chat = self._context.channel.home()
        if chat is not None and until.seq > since.seq:
            year, week, _ = now.astimezone(self._context.zone).isocalendar()
            message = OwnerMessage(text=tuple(self._text(connection, since, chat)))
            key = f"weekly:{year}-W{week:02}"
            said = outbox.add(connection, chat, message, now=now, dedup_key=key) is not None
            # A second one in a week (the owner moved to another zone) is left to the next Monday, which counts it all.
            until = until if said else since
        _note(connection, until)
        self._wait(connection, DigestStart(now, until.seq), now)

    def _text(self, connection: sa.Connection, since: DigestStart, chat: str) -> Iterator[Span]:
        lines = list(self._lines(connection, since, chat))
        if lines:
            head = say("Your week since {since}", since=self._context.wall_time(since.at))
            yield Span(text=f"{head}\n", style=Style.BOLD)
            yield Span(text="\n".join([*lines, "", ""]))
        yield from _head(connection)

    def _lines(self, connection: sa.Connection, since: DigestStart, chat: str) -> Iterator[str]:
        kinds = history.audited(connection, since.seq)
        uses = history.uses_of_rules(connection, since.seq)
        passed = sum(use.times for use in uses)
        decided = [said(kinds[kind]) for kind, said in _DECISIONS.items() if kind in kinds]
        if passed:
            decided.append(say_many(passed, "{count} passed by your rules", "{count} passed by your rules"))
        if decided:
            yield say("Cards: {counts}.", counts=", ".join(decided))
        known = {rule.rule_id: rule for rule in rules.in_state(connection, *RuleState)} if uses else {}
        for use in uses:
            rule = known[use.rule_id]
            words = rule_words(connection, self._context.invoker, rule, self._context.zone, here=chat)
            last = self._context.wall_time(use.last)
            yield say_many(
                use.times,
                "Rule {number} let pass once, last at {last}: {rule}.",
                "Rule {number} let pass {count} times, last at {last}: {rule}.",
                number=rule.number,
                last=last,
                rule=words,
            )
        if refused := kinds.get("approval.tap_refused"):
            yield say("Taps that did nothing, such as late ones or ones by others: {count}.", count=refused)
        if unknown := approvals.count_by_state(connection).get(State.UNKNOWN):
            yield say("Not known whether they were done: {count}. Their cards have buttons to say so.", count=unknown)


_DECISIONS: Mapping[str, Callable[[int], str]] = {
    "approval.approved": lambda n: say_many(n, "{count} approved by you", "{count} approved by you"),
    "approval.cancelled": lambda n: say_many(n, "{count} undone or stopped", "{count} undone or stopped"),
    "approval.denied": lambda n: say_many(n, "{count} denied", "{count} denied"),
    "approval.expired": lambda n: say_many(n, "{count} expired", "{count} expired"),
    "approval.failed": lambda n: say_many(n, "{count} failed", "{count} failed"),
}

_LOG_ENDS = phrase("The audit log ends at entry {entry}. With the next line, butler audit verify --head checks it:")


def _head(connection: sa.Connection) -> Rich:
    seq, digest = audit.head(connection)
    return (
        *plain(say(_LOG_ENDS, entry=seq) + "\n"),
        Span(text=f"{seq}:{digest}", style=Style.CODE),
    )


def _last(connection: sa.Connection) -> DigestStart | None:
    stored: Any = cursors.fact(connection, WEEKLY)
    return DigestStart(datetime.fromisoformat(stored["at"]), stored["seq"]) if stored else None


def _note(connection: sa.Connection, since: DigestStart) -> None:
    cursors.put_fact(connection, WEEKLY, {"at": since.at.isoformat(), "seq": since.seq}, since.at)
