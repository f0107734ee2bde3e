"""Gives the mail or message that an event is about a handle in the conversation."""

from collections.abc import Mapping
from datetime import datetime

import sqlalchemy as sa

from butler.contract.automations import HAVE_ITEMS
from butler.contract.events import Event
from butler.contract.names import Identity
from butler.contract.referents import ReferentKind
from butler.store.conversation import ConversationState
from butler.store.queries import contacts, conversations

FOUND_BY: Mapping[str, tuple[ReferentKind, str]] = {
    "email": (ReferentKind.MAIL, "{identity}_email_search_inbox"),
    "telegram": (ReferentKind.MESSAGE, "{identity}_telegram_get_message_history"),
}
"""What an event's item is called in a conversation, and the tool that would have found it, by channel."""


def event_handle(
    connection: sa.Connection, chat: str, event: Event, now: datetime, *, unseen: bool = False, shown_in: str = ""
) -> str:
    """Return the conversation's reference to an event's mail or message; empty if there is none.

    Args:
        connection: The transaction in which the owner is told.
        chat: The conversation.
        event: What happened.
        now: The current time.
        unseen: Whether the owner is not told of the item, so that only what the event triggered can refer to it.
        shown_in: The message that tells of it, so that a reply to that message is about the item.
    """
    if event.name not in HAVE_ITEMS or event.channel not in FOUND_BY:
        return ""
    kind, tool = FOUND_BY[event.channel]
    found = ""

    def change(state: ConversationState) -> None:
        nonlocal found
        item = state.add_referent(
            kind,
            str(event.facts["ref"]),
            tool=tool.format(identity=event.identity.value),
            account=event.account if event.identity is Identity.USER else "",
            contact_id=contacts.confirmed(connection, str(event.facts["sender"])),
            at=event.at,
            unseen=unseen,
        )
        found = item.handle
        if shown_in:
            state.referents[state.referents.index(item)] = item.model_copy(update={"shown_in": shown_in})

    conversations.update(connection, chat, change, now)
    return found
