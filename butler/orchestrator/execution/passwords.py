"""The password of a protected file: asked for in the chat, held in memory for one use, and never in any row.

The owner's next message in that chat is taken as the password before the message is stored: the row only says that one
was given. After a restart it is lost and asked for again.
"""

import re
import uuid
from collections import deque
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from pydantic import SecretStr

from butler.contract.card import Button, OwnerMessage, plain
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.ports import Clock, OwnerFacts
from butler.contract.speech import phrase, say
from butler.store.queries import conversations, cursors, inbox, outbox, plans, work
from butler.store.queries.plans import PlanRow
from butler.store.store import Store

PAYLOAD = "password_for"
"""The payload key of a stored item that was a password: the challenge that it was given for."""
SKIPS = "skip"
SKIP = "skip_password"
"""The key of a button's stored steps that leaves the file out."""
WAITS = "password:"
"""Prefix of a step's `waiting_on` while it waits for a password."""
LATER = "later"
"""Replaces the challenge while another one is open in the chat."""
LIFE = timedelta(minutes=10)
TRIES = 3
MOST_TAKEN = 64
LONGEST = 256
_SAYS_SKIP = re.compile(
    r"\W*(?:skip(?: it| this| that)?|leave it(?: out)?|cancel|never ?mind|stop"
    r"|überspringen|weglassen|abbrechen|passer|abandonner|omitir|saltar|cancelar)\W*",
    re.IGNORECASE,
)
_KINDS = frozenset({InboundKind.CHAT, InboundKind.EDITED})


@dataclass(frozen=True, slots=True)
class PasswordRequest:
    """A password that one chat is asked for."""

    challenge_id: str
    plan_id: str
    step_id: int
    until: str
    tries: int = 0
    state: str = "open"
    """`open`, `given` or `skipped`."""

    def open_at(self, now: datetime) -> bool:
        """Return whether the next message is taken as the password."""
        return self.state == "open" and now < datetime.fromisoformat(self.until)


class Passwords:
    """Passwords that were given and not used yet, in memory only."""

    def __init__(self) -> None:
        self._held: dict[str, SecretStr] = {}

    def hold(self, challenge_id: str, typed: str) -> None:
        """Keep a password until it is used."""
        self._held[challenge_id] = SecretStr(typed)

    def take(self, challenge_id: str) -> SecretStr | None:
        """Return the password and forget it; None if it was lost with the process."""
        return self._held.pop(challenge_id, None)


class PasswordRedactor:
    """Takes passwords out of items between the sources and the inbox, like the PIN redactor."""

    def __init__(self, store: Store, owner: OwnerFacts, clock: Clock, passwords: Passwords) -> None:
        self._store, self._owner, self._clock, self._passwords = store, owner, clock, passwords
        self._taken = deque[tuple[str, str]](maxlen=MOST_TAKEN)
        """Messages that were passwords, newest last: an edit may come in with its message, which is no row yet."""

    async def redact(self, item: Inbound) -> Inbound:
        """Return the item as it may be stored. Raises the store's errors; nothing is stored then."""
        if item.kind not in _KINDS or item.sender != f"telegram:{self._owner.telegram_user_id}" or not item.text:
            return item
        asked = await self._store.look(lambda c: asked_in(c, item.chat))
        if item.kind is InboundKind.EDITED:
            if not await self._was_one(item):
                return item
        elif asked is None or item.attachments or "forwarded" in item.payload:
            return item
        # The time of typing counts, however late the message comes in.
        typed_at = min(item.sent_at or self._clock.now(), self._clock.now())
        if asked is None or not asked.open_at(typed_at) or len(item.text) > LONGEST:
            return _veiled(item, "", "edited") if item.kind is InboundKind.EDITED else item
        self._taken.append((item.chat, item.message_ref))
        if _SAYS_SKIP.fullmatch(item.text):
            return _veiled(item, asked.challenge_id, SKIPS)
        self._passwords.hold(asked.challenge_id, item.text.strip())
        return _veiled(item, asked.challenge_id, "given")

    async def _was_one(self, item: Inbound) -> bool:
        """Return whether this message was a password before its edit, right or wrong, used or not."""
        if (item.chat, item.message_ref) in self._taken:
            return True
        before = await self._store.read(lambda c: inbox.by_message(c, item.chat, item.message_ref))
        return any(PAYLOAD in one.payload for one in before)


