"""What a card of Butler's shows of each tool before the person says yes: all that decides, in their words."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import ValidationError

from butler.contract.bulk import BulkSnapshot
from butler.contract.tools import Preview
from modules.trello.config import TrelloModuleSettings
from tests.modules.trello.boards import Boards, boards

SNAPSHOT = BulkSnapshot(
    run="r1", digest="d", count=2, facts=(("How many", "2"),), sample=("To do · Pay", "Doing · Mend")
)


@pytest.fixture
async def home() -> AsyncIterator[Boards]:
    async with boards() as made:
        yield made


def shown(home: Boards, tool: str, **args: Any) -> Preview:
    spec = home.registry.spec(f"user_trello_{tool}")
    assert spec.preview is not None
    assert not spec.unseen, "everybody on the board sees it"
    preview = spec.preview(spec.args.model_validate(args))
    assert set(preview.told) == set(spec.args.model_fields), "nothing is left to be listed bare"
    return preview


@pytest.mark.parametrize(
    ("tool", "args", "effect", "facts"),
    [
        ("move_card", {"to_list": "Done"}, "Moves cards to another list on Trello", {"To the list": "Done"}),
        (
            "move_card",
            {"to_board": "Work"},
            "Moves cards to another list on Trello",
            {"To the list": "the first one", "To the board": "Work"},
        ),
        ("archive_card", {"overdue": True}, "Archives cards on Trello", {"Only": "overdue ones"}),
        ("archive_card", {"keep": ["Anna", "me"]}, "Archives cards on Trello", {"But not": "Anna, you"}),
        ("unarchive_card", {}, "Brings archived cards back on Trello", {}),
        ("label_card", {"name": "Spring"}, "Puts a label on cards on Trello", {"Label": "Spring"}),
        ("unlabel_card", {"name": "Spring"}, "Takes a label off cards on Trello", {"Label": "Spring"}),
        ("assign_card", {"person": "Anna"}, "Puts somebody on cards on Trello", {"Who": "Anna"}),
        ("unassign_card", {"person": "Me"}, "Takes somebody off cards on Trello", {"Who": "you"}),
        (
            "due_card",
            {"due": "2027-03-05T14:00"},
            "Sets when cards on Trello are due",
            {"Due": "Friday 5 March 2027 at 14:00"},
        ),
        ("due_card", {"due": None}, "Sets when cards on Trello are due", {"Due": "no date any more"}),
    ],
)
async def test_many_cards_are_shown_with_what_becomes_of_them_and_what_was_said(
    home: Boards, tool: str, args: dict[str, Any], effect: str, facts: dict[str, str]
) -> None:
    said = {"board": "Home", "in_list": "To do", "label": "Old", "words": "roof", "assigned": "me"}
    preview = shown(home, tool, **said, **args, due_before="2027-03-05", snapshot=SNAPSHOT)
    assert preview.effect == effect
    found = dict(preview.facts)
    assert found["Due before"] == "Friday 5 March 2027 at 00:00"
    expected = {"Board": "Home", "List": "To do", "With the label": "Old", "Words": "roof", "Assigned to": "you"}
    assert expected.items() <= found.items()
    assert facts.items() <= found.items()
    assert found["How many"] == "2"
    assert preview.body == "To do · Pay\nDoing · Mend"


async def test_one_card_is_shown_before_it_is_completed_too(home: Boards) -> None:
    created = shown(home, "create_card", name="Pay", board="Home", in_list="Doing", position="top", assign=["me"])
    facts = {"Board": "Home", "List": "Doing", "Where in it": "at the top", "Put on it": "me"}
    assert facts.items() <= dict(created.facts).items()
    assert dict(shown(home, "change_card", card="aB3dE6gH", done=False, name="New").facts) == {
        "Card": "aB3dE6gH",
        "New name": "New",
        "Becomes": "not done",
        "Who sees it": "Everybody on the board sees it.",
    }


async def test_a_comment_a_list_and_a_deletion_are_shown_whole(home: Boards) -> None:
    about = {"card_id": "6" * 24, "name": "Pay", "board": "Home", "list_name": "To do"}
    comment = shown(home, "comment_card", card="aB3dE6gH", text="Done.", about=about)
    assert (comment.body, dict(comment.facts)["Card"]) == ("Done.", "Pay")
    made = shown(home, "create_list", name="Later", place={"board_id": home.home, "board": "Home"})
    assert (made.subject, dict(made.facts)["Board"]) == ("Later", "Home")
    deleted = shown(home, "delete_card", card="aB3dE6gH", about=about)
    assert "for good" in deleted.effect
    assert "archiving keeps it" in dict(deleted.facts)["Cannot be undone"]


@pytest.mark.parametrize(
    "section",
    [
        {"account": "work", "accounts": {"work": {}}},
        {"accounts": ["work"]},
        {"accounts": {"work": 7}},
        {"api_root": "https://api.trello.com/1"},
        {"requests_per_10s": 0},
    ],
)
def test_settings_that_make_no_sense_are_refused(section: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TrelloModuleSettings.model_validate({"user": section})


def test_an_account_that_is_switched_off_is_not_used() -> None:
    section = {"accounts": {"work": {}, "old": {"enabled": False}, "own-key": {"key_env": "K", "token_env": "T"}}}
    settings = TrelloModuleSettings.model_validate({"user": section})
    every = settings.user_accounts()
    assert list(every) == ["main", "work", "own-key"]
    assert [one.token_env for one in every.values()] == ["USER_TRELLO_TOKEN", "USER_TRELLO_TOKEN_WORK", "T"]
    assert TrelloModuleSettings().user_accounts() == {}
