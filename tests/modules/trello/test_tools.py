"""The tools on one card or list, through the real client against the stand-in."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from approvals.reason_words import details_in_words
from butler.contract.tools import Settled
from modules.trello.args import ChangeCardArgs, CreateCardArgs
from modules.trello.bulk_args import CardSelection, MoveSelection
from tests.modules.email.mailhost import Notes
from tests.modules.trello.boards import ANNA, ME, Boards, boards


@pytest.fixture
async def home() -> AsyncIterator[Boards]:
    async with boards() as made:
        yield made


def names(found: dict[str, Any]) -> list[str]:
    return [card["name"] for card in found["cards"]]


# Reading


async def test_boards_come_with_their_open_lists(home: Boards) -> None:
    home.server.archive_list(home.server.add_list(home.home, "Old"))
    home.server.close_board(home.server.add_board("Gone", ME))
    home.server.add_board("Anna's own", ANNA)
    found = await home.data("list_boards")
    assert found["count"] == 1
    (board,) = found["boards"]
    assert (board["name"], board["lists"]) == ("Home", ["To do", "Doing", "Done"])
    assert board["url"].startswith("https://trello.com/b/")


async def test_a_card_is_found_by_each_thing_that_is_said_of_it(home: Boards) -> None:
    server = home.server
    red = server.add_label(home.home, "Urgent", "red")
    due = datetime(2027, 3, 5, 13, tzinfo=UTC)
    server.add_card(home.todo, "Pay the rent", labels=[red], members=[ME], due=due)
    server.add_card(home.doing, "Mend the roof", desc="Call the roofer about the rent of a ladder", members=[ANNA])
    server.add_card(home.done, "Old thing", closed=True)
    server.add_card(home.done, "Late thing", due=datetime(2020, 1, 1, tzinfo=UTC))
    server.add_card(home.done, "Late and done", due=datetime(2020, 1, 1, tzinfo=UTC), done=True)
    for said, expected in (
        ({"in_list": "doing"}, ["Mend the roof"]),
        ({"label": "urgent"}, ["Pay the rent"]),
        ({"label": "red"}, ["Pay the rent"]),
        ({"words": "rent THE"}, ["Pay the rent", "Mend the roof"]),
        ({"words": "ladder"}, ["Mend the roof"]),
        ({"assigned": "me"}, ["Pay the rent"]),
        ({"assigned": "Anna"}, ["Mend the roof"]),
        ({"archived": True}, ["Old thing"]),
        ({"overdue": True}, ["Late thing"]),
        ({"due_before": "2027-03-06"}, ["Late thing", "Late and done", "Pay the rent"]),
        ({"due_before": "2027-03-05T13:00", "label": "Urgent", "board": "Home"}, []),
    ):
        if not expected:
            assert await home.fault("list_cards", **said) == ("NOT_FOUND", "there is no such card on Trello")
        else:
            assert names(await home.data("list_cards", **said)) == expected, said


async def test_a_row_has_what_a_person_knows_a_card_by(home: Boards) -> None:
    red, nameless = home.server.add_label(home.home, "Urgent", "red"), home.server.add_label(home.home, "", "blue")
    due = datetime(2027, 3, 5, 13, 30, tzinfo=UTC)
    card = home.server.add_card(home.todo, "Pay", labels=[red, nameless], members=[ME, ANNA], due=due)
    (row,) = (await home.data("list_cards", in_list="To do"))["cards"]
    assert row == {
        "card_id": card,
        "name": "Pay",
        "board": "Home",
        "list": "To do",
        "labels": ["Urgent", "blue"],
        "assigned": ["Robin Vale", "Anna Berg"],
        "due": "2027-03-05T13:30",
        "done": False,
        "url": home.card(card)["shortUrl"],
    }


async def test_a_list_that_is_cut_says_so(home: Boards) -> None:
    for at in range(4):
        home.server.add_card(home.todo, f"Card {at}")
    found = await home.data("list_cards", board="home", limit=3)
    assert (found["count"], found["complete"]) == (3, False)
    assert (await home.data("list_cards", limit=4))["complete"]


async def test_one_card_is_read_with_its_text_and_comments_by_id_and_by_address(home: Boards) -> None:
    card = home.server.add_card(home.todo, "Pay", desc="To the landlord.")
    await home.data("comment_card", card=card, text="Done on Monday.")
    for said in (card, home.card(card)["shortUrl"], home.card(card)["shortLink"]):
        (row,) = (await home.data("read_card", card=said))["cards"]
        assert (row["list"], row["description"], row["archived"]) == ("To do", "To the landlord.", False)
        assert [(one["by"], one["text"]) for one in row["comments"]] == [("Robin Vale", "Done on Monday.")]


async def test_what_is_no_card_is_said_to_be_none(home: Boards) -> None:
    code, message = await home.fault("read_card", card="the rent")
    assert (code, "look for it by its name" in message) == ("INVALID_INPUT", True)
    assert await home.fault("read_card", card="https://evil.example/c/aB3dE6gH") == (code, message)
    assert (await home.fault("read_card", card="6" * 24))[0] == "NOT_FOUND"


# Names


async def test_a_name_that_several_have_is_asked_about_with_all_of_them(home: Boards) -> None:
    work = home.server.add_board("Work", ME)
    home.server.add_list(work, "Done")
    home.server.add_board("home", ME)
    code, message = await home.fault("list_cards", in_list="done")
    assert code == "INVALID_INPUT"
    assert "Done (Home), Done (Work)" in message
    code, message = await home.fault("list_cards", board="Home")
    assert code == "INVALID_INPUT"
    assert message.count("https://trello.com/b/") == 2


async def test_a_name_that_nothing_has_is_answered_with_what_there_is(home: Boards) -> None:
    for said, expected in (
        ({"board": "Garden"}, "there are: Home"),
        ({"in_list": "Later"}, "there are: To do, Doing, Done"),
        ({"label": "Urgent"}, "no label Urgent"),
        ({"assigned": "Carol"}, "there are: Robin Vale, Anna Berg"),
    ):
        code, message = await home.fault("list_cards", **said)
        assert (code, expected in message) == ("INVALID_INPUT", True), message


async def test_a_board_is_known_by_a_word_of_its_name_and_by_its_address(home: Boards) -> None:
    garden = home.server.add_board("🌱 Garden 2027", ME)
    home.server.add_card(home.server.add_list(garden, "Beds"), "Sow")
    url = next(b["url"] for b in (await home.data("list_boards"))["boards"] if b["board_id"] == garden)
    for said in ("garden", garden, url, "Garden 2027"):
        assert names(await home.data("list_cards", board=said)) == ["Sow"]
    assert (await home.fault("list_cards", board="gard"))[0] == "INVALID_INPUT", "half a word is no name"


# Making


async def test_a_card_is_made_where_and_as_it_was_shown(home: Boards) -> None:
    red = home.server.add_label(home.home, "Urgent", "red")
    args = await home.completed(
        "create_card",
        name="Pay the rent",
        board="home",
        in_list="doing",
        description="To the landlord.",
        due="2027-03-05T14:00",
        labels=["urgent"],
        assign=["me", "anna"],
    )
    assert (args["place"]["board"], args["place"]["list_name"]) == ("Home", "Doing")
    preview = home.registry.spec("user_trello_create_card").preview
    assert preview is not None
    shown = preview(CreateCardArgs.model_validate(args))
    assert (shown.subject, shown.body) == ("Pay the rent", "To the landlord.")
    facts = dict(shown.facts)
    assert (facts["Board"], facts["List"]) == ("Home", "Doing")
    assert (facts["Put on it"], facts["Labels"]) == ("Robin Vale, Anna Berg", "Urgent")
    assert facts["Due"] == "Friday 5 March 2027 at 14:00"
    (row,) = (await home.data("create_card", **args))["cards"]
    card = home.card(row["card_id"])
    assert (card["idList"], card["desc"], card["due"]) == (home.doing, "To the landlord.", "2027-03-05T14:00:00.000Z")
    assert (card["idLabels"], card["idMembers"]) == ([red], [home.me, home.anna])


async def test_a_card_goes_into_the_only_boards_first_list_and_on_top_where_that_is_said(home: Boards) -> None:
    home.server.add_card(home.todo, "Old")
    await home.data("create_card", name="New", position="top")
    assert home.names(home.todo) == ["New", "Old"]


async def test_a_card_is_not_made_where_names_have_come_to_mean_something_else(home: Boards) -> None:
    args = await home.completed("create_card", name="Pay", in_list="Doing")
    forged = {**args, "place": {**args["place"], "list_id": home.done}}
    code, message = await home.fault("create_card", **forged)
    assert (code, "no longer what was shown" in message) == ("REJECTED", True)
    assert (home.names(home.doing), home.names(home.done)) == ([], [])


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"labels": ["Urgent"]}, "no label Urgent on Home"),
        ({"assign": ["Carol"]}, "nobody on the board is called Carol"),
        ({"in_list": "Later"}, "no open list Later"),
        ({"board": "Garden"}, "no open board Garden"),
    ],
)
async def test_a_card_is_not_shown_with_a_name_that_is_not_there(home: Boards, said: Any, expected: str) -> None:
    call = home.call("create_card", {"name": "Pay", **said})
    complete = home.registry.spec(call.tool).complete
    assert complete is not None
    result = await complete(call)
    assert result.error is not None
    assert expected in result.error.message


async def test_on_which_of_several_boards_is_asked_unless_one_has_such_a_list(home: Boards) -> None:
    work = home.server.add_board("Work", ME)
    home.server.add_list(work, "Backlog")
    code, message = await home.fault("create_card", name="Pay")
    assert (code, "Home, Work" in message) == ("INVALID_INPUT", True)
    (row,) = (await home.data("create_card", name="Pay", in_list="backlog"))["cards"]
    assert row["board"] == "Work"
    home.server.add_board("Empty", ME)
    assert "has no list" in (await home.fault("create_card", name="Pay", board="Empty"))[1]


async def test_a_list_is_made_at_the_end_of_its_board(home: Boards) -> None:
    args = await home.completed("create_list", name="Later")
    assert args["place"]["board"] == "Home"
    await home.data("create_list", **args)
    assert [one["name"] for one in home.server.lists(home.home)] == ["To do", "Doing", "Done", "Later"]


# Changing


async def test_a_card_is_changed_in_what_is_said_and_nothing_else(home: Boards) -> None:
    card = home.server.add_card(home.todo, "Pay", desc="Old text", due=datetime(2027, 1, 1, tzinfo=UTC))
    args = await home.completed("change_card", card=card, name="Pay the rent", due="2027-03-05T14:00", done=True)
    await home.data("change_card", **args)
    changed = home.card(card)
    assert (changed["name"], changed["desc"]) == ("Pay the rent", "Old text")
    assert (changed["due"], changed["dueComplete"]) == ("2027-03-05T14:00:00.000Z", True)
    await home.data("change_card", card=card, description="")
    assert home.card(card)["desc"] == ""


async def test_what_is_shown_of_a_change_names_the_card_and_what_becomes_of_it(home: Boards) -> None:
    card = home.server.add_card(home.todo, "Pay")
    args = await home.completed("change_card", card=card, done=True, description="")
    preview = home.registry.spec("user_trello_change_card").preview
    assert preview is not None
    facts = dict(preview(ChangeCardArgs.model_validate(args)).facts)
    assert (facts["Card"], facts["List"], facts["Board"]) == ("Pay", "To do", "Home")
    assert (facts["Becomes"], facts["Description"]) == ("done", "is taken away")


@pytest.mark.parametrize("tool", ["change_card", "comment_card", "delete_card"])
async def test_nothing_is_done_to_a_card_that_is_no_longer_as_it_was_shown(home: Boards, tool: str) -> None:
    card = home.server.add_card(home.todo, "Pay")
    more: dict[str, dict[str, Any]] = {"change_card": {"done": True}, "comment_card": {"text": "Hello"}}
    args = await home.completed(tool, card=card, **more.get(tool, {}))
    home.server.change_card(card, ANNA, name="Pay nothing")
    before = home.card(card)
    code, message = await home.fault(tool, **args)
    assert (code, "no longer as it was shown" in message) == ("REJECTED", True)
    assert home.card(card) == before


async def test_a_card_is_deleted_for_good(home: Boards) -> None:
    card = home.server.add_card(home.todo, "Pay")
    args = await home.completed("delete_card", card=card)
    assert args["about"]["name"] == "Pay"
    await home.data("delete_card", **args)
    assert home.server.card(card) is None


# What became of it, where there was no answer


@pytest.mark.parametrize(
    ("tool", "operation", "args"),
    [
        ("create_card", "post-cards", {"name": "Pay", "in_list": "To do"}),
        ("create_list", "post-lists", {"name": "Later"}),
        ("comment_card", "post-cards-id-actions-comments", {"text": "Hello"}),
    ],
)
async def test_what_was_made_without_an_answer_is_found_in_the_log_and_never_made_twice(
    home: Boards, tool: str, operation: str, args: dict[str, Any]
) -> None:
    card = home.server.add_card(home.todo, "Other")
    args = {**args, **({"card": card} if tool == "comment_card" else {})}
    # One like it from before counts for nothing.
    await home.data(tool, **args)
    before = len(home.server.actions(home.home))
    home.server.fail(operation, 0, after_effect=True)
    notes = Notes()
    result = await home.do(tool, notes, **args)
    assert result.error is not None
    assert result.error.effect == "unknown"
    found = await home.found_out(tool, notes, **args)
    assert found.settled is Settled.DONE, found
    assert found.data
    assert len(home.server.actions(home.home)) == before + 1


async def test_what_the_log_does_not_have_stays_unknown(home: Boards) -> None:
    home.server.fail("post-cards", 0)
    notes = Notes()
    await home.do("create_card", notes, name="Pay")
    found = await home.found_out("create_card", notes, name="Pay")
    assert (found.settled, "no proof" in details_in_words(found.detail)) == (Settled.UNKNOWN, True)


async def test_another_person_who_made_the_same_is_not_taken_for_it(home: Boards) -> None:
    home.server.fail("post-cards", 0)
    notes = Notes()
    await home.do("create_card", notes, name="Pay")
    home.server.add_card(home.todo, "Pay", by=ANNA)
    assert (await home.found_out("create_card", notes, name="Pay")).settled is Settled.UNKNOWN


async def test_two_that_are_alike_are_left_to_the_person(home: Boards) -> None:
    home.server.fail("post-cards", 0, after_effect=True)
    notes = Notes()
    await home.do("create_card", notes, name="Pay")
    home.server.add_card(home.todo, "Pay", by=ME)
    found = await home.found_out("create_card", notes, name="Pay")
    assert (found.settled, "more than one" in details_in_words(found.detail)) == (Settled.UNKNOWN, True)


async def test_what_had_not_begun_is_done_again(home: Boards) -> None:
    assert (await home.found_out("create_card", Notes(), name="Pay")).settled is Settled.REPEAT
    assert (await home.found_out("create_card", None, name="Pay")).settled is Settled.UNKNOWN


async def test_a_change_without_an_answer_is_found_out_by_reading_the_card(home: Boards) -> None:
    card = home.server.add_card(home.todo, "Pay")
    args = {"card": card, "name": "Pay the rent"}
    notes = Notes()
    home.server.fail("put-cards-id", 0, times=2)
    await home.do("change_card", notes, **args)
    assert (await home.found_out("change_card", notes, **args)).settled is Settled.REPEAT
    home.server.fail("put-cards-id", 0, times=2, after_effect=True)
    await home.do("change_card", notes, **args)
    assert (await home.found_out("change_card", notes, **args)).settled is Settled.DONE
    home.server.change_card(card, ANNA, name="Pay nobody")
    assert (await home.found_out("change_card", notes, **args)).settled is Settled.UNKNOWN, "it is not overruled"
    home.server.delete_card(card, ANNA)
    assert (await home.found_out("change_card", notes, **args)).settled is Settled.FAILED


async def test_a_deletion_without_an_answer_is_found_out_by_looking_for_the_card(home: Boards) -> None:
    card = home.server.add_card(home.todo, "Pay")
    home.server.fail("delete-cards-id", 0, times=2)
    await home.do("delete_card", Notes(), card=card)
    assert (await home.found_out("delete_card", Notes(), card=card)).settled is Settled.REPEAT
    home.server.fail("delete-cards-id", 0, after_effect=True)
    await home.do("delete_card", Notes(), card=card)
    assert (await home.found_out("delete_card", Notes(), card=card)).settled is Settled.DONE


# What the tools take


@pytest.mark.parametrize(
    ("model", "args"),
    [
        (CardSelection, {}),
        (CardSelection, {"words": "!?"}),
        (CardSelection, {"cards": ["6" * 24], "board": "Home"}),
        (CardSelection, {"board": "Home\nWork"}),
        (CardSelection, {"board": "Home", "due_before": "2027-01-01T00:00Z"}),
        (MoveSelection, {"board": "Home"}),
        (ChangeCardArgs, {"card": "6" * 24}),
        (CreateCardArgs, {"name": " "}),
        (CreateCardArgs, {"name": "x", "description": "a\0b"}),
    ],
)
def test_what_makes_no_sense_is_refused(model: Any, args: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        model.model_validate(args)


async def test_a_deletion_that_is_sent_twice_over_a_dying_connection_is_done_once(home: Boards) -> None:
    card = home.server.add_card(home.todo, "Pay")
    home.server.fail("delete-cards-id", 0, after_effect=True)
    assert (await home.data("delete_card", card=card))["name"] == "Pay"
    assert home.server.card(card) is None
