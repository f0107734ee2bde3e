"""What the house says of what waits."""

from datetime import UTC, datetime

from approvals.desk import PendingSummary
from butler.contract.tools import Recipient
from butler.status import line_of

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)


def waiting(body: str, *people: Recipient) -> PendingSummary:
    return PendingSummary(
        approval_id="1",
        tool="user_telegram_send_message",
        effect="Sends a Telegram message as you",
        recipients=people,
        body=body,
        chat="telegram:42",
        created_at=NOON,
        expires_at=NOON,
    )


def test_what_waits_is_told_by_whom_it_goes_to_and_how_it_begins():
    anna = Recipient(address="telegram:@anna", name="Anna")
    assert line_of(waiting("I'm late", anna)) == "Sends a Telegram message as you — to Anna: “I'm late”"


def test_a_long_text_is_cut_and_nothing_in_it_hides():
    line = line_of(waiting("one\ntwo " + "x" * 100 + "\u202e"))
    assert line.endswith("…”")
    assert "\n" not in line
    assert "\u202e" not in line
