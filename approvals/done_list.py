"""`/done`: lists what was done today, and how it ended.

That is what a tap or the policy let pass, and the steps that changed only what the butler keeps for the owner.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from approvals.context import Context
from approvals.people import Names
from approvals.states import State
from approvals.summary_lines import beginning, described
from approvals.visible import visible_line
from butler.contract.card import OwnerMessage, Span, Style
from butler.contract.speech import phrase, say, say_clock, say_many
from butler.contract.tools import ArgRole, Preview
from butler.store.queries import history, outbox
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.history import OwnAct
from butler.tool_invoker import UnknownToolError

MOST = 20
"""The most lines; of more, the newest."""
HEAD = phrase("What I have done for you today:")
NOTHING = phrase("I have done nothing for you today.")
ENDS: Mapping[State, tuple[str, str]] = {
    State.DONE: ("✅", phrase("done")),
    State.FAILED: ("❌", phrase("did not work")),
    State.UNKNOWN: ("❔", phrase("I do not know whether it was done")),
    State.CANCELLED: ("↩️", phrase("taken back")),
}


_HANDLE = re.compile(r"[a-z]+-\d+")


@dataclass(frozen=True, slots=True)
class _Line:
    at: datetime
    state: State
    what: str


def say_done(context: Context, connection: sa.Connection, chat: str, key: str, now: datetime) -> None:
    """Queue the list for the owner, newest last; `key` keeps it from being sent twice."""
    midnight = now.astimezone(context.zone).replace(hour=0, minute=0, second=0, microsecond=0)
    names = Names(connection)
    lines = [
        _Line(row.finished_at or row.created_at, State(row.state), described(context.invoker, row, names))
        for row in history.ended_since(connection, midnight, *ENDS)
        if _was_an_act(context, row)
    ]
    lines += [
        _Line(act.at, State.DONE if act.ok else State.FAILED, _own(context, act))
        for act in history.own_acts_since(connection, midnight)
        if not _only_shows(context, act.tool)
    ]
    text = tuple(_text(context, sorted(lines, key=lambda line: line.at)))
    outbox.add(connection, chat, OwnerMessage(text=text), now=now, dedup_key=key)


def _was_an_act(context: Context, row: ApprovalRow) -> bool:
    """Return whether a call did anything, or was to until it was taken back."""
    return not _only_shows(context, row.tool) and (row.state != State.CANCELLED or row.execute_at is not None)


def _only_shows(context: Context, tool: str) -> bool:
    """Return whether a tool only shows the owner something, such as this list."""
    try:
        return context.invoker.spec(tool).only_shows
    except UnknownToolError:
        return False


def _own(context: Context, act: OwnAct) -> str:
    """Return in one line what a step did for the owner alone."""
    return f"{visible_line(act.description.rstrip('.'))}{_words(context, act)}"


def _words(context: Context, act: OwnAct) -> str:
    """Quote the text of an act, or else the name that it is about, after a colon; empty if there is neither."""
    try:
        roles = context.invoker.metadata(act.tool).args
    except UnknownToolError:
        return ""
    for role in (ArgRole.CONTENT, ArgRole.TARGET):
        for name, value in act.told.items():
            if roles.get(name) is role and isinstance(value, str) and not _HANDLE.fullmatch(value):
                return beginning(Preview(effect="", body=value))
    return ""


def _text(context: Context, lines: Sequence[_Line]) -> Iterator[Span]:
    yield Span(text=say(HEAD if lines else NOTHING), style=Style.BOLD if lines else Style.PLAIN)
    if earlier := len(lines[:-MOST]):
        yield Span(text=f"\n{say_many(earlier, 'and 1 more before these', 'and {count} more before these')}")
    for line in lines[-MOST:]:
        sign, how = ENDS[line.state]
        yield Span(text=f"\n{say_clock(line.at.astimezone(context.zone))} {sign} {line.what} · {say(how)}")
