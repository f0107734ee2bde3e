"""What acts on boards takes only names that are exactly so; what a name came to stands on the card."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from butler.contract.bulk import BulkOrder
from butler.store.open import open_store
from modules.trello.bulk import TrelloBulkAdapter
from tests.bulk.bulk_harness import BulkHarness, called
from tests.modules.trello.boards import ANNA, ME, Boards, boards


@pytest.fixture
async def home() -> AsyncIterator[Boards]:
    """With a second board whose names are near to what is asked for."""
    async with boards() as made:
        work = made.server.add_board("Work secret board", ME, [ANNA])
        made.server.add_list(work, "Inbox")
        made.server.add_list(work, "Not  approved")
        keep = made.server.add_label(made.home, "Do not archive", "red")
        made.server.add_card(made.todo, "Passport", labels=[keep], members=[ANNA])
        yield made


@pytest.fixture
async def room(home: Boards, tmp_path: Path) -> AsyncIterator[BulkHarness[TrelloBulkAdapter]]:
    store = open_store("sqlite://", data_dir=tmp_path)
    yield BulkHarness[TrelloBulkAdapter].of(store, home.adapter)
    await store.close()


async def meant(room: BulkHarness[TrelloBulkAdapter], **params: Any) -> str:
    """What the card says that the names are."""
    shown = await room.shown(BulkOrder("trello", "", params))
    return dict(shown.facts).get("Meant", "")


@pytest.mark.parametrize(
    ("order", "near"),
    [
        (
            {"action": "move", "in_list": "To do", "to_list": "Approved", "to_board": "Work secret board"},
            "there is no open list called Approved; there is Not  approved (Work secret board)",
        ),
        ({"action": "archive", "in_list": "approved"}, "there is Not  approved (Work secret board)"),
        (
            {"action": "move", "in_list": "To do", "to_board": "Work"},
            "there is no open board called Work; there is Work secret board",
        ),
        ({"action": "archive", "board": "work"}, "there is Work secret board"),
        (
            {"action": "archive", "board": "Home", "label": "archive"},
            "there is no label called archive; there is Do not archive",
        ),
        ({"action": "unlabel", "board": "Home", "name": "archive"}, "there is Do not archive"),
        (
            {"action": "assign", "board": "Home", "person": "berg"},
            "nobody on the board is called exactly berg; there is Anna Berg",
        ),
        ({"action": "archive", "assigned": "Berg"}, "there is Anna Berg"),
    ],
)
async def test_many_cards_are_not_acted_on_by_a_name_that_is_only_near(
    home: Boards, room: BulkHarness[TrelloBulkAdapter], order: dict[str, Any], near: str
) -> None:
    result = await room.launcher.snapshot(BulkOrder("trello", "", order), called("c"))
    assert result.error is not None
    assert (result.error.code, near in result.error.message) == ("INVALID_INPUT", True), result.error.message


async def test_a_move_within_each_cards_own_board_takes_no_list_that_is_only_near(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    order = BulkOrder("trello", "", {"action": "move", "words": "passport", "to_list": "Approved"})
    result = await room.launcher.snapshot(order, called("c"))
    assert result.error is not None
    assert "there is Not  approved" in result.error.message


@pytest.mark.parametrize(
    ("said", "near"),
    [
        ({"board": "Work"}, "there is Work secret board"),
        ({"board": "Work secret board", "in_list": "Approved"}, "there is Not  approved"),
        ({"board": "Home", "assign": ["berg"]}, "there is Anna Berg"),
    ],
)
async def test_a_card_is_not_made_at_a_name_that_is_only_near(home: Boards, said: dict[str, Any], near: str) -> None:
    code, message = await home.fault("create_card", name="Pay", **said)
    assert (code, near in message) == ("INVALID_INPUT", True), message


async def test_what_only_reads_finds_by_some_words_of_a_name(home: Boards) -> None:
    for said in ({"label": "archive"}, {"assigned": "berg"}):
        assert [card["name"] for card in (await home.data("list_cards", **said))["cards"]] == ["Passport"]


async def test_capitals_and_blanks_make_no_difference_and_need_no_word_on_the_card(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    move = {"in_list": "to  DO", "board": "home", "to_list": "not approved", "to_board": " work secret  BOARD "}
    assert await meant(room, action="move", **move) == ""
    assert await meant(room, action="archive", board="Home", label="do not ARCHIVE", assigned="anna berg") == ""
    assert await meant(room, action="assign", board="Home", person="me") == ""


@pytest.mark.parametrize(
    ("order", "told"),
    [
        ({"action": "move", "board": "Home", "to_board": "Work secret board"}, "“the first one” is Inbox"),
        ({"action": "archive", "board": "Home", "label": "red"}, "“red” is Do not archive"),
        ({"action": "unlabel", "words": "passport", "name": "Red"}, "“Red” is Do not archive"),
        ({"action": "unassign", "board": "Home", "person": "@anna"}, "“@anna” is Anna Berg"),
        ({"action": "archive", "board": "Home", "assigned": "anna"}, "“anna” is Anna Berg"),
        ({"action": "archive", "in_list": "To do"}, "“To do” is To do (Home)"),
    ],
)
async def test_the_card_says_what_a_name_came_to_where_that_is_written_otherwise(
    home: Boards, room: BulkHarness[TrelloBulkAdapter], order: dict[str, Any], told: str
) -> None:
    assert await meant(room, **order) == told


async def test_a_board_and_a_list_that_are_given_by_id_and_a_label_of_named_cards_are_told_by_name(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    assert await meant(room, action="archive", board=home.home) == f"“{home.home}” is Home"
    told = await meant(room, action="archive", board="Home", in_list=home.todo)
    assert told == f"“{home.todo}” is To do"
    (card,) = home.server.cards(home.home)
    assert await meant(room, action="unlabel", cards=[card["id"]], name="red") == "“red” is Do not archive"


async def test_words_are_looked_for_at_the_beginnings_of_words(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    for name in ("Party planning", "Art supplies", "Start the car", "Modern (art)", "pop-ART", "Pay #12"):
        home.server.add_card(home.doing, name)
    shown = await room.shown(BulkOrder("trello", "", {"action": "archive", "words": "art"}))
    assert [line.removeprefix("Doing · ") for line in shown.sample] == ["Art supplies", "Modern (art)", "pop-ART"]
    for words, found in (("sup AR", "Art supplies"), ("plan", "Party planning"), ("#12", "Pay #12"), ("12", "Pay #12")):
        assert [card["name"] for card in (await home.data("list_cards", words=words))["cards"]] == [found]


async def test_people_are_called_by_their_first_names_too(home: Boards, room: BulkHarness[TrelloBulkAdapter]) -> None:
    home.server.add_member("b77", "Bob Stone")
    home.server.add_card(home.server.add_list(home.server.add_board("Yard", ME, ["b77"]), "Plants"), "Water them")
    assert await meant(room, action="assign", board="Yard", person="Bob") == "“Bob” is Bob Stone"
