"""The email fallback: while Telegram is out of reach, waiting cards go to the owner by mail, with a code to answer by.

One mail is sent for each version of a card. A crash between sending a mail and recording it leads to a second mail; the
codes of both are valid until one is used. Only the codes' hashes are stored.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
import structlog

from approvals.approval_batch_members import standing
from approvals.card import build, shown_of
from approvals.context import Context
from approvals.decide import yes_held
from approvals.email_fallback_due import look_at
from approvals.email_fallback_text import Letter, cut, fallback_subject, fallback_text, subject_of
from approvals.frozen import sha256
from approvals.outcome_text import outcome
from approvals.people import Names
from approvals.pin import needs_pin
from approvals.reason_words import in_words
from approvals.states import State, Verb
from approvals.summary_lines import doing
from approvals.transition import IN_FLIGHT
from approvals.versions import changes_in
from approvals.visible import visible_line
from butler.contract.errors import Refuse
from butler.contract.last_time import LastTime
from butler.contract.reasons import Reason, ReasonCode, reasons_of_text
from butler.contract.speech import phrase, say
from butler.store.queries import approval_batches, approvals, audit, buttons, email_fallbacks, inbox
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.buttons import ButtonKind, ButtonRow

log = structlog.get_logger(__name__)

GRACE = timedelta(minutes=2)
"""How long Telegram must stay silent before it counts: a clock that jumped, or a machine that slept, looks silent."""
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Without I, O, 0 and 1, so that a code can be copied by hand; eight characters carry 40 bits."""
MAILS_KEPT = 2
"""How many mails about one card have valid codes: the newest, and one whose sending was interrupted."""
NEEDS_PIN = phrase("This takes your PIN, so it cannot be approved by mail; on Telegram it can.")
VERBS = {"yes": Verb.APPROVE, "no": Verb.DENY}


@dataclass(frozen=True, slots=True)
class FallbackMail:
    """An email fallback that is about to be sent."""

    approval_id: str
    revision: int
    letter: Letter


def code_hash(word: str, code: str) -> str:
    """Hash `yes` or `no` with a code, written in capitals without its dash, for the store."""
    return sha256(f"mail:{word}:{code}")


