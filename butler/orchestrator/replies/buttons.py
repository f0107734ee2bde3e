"""Buttons of the core's own services, each stored with its meaning, in one form for all services.

A service stores its buttons by `button()`, under its own name as the key. Each tap is passed back to the service once,
within the transaction that settles the tap.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

import sqlalchemy as sa

from butler.contract.card import Button
from butler.contract.inbound import Inbound
from butler.store.queries import conversations


class ButtonHandler(Protocol):
    """A service that has buttons."""

    @property
    def key(self) -> str:
        """The name under which its buttons are stored."""
        ...

    def tapped(self, connection: sa.Connection, item: Inbound, stored: Mapping[str, Any], now: datetime) -> None:
        """Do what a button says; called once for each button. The answer goes to the outbox."""
        ...


def button(
    connection: sa.Connection, chat: str, key: str, label: str, stored: Mapping[str, Any], now: datetime
) -> Button:
    """Store a service's button and return it. `label` is only shown; nothing is read out of it."""
    data = conversations.offer_steps(connection, chat, {key: dict(stored)}, words=label, about="", now=now)
    return Button(label=label, data=data)
