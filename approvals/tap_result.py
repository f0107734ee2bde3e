"""A tap and its result, for all handlers of taps."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa

from butler.contract.inbound import Inbound
from butler.contract.speech import phrase, say
from butler.store.queries import audit
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.buttons import ButtonRow

ANSWER_LIMIT = 200


class TapResult(StrEnum):
    """The result of a tap."""

    DECIDED = "decided"
    NOTED = "noted"
    """The tap turned a page, opened a proposal or asked for a PIN; it decided nothing."""
    TOO_LATE = "too late"
    """The approval was decided, expired or withdrawn before; or the same tap was delivered again."""
    STALE = "stale"
    """The button is on the card of an earlier revision."""
    FOREIGN = "foreign"
    """Somebody other than the owner tapped."""
    ELSEWHERE = "elsewhere"
    """The tap came from a chat that the card was not sent to."""
    UNKNOWN = "unknown"
    """No button has this nonce: it is guessed, or older than the records."""
    REFUSED = "refused"
    """The owner's own tap, but not possible now; the answer says why."""


@dataclass(frozen=True, slots=True)
class TapAnswer:
    """The result of a tap, and the answer to the person who tapped."""

    tapped: TapResult
    text: str
    approval_id: str | None = None


@dataclass(frozen=True, slots=True)
class Press:
    """A tap by the owner on a valid button in its chat; the button's revision and state are not checked yet."""

    tap: Inbound
    button: ButtonRow
    approval: ApprovalRow | None
    """The approval that the button belongs to, if any."""
    now: datetime


PressHandler = Callable[[sa.Connection, Press], TapAnswer]
"""Handles a press within the transaction of the tap."""

REFUSALS = {
    TapResult.STALE: phrase("A newer version has replaced this card. Nothing was done."),
    TapResult.FOREIGN: phrase("This is not yours to decide. Nothing was done."),
    TapResult.ELSEWHERE: phrase("This button belongs to another chat. Nothing was done."),
    TapResult.UNKNOWN: phrase(
        "I do not know this button any more. Nothing was done; /pending lists what waits for you."
    ),
}
"""The default answers to a tap that did nothing."""


def refuse(
    connection: sa.Connection, tap: Inbound, tapped: TapResult, subject: str, now: datetime, text: str = ""
) -> TapAnswer:
    """Record a tap that did nothing, and return its answer."""
    data = {"why": tapped.value, "inbound": tap.inbound_id, "chat": tap.chat}
    audit.append(connection, "approval.tap_refused", subject, tap.sender, data, now)
    return TapAnswer(tapped, short(text or say(REFUSALS[tapped])), subject or None)


def short(text: str) -> str:
    """Shorten a text to the limit of an answer to a tap."""
    return text if len(text) <= ANSWER_LIMIT else f"{text[: ANSWER_LIMIT - 1]}…"
