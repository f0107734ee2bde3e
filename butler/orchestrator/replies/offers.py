"""Buttons that stand for words of the owner, or for steps of a plan.

The origins of the steps' arguments are stored with them. With a tap the owner wants the steps, but the arguments keep
their origin: what acts still asks, on a card that says where they come from.
"""

from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa

from butler.contract.agents import PlanStep
from butler.contract.card import Button, OwnerMessage, Span, Style
from butler.contract.inbound import Inbound
from butler.contract.rendering import Offer
from butler.contract.speech import say
from butler.orchestrator.planning.plan_types import Planned
from butler.provenance import Labels, dump, load
from butler.store.queries import conversations, outbox
from butler.store.queries.conversations import ChoiceRow


def nothing() -> Offer:
    """Return the button that declines all that is offered."""
    return Offer(say("Nothing"))


def buttons(
    connection: sa.Connection,
    chat: str,
    offers: tuple[Offer, ...],
    *,
    about: str,
    labels: Labels,
    now: datetime,
    behind: Labels = frozenset(),
) -> tuple[tuple[Button, ...], ...]:
    """Store offers about the item of this handle; return their buttons, one a row.

    `behind` are the labels of a request that came by mail, and apply to its buttons' words as well.
    """
    whole = [one if one.steps or one.labels else replace(one, labels=behind) for one in offers]
    return tuple((Button(label=one.label, data=_stored(connection, chat, one, about, labels, now)),) for one in whole)


def _stored(connection: sa.Connection, chat: str, one: Offer, about: str, labels: Labels, now: datetime) -> str:
    if one.words:
        return conversations.offer(
            connection, chat, one.words, replied_to=about, origins=dump(one.labels or frozenset()), now=now
        )
    steps = [step.model_dump(mode="json") for step in one.steps]
    stored = {"steps": steps, "origins": dump(labels if one.labels is None else one.labels)}
    return conversations.offer_steps(connection, chat, stored, words=one.label, about=about, now=now)


def plan_of(choice: ChoiceRow) -> Planned | None:
    """Return the plan that a tapped button asks for; None if it asks for nothing."""
    stored = choice.steps or {}
    steps = tuple(PlanStep.model_validate(step) for step in stored.get("steps", ()))
    return Planned(steps, load(stored.get("origins", ()))) if steps else None


def _asks_nothing(connection: sa.Connection, chat: str, button: Button) -> bool:
    """Return whether a button declines all that is offered."""
    choice = conversations.choice(connection, button.data, chat)
    return choice is not None and choice.steps is not None and choice.steps.get("steps") == []


def note_tap(connection: sa.Connection, item: Inbound, *, every: bool, now: datetime) -> None:
    """Remove the tapped button from its message, or `every` one, and note there what was tapped."""
    message_id = outbox.by_ref(connection, item.chat, item.message_ref)
    row = outbox.get(connection, message_id) if message_id else None
    if row is None:
        return
    data = str(item.payload["data"])
    tapped = next((one.label for line in row.message.buttons for one in line if one.data == data), "")
    left = tuple(line for line in row.message.buttons if all(one.data != data for one in line))
    if every or all(_asks_nothing(connection, item.chat, one) for line in left for one in line):
        left = ()
    mark = (Span(text=f"\n✓ {tapped}", style=Style.ITALIC),) if tapped and not every else ()
    message = OwnerMessage(text=(*row.message.text, *mark), attachments=row.message.attachments, buttons=left)
    outbox.redraw(connection, row.message_id, message, now)
