"""A mailbox over IMAP, on the demo's mail server."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from butler_demo.mailbox.server import MailServer
from modules.email.imap.bulk_methods import FIND, LOCATE, LOOK
from modules.email.imap.user_ids import place_of
from tests.bulk.subject import Subject
from tests.modules.email.mailhost import UserUnderTest, mail, mail_context

LISTS = {FIND, LOOK, LOCATE}


@asynccontextmanager
async def subject() -> AsyncGenerator[Subject]:
    server = MailServer()
    await server.start()
    user = UserUnderTest(server, mail_context(server, "me"))
    try:
        for at in range(12):
            sender = "news@shop.example" if at < 5 else "anna@friends.example"
            await asyncio.to_thread(server.put, user.address, mail(f"{at}", From=sender), "INBOX")
        (adapter,) = user.module.bulk_adapters()
        wrong: tuple[dict[str, Any], ...] = (
            *({}, {"action": "archive"}),
            {"action": "trash", "category": "social"},
        )
        order, named = (
            {"action": "archive", "senders": ["shop"]},
            {"action": "move", "senders": ["shop"], "to": "archive"},
        )
        gone = place_of("INBOX", 1, 4711)
        yield Subject(
            *(adapter, order, named, wrong, gone, {"to": '"Archive"'}),
            fetched=lambda: sum(call.method_id in LISTS for call in user.probe.calls),
        )
    finally:
        await user.stop()
        await server.stop()
