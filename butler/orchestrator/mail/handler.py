"""Handles mails to the butler.

A mail that is proved to be the owner's, with words of their own, is their request, as if said in the chat. All others
are reported: a mail forwarded without words with offers of what could be done, every other mail as a note. Nobody but
the owner gets an answer, unless the settings have one for exactly this sender.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import sqlalchemy as sa

from approvals.policy import Decision
from approvals.request import Proposal
from approvals.service import Approvals
from butler.contract.card import Button, OwnerMessage, Rich, Span, Style
from butler.contract.inbound import Inbound
from butler.contract.provenance import Origin
from butler.contract.reasons import load_reasons
from butler.contract.referents import ReferentKind
from butler.contract.rendering import Offer
from butler.contract.speech import say
from butler.orchestrator.chat.sent_files import with_text
from butler.orchestrator.chat.turn import Answers, Turns
from butler.orchestrator.mail.bounces import tell_reports
from butler.orchestrator.mail.note import (
    MACHINES,
    MailNote,
    answer_to,
    asked,
    caution,
    doubt_lines,
    doubtful_words,
    forward_note,
    mail_note,
    request_line,
    short_note,
    suspect,
    unreadable,
)
from butler.orchestrator.mail.questions import is_question
from butler.orchestrator.mail.triage import NO_UNSUBSCRIBE, Case, cannot_unsubscribe, offers
from butler.orchestrator.planning.own_words import in_doubt, is_proved
from butler.orchestrator.planning.requests import input_of
from butler.orchestrator.replies import mail_answers
from butler.orchestrator.replies.mail_parts import facts_of, labels_of
from butler.orchestrator.replies.offers import buttons
from butler.orchestrator.results.handles import READ_FILE
from butler.services import Services
from butler.store.conversation import Referent
from butler.store.queries import contacts, conversations, inbox, outbox
from butler.store.queries.inbox import InboxNote, InboxState

LABEL = 40
_FILE = re.compile(
    r"\b(?:attach(?:ed|ments?)|anh(?:ang|änge)|anlagen?|(?:angehängt|beigefügt)\w*|pi[eè]ces? jointes?|jointe?s?|"
    r"adjunt[oa]s?)\b",
    re.IGNORECASE,
)
"""Words that refer to a file which came with a mail."""
FOUND_BY = "bot_email_search_inbox"
STANDING = "bot_email_reply_to_thread"
SETTINGS = frozenset({Origin.owner("settings")})


@dataclass(frozen=True, slots=True)
class MailMessage:
    """A message about a mail, before it has its buttons."""

    note: MailNote
    offers: tuple[Offer, ...] = ()


class MailHandler:
    """Takes each mail from the inbox to the owner once."""

    def __init__(self, services: Services, turns: Turns, approvals: Approvals) -> None:
        self._store, self._clock, self._channel = services.store, services.clock, services.channel
        self._owner, self._tools = services.owner, services.tools
        self._zone, self._wake = services.zone, services.wake
        self._turns, self._approvals = turns, approvals

    async def take(self, item: Inbound, answers: Answers) -> None:
        """Do what is asked, or report the mail to the owner; the butler's own mails are not reported."""
        home = self._channel.home()
        if home is None or self._is_own(item):
            state, why = InboxState.DONE, InboxNote.OWN_MAIL
            if home is None:
                state, why = InboxState.IGNORED, InboxNote.UNTOLD
            now = self._clock.now()
            await self._store.write(lambda c: inbox.settle(c, item.inbound_id, state, now=now, detail=why), "settle")
        elif self._commands(item) and not _asks_about_it(item):
            handle = await self._store.write(lambda c: self._hear(c, item, home), "mail_request")
            otherwise = partial(self._otherwise, item, home, handle) if handle else None
            given = input_of(item.model_copy(update={"chat": home}), about=handle)
            await self._turns.take(given, answers, otherwise)
        else:
            await self._store.write(lambda c: self._tell(c, item, home), "mail_note")
        self._wake()

    async def take_report(self, item: Inbound) -> None:
        """Report what a mail in the owner's mailbox says of mails sent as the owner; nothing else is done."""
        await self._store.write(lambda c: self._tell_report(c, item), "mail_report")
        self._wake()

    def _tell_report(self, connection: sa.Connection, item: Inbound) -> None:
        if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
            return
        home, now = self._channel.home(), self._clock.now()
        told = home is not None and tell_reports(connection, item, home, self._tools, now)
        state, why = (
            (InboxState.DONE, InboxNote.NONE)
            if told
            else (InboxState.IGNORED, InboxNote.NO_REPORT if home else InboxNote.UNTOLD)
        )
        inbox.settle(connection, item.inbound_id, state, now=now, detail=why)

    def _is_own(self, item: Inbound) -> bool:
        """Return whether this butler wrote it, in its own name or the owner's; another butler's mail does not count."""
        address = item.sender.removeprefix("mail:")
        return bool(item.payload.get("own")) and (address == item.account or address in self._owner.emails)

    def _commands(self, item: Inbound) -> bool:
        return is_proved(item) and bool(asked(item)) and not item.payload.get("quarantine")

    def _hear(self, connection: sa.Connection, item: Inbound, home: str) -> str:
        """Show in the chat what was asked by mail; return the handle of what came with it, or an empty string."""
        facts, now = facts_of(item), self._clock.now()
        found = () if suspect(item) else in_doubt_offers(item)
        rows = buttons(connection, home, found, about="", labels=labels_of(item), now=now)
        text = (*caution(item), *request_line(item, asked(item)), *doubt_lines(item))
        message = OwnerMessage(text=text, buttons=rows)
        if facts.forwarded is None and facts.invite is None and not item.attachments:
            outbox.add(connection, home, message, now=now, dedup_key=_key(item))
            return ""
        referent = self._say(connection, item, home, message)
        return referent.handle

    def _otherwise(
        self, item: Inbound, home: str, handle: str, connection: sa.Connection
    ) -> tuple[tuple[Button, ...], ...]:
        """Offer what could be done about a forwarded mail when the request about it was not understood."""
        now = self._clock.now()
        found = () if suspect(item) else offers(self._case(item, handle, now))
        return buttons(connection, home, found, about=handle, labels=labels_of(item), now=now)

    def _tell(self, connection: sa.Connection, item: Inbound, home: str) -> None:
        if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
            return
        now = self._clock.now()
        if why := load_reasons(item.payload.get("quarantine") or ()):
            outbox.add(connection, home, unreadable(item, why), now=now, dedup_key=f"unread:{item.inbound_id}")
            inbox.settle(connection, item.inbound_id, InboxState.QUARANTINED, now=now, detail=why)
            return
        if not tell_reports(connection, item, home, self._tools, now):
            self._note(connection, item, home)
        inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)

    def _note(self, connection: sa.Connection, item: Inbound, home: str) -> None:
        now = self._clock.now()
        handle = self._handle(connection, item, home).handle
        result = mail_message(self._case(item, handle, now))
        text = (*caution(item), *result.note.text, *self._standing(connection, item, now))
        rows = buttons(connection, home, result.offers, about=handle, labels=labels_of(item), now=now)
        message = OwnerMessage(text=text, buttons=rows)
        self._say(connection, item, home, message, memory=result.note.memory)
        if is_proved(item) and (forwarded := facts_of(item).forwarded) is not None and _asks_about_it(item):
            answer = OwnerMessage(text=tuple(answer_to(asked(item), forwarded)))
            mail_answers.answer(connection, item, answer, _key(item), now)

    def _case(self, item: Inbound, handle: str, now: datetime) -> Case:
        tools = {spec.tool_name for spec in self._tools.specs()}
        return Case(item, facts_of(item), handle, tools, self._owner.emails, now, self._zone)

    def _standing(self, connection: sa.Connection, item: Inbound, now: datetime) -> Rich:
        """Propose to send the settings' answer for this sender, if there is one; return the line that reports it."""
        answer = facts_of(item).standing_answer
        if not answer or suspect(item):
            return ()
        args = {"message_id": item.inbound_id, "body": answer, "to": [{"address": item.sender}]}
        proposal = Proposal(
            tool=STANDING,
            args=args,
            origins=dict.fromkeys(args, SETTINGS),
            account="",
            requested_by=item.inbound_id,
            call_id=f"standing:{item.inbound_id}",
        )
        verdict = self._approvals.request(connection, proposal, now)
        match verdict.decision:
            case Decision.ALLOW:
                text = say("I answer it with what your settings have for this sender.")
            case Decision.ASK:
                text = say("Your settings have an answer for this sender; whether it goes out, I ask you.")
            case Decision.DENY:
                text = say("I do not send the answer of your settings: {why}.", why=verdict.reasons_text)
        return (Span(text=f"\n\n↩️ {text}", style=Style.ITALIC),)

    def _handle(self, connection: sa.Connection, item: Inbound, home: str) -> Referent:
        """Return the mail's handle in the owner's conversation; a forwarded mail counts by its own writer and time."""
        key = str(item.payload.get("message_id") or item.message_ref or item.inbound_id)
        facts = facts_of(item)
        forwarded = facts.forwarded if is_proved(item) else None
        # A forwarded mail is as old as it says: one without a date does not count as the newest.
        own = (None, item.sent_at or item.received_at)
        writer, at = (forwarded.sender, forwarded.sent_at) if forwarded is not None else own
        contact = contacts.confirmed(connection, f"mail:{writer.address}") if writer is not None else None
        state = conversations.load(connection, home)
        for file in with_text(item, self._tools):
            state.add_referent(ReferentKind.FILE, file.sha256, tool=READ_FILE, contact_id=contact, at=at)
        referent = state.add_referent(ReferentKind.MAIL, key, tool=FOUND_BY, contact_id=contact, at=at)
        conversations.save(connection, state, self._clock.now())
        return referent

    def _say(
        self, connection: sa.Connection, item: Inbound, home: str, message: OwnerMessage, memory: str = ""
    ) -> Referent:
        """Queue a message about a mail once; a reply to it is then about that mail."""
        referent, now = self._handle(connection, item, home), self._clock.now()
        message_id = outbox.add(connection, home, message, now=now, dedup_key=_key(item))
        if message_id is not None:
            state = conversations.load(connection, home)
            if memory:
                state.add_message("assistant", memory, timestamp=now)
            state.referents = [
                one.model_copy(update={"shown_in": message_id}) if one.handle == referent.handle else one
                for one in state.referents
            ]
            conversations.save(connection, state, now)
        return referent