class EmailFallback:
    """Handles `send_email_fallback`, `tell_outcome` and `tell_refusal`."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._started = LastTime(context.clock)
        self._started.note()
        self._missed_since: dict[str, datetime] = {}
        """Since when each card is known to be out of the owner's reach; measured anew after a restart."""

    async def send(self, approval_id: str) -> None:
        """Send the mail if Telegram is out of reach, or check again later. Raises what the second channel raises."""
        fallback = await self._context.store.write(lambda c: self._prepare(c, approval_id), "fallback.prepare")
        if fallback is None:
            return
        now = self._context.clock.now()
        message_id = await self._write(fallback.letter)

        def note(connection: sa.Connection) -> None:
            data = {"revision": fallback.revision, "address": fallback.letter.to}
            kind = "fallback.sent" if message_id else "fallback.not_sent"
            audit.append(connection, kind, approval_id, "butler", data, now)
            email_fallbacks.sent(connection, approval_id, fallback.revision, message_id, now)

        await self._context.store.write(note, "fallback.sent")
        self._missed_since.pop(approval_id, None)

    async def tell_outcome(self, approval_id: str) -> None:
        """Mail the outcome of an act that was decided by mail, once it has ended."""
        ended = await self._context.store.read(lambda c: self._ended(c, approval_id))
        if ended is not None:
            await self._write(ended.letter)
            now = self._context.clock.now()
            await self._context.store.write(
                lambda c: email_fallbacks.mark_outcome_mailed(c, approval_id, ended.revision, now), "fallback.told"
            )

    async def tell_refusal(self, inbound_id: str) -> None:
        """Mail why an answer decided nothing: the reasons with which its item was settled."""
        found = await self._context.store.read(lambda c: (inbox.get(c, inbound_id), self._refusal(c, inbound_id)))
        item, text = found
        if item is not None:
            said = item[0].payload.get("subject") or say("your answer")
            subject = cut(said if said.lower().startswith("re:") else f"Re: {said}")
            to = item[0].sender.removeprefix("mail:")
            await self._write(Letter(to, subject, f"{text}\n", f"refusal:{inbound_id}"))

    def _refusal(self, connection: sa.Connection, inbound_id: str) -> str:
        """Return why an answer was refused; for a card that takes no answer, what it waits for or what became of it."""
        reasons = reasons_of_text(inbox.detail(connection, inbound_id))
        return " ".join(self._card_takes_none(connection, one) or in_words(one) for one in reasons)

    def _card_takes_none(self, connection: sa.Connection, why: Reason) -> str:
        if why.code is not ReasonCode.CARD_TAKES_NONE:
            return ""
        row = approvals.get(connection, why.params["approval"])
        if row is None:
            return ""
        held = yes_held(connection, row) if row.state == State.PENDING else ""
        return held or outcome(self._context, row, self._context.clock.now())

    async def _write(self, letter: Letter) -> str:
        """Send the mail and return its Message-ID; empty if it can never be sent."""
        if self._context.second is None:
            # The mailbox was removed from the settings since this was queued.
            return ""
        try:
            return await self._context.second.send(letter.to, letter.subject, letter.text, letter.key)
        except Refuse as refusal:
            log.warning("mail_to_owner_refused", why=str(refusal))
            return ""

    def _prepare(self, connection: sa.Connection, approval_id: str) -> FallbackMail | None:
        """Store the code and the mail's address; None if nothing is to be sent now."""
        now = self._context.clock.now()
        row = approvals.get(connection, approval_id)
        if row is None or row.state != State.PENDING or now >= row.expires_at:
            self._missed_since.pop(approval_id, None)
            return None
        known = email_fallbacks.get(connection, approval_id, row.revision)
        if known is not None and known.sent_at is not None:
            return None
        shown = _is_shown(connection, row)
        if (later := self._reachable(row, now, shown=shown)) is not None:
            look_at(self._context, connection, approval_id, later)
            return None
        return self._compose(connection, row, now)

    def _compose(self, connection: sa.Connection, row: ApprovalRow, now: datetime) -> FallbackMail:
        address = self._context.mail_to
        email_fallbacks.begin(connection, row.approval_id, row.revision, address)
        code = "".join(secrets.choice(ALPHABET) for _ in range(8))
        no_yes = say(NEEDS_PIN) if needs_pin(connection, row) else ""
        self._store_code(connection, row, code, ("no",) if no_yes else ("yes", "no"), now)
        names, moment = Names(connection), self._context.moment
        changed = changes_in(connection, self._context.invoker, row, names, moment)
        card = build(self._context, row, names, (), now, changes=changed)
        spelt, unseen = f"{code[:4]}-{code[4:]}", not self._silent(now)
        text = fallback_text(self._context, card, row.expires_at, spelt, unseen=unseen, no_yes=no_yes)
        letter = Letter(address, fallback_subject(card), text, f"fallback:{row.approval_id}:{row.revision}")
        return FallbackMail(row.approval_id, row.revision, letter)

    def _reachable(self, row: ApprovalRow, now: datetime, *, shown: bool) -> datetime | None:
        """Return when to check again because the owner has the card, or may soon have it; None if a mail is needed."""
        wait = self._context.settings.mail_after
        if not self._context.owner_id():
            return now + wait
        silent = self._silent(now)
        if shown and not silent:
            self._missed_since.pop(row.approval_id, None)
            return self._last_contact() + wait
        since = self._missed_since.get(row.approval_id)
        # A time in the future was recorded before the clock was set back.
        if since is None or since > now or (silent and since < self._last_contact()):
            since = self._missed_since[row.approval_id] = now
        due = since + min(wait, GRACE)
        return due if now < due else None

    def _last_contact(self) -> datetime:
        started = self._started.at or self._context.clock.now()
        return max(self._context.last_heard() or started, started)

    def _silent(self, now: datetime) -> bool:
        return now - self._last_contact() >= self._context.settings.mail_after

    def _store_code(
        self, connection: sa.Connection, row: ApprovalRow, code: str, words: tuple[str, ...], now: datetime
    ) -> None:
        for word in words:
            button = ButtonRow(
                nonce_sha256=code_hash(word, code),
                kind=ButtonKind.MAIL.value,
                subject=row.approval_id,
                revision=row.revision,
                verb=VERBS[word].value,
                argument="",
                owner=self._context.owner_id(),
                chat=f"mail:{self._context.mail_to}",
                created_at=now,
            )
            buttons.add(connection, button)
        email_fallbacks.keep_codes(connection, row.approval_id, row.revision, MAILS_KEPT * len(words))

    def _ended(self, connection: sa.Connection, approval_id: str) -> FallbackMail | None:
        fallback, row = email_fallbacks.answered(connection, approval_id), approvals.get(connection, approval_id)
        if fallback is None or row is None or fallback.told_at is not None or row.state in IN_FLIGHT:
            return None
        preview = shown_of(self._context.invoker, row)
        effect, what = visible_line(preview.effect), doing(self._context.invoker, row, preview)
        text = f"{what}\n\n{outcome(self._context, row, self._context.clock.now())}\n"
        subject = cut("Re: " + subject_of(say("For your approval"), effect))
        letter = Letter(fallback.address, subject, text, f"outcome:{approval_id}")
        return FallbackMail(approval_id, fallback.revision, letter)


def _is_shown(connection: sa.Connection, row: ApprovalRow) -> bool:
    """Return whether this version of a card is shown on Telegram: on its own card, or on a digest."""
    if any(ref.revision == row.revision for ref in row.card_refs):
        return True
    batch = approval_batches.get(connection, row.batch_id) if row.batch_id is not None else None
    return batch is not None and bool(standing(batch))
