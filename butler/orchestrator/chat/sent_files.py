"""Files that the owner sends in the chat: each gets a handle, and is read if it came without words.

A planner is given the handle and that it is a file, never its name.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa

from butler.contract.agents import PlanStep
from butler.contract.card import Button, OwnerMessage, plain
from butler.contract.inbound import Inbound
from butler.contract.referents import ReferentKind
from butler.contract.rendering import Offer
from butler.contract.speech import phrase, say
from butler.contract.tools import Attachment
from butler.orchestrator.planning.plan_types import Planned, PlannerInput, PlannerOutput, Unclear
from butler.orchestrator.planning.requests import FROM_CHAT
from butler.orchestrator.replies.offers import buttons
from butler.orchestrator.replies.plan_replies import ASKED_OF_FILES
from butler.orchestrator.results.handles import READ_FILE
from butler.store.conversation import ConversationState
from butler.store.queries import conversations
from butler.tool_invoker import ToolInvoker

KEPT = phrase("📎 I kept what you sent. Reply to it to ask about it.")
UNREAD = phrase("📎 I kept what you sent, but I have nothing to read it with.")
HEARD = ("audio/", "video/")
"""Media types of sound and video, which hold no text to read."""


def readable(item: Inbound, tools: ToolInvoker) -> tuple[Attachment, ...]:
    """Return the readable files of a message in the chat."""
    return with_text(item, tools) if item.kind in FROM_CHAT else ()


def with_text(item: Inbound, tools: ToolInvoker) -> tuple[Attachment, ...]:
    """Return the files of a message or mail that may hold text, if a tool to read them is registered."""
    if all(spec.tool_name != READ_FILE for spec in tools.specs()):
        return ()
    return tuple(file for file in item.attachments if not file.media_type.startswith(HEARD))


def note_files(connection: sa.Connection, item: Inbound, files: Sequence[Attachment], now: datetime) -> None:
    """Give each file a handle in its conversation; a known file keeps its handle."""

    def change(state: ConversationState) -> None:
        for file in files:
            state.add_referent(ReferentKind.FILE, file.sha256, tool=READ_FILE, at=item.received_at)

    conversations.update(connection, item.chat, change, now)


def reading(handles: Sequence[str]) -> Planned:
    """Return the plan that reads files which came without words."""
    return Planned(tuple(_reads(number, handle) for number, handle in enumerate(handles, 1)))


def _reads(number: int, handle: str, question: str = "") -> PlanStep:
    args = {"file": {"handle": handle}} | ({"question": question} if question else {})
    return PlanStep(step_id=number, description=say("Read the file"), tool_call=READ_FILE, args=args)


def asked_of(
    connection: sa.Connection, chat: str, handles: Sequence[str], now: datetime
) -> tuple[tuple[Button, ...], ...]:
    """Offer buttons for what could be done with one file, when the request about it was not understood."""
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
    """Return what to say of files whose message is about something else; None if nothing is to be said."""
    if not item.attachments or item.kind not in FROM_CHAT or isinstance(output, Unclear):
        return None
    handles = [one.handle for one in request.replied_to if one.kind is ReferentKind.FILE]
    if isinstance(output, Planned) and any(used in handles for step in output.steps for used in _used(step.args)):
        return None
    if not handles:
        return OwnerMessage(text=plain(say(UNREAD)))
    return OwnerMessage(text=plain(say(KEPT)), buttons=asked_of(connection, item.chat, handles, now))


def _used(value: Any) -> Iterator[str]:
    """Yield the handles that an argument refers to."""
    if isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from _used(one)
    if isinstance(value, dict):
        args = cast("dict[str, Any]", value)
        if isinstance(handle := args.get("handle"), str):
            yield handle
        yield from _used(list(args.values()))
