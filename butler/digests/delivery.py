"""Digests: the day in one message, in the morning and in the evening, and whenever the owner requests one.

They are built from rows alone, so others' words cannot influence them: they are only displayed. A due one is sent once,
by the key of its firing.
"""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

import sqlalchemy as sa

from approvals.service import Approvals
from butler.contract.card import Button, OwnerMessage, Span, Style, plain
from butler.contract.following import DigestKind
from butler.contract.inbound import Inbound
from butler.contract.speech import say, say_clock, say_day, say_short_moment
from butler.digests.contents import is_brief, kind_at, sections_of, stretch_of, text_of
from butler.digests.section import DigestPeriod, Section, SectionKind
from butler.digests.text import BRIEF, FULL, OPENED, section_text
from butler.digests.times import StoreDigests
from butler.engine import WorkHandler
from butler.follow_up.quiet_hours import QuietHoursHold
from butler.orchestrator.replies import own_reports
from butler.orchestrator.replies.buttons import button
from butler.orchestrator.replies.offers import note_tap
from butler.services import Services
from butler.store.errors import StoreUnavailableError
from butler.store.queries import audit, digests, firings, outbox
from butler.store.queries.firings import FiringKind, FiringNote
from config.digests import Empty

KEY = "digest"
LATE = timedelta(minutes=10)
"""A digest later than this says that it is late."""
NEAR = timedelta(hours=1)
"""A late digest is left out if the next one comes within this."""
USUAL = {DigestKind.MORNING: time(7, 30), DigestKind.EVENING: time(19)}
OPENS = {
    SectionKind.AGENDA: "📅", SectionKind.REMINDERS: "⏰", SectionKind.ANSWERS: "↩️", SectionKind.CHATS: "💬",
    SectionKind.WAITS: "⏳", SectionKind.MAILS: "✉️", SectionKind.BUTLERS: "📮", SectionKind.FAILED: "⚠️",
}  # fmt: skip
"""The sign of the button that opens a section; cards have their own."""