def _key(item: Inbound) -> str:
    return f"mail:{item.inbound_id}"


def _asks_about_it(item: Inbound) -> bool:
    """Return whether the words ask what a forwarded mail says, which is answered by its own sentences.

    A question about its files is left to the tools that read them.
    """
    words = asked(item)
    return (
        facts_of(item).forwarded is not None and is_question(words) and not (item.attachments and _FILE.search(words))
    )


def mail_message(case: Case) -> MailMessage:
    """Return the note and the offers for a mail that is no request; no offers for a suspect mail."""
    message = _short_message(case)
    return MailMessage(message.note) if suspect(case.item) else message


def _short_message(case: Case) -> MailMessage:
    item, facts, owners = case.item, case.facts, frozenset(case.owner_emails)
    if facts.kind in MACHINES:
        return _with_way_out(MailMessage(short_note(item, case.handle), offers(case)), case)
    if is_proved(item) and facts.forwarded is not None:
        note = forward_note(item, facts.forwarded, owner_emails=owners, handle=case.handle, zone=case.zone)
        if asked(item):
            return MailMessage(note)
        return _with_way_out(MailMessage(note, (*in_doubt_offers(item), *offers(case))), case)
    looks_own = item.sender.removeprefix("mail:") in case.owner_emails
    note = mail_note(item, owner_emails=owners, handle=case.handle, zone=case.zone)
    if note.offer:
        return MailMessage(note, (_do_it(note.offer, item),))
    if not looks_own or asked(item):
        return MailMessage(note)
    return _with_way_out(MailMessage(note, offers(case)), case)


def in_doubt_offers(item: Inbound) -> tuple[Offer, ...]:
    """Offer the words in doubt in the owner's mail; a tap makes them a request whose acts still ask, and say whose."""
    words = doubtful_words(item)
    return (_do_it(words, item),) if words else ()


def _do_it(words: str, item: Inbound) -> Offer:
    """Offer a button for words that came by mail. The tap requests them; their label stays."""
    line = " ".join(words.split())
    label = say("Do it: {words}", words=line if len(line) <= LABEL else f"{line[: LABEL - 1]}…")
    return Offer(label, words=words, labels=in_doubt(item) or frozenset({item.origin}))


def _with_way_out(told: MailMessage, case: Case) -> MailMessage:
    """Add how to unsubscribe from a newsletter that no button ends."""
    if not cannot_unsubscribe(case, told.offers):
        return told
    text = (*told.note.text, Span(text=f"\n{say(NO_UNSUBSCRIBE)}", style=Style.ITALIC))
    return MailMessage(MailNote(text, told.note.memory), told.offers)
