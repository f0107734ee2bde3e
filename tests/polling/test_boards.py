"""What is kept and told of boards: the cards that are on them, and each deed on a card with whoever did it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler.contract.integration import IntegrationCall
from butler.contract.polled import PolledKind, PolledQuery
from butler_demo.trello.server import TrelloServer
from modules.trello import source
from modules.trello.records import CHANGE_CARD
from tests.polling.accounts import Trello, World, world


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    async with world("trello", tmp_path) as made:
        yield made


def server_of(here: World) -> tuple[TrelloServer, Trello]:
    assert isinstance(here.account, Trello)
    assert isinstance(here.account.server, TrelloServer)
    return here.account.server, here.account


async def told(here: World) -> list[tuple[object, ...]]:
    return [tuple(event.facts[name] for name in ("name", "change", "list", "by", "own")) for event in await here.told()]


async def test_each_deed_is_told_as_what_it_was_and_by_whom(here: World) -> None:
    server, account = server_of(here)
    done = server.add_list(account.board, "Done")
    card = await account.add("Rent")
    await here.look()
    server.change_card(card, "robin", idList=done)
    server.change_card(card, "robin", desc="by the first")
    server.change_card(card, "robin", closed=True)
    server.change_card(card, "robin", closed=False)
    await here.look()
    assert [(name, change, where, by) for name, change, where, by, _ in await told(here)] == [
        ("Rent", "moved", "Done", "Robin Vale"),
        ("Rent", "changed", "Done", "Robin Vale"),
        ("Rent", "archived", "Done", "Robin Vale"),
        ("Rent", "changed", "Done", "Robin Vale"),
    ]


async def test_what_butler_did_itself_is_told_as_that(here: World) -> None:
    _, account = server_of(here)
    card = await account.add("Rent")
    await here.look()
    (integration,) = account.module.integrations()
    args = {"id": card, "name": "The rent"}
    assert (await integration.call(IntegrationCall(trace_id="t", method_id=CHANGE_CARD, args=args))).ok
    await here.look()
    assert [(name, own) for name, *_, own in await told(here)] == [("The rent", True)]


async def test_archived_cards_and_those_of_archived_lists_and_closed_boards_are_kept_no_longer(here: World) -> None:
    server, account = server_of(here)
    other = server.add_list(account.board, "Other")
    card = await account.add("Rent")
    server.add_card(other, "Trip")
    await here.look()
    server.change_card(card, "robin", closed=True)
    await here.look()
    assert await here.names() == ["Trip"]
    server.archive_list(other)
    await here.look()
    assert await here.names() == []
    server.change_card(card, "robin", closed=False)
    await here.look()
    assert await here.names() == ["Rent"]
    before = len(await here.told())
    server.close_board(account.board)
    await here.look()
    assert await here.names() == []
    assert len(await here.told()) == before


async def test_very_many_changes_cost_one_look_at_the_board(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    _, account = server_of(here)
    monkeypatch.setattr(source, "MOST_CARDS", 2)
    await here.look()
    for number in range(5):
        await account.add(f"Card {number}")
    await here.look()
    assert await here.names() == [f"Card {number}" for number in range(5)]
    assert [change for _, change, *_ in await told(here)] == ["made"] * 5


async def test_a_card_says_where_it_is_and_when_it_is_due(here: World) -> None:
    server, account = server_of(here)
    server.add_card(account.todo, "Rent", due="2027-03-01T09:00:00.000Z", members=["robin"])
    await here.look()
    (record,) = await here.context.storage.polled.find(PolledQuery(PolledKind.CARD))
    assert record.at is not None
    assert (record.item["board"], record.item["list"], record.item["due"]) == (
        "Home",
        "To do",
        "2027-03-01T09:00:00+00:00",
    )
