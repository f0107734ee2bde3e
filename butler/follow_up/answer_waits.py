"""Answers that the owner waits for: requested in words, or to a sent question; reported once if none comes.

Each wait is a row. An answer settles it, as an event or found in the accounts, and is reported if that was requested. A
mail with an unproved sender is an answer only in a thread in which the owner has written, which a forger does not know;
any other such mail is mentioned at the deadline, and settles nothing. Without an answer there is one message at the
deadline, with a follow-up that is only proposed.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, cast
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.people import Names, same_person
from butler.contract.card import Button, OwnerMessage, Rich, Span, Style, plain
from butler.contract.events import Event, EventName
from butler.contract.following import Wait, WaitKind, WaitState
from butler.contract.inbound import Inbound
from butler.contract.provenance import Origin
from butler.contract.quoted_words import others
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say, say_many, say_short_day, say_short_moment
from butler.contract.tools import Recipient
from butler.engine import WorkHandler
from butler.follow_up.follow_up_reminder import follow_up
from butler.follow_up.question_detection import asks
from butler.follow_up.quiet_hours import QuietHoursHold
from butler.orchestrator.replies import own_reports
from butler.orchestrator.replies.buttons import button
from butler.orchestrator.replies.event_items import event_handle
from butler.orchestrator.replies.offers import note_tap
from butler.orchestrator.replies.shown_items import shown_in
from butler.provenance import join, load
from butler.services import Services
from butler.store.conversation import ConversationState
from butler.store.errors import StoreUnavailableError
from butler.store.queries import approvals, conversations, cursors, firings, outbox, waits, work
from butler.store.queries.firings import FiringKind
from butler.store.queries.reminder_times import is_unproved
from butler.store.queries.waits import Outgoing
from config.digests import Watched

LOOK = "waits_look"
"""The work kind that checks the accounts; its subject is `OWNER`."""
OWNER = "owner"
EVERY = timedelta(minutes=30)
BEFORE = timedelta(hours=2)
"""A sent message is sometimes stored later than the one sent after it."""
APART = timedelta(minutes=5)
"""The greatest difference between Butler's and the account's time of one sent message."""
LATE = timedelta(minutes=10)
"""A message later than this says that it is late."""
MOST, MOST_SEEN, ABOUT = 20, 200, 120
LOOKED_AT = "waits.looked_at"
"""The cursor: messages sent until then were checked."""
SENDS = frozenset(
    {"user_email_send_message", "user_email_reply_to_thread", "user_telegram_send_message"}
    | {"user_telegram_reply_to_message"}
)
NOBODY = phrase("You are waiting for nobody's answer.")
KEY = "wait"
FOUND_BY = "bot_digests_watch_answer"
"""The tool whose module acts on what the list shows."""
_WATCHED = {waits.MAIL: Watched.MAIL, "telegram": Watched.CHAT}


class AnswerWaits:
    """Manages the waits for answers. Implements `Taps`."""

    key = KEY

    def __init__(self, services: Services, quiet: QuietHoursHold) -> None:
        self._store, self._clock, self._channel = services.store, services.clock, services.channel
        self._tools, self._quiet = services.tools, quiet
        self._zone, self._settings, self._wake = services.zone, services.settings.digests, services.wake

    def handlers(self) -> dict[str, WorkHandler]:
        """Return the work handlers."""
        return {waits.OVERDUE: self.overdue, LOOK: self.look}

    async def begin(self) -> None:
        """At the start, check what is sent from now on, and schedule exactly one look."""
        now = self._clock.now()

        def write(connection: sa.Connection) -> None:
            if cursors.get(connection, LOOKED_AT) is None:
                cursors.put(connection, LOOKED_AT, now.isoformat(), now)
            work.cancel(connection, LOOK, OWNER)
            work.add(connection, LOOK, OWNER, now=now, wait=EVERY)

        await self._store.write(write, "waits.begin")

    async def on_event(self, event: Event) -> None:
        """Handle an event: an answer, or something sent for the owner."""
        match event.name:
            case EventName.MAIL_RECEIVED | EventName.CHAT_RECEIVED:
                if await self._store.write(lambda c: self._answered(c, event), "wait.answered"):
                    self._wake()
            case EventName.APPROVAL_FINISHED if self._settings.follow_up_after and event.facts["outcome"] == "done":
                await self._store.write(lambda c: self._sent(c, str(event.facts["approval"]), event.at), "wait.sent")
                self._wake()
            case _:
                pass

    def _answered(self, connection: sa.Connection, event: Event) -> bool:
        """End the waits that an event answers; return whether the owner is told of any."""
        told = False
        sender = str(event.facts["sender"])
        people = {sender, *same_person(connection, sender)}
        chat, among_others = str(event.facts.get("chat", "")), event.facts.get("kind") in {"group", "channel"}
        for wait in waits.in_state(connection, *waits.OPEN):
            theirs = wait.address in people
            here = wait.chat == chat and (theirs or not among_others) if wait.chat and chat else theirs
            if here and is_unproved(event):
                # Anybody can forge a sender; a mail only counts in a thread in which the owner wrote.
                here = waits.answered(connection, wait, self._people(connection, wait))
            if here and event.at > wait.since:
                told |= self._settle(connection, wait, event)
        return told

    def _settle(self, connection: sa.Connection, wait: Wait, event: Event | None = None) -> bool:
        """End an answered wait, and report the answer if that was asked for; return whether it is reported.

        `event` is the answer; None if it was found in the accounts.
        """
        now, chat = self._clock.now(), self._channel.home()
        settled = waits.settle(connection, wait.wait_id, WaitState.ANSWERED, now)
        if not settled or not wait.tells or chat is None:
            return False
        text = (Span(text="📬 "), *line(wait, Names(connection)), Span(text=f"\n{say('The answer has come.')}"))
        key = f"wait:{wait.wait_id}:answered"
        message_id = outbox.add(connection, chat, OwnerMessage(text=text), now=now, dedup_key=key)
        handle = event_handle(connection, chat, event, now, shown_in=message_id or "") if event is not None else ""
        own_reports.keep(connection, chat, own_reports.answer_came(connection, wait, handle), now, now)
        return True

    def _sent(self, connection: sa.Connection, approval_id: str, at: datetime) -> None:
        row = approvals.get(connection, approval_id)
        if row is None or row.tool not in SENDS:
            return
        args: dict[str, Any] = json.loads(row.args)
        text = str(args.get("body") or args.get("text") or "")
        to: Any = args.get("to") or []
        listed = cast("list[Any]", to if isinstance(to, list) else [to])
        people = [Recipient.model_validate(one) for one in listed]
        if len(people) != 1 or not asks(f"{args.get('subject') or ''}\n{text}"):
            return
        address, about = people[0].address, str(args.get("subject") or text)
        kind = WaitKind.CHAT if address.startswith("telegram:") else WaitKind.MAIL
        sent = Outgoing(kind, row.account, "", address, about, about, at, f"{waits.OF_SENT}{row.approval_id}")
        self._add(connection, sent, at, join(load(labels) for labels in row.labels.values()))

    def _add(self, connection: sa.Connection, sent: Outgoing, now: datetime, origins: frozenset[Origin]) -> None:
        """Wait for an answer, unless that person's answer is already awaited, or was since this was sent."""
        people = {sent.address, *same_person(connection, sent.address)}
        if waits.is_covered(connection, people, sent.chat, sent.at - APART):
            return
        waits.add(
            connection,
            sent.key,
            sent.kind,
            sent.address,
            account=sent.account,
            chat=sent.chat,
            about=" ".join(sent.about.split())[:ABOUT],
            since=sent.at,
            until=max(sent.at + self._settings.follow_up_after, now + timedelta(minutes=1)),
            now=now,
            origins=origins,
        )

    async def look(self, _subject: str) -> None:
        """Find the owner's sent messages that need an answer, and answers that no event reported."""
        now = self._clock.now()

        def write(connection: sa.Connection) -> None:
            looked_at = cursors.get(connection, LOOKED_AT)
            since = min(datetime.fromisoformat(looked_at), now) if looked_at else now
            for wait in waits.in_state(connection, *waits.OPEN):
                if waits.answered(connection, wait, self._people(connection, wait)):
                    self._settle(connection, wait)
            if self._settings.follow_up_after:
                channels = [name for name, watched in _WATCHED.items() if watched in self._settings.follow_seen]
                for sent in waits.outgoing(connection, channels, since - BEFORE, MOST_SEEN):
                    if asks(sent.text) and not waits.answered_in(connection, sent.account, sent.chat, sent.at):
                        self._add(connection, sent, now, frozenset({Origin.owner(f"{sent.account}/{sent.chat}")}))
            cursors.put(connection, LOOKED_AT, now.isoformat(), now)
            work.cancel(connection, LOOK, OWNER)
            work.add(connection, LOOK, OWNER, now=now, wait=EVERY)

        await self._store.write(write, "waits.look")
        self._wake()

    async def overdue(self, wait_id: str) -> None:
        """Report once that no answer has come."""
        chat, now = self._channel.home(), self._clock.now()
        if chat is None:
            raise StoreUnavailableError("nobody is paired, so nobody can be told")

        def write(connection: sa.Connection) -> None:
            wait = waits.get(connection, wait_id)
            if wait is None or wait.state is not WaitState.WAITING or wait.until > now:
                return
            if waits.answered(connection, wait, self._people(connection, wait)):
                self._settle(connection, wait)
                return
            message = self._message(connection, chat, wait, now)
            key = f"wait:{wait_id}:{wait.until:%Y-%m-%dT%H:%M:%SZ}"
            waits.is_overdue(connection, wait_id)
            message_id = self._quiet.say(connection, chat, message, now=now, dedup_key=key)
            said_at = self._quiet.until(now) or now
            own_reports.keep(connection, chat, own_reports.no_answer(connection, wait), said_at, now)
            firings.fire(connection, FiringKind.WAIT, wait_id, wait.until, now, message_id=message_id)

        await self._store.write(write, "wait.overdue")
        self._wake()

    def show(self, connection: sa.Connection, item: Inbound, now: datetime) -> None:
        """Run `/waiting`: list the waits, each with its buttons."""
        found = waits.in_state(connection, *waits.OPEN, limit=MOST + 1)
        text: list[Span] = [*plain(say(NOBODY))]
        rows: list[tuple[Button, ...]] = []
        if found:
            text = [Span(text=say("You are waiting for an answer:"), style=Style.BOLD)]
            names = Names(connection)
            for number, wait in enumerate(found[:MOST], 1):
                until = say_short_moment(wait.until.astimezone(self._zone))
                over = wait.state is WaitState.OVERDUE
                when = say("overdue since {moment}", moment=until) if over else say("until {moment}", moment=until)
                text += [Span(text=f"\n{number}. "), *line(wait, names), Span(text=f" · {when}")]
                stored = {"id": wait.wait_id, "verb": "done"}
                label = say("{number}: done", number=number)
                rows.append((button(connection, item.chat, KEY, label, stored, now),))
            if len(found) > MOST:
                text.append(Span(text=f"\n{say('There are more.')}"))
        message = OwnerMessage(text=tuple(text), buttons=_in_rows(rows))
        message_id = outbox.add(connection, item.chat, message, now=now, dedup_key=f"turn:{item.inbound_id}")
        if message_id is not None:
            remember = partial(_spoken_of, found[:MOST], message_id)
            conversations.update(connection, item.chat, remember, now)

    def tapped(self, connection: sa.Connection, item: Inbound, stored: Mapping[str, Any], now: datetime) -> None:
        """Mark a wait as done, or extend it."""
        wait = waits.get(connection, str(stored.get("id")))
        if wait is None or wait.state not in waits.OPEN:
            text = say("Nobody waits for that any more.")
        elif stored.get("verb") == "later":
            until = now + timedelta(days=int(stored.get("days", 3)))
            waits.put_off(connection, wait.wait_id, until, now)
            text = say("I tell you again on {day} if there is no answer.", day=_day(until, self._zone))
        else:
            waits.settle(connection, wait.wait_id, WaitState.DONE, now)
            text = say("All right, I no longer wait for that answer.")
        note_tap(connection, item, every=False, now=now)
        key = f"turn:{item.inbound_id}"
        outbox.add(connection, item.chat, OwnerMessage(text=plain(text)), now=now, dedup_key=key)

    def _message(self, connection: sa.Connection, chat: str, wait: Wait, now: datetime) -> OwnerMessage:
        names = Names(connection)
        text: list[Span] = [Span(text="⏳ "), *line(wait, names), Span(text=f"\n{self._since(wait, now)}")]
        if now - wait.until > LATE and self._quiet.until(wait.until) is None:
            due = say_short_moment(wait.until.astimezone(self._zone))
            text.append(Span(text=f"\n{say('(late: it was due {moment})', moment=due)}", style=Style.ITALIC))
        people = self._people(connection, wait)
        if (came := waits.unproved_mail(connection, wait, people)) is not None:
            text.append(Span(text=f"\n{self._unproved(names.of(wait.address) or wait.address, came)}"))
        rows = follow_up(connection, chat, wait, names.of(wait.address) or "", self._tools, now)
        later = button(connection, chat, KEY, say("3 more days"), {"id": wait.wait_id, "verb": "later", "days": 3}, now)
        done = button(connection, chat, KEY, say("Done"), {"id": wait.wait_id, "verb": "done"}, now)
        return OwnerMessage(text=tuple(text), buttons=(*rows, (later, done)))

    def _unproved(self, who: str, came: datetime) -> str:
        return say(
            "A mail that says it is from {who} came {moment}, outside of your conversation; who sent it is not proved.",
            who=who.partition(":")[2] or who,
            moment=say_short_moment(came.astimezone(self._zone)),
        )

    def _since(self, wait: Wait, now: datetime) -> str:
        days = (now.astimezone(self._zone).date() - wait.since.astimezone(self._zone).date()).days
        since = say_short_moment(wait.since.astimezone(self._zone))
        if days < 1:
            return say("No answer since {moment}.", moment=since)
        return say_many(
            days, "No answer for a day, since {moment}.", "No answer for {count} days, since {moment}.", moment=since
        )

    @staticmethod
    def _people(connection: sa.Connection, wait: Wait) -> Sequence[str]:
        return sorted({wait.address, *same_person(connection, wait.address)})


