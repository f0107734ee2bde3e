"""Email fallbacks of cards: the mails to the owner that show a card, and the answers to them."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from butler.store.queries import work
from butler.store.queries.buttons import ButtonKind
from butler.store.tables import buttons, email_fallbacks

SEND_FALLBACK = "send_email_fallback"
"""Work: check whether an approval's card must go out by mail."""
TELL_OUTCOME = "tell_outcome"
"""Work: mail the owner the outcome of an approval that was decided by mail."""
TELL_REFUSAL = "tell_refusal"
"""Work: mail the owner why an answer by mail decided nothing."""

_WAS_ANSWERED = sa.select(email_fallbacks.c.revision).where(
    email_fallbacks.c.approval_id == sa.bindparam("id"), email_fallbacks.c.answered_by != sa.literal("")
)


@dataclass(frozen=True, slots=True)
class EmailFallbackRow:
    """One version of a card as a mail. `answered_by` is the inbound item that decided."""

    approval_id: str
    revision: int
    address: str
    message_id: str = ""
    sent_at: datetime | None = None
    answered_by: str = ""
    told_at: datetime | None = None


def get(connection: sa.Connection, approval_id: str, revision: int) -> EmailFallbackRow | None:
    """Return the email fallback of one version of a card."""
    return _one(connection, (email_fallbacks.c.approval_id == approval_id) & (email_fallbacks.c.revision == revision))


def by_message_id(connection: sa.Connection, message_id: str) -> EmailFallbackRow | None:
    """Return the email fallback sent as this mail."""
    return _one(connection, email_fallbacks.c.message_id == message_id)


def answered(connection: sa.Connection, approval_id: str) -> EmailFallbackRow | None:
    """Return the email fallback by which an approval was decided."""
    return _one(connection, (email_fallbacks.c.approval_id == approval_id) & (email_fallbacks.c.answered_by != ""))


def begin(connection: sa.Connection, approval_id: str, revision: int, address: str) -> None:
    """Note an email fallback's recipient before it is sent."""
    if get(connection, approval_id, revision) is None:
        connection.execute(email_fallbacks.insert().values(approval_id=approval_id, revision=revision, address=address))


def sent(connection: sa.Connection, approval_id: str, revision: int, message_id: str, now: datetime) -> None:
    """Note that an email fallback was accepted."""
    _set(connection, approval_id, revision, message_id=message_id, sent_at=now)


def answer(connection: sa.Connection, approval_id: str, revision: int, inbound_id: str, now: datetime) -> None:
    """Note that an answer to it has decided; its outcome is to be mailed too."""
    _set(connection, approval_id, revision, answered_by=inbound_id)
    work.add(connection, TELL_OUTCOME, approval_id, now=now)


def mark_outcome_mailed(connection: sa.Connection, approval_id: str, revision: int, now: datetime) -> None:
    """Note that the outcome was mailed to the owner."""
    _set(connection, approval_id, revision, told_at=now)


def ended(connection: sa.Connection, approval_id: str, now: datetime) -> None:
    """After an approval ended, mail the outcome if it was decided by mail."""
    if connection.execute(_WAS_ANSWERED, {"id": approval_id}).first():
        work.add(connection, TELL_OUTCOME, approval_id, now=now)


def keep_codes(connection: sa.Connection, approval_id: str, revision: int, newest: int) -> None:
    """Forget all codes of an email fallback but the newest."""
    mine = (buttons.c.kind == ButtonKind.MAIL, buttons.c.subject == approval_id, buttons.c.revision == revision)
    query = sa.select(buttons.c.nonce_sha256).where(*mine)
    old = connection.execute(query.order_by(buttons.c.created_at.desc())).scalars().all()[newest:]
    if old:
        connection.execute(buttons.delete().where(buttons.c.nonce_sha256.in_(old)))


def forget(connection: sa.Connection, approval_id: str) -> bool:
    """Invalidate an email fallback's codes, and have a new one sent; return False if none was begun."""
    connection.execute(buttons.delete().where(buttons.c.kind == ButtonKind.MAIL, buttons.c.subject == approval_id))
    again = (
        email_fallbacks.update().where(email_fallbacks.c.approval_id == approval_id).values(sent_at=None, message_id="")
    )
    return bool(connection.execute(again).rowcount)


def _set(connection: sa.Connection, approval_id: str, revision: int, **values: object) -> None:
    connection.execute(
        email_fallbacks.update()
        .where(email_fallbacks.c.approval_id == approval_id, email_fallbacks.c.revision == revision)
        .values(**values)
    )


def _one(connection: sa.Connection, where: sa.ColumnElement[bool]) -> EmailFallbackRow | None:
    row = (
        connection.execute(sa.select(email_fallbacks).where(where).order_by(email_fallbacks.c.revision.desc()))
        .mappings()
        .first()
    )
    return None if row is None else EmailFallbackRow(**row)
