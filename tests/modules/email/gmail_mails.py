"""Mails in an account of the Gmail stand-in, and what is asked of a run over them."""

from datetime import UTC, datetime, timedelta

from butler.contract.bulk import BulkToolAdapter
from butler_demo.gmail.server import GmailServer
from tests.bulk.bulk_harness import BulkHarness
from tests.modules.email.gmail_account import ME

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
SHOP, SCHOOL = "news@hostinger.example", "office@school.example"


def put(server: GmailServer, sender: str, number: int, *labels: str, age: timedelta = timedelta()) -> str:
    """A mail in the account; its id."""
    raw = f"From: {sender}\r\nTo: {ME}\r\nSubject: number {number}\r\nMessage-ID: <{number}@{sender}>\r\n\r\nHello.\r\n"
    found = labels or ("INBOX", "UNREAD")
    return server.deliver(ME, raw.encode(), received=NOW - age, unread="UNREAD" in found, labels=found).id


def own_labels(server: GmailServer) -> dict[str, str]:
    """The ids of the person's own labels, by name."""
    return {label.name: label.id for label in server.labels(ME) if not label.system}


def labels(server: GmailServer) -> dict[str, tuple[str, ...]]:
    """What each mail bears, by its id."""
    return {message.id: tuple(sorted(message.label_ids)) for message in server.mailbox(ME)}


async def undone(room: BulkHarness[BulkToolAdapter], run_id: str) -> None:
    """Put back what a run has done."""
    await room.tap(run_id, "Undo")
    await room.worked_off()