def _spoken_of(found: Sequence[Wait], message_id: str, state: ConversationState) -> None:
    """Give what a list shows a handle in the conversation each, so that words can refer to it."""
    several = len(found) > 1
    handles = {
        state.add_referent(
            ReferentKind.WAIT,
            wait.wait_id,
            tool=FOUND_BY,
            contact_id=wait.contact_id or None,
            ordinal=number if several else 0,
            at=wait.until,
        ).handle
        for number, wait in enumerate(found, 1)
    }
    shown_in(state, frozenset(handles), message_id)
    state.show(ReferentKind.WAIT, len(found))


def line(wait: Wait, names: Names) -> Rich:
    """Return a line on whose answer is awaited, and to what. The name is the owner's, otherwise the bare address."""
    name = names.of(wait.address)
    who = Span(text=name, style=Style.BOLD) if name else others(wait.address.partition(":")[2])
    about = (Span(text=": “"), others(wait.about), Span(text="”")) if wait.about else ()
    return (who, *about)


def _day(at: datetime, zone: ZoneInfo) -> str:
    return say_short_day(at.astimezone(zone))


def _in_rows(rows: Sequence[tuple[Button, ...]], width: int = 4) -> tuple[tuple[Button, ...], ...]:
    every = [one for row in rows for one in row]
    return tuple(tuple(every[at : at + width]) for at in range(0, len(every), width))
