"""Acts on cards by the owner's words without a reply: shows or denies cards, or requests again what was taken back.

Words never approve: a card that comes again waits for its button like any other.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from approvals.card import shown_of
from approvals.context import Context
from approvals.decide import decide_one
from approvals.dry_run import waiting
from approvals.follow_ups import what_follows
from approvals.pending_list import bring_card_down
from approvals.people import Names
from approvals.preview import is_listed
from approvals.request import Proposal, bring_forward
from approvals.states import State, Verb
from approvals.summary_lines import described
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.speech import phrase, say, say_many
from butler.provenance import load
from butler.store.queries import approvals, revisions
from butler.store.queries.approvals import ApprovalRow
from butler.tool_invoker import UnknownToolError

AGAIN = Reason(ReasonCode.ASKED_AGAIN)
FRESH = timedelta(hours=1)
"""How long after an act was taken back words can request it again."""
RECENT = 50
"""How many of the newest cards to search for the one taken back."""
NOT_ANEW = phrase("That was about exactly what was listed for it. Ask me anew, and I list it anew.")
GONE = phrase("That cannot be asked for again as it was. Tell me anew what to do.")


@dataclass(frozen=True, slots=True)
class WaitingCard:
    """A card that waits for the owner's answer."""

    approval_id: str
    revision: int
    at: datetime
    """When it was last sent or changed."""
    line: str
    """What the call does, in one line."""
    words: str
    """All of the card's text, with which the owner's words are compared; other people may have written parts of it."""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The act that the owner undid or denied last."""

    approval_id: str
    at: datetime


class ByWord:
    """Acts on cards by the owner's words, within the caller's transaction. Wake the engine after commit."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def waiting(self, connection: sa.Connection, now: datetime) -> Sequence[WaitingCard]:
        """Return the cards that wait for the owner's answer, in the order of their requests."""
        names = Names(connection)
        return [self._card(connection, row, names) for row in waiting(connection, now)]

    def show(self, connection: sa.Connection, approval_id: str, now: datetime) -> None:
        """Bring a waiting card down to where the owner is."""
        row = approvals.get(connection, approval_id)
        if row is not None and row.state == State.PENDING:
            bring_card_down(connection, row, now)

    def deny(self, connection: sa.Connection, cards: Iterable[tuple[str, int]], now: datetime) -> str:
        """Deny cards at these revisions, as a tap on Deny does; return the result in words."""
        rows = [(approvals.get(connection, approval_id), revision) for approval_id, revision in cards]
        fitting = [row for row, revision in rows if row is not None and row.revision == revision]
        owner = self._context.owner_id()
        done = [row for row in fitting if decide_one(self._context, connection, row, Verb.DENY, owner, now)]
        told = say_many(len(done), "Denied 1; nothing of it was done.", "Denied {count}; nothing of them was done.")
        if left := len(rows) - len(done):
            more = say_many(left, "1 was changed or decided before.", "{count} were changed or decided before.")
            told = f"{told} {more}" if done else more
        return told

    def taken_back(self, connection: sa.Connection, chat: str, now: datetime) -> TakenBack | None:
        """Return what the owner last undid or denied in a chat, if that was within `FRESH`."""
        rows = approvals.newest(connection, (State.CANCELLED, State.DENIED), RECENT)
        own = [row for row in rows if row.chat == chat and not row.detail and row.finished_at is not None]
        last = max(own, key=lambda row: row.finished_at or row.created_at, default=None)
        if last is None or last.finished_at is None or now - last.finished_at > FRESH:
            return None
        return TakenBack(last.approval_id, last.finished_at)

    def ask_again(self, connection: sa.Connection, approval_id: str, requested_by: str, now: datetime) -> str:
        """Request again what was taken back, on a new card; return why that is impossible, or empty if it is not."""
        row = approvals.get(connection, approval_id)
        if row is None or what_follows(row) is not None:
            return say(GONE)
        if is_listed(self._context.invoker, row.tool):
            return say(NOT_ANEW)
        try:
            found = bring_forward(self._context, connection, _proposal(row, requested_by, now), AGAIN, now, aloud=True)
        except UnknownToolError:
            return say(GONE)
        return "" if isinstance(found, ApprovalRow) else found.reasons_text

    def _card(self, connection: sa.Connection, row: ApprovalRow, names: Names) -> WaitingCard:
        preview = shown_of(self._context.invoker, row)
        before = revisions.get(connection, row.approval_id, row.revision - 1)
        people = [part for one in preview.recipients for part in (one.name, one.address, names.of(one.address))]
        facts = [value for _, value in preview.facts]
        line = described(self._context.invoker, row, names)
        words = " ".join(filter(None, (line, *people, preview.subject, preview.body, *facts)))
        return WaitingCard(row.approval_id, row.revision, before.replaced_at if before else row.created_at, line, words)


def _proposal(row: ApprovalRow, requested_by: str, now: datetime) -> Proposal:
    """Return a proposal of the same call with the original labels, outside of any plan."""
    return Proposal(
        tool=row.tool,
        args=json.loads(row.args),
        origins={name: load(dumped) for name, dumped in row.labels.items()},
        account=row.account,
        requested_by=requested_by,
        call_id=f"again:{row.approval_id}:{requested_by}",
        chat=row.chat,
        not_before=row.not_before if row.not_before is not None and now < row.not_before else None,
    )
