"""An update of a shape that nobody expected must not stop the updates after it."""

from typing import Any

import pytest

from butler_demo.botapi.server import BotApiServer
from tests.modules.telegram.conftest import OWNER, TOKEN, Harness

CHAT = {"id": OWNER, "type": "private", "first_name": "Sam"}
SAM = {"id": OWNER, "is_bot": False, "first_name": "Sam"}
HEAD = {"message_id": 900, "date": 1, "chat": CHAT, "from": SAM}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("message", None),
        ("message", []),
        ("message", {**HEAD, "text": 5}),
        ("message", {**HEAD, "photo": []}),
        ("message", {**HEAD, "text": "hi", "entities": [{"type": "blockquote"}]}),
        ("message", {**HEAD, "text": "hi", "entities": 7}),
        ("message", {**HEAD, "text": "hi", "from": None}),
        ("message", {**HEAD, "document": "a file"}),
        ("callback_query", {"id": "1", "from": SAM, "message": "gone", "data": "a:x"}),
        ("callback_query", {"id": "1", "from": SAM}),
    ],
)
async def test_an_update_that_cannot_be_read_stops_none_after_it(
    telegram: Harness, server: BotApiServer, kind: str, body: Any
) -> None:
    server.state.validate = False
    server.state.issue(server.state.known_bot(TOKEN), kind, body)
    server.say(TOKEN, OWNER, "still there?")
    async with telegram.polling():
        items = await telegram.taken()
    assert "still there?" in [item.text for item in items]
