"""A digest card: one of many alike shown whole, exactly as its own card would be; in the end, a line about each."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from approvals.accounts import through
from approvals.card import build, shown_of
from approvals.context import Context
from approvals.lines import beginning, whom
from approvals.people import Names
from approvals.states import State
from approvals.visible import visible_line
from approvals.words import act, in_seconds, sends
from butler.contract.card import Button, Card, Rich, plain
from butler.contract.names import Identity, ToolName
from butler.contract.tools import ToolInvoker
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.floods import FloodRow

LINE_BEGINNING = 40
"""Characters of a text that a line of the summary shows."""
WHY_LIMIT = 60
FULL_LIST = "butler approvals --all"


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item stands among those that wait, and what became of the others."""

    number: int
    total: int
    unseen: int = 0
    decided: str = ""


UTMOST = Place(9999, 9999, 9999, "9999 sent, 9999 failed, 9999 denied, 9999 expired, 9999 withdrawn, 9999 undone")
"""The longest head: what fits on a page with it is sure to stay on one."""


def kind_of(invoker: ToolInvoker, tool: str, account: str) -> str:
    """What a tool does, in the plural and with the identity: `Telegram messages as you, through work`."""
    name = ToolName.parse(tool)
    what = "messages" if sends(tool) else f"({name.action.replace('_', ' ')})"
    who = "as you" if name.identity is Identity.USER else "as Butler"
    return f"{name.channel.capitalize()} {what} {who}{through(invoker, tool, account)}"


def item_card(
    context: Context,
    row: ApprovalRow,
    names: Names,
    place: Place,
    buttons: Sequence[tuple[Button, ...]],
    now: datetime,
    changes: Rich = (),
) -> Card:
    """The card of one that waits, under a head that says which one of how many it is."""
    kind = kind_of(context.invoker, row.tool, row.account)
    head = f"{place.number} of {place.total} {'waits' if place.total == 1 else 'wait'} · {kind}"
    if place.unseen:
        head += f"\n{place.unseen} not shown to you yet"
    if place.decided:
        head += f"\nDecided: {place.decided}"
    card = build(context, row, names, buttons, now, changes=changes)
    return card.model_copy(update={"title": head})


def summary_card(
    context: Context,
    flood: FloodRow,
    members: Sequence[ApprovalRow],
    names: Names,
    buttons: Sequence[tuple[Button, ...]],
    now: datetime,
) -> Card:
    """What became of them all: as many lines as one message holds, and a mark where some are left out."""
    lines = [f"{number}. {_line(context, row, names, now)}" for number, row in enumerate(members, 1)]
    account = next((row.account for row in members), "")
    card = Card(
        approval_id=flood.flood_id,
        revision=flood.revision,
        title=f"Nothing waits here any more · {kind_of(context.invoker, flood.tool, account)}",
        fields=((f"All {len(members)}", plain(counts(members))),) if members else (),
        body="\n".join(lines),
        buttons=tuple(buttons),
    )
    shown = len(lines)
    while shown and context.channel.pages(card) > 1:
        shown = shown * 7 // 8
        rest = f"… and {len(lines) - shown} more, not listed here. All of them: {FULL_LIST}"
        card = card.model_copy(update={"body": "\n".join([*lines[:shown], rest])})
    return card


def moved_card(flood: FloodRow) -> Card:
    """What is left of a message that the digest has left and that cannot be deleted."""
    return Card(approval_id=flood.flood_id, revision=flood.revision, title="Moved below.")


def counts(rows: Sequence[ApprovalRow]) -> str:
    """How many came to what, such as `35 sent, 2 denied`, in the order of the states."""
    found = Counter(row.state for row in rows)
    return ", ".join(f"{found[state]} {_word(state, rows[0].tool)}" for state in State if found[state])


def _word(state: State, tool: str) -> str:
    match state:
        case State.PENDING:
            return "waiting"
        case State.EXECUTING:
            return act(tool, "being sent", "being done")
        case State.DONE:
            return act(tool, "sent", "done")
        case State.SUPERSEDED:
            return "withdrawn"
        case State.CANCELLED:
            return "undone"
        case _:
            return state.value


def _line(context: Context, row: ApprovalRow, names: Names, now: datetime) -> str:
    preview = shown_of(context.invoker, row)
    to = whom(preview, names)
    return f"{_state(row, now)}{f' – {to}' if to else ''}{beginning(preview, LINE_BEGINNING)}"


def _state(row: ApprovalRow, now: datetime) -> str:
    state = State(row.state)
    word = _word(state, row.tool)
    if state is State.APPROVED and row.execute_at is not None and row.execute_at > now:
        return f"{word}, {act(row.tool, 'sending', 'doing it')} in {in_seconds(row.execute_at - now)}"
    if state is State.UNKNOWN:
        return f"not known whether {act(row.tool, 'sent', 'done')}, see its own card"
    if state in {State.FAILED, State.EXECUTING} and row.detail:
        why = visible_line(row.detail)
        return f"{word} ({why if len(why) <= WHY_LIMIT else f'{why[: WHY_LIMIT - 1]}…'})"
    return word