def _veiled(item: Inbound, challenge_id: str, how: str) -> Inbound:
    payload = {PAYLOAD: challenge_id, "how": how}
    return item.model_copy(update={"text": "", "segments": (), "payload": payload})


class PasswordState(StrEnum):
    """The state of a step that waits for a password."""

    WAITS = "waits"
    ITS_TURN = "its turn"
    """Another password was asked for until now."""
    GIVEN = "given"
    SKIPPED = phrase("it needs a password")
    LATE = phrase("nobody gave its password in time")


def stand_of(asked: PasswordRequest | None, challenge_id: str, now: datetime) -> PasswordState:
    """Return the state of a step that waits for this challenge."""
    if challenge_id == LATER:
        return PasswordState.WAITS if asked is not None and asked.open_at(now) else PasswordState.ITS_TURN
    if asked is None or asked.challenge_id != challenge_id or asked.state == "skipped":
        return PasswordState.SKIPPED
    if asked.state == "given":
        return PasswordState.GIVEN
    return PasswordState.WAITS if asked.open_at(now) else PasswordState.LATE


def asked_in(connection: sa.Connection, chat: str) -> PasswordRequest | None:
    """Return the password that a chat is, or was last, asked for."""
    stored: Any = cursors.fact(connection, _fact(chat))
    return PasswordRequest(**stored) if stored else None


def _fact(chat: str) -> str:
    return f"{WAITS}{chat}"


def ask(connection: sa.Connection, plan: PlanRow, step_id: int, why: str, now: datetime, *, wrong: bool) -> bool:
    """Ask for the password of what a step reads, and let the step wait; return False after too many `wrong` ones."""
    before = asked_in(connection, plan.session_id)
    same = before is not None and (before.plan_id, before.step_id) == (plan.plan_id, step_id)
    tries = before.tries + wrong if before is not None and same else 0
    if tries >= TRIES:
        cursors.put_fact(connection, _fact(plan.session_id), None, now)
        return False
    asked = PasswordRequest(uuid.uuid4().hex, plan.plan_id, step_id, (now + LIFE).isoformat(), tries)
    if before is not None and not same and before.open_at(now):
        # Only one is asked for at a time; this one follows when the other is over.
        plans.step_waits(connection, plan.plan_id, step_id, f"{WAITS}{LATER}")
        work.add(connection, plans.PLAN_STEP, plan.plan_id, now=now, run_at=datetime.fromisoformat(before.until))
        return True
    _put(connection, plan.session_id, asked, now)
    plans.step_waits(connection, plan.plan_id, step_id, f"{WAITS}{asked.challenge_id}")
    work.add(connection, plans.PLAN_STEP, plan.plan_id, now=now, run_at=now + LIFE)
    data = conversations.offer_steps(
        connection, plan.session_id, {SKIP: asked.challenge_id}, words=say("Skip"), about="", now=now
    )
    head = say("That was not the password.") if wrong else f"🔒 {why[:1].upper()}{why[1:].rstrip('.')}."
    text = say(
        "{head} Send me its password as your next message, within ten minutes. I use it once, delete your message, "
        "and keep it nowhere. Or say “skip”.",
        head=head,
    )
    message = OwnerMessage(text=plain(text), buttons=((Button(label=say("Skip"), data=data),),))
    outbox.add(connection, plan.session_id, message, now=now, dedup_key=f"{WAITS}{asked.challenge_id}")
    return True


def answer(connection: sa.Connection, chat: str, challenge_id: str, state: str, now: datetime) -> bool:
    """Record that the password was given or refused, and wake its plan; return False if it is no longer asked for."""
    asked = asked_in(connection, chat)
    if asked is None or asked.challenge_id != challenge_id or asked.state != "open":
        return False
    _put(connection, chat, replace(asked, state=state), now)
    work.add(connection, plans.PLAN_STEP, asked.plan_id, now=now)
    return True


def drop(connection: sa.Connection, plan: PlanRow, now: datetime) -> None:
    """Close the challenge of a plan that ended, so that the next message is not taken as its password."""
    asked = asked_in(connection, plan.session_id)
    if asked is not None and asked.plan_id == plan.plan_id and asked.state == "open":
        _put(connection, plan.session_id, replace(asked, state="skipped"), now)


def _put(connection: sa.Connection, chat: str, asked: PasswordRequest, now: datetime) -> None:
    cursors.put_fact(connection, _fact(chat), asdict(asked), now)
