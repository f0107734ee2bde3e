"""Creates buttons with a random nonce, and stores only its hash, before the buttons are shown."""

import secrets
from datetime import datetime

import sqlalchemy as sa

from approvals.frozen import sha256
from butler.contract.card import Button
from butler.store.queries import buttons
from butler.store.queries.buttons import ButtonKind, ButtonRow

DATA_PREFIX = "a:"


def new_button(
    connection: sa.Connection,
    kind: ButtonKind,
    subject: str,
    revision: int,
    verb: str,
    label: str,
    *,
    owner: str,
    chat: str,
    now: datetime,
    argument: str = "",
) -> Button:
    """Create and store a button that is valid for one tap by this owner in this chat on this revision."""
    nonce = secrets.token_urlsafe(18)
    stored = ButtonRow(
        nonce_sha256=sha256(nonce),
        kind=kind.value,
        subject=subject,
        revision=revision,
        verb=verb,
        owner=owner,
        chat=chat,
        created_at=now,
        argument=argument,
    )
    buttons.add(connection, stored)
    return Button(label=label, data=DATA_PREFIX + nonce)
