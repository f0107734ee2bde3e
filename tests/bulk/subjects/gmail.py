"""Gmail, on its stand-in."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.bulk.subject import Subject
from tests.modules.email.gmail_account import ME, gmail_account


@asynccontextmanager
async def subject() -> AsyncIterator[Subject]:
    async with gmail_account() as user:
        for at in range(12):
            sender = "news@shop.example" if at < 5 else "anna@friends.example"
            raw = f"From: {sender}\r\nTo: {ME}\r\nSubject: {at}\r\nMessage-ID: <{at}@x>\r\n\r\nHello.\r\n"
            user.server.deliver(ME, raw.encode())
        label = user.server.add_label(ME, "Shops")
        (adapter,) = user.module.bulk_adapters()
        wrong = ({}, {"action": "archive"}, {"action": "unlabel", "senders": ["shop"], "name": "Nothing"})
        order, named = (
            {"action": "archive", "senders": ["shop"]},
            {"action": "label", "senders": ["shop"], "name": "shops"},
        )
        resolved = {"add": [label.id], "remove": [], "label": "shops"}
        yield Subject(
            *(adapter, order, named, wrong, "18ffffffffffffff", resolved),
            fetched=lambda: sum(call.method_id.startswith("gmail.messages.") for call in user.probe.calls),
        )