class Digests:
    """Sends digests. Implements `Taps`."""

    key = KEY

    def __init__(self, services: Services, approvals: Approvals, times: StoreDigests, quiet: QuietHoursHold) -> None:
        self._store, self._clock = services.store, services.clock
        self._channel, self._owner = services.channel, services.owner
        self._approvals, self._times, self._quiet = approvals, times, quiet
        self._zone, self._settings, self._wake = services.zone, services.settings.digests, services.wake
        self._calendar = "calendar" in services.settings.modules

    def handlers(self) -> dict[str, WorkHandler]:
        """Return the work handlers."""
        return {digests.DUE: self.due}

    async def begin(self) -> None:
        """Schedule the next digests, at the start and when the owner has changed the time zone."""
        now = self._clock.now()
        await self._store.write(lambda c: self._times.ensure(c, now), "digest.begin")
        self._wake()

    async def clock_went_back(self) -> None:
        """Reschedule what a fast clock had put far ahead."""
        now = self._clock.now()
        await self._store.write(lambda c: self._times.set_back(c, now), "digest.clock")
        self._wake()

    async def quiet_changed(self) -> None:
        """Handle a change of the quiet hours."""
        now = self._clock.now()
        await self._store.write(lambda c: self._times.quiet_changed(c, now), "digest.quiet")
        self._wake()

    async def due(self, subject: str) -> None:
        """Send the due digest, once, and wait for the next."""
        kind, chat, now = DigestKind(subject), self._channel.home(), self._clock.now()
        if chat is None:
            raise StoreUnavailableError("nobody is paired, so nobody can be told")

        def tell(connection: sa.Connection) -> None:
            self._times.ensure(connection, now)
            planned = self._times.planned(connection, kind)
            if planned is None or planned.due > now:
                return
            self._times.plan(connection, kind, now)
            local = planned.due.astimezone(self._zone)
            # A digest held for the quiet hours is not late because of that.
            due = self._quiet.until(planned.due) or planned.due
            why = self._left_out(connection, due, now)
            if why is FiringNote.NONE and firings.fire(connection, FiringKind.DIGEST, kind.value, planned.due, now):
                late = planned.due if now - due > LATE else None
                message = self._message(connection, chat, kind, now, late=late)
                if message is not None:
                    key = f"digest:{kind.value}:{local:%Y-%m-%d}"
                    text = self._quiet.say(connection, chat, message, now=now, dedup_key=key)
                    firings.says(connection, FiringKind.DIGEST, kind.value, planned.due, text)
                    said_at = self._quiet.until(now) or now
                    own_reports.keep(connection, chat, own_reports.digest_sent(kind), said_at, now)
                digests.mark_sent(connection, now)
            elif why is not FiringNote.NONE:
                firings.fire(connection, FiringKind.DIGEST, kind.value, planned.due, now, note=why)

        await self._store.write(tell, "digest")
        self._wake()

    def _left_out(self, connection: sa.Connection, due: datetime, now: datetime) -> FiringNote:
        """Return why a missed digest is no longer sent; `NONE` if it is sent."""
        if now - due > self._settings.late:
            return FiringNote.MISSED
        following = [planned.due for kind in DigestKind if (planned := self._times.planned(connection, kind))]
        if now - due > LATE and any(now < one <= now + NEAR for one in following):
            return FiringNote.NEXT_IS_NEAR
        return FiringNote.NONE

    def now(self, connection: sa.Connection, item: Inbound, now: datetime) -> None:
        """Run `/digest`: show a digest as of now, and when the next ones come."""
        message = self._message(connection, item.chat, kind_at(now, self._zone), now, asked=True)
        assert message is not None
        outbox.add(connection, item.chat, message, now=now, dedup_key=f"turn:{item.inbound_id}")

    def _message(
        self,
        connection: sa.Connection,
        chat: str,
        kind: DigestKind,
        now: datetime,
        *,
        asked: bool = False,
        late: datetime | None = None,
    ) -> OwnerMessage | None:
        """Return a digest with its buttons; None if it is empty and nobody asked."""
        stretch = stretch_of(connection, kind, now, self._zone)
        sections = list(sections_of(connection, stretch, self._owner))
        if not sections and not asked and self._settings.empty is Empty.SILENCE:
            return None
        brief = is_brief(connection)
        text = text_of(connection, kind, stretch, sections, calendar=self._calendar, late=late)
        rows = list(self._openers(connection, chat, sections, stretch, BRIEF if brief else FULL, now))
        if asked:
            text = (*text, *self._next_ones(connection))
            rows += self._offers(connection, chat, now)
        else:
            if kind is DigestKind.MORNING and not brief:
                text = (*text, *_head(connection))
            rows.append(self._controls(connection, chat, kind, brief=brief, now=now))
        return OwnerMessage(text=text, buttons=tuple(rows))

    def _openers(
        self,
        connection: sa.Connection,
        chat: str,
        sections: list[Section],
        stretch: DigestPeriod,
        shown: int,
        now: datetime,
    ) -> Iterator[tuple[Button, ...]]:
        """Yield buttons that open sections not fully shown, and the one that brings the cards."""
        stored = {
            "verb": "open",
            "since": stretch.since.isoformat(),
            "until": stretch.until.isoformat(),
            "day": stretch.day.isoformat(),
            "tomorrow": stretch.tomorrow,
        }
        found: list[Button] = []
        for section in sections:
            if section.kind is SectionKind.CARDS:
                found.append(button(connection, chat, KEY, say("✋ Show cards"), {"verb": "cards"}, now))
            elif len(section.lines) > shown:
                label = say("{sign} All {count}", sign=OPENS[section.kind], count=section.count)
                found.append(button(connection, chat, KEY, label, stored | {"section": section.kind.value}, now))
        yield from (tuple(found[at : at + 3]) for at in range(0, len(found), 3))

    def _controls(
        self, connection: sa.Connection, chat: str, kind: DigestKind, *, brief: bool, now: datetime
    ) -> tuple[Button, ...]:
        other = say("Longer") if brief else say("Shorter")
        about = {"kind": kind.value}
        return (
            button(connection, chat, KEY, say("Not tomorrow"), about | {"verb": "skip"}, now),
            button(connection, chat, KEY, other, about | {"verb": "longer" if brief else "shorter"}, now),
            button(connection, chat, KEY, say("Off"), about | {"verb": "off"}, now),
        )

    def _offers(self, connection: sa.Connection, chat: str, now: datetime) -> Iterator[tuple[Button, ...]]:
        """Offer digests to an owner without them."""
        for kind, at in USUAL.items():
            if self._times.at(connection, kind) is None:
                clock = say_clock(at)
                morning = say("Every morning at {clock}", clock=clock)
                label = morning if kind is DigestKind.MORNING else say("Every evening at {clock}", clock=clock)
                yield (button(connection, chat, KEY, label, {"verb": "on", "kind": kind.value}, now),)

    def _next_ones(self, connection: sa.Connection) -> Iterator[Span]:
        for kind in DigestKind:
            if (planned := self._times.planned(connection, kind)) is not None:
                at = say_short_moment((self._quiet.until(planned.due) or planned.due).astimezone(self._zone))
                text = say("The next one by itself: {moment} ({zone}).", moment=at, zone=self._zone.key)
                yield Span(text=f"\n\n{text}", style=Style.ITALIC)
                return

    def tapped(self, connection: sa.Connection, item: Inbound, stored: Mapping[str, Any], now: datetime) -> None:
        """Open a section, bring the cards, or change the digests."""
        key = f"turn:{item.inbound_id}"
        match str(stored.get("verb")):
            case "cards":
                self._approvals.say_pending(connection, item.chat, key, now)
                return
            case "open":
                self._open(connection, item, stored, now)
                return
            case verb:
                kind = DigestKind(str(stored["kind"]))
                note_tap(connection, item, every=False, now=now)
                text = self._changed(connection, kind, verb, now)
                outbox.add(connection, item.chat, OwnerMessage(text=plain(text)), now=now, dedup_key=key)

    def _open(self, connection: sa.Connection, item: Inbound, stored: Mapping[str, Any], now: datetime) -> None:
        since, until = (datetime.fromisoformat(str(stored[name])) for name in ("since", "until"))
        about = date.fromisoformat(str(stored["day"]))
        stretch = DigestPeriod(since, until, about, self._zone, bool(stored["tomorrow"]))
        wanted = SectionKind(str(stored["section"]))
        section = next((one for one in sections_of(connection, stretch, self._owner) if one.kind is wanted), None)
        text = section_text(section, OPENED) if section else plain(say("There is nothing of that any more."))
        outbox.add(connection, item.chat, OwnerMessage(text=text), now=now, dedup_key=f"turn:{item.inbound_id}")

    def _changed(self, connection: sa.Connection, kind: DigestKind, verb: str, now: datetime) -> str:
        match verb:
            case "skip":
                tomorrow = now.astimezone(self._zone).date() + timedelta(days=1)
                self._times.leave_out(connection, tomorrow, now)
                return say("All right, no digest on {day}.", day=say_day(tomorrow))
            case "off":
                self._times.put(connection, kind, None, now)
                morning = say("All right, I send no morning digest any more. /digest shows one whenever you want.")
                evening = say("All right, I send no evening digest any more. /digest shows one whenever you want.")
                return morning if kind is DigestKind.MORNING else evening
            case "on":
                times = self._times.put(connection, kind, USUAL[kind], now)
                at = times.next_at or now
                moment = say_short_moment(at.astimezone(self._zone))
                return say("All right. The next one comes {moment} ({zone}).", moment=moment, zone=times.zone)
            case _:
                digests.wish(connection, now, brief=verb == "shorter" or None)
                return (
                    say("All right, digests are short from now on.")
                    if verb == "shorter"
                    else say("All right, digests are longer from now on.")
                )


def _head(connection: sa.Connection) -> Iterator[Span]:
    """Yield the head of the audit log, so that a copy of it is kept outside of the store."""
    seq, digest = audit.head(connection)
    if seq:
        yield Span(text=f"\n\n{say('The audit log ends at:')} ")
        yield Span(text=f"{seq}:{digest}", style=Style.CODE)
