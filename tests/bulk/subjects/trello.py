"""Trello, on its stand-in."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.bulk.subject import Subject
from tests.modules.trello.boards import boards


@asynccontextmanager
async def subject() -> AsyncIterator[Subject]:
    async with boards() as home:
        for at in range(12):
            home.server.add_card(home.done if at < 5 else home.todo, f"Card {at}")
        label = home.server.add_label(home.home, "Shops", "red")
        wrong = (
            {},
            {"action": "archive"},
            {"action": "archive", "board": "Nothing"},
            {"action": "move", "in_list": "Done", "to_list": "Nowhere"},
            {"action": "unlabel", "board": "Home", "name": "Nothing"},
            {"action": "assign", "board": "Home", "person": "Nobody"},
        )
        order = {"action": "archive", "in_list": "done"}
        named = {"action": "label", "in_list": "Done", "name": "shops"}
        resolved = {"name": "shops", "labels": {home.home: label}}
        gone = "6" * 24
        yield Subject(
            *(home.adapter, order, named, wrong, gone, resolved),
            fetched=lambda: sum("cards" in call.method_id for call in home.probe.calls),
        )
