"""Files that the owner sends in the chat: each becomes something to speak of, and is read where no words came with it.

A planner is told a handle and that it is a file, never what it is called.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa

from butler.contract.agents import PlanStep
from butler.contract.card import Button, OwnerMessage, plain
from butler.contract.conversation import ConversationState, ReferentKind
from butler.contract.inbound import Inbound
from butler.contract.rendering import Offer
from butler.contract.speech import phrase, say
from butler.contract.tools import Attachment, ToolInvoker
from butler.orchestrator.planning.plan_types import Planned, PlannerInput, PlannerOutput, Unclear
from butler.orchestrator.planning.requests import FROM_CHAT
from butler.orchestrator.replies.offers import buttons
from butler.orchestrator.replies.plan_replies import ASKED_OF_FILES
from butler.orchestrator.results.handles import READ_FILE
from butler.store.queries import conversations

KEPT = phrase("📎 I kept what you sent. Reply to it to ask about it.")
UNREAD = phrase("📎 I kept what you sent, but I have nothing to read it with.")
HEARD = ("audio/", "video/")
"""What is listened to or looked at, and holds no text to be read."""


def readable(item: Inbound, tools: ToolInvoker) -> tuple[Attachment, ...]:
    """The files of a message in the chat that can be read."""
    return with_text(item, tools) if item.kind in FROM_CHAT else ()


def with_text(item: Inbound, tools: ToolInvoker) -> tuple[Attachment, ...]:
    """The files of a message or a mail that may hold a text, where there is something to read them with."""
    if all(spec.tool_name != READ_FILE for spec in tools.specs()):
        return ()
    return tuple(file for file in item.attachments if not file.media_type.startswith(HEARD))


def note_files(connection: sa.Connection, item: Inbound, files: Sequence[Attachment], now: datetime) -> None:
    """Give each a handle in its conversation; the same file again keeps the one it has."""

    def change(state: ConversationState) -> None:
        for file in files:
            state.add_referent(ReferentKind.FILE, file.sha256, tool=READ_FILE, at=item.received_at)

    conversations.update(connection, item.chat, change, now)


def reading(handles: Sequence[str]) -> Planned:
    """The plan that reads files about which nothing was said."""
    return Planned(tuple(_reads(number, handle) for number, handle in enumerate(handles, 1)))


def _reads(number: int, handle: str, question: str = "") -> PlanStep:
    args = {"file": {"handle": handle}} | ({"question": question} if question else {})
    return PlanStep(step_id=number, description=say("Read the file"), tool_call=READ_FILE, args=args)


def asked_of(
    connection: sa.Connection, chat: str, handles: Sequence[str], now: datetime
) -> tuple[tuple[Button, ...], ...]:
    """Buttons for what could be done with one file, where nobody understood what was asked of it."""
    if len(handles) != 1:
        return ()
    offers = (
        Offer(say("Read it"), steps=(_reads(1, handles[0]),)),
        *(Offer(say(label), steps=(_reads(1, handles[0], question),)) for label, question in ASKED_OF_FILES),
    )
    return buttons(connection, chat, offers, about=handles[0], labels=frozenset(), now=now)


def kept(
    connection: sa.Connection, item: Inbound, output: PlannerOutput, request: PlannerInput, now: datetime
) -> OwnerMessage | None:
    """What is said of files that came with words which speak of something else; None where nothing is to be said."""
    if not item.attachments or item.kind not in FROM_CHAT or isinstance(output, Unclear):
        return None
    handles = [one.handle for one in request.replied_to if one.kind is ReferentKind.FILE]
    if isinstance(output, Planned) and any(used in handles for step in output.steps for used in _used(step.args)):
        return None
    if not handles:
        return OwnerMessage(text=plain(say(UNREAD)))
    return OwnerMessage(text=plain(say(KEPT)), buttons=asked_of(connection, item.chat, handles, now))


def _used(value: Any) -> Iterator[str]:
    """The handles that an argument refers to."""
    if isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from _used(one)
    if isinstance(value, dict):
        args = cast("dict[str, Any]", value)
        if isinstance(handle := args.get("handle"), str):
            yield handle
        yield from _used(list(args.values()))
