"""Draws a digest card: one of several similar calls, whole as on its own card; in the end, one line for each call."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from approvals.accounts import through
from approvals.approval_batch_text import counts, longest_counts, state_words
from approvals.card import build, shown_of
from approvals.context import Context
from approvals.outcome_text import sends
from approvals.people import Names
from approvals.summary_lines import beginning, whom
from butler.contract.card import Button, Card, Rich, plain
from butler.contract.names import Identity, ToolName
from butler.contract.speech import phrase, say, say_many
from butler.contract.tool_words import action_of, channel_of
from butler.store.queries.approval_batches import ApprovalBatchRow
from butler.store.queries.approvals import ApprovalRow
from butler.tool_invoker import ToolInvoker

LINE_BEGINNING = 40
"""The longest excerpt of a text in a line of the summary, in characters."""
FULL_LIST = "butler approvals --all"


@dataclass(frozen=True, slots=True)
class Place:
    """The position of an item among the waiting ones, and the outcomes of the others."""

    number: int
    total: int
    unseen: int = 0
    decided: str = ""


def utmost() -> Place:
    """Return the place with the longest head: an item that fits on one page with it fits with any other place."""
    return Place(9999, 9999, 9999, longest_counts())


def kind_of(invoker: ToolInvoker, tool: str, account: str) -> str:
    """Name a tool's action in the plural, with the identity: `Telegram messages as you, through work`."""
    name = ToolName.parse(tool)
    as_user, through_it = name.identity is Identity.USER, through(invoker, tool, account)
    if sends(tool):
        kind = (
            phrase("{channel} messages as you{through}") if as_user else phrase("{channel} messages as Butler{through}")
        )
        return say(kind, channel=channel_of(tool), through=through_it)
    kind = (
        phrase("{channel} ({action}) as you{through}") if as_user else phrase("{channel} ({action}) as Butler{through}")
    )
    return say(kind, channel=channel_of(tool), action=action_of(tool), through=through_it)


def item_card(
    context: Context,
    row: ApprovalRow,
    names: Names,
    place: Place,
    buttons: Sequence[tuple[Button, ...]],
    now: datetime,
    changes: Rich = (),
) -> Card:
    """Draw the card of a waiting item, under a head with its place and the total."""
    kind = kind_of(context.invoker, row.tool, row.account)
    waits = (
        phrase("{number} of {total} waits · {kind}")
        if place.total == 1
        else phrase("{number} of {total} wait · {kind}")
    )
    head = say(waits, number=place.number, total=place.total, kind=kind)
    if place.unseen:
        head += "\n" + say_many(place.unseen, "{count} not shown to you yet", "{count} not shown to you yet")
    if place.decided:
        head += "\n" + say("Decided: {counts}", counts=place.decided)
    card = build(context, row, names, buttons, now, changes=changes)
    return card.model_copy(update={"title": head})


def summary_card(
    context: Context,
    batch: ApprovalBatchRow,
    members: Sequence[ApprovalRow],
    names: Names,
    buttons: Sequence[tuple[Button, ...]],
    now: datetime,
) -> Card:
    """List the outcomes of all members: as many lines as one message holds, and a note if some are left out."""
    lines = [f"{number}. {_line(context, row, names, now)}" for number, row in enumerate(members, 1)]
    account = next((row.account for row in members), "")
    card = Card(
        approval_id=batch.batch_id,
        revision=batch.revision,
        title=say("Nothing waits here any more · {kind}", kind=kind_of(context.invoker, batch.tool, account)),
        fields=((say("All {count}", count=len(members)), plain(counts(members))),) if members else (),
        body="\n".join(lines),
        buttons=tuple(buttons),
    )
    shown = len(lines)
    while shown and context.channel.pages(card) > 1:
        shown = shown * 7 // 8
        rest = say(
            "… and {count} more, not listed here. All of them: {command}", count=len(lines) - shown, command=FULL_LIST
        )
        card = card.model_copy(update={"body": "\n".join([*lines[:shown], rest])})
    return card


def moved_card(batch: ApprovalBatchRow) -> Card:
    """Return the card that replaces a message which the digest has left and which cannot be deleted."""
    return Card(approval_id=batch.batch_id, revision=batch.revision, title=say("Moved below."))


def _line(context: Context, row: ApprovalRow, names: Names, now: datetime) -> str:
    preview = shown_of(context.invoker, row)
    to = whom(preview, names)
    return f"{state_words(row, now)}{f' – {to}' if to else ''}{beginning(preview, LINE_BEGINNING)}"
