"""Buttons of the house's own, each stored with what it stands for: what several rooms have, in one form.

A room stores its buttons by `button()`, with a name of its own as the key of what they stand for. A tap on one comes
back to it once, within the transaction that settles the tap.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

import sqlalchemy as sa

from butler.contract.card import Button
from butler.contract.inbound import Inbound
from butler.store.queries import conversations


class Taps(Protocol):
    """A room that has buttons."""

    @property
    def key(self) -> str:
        """The name under which its buttons are stored."""
        ...

    def tapped(self, connection: sa.Connection, item: Inbound, stored: Mapping[str, Any], now: datetime) -> None:
        """Do what a button says, which is called once for each button; the answer goes to the outbox."""
        ...


def button(
    connection: sa.Connection, chat: str, key: str, label: str, stored: Mapping[str, Any], now: datetime
) -> Button:
    """Store a button of a room's and give it. `label` is what it says; nothing is read out of it."""
    data = conversations.offer_steps(connection, chat, {key: dict(stored)}, words=label, about="", now=now)
    return Button(label=label, data=data)
