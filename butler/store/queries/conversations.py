"""Conversation states, and the buttons that stand for the owner's words."""

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from butler.store.conversation import ConversationState
from butler.store.queries import plans
from butler.store.tables import choices, conversations

_STATE = sa.select(conversations.c.state).where(conversations.c.session_id == sa.bindparam("session"))
_SAVE = conversations.update().where(conversations.c.session_id == sa.bindparam("session"))


def load(connection: sa.Connection, session_id: str) -> ConversationState:
    """Load the state of a session with its plan from the rows; a new one if there is none."""
    row = connection.execute(_STATE, {"session": session_id}).first()
    if row is None:
        return ConversationState(session_id=session_id)
    state = ConversationState.model_validate(row[0])
    state.current_plan = plans.of_turn(connection, session_id, state.turn) if state.turn else None
    return state


def update(
    connection: sa.Connection, session_id: str, change: Callable[[ConversationState], None], now: datetime
) -> ConversationState:
    """Change a session's state in the caller's transaction."""
    state = load(connection, session_id)
    change(state)
    save(connection, state, now)
    return state


def save(connection: sa.Connection, state: ConversationState, now: datetime) -> None:
    """Store a session's state, loaded in the same transaction."""
    # The rows alone define its plan.
    values = {"state": state.model_copy(update={"current_plan": None}), "updated_at": now}
    if not connection.execute(_SAVE, {"session": state.session_id, **values}).rowcount:
        connection.execute(conversations.insert(), {"session_id": state.session_id, **values})


def rename(connection: sa.Connection, old: str, new: str) -> None:
    """Move a group's conversation to its supergroup id."""
    row = connection.execute(sa.select(conversations.c.state).where(conversations.c.session_id == old)).first()
    taken = connection.execute(sa.select(conversations.c.session_id).where(conversations.c.session_id == new)).first()
    if row is None or taken is not None:
        return
    connection.execute(
        conversations.update()
        .where(conversations.c.session_id == old)
        .values(session_id=new, state={**row[0], "session_id": new})
    )


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """A button that stands for the owner's words, and may first give a name to an address."""

    chat: str
    words: str
    replied_to: str
    used: bool
    alias: str = ""
    address: str = ""
    steps: dict[str, Any] | None = None
    """The plan steps that the tap requests instead of words (see `offer_steps`)."""
    origins: tuple[dict[str, Any], ...] = ()
    """The labels of words that came by mail; none for those from the chat."""


def offer(
    connection: sa.Connection,
    chat: str,
    words: str,
    *,
    replied_to: str = "",
    alias: str = "",
    address: str = "",
    origins: Sequence[dict[str, Any]] = (),
    now: datetime,
) -> str:
    """Store a choice; return its button's data. `origins` are the labels of words that came by mail."""
    nonce = secrets.token_urlsafe(18)
    row = {"chat": chat, "words": words, "replied_to": replied_to, "alias": alias, "address": address}
    row |= {"origins": list(origins) or None}
    connection.execute(choices.insert().values(nonce_sha256=_sha(nonce), **row, created_at=now))
    return f"c:{nonce}"


def offer_steps(
    connection: sa.Connection, chat: str, steps: dict[str, Any], *, words: str, about: str, now: datetime
) -> str:
    """Store a button that requests fixed plan steps; return its data.

    `steps` is `{"steps": [PlanStep, ...], "origins": labels}`; `words` describes the request for people, `about` is the
    handle of its subject. The steps are handled like any plan: acts still need approval.
    """
    nonce = secrets.token_urlsafe(18)
    row = {"chat": chat, "words": words, "replied_to": about, "step": steps}
    connection.execute(choices.insert().values(nonce_sha256=_sha(nonce), **row, created_at=now))
    return f"c:{nonce}"


def choice(connection: sa.Connection, data: str, chat: str) -> ChoiceRow | None:
    """Return the meaning of a button, used or not; None if this chat was never offered it."""
    where = (choices.c.nonce_sha256 == _sha(data.removeprefix("c:")), choices.c.chat == chat)
    row = connection.execute(sa.select(choices).where(*where)).first()
    if row is None:
        return None
    used, origins = row.used_at is not None, tuple(row.origins or ())
    return ChoiceRow(row.chat, row.words, row.replied_to, used, row.alias, row.address, row.step, origins)


def use(connection: sa.Connection, data: str, now: datetime) -> bool:
    """Use a choice, in the transaction of its request; return False if it was already used."""
    key = _sha(data.removeprefix("c:"))
    unused = (choices.c.nonce_sha256 == key, choices.c.used_at.is_(None))
    return bool(connection.execute(choices.update().where(*unused).values(used_at=now)).rowcount)


def _sha(nonce: str) -> str:
    return hashlib.sha256(nonce.encode()).hexdigest()
