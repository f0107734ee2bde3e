"""Many cards of a person's boards: found, counted, changed a card a request, and put back exactly."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from approvals.reason_words import details_in_words
from butler.contract.bulk import (
    BatchLaterError,
    BatchRefusedError,
    BatchUnclearError,
    BulkItem,
    BulkOrder,
    PreparedBulkContext,
)
from butler.contract.errors import AuthRequiredError, Reconfigure
from butler.store.open import open_store
from butler.store.queries import bulk
from butler.store.queries.bulk import ItemState, RunState
from modules.trello import client
from modules.trello.bulk import BATCH, TrelloBulkAdapter
from modules.trello.bulk_args import CardSelection
from tests.bulk.bulk_harness import BulkHarness, called
from tests.modules.trello.boards import ANNA, ME, Boards, boards

State = dict[str, dict[str, Any]]
DUE = datetime(2027, 3, 1, 9, tzinfo=UTC)
PARTS = ("idList", "idBoard", "pos", "closed", "due", "dueComplete", "name", "desc")


@pytest.fixture
async def home() -> AsyncIterator[Boards]:
    async with boards() as made:
        yield made


@pytest.fixture
async def room(home: Boards, tmp_path: Path) -> AsyncIterator[BulkHarness[TrelloBulkAdapter]]:
    store = open_store("sqlite://", data_dir=tmp_path)
    yield BulkHarness.of(store, home.adapter)
    await store.close()


def state(home: Boards, *others: str) -> State:
    """Everything of every card that an undo has to restore; labels and members in no order."""
    return {
        card["id"]: {part: card[part] for part in PARTS}
        | {"labels": sorted(card["idLabels"]), "members": sorted(card["idMembers"])}
        for board in (home.home, *others)
        for card in home.server.cards(board)
    }


async def failures(room: BulkHarness[TrelloBulkAdapter], run_id: str) -> dict[str, str]:
    """Name and reason of what could not be done."""
    rows = await room.store.read(lambda c: bulk.page_of(c, run_id, -1))
    return {row.name: details_in_words(row.detail) for row in rows if row.state is ItemState.FAILED}


def fill(home: Boards) -> None:
    """Cards of all kinds: labelled, assigned, dated, archived, in each list."""
    red = home.server.add_label(home.home, "Urgent", "red")
    for at in range(12):
        home.server.add_card(
            (home.todo, home.doing, home.done)[at % 3],
            f"Card {at}",
            labels=[red] if at % 2 else [],
            members=[ME] if at % 3 == 1 else [ANNA] if at % 4 == 0 else [],
            due=DUE + timedelta(days=at) if at % 2 else None,
            done=at == 5,
            closed=at in {10, 11},
        )


ORDERS: list[tuple[dict[str, Any], Callable[[Boards, dict[str, Any]], bool]]] = [
    ({"action": "move", "in_list": "To do", "to_list": "Done"}, lambda home, card: card["idList"] == home.done),
    ({"action": "archive", "label": "Urgent"}, lambda _, card: card["closed"]),
    ({"action": "unarchive", "board": "Home"}, lambda _, card: not card["closed"]),
    ({"action": "label", "board": "Home", "name": "urgent"}, lambda _, card: bool(card["idLabels"])),
    ({"action": "unlabel", "board": "Home", "name": "Urgent"}, lambda _, card: not card["idLabels"]),
    ({"action": "assign", "board": "Home", "person": "me"}, lambda home, card: home.me in card["idMembers"]),
    ({"action": "unassign", "assigned": "Anna", "person": "Anna"}, lambda home, c: home.anna not in c["idMembers"]),
    ({"action": "due", "board": "Home", "due": None}, lambda _, card: card["due"] is None),
    (
        {"action": "due", "words": "card", "due": "2027-06-01T08:00"},
        lambda _, card: card["due"] == "2027-06-01T07:00:00.000Z",
    ),
]


@pytest.mark.parametrize(("order", "holds"), ORDERS)
async def test_what_is_done_is_what_was_meant_and_undo_restores_it_exactly(
    home: Boards,
    room: BulkHarness[TrelloBulkAdapter],
    order: dict[str, Any],
    holds: Callable[[Boards, dict[str, Any]], bool],
) -> None:
    fill(home)
    before = state(home)
    run_id = await room.begun(**order)
    await room.worked_off()
    run, ids = await room.run(run_id), await room.ids(run_id)
    assert (run.state, run.total) == (RunState.DONE, len(ids))
    assert ids
    assert all(holds(home, home.card(one)) for one in ids)
    after = state(home)
    assert {one for one in after if after[one] != before[one]} == set(ids), "nothing else was touched"
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert state(home) == before


@pytest.mark.parametrize(
    ("keep", "kept"),
    [
        (["Urgent"], lambda home, card: bool(card["idLabels"])),
        (["Doing", "card 3"], lambda home, card: card["idList"] == home.doing or card["name"] == "Card 3"),
        (["Anna"], lambda home, card: home.anna in card["idMembers"]),
        (["me"], lambda home, card: home.me in card["idMembers"]),
    ],
)
async def test_what_is_kept_is_left_as_it_is(
    home: Boards,
    room: BulkHarness[TrelloBulkAdapter],
    keep: list[str],
    kept: Callable[[Boards, dict[str, Any]], bool],
) -> None:
    fill(home)
    spared = {card["id"] for card in home.server.cards(home.home) if kept(home, card)}
    there = {card["id"] for card in home.server.cards(home.home) if not card["closed"]}
    run_id = await room.begun(action="archive", board="Home", keep=keep)
    await room.worked_off()
    assert spared
    assert set(await room.ids(run_id)) == there - spared


async def test_all_who_have_a_name_are_kept_and_nothing_that_only_sounds_like_it(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    kurz = home.server.add_member("annakurz", "Anna Kurz")
    to_do = home.server.add_list(home.server.add_board("Club", ME, [ANNA, kurz]), "To do")
    for name, members in (("Sign it", [ANNA]), ("File it", [kurz]), ("Read it", [ME]), ("Meeting notes", [])):
        home.server.add_card(to_do, name, members=members)
    run_id = await room.begun(action="archive", board="Club", keep=["Anna", "me"])
    await room.worked_off()
    assert [home.card(one)["name"] for one in await room.ids(run_id)] == ["Meeting notes"]


def test_a_name_to_keep_needs_a_letter() -> None:
    with pytest.raises(ValueError, match="a letter or a digit"):
        CardSelection(board="Home", keep=("-",))


async def test_a_move_to_another_board_is_undone_with_members_labels_and_place(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    work = home.server.add_board("Work", ME)
    backlog = home.server.add_list(work, "Backlog")
    fill(home)
    before = state(home, work)
    run_id = await room.begun(action="move", in_list="To do", to_board="work")
    await room.worked_off()
    moved = [home.card(one) for one in await room.ids(run_id)]
    assert [card["idList"] for card in moved] == [backlog] * len(moved)
    assert not any(home.anna in card["idMembers"] for card in moved), "Anna is not on that board"
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert state(home, work) == before


@pytest.mark.parametrize("elsewhere", [True, False])
async def test_what_others_take_off_a_card_after_its_move_stays_off_when_it_is_put_back(
    home: Boards, room: BulkHarness[TrelloBulkAdapter], elsewhere: bool
) -> None:
    work = home.server.add_board("Work", ME, [ANNA])
    home.server.add_list(work, "Backlog")
    red = home.server.add_label(home.home, "Urgent", "red")
    card = home.server.add_card(home.todo, "Pay", labels=[red], members=[ANNA])
    to = {"to_board": "Work"} if elsewhere else {"to_list": "Done"}
    run_id = await room.begun(action="move", in_list="To do", **to)
    await room.worked_off()
    home.server.change_card(card, ANNA, idLabels=[], idMembers=[])
    await room.tap(run_id, "Undo")
    await room.worked_off()
    back = home.card(card)
    assert (back["idList"], back["idLabels"], back["idMembers"]) == (home.todo, [], [])


async def test_cards_that_are_moved_keep_their_order_below_those_that_are_there(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    home.server.add_card(home.done, "First")
    for at in range(BATCH + 5):
        home.server.add_card(home.todo, f"Card {at}")
    names = home.names(home.todo)
    await room.begun(action="move", in_list="To do", to_list="Done")
    await room.worked_off()
    assert home.names(home.done) == ["First", *names]


async def test_cards_of_several_boards_are_moved_within_their_own(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    work = home.server.add_board("Work", ME)
    theirs, ours = home.server.add_list(work, "Inbox"), home.server.add_list(work, "Done")
    there, here = home.server.add_card(theirs, "Late report"), home.server.add_card(home.todo, "Late rent")
    await room.begun(action="move", words="late", to_list="Done")
    await room.worked_off()
    assert (home.card(there)["idList"], home.card(here)["idList"]) == (ours, home.done)
    garden = home.server.add_board("Garden", ME)
    home.server.add_card(home.server.add_list(garden, "Beds"), "Late seeds")
    result = await room.launcher.snapshot(
        BulkOrder("trello", "", {"action": "move", "words": "late", "to_list": "Done"}), called("c")
    )
    assert result.error is not None
    assert "the board Garden has no list Done" in result.error.message


async def test_what_comes_to_a_board_without_that_list_meanwhile_is_no_part_of_the_move(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    garden = home.server.add_board("Garden", ME)
    beds = home.server.add_list(garden, "Beds")
    card, other = home.server.add_card(home.todo, "Late rent"), home.server.add_card(home.todo, "Late seeds")
    run_id = await room.begun(action="move", words="late", to_list="Done")
    home.server.change_card(other, ME, idList=beds, idBoard=garden)
    home.server.add_card(beds, "Late herbs")
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.DONE
    assert home.card(card)["idList"] == home.done
    assert await failures(room, run_id) == {
        "Late seeds": "it was moved to another list meanwhile, so it stays as it is"
    }


async def test_cards_are_named_by_id_and_address_and_only_those_that_change_are_listed(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    one, other = home.server.add_card(home.todo, "One"), home.server.add_card(home.done, "Other")
    named = [one, home.card(other)["shortUrl"], "6" * 24]
    run_id = await room.begun(action="move", cards=named, to_list="Done")
    await room.worked_off()
    assert await room.ids(run_id) == [one]
    assert await room.text(run_id) == "Cards moved: 1 of 1"


async def test_the_card_shows_what_there_is_by_name_list_and_due_date(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    home.server.add_card(home.todo, "Pay the rent", due=DUE)
    home.server.add_card(home.doing, "Mend the roof")
    shown = await room.shown(BulkOrder("trello", "", {"action": "archive", "board": "Home"}))
    assert shown.count == 2
    assert shown.sample == ("To do · Pay the rent, due 1 March 2027", "Doing · Mend the roof")
    assert dict(shown.facts)["Stays"] == "They stay in the board's archive, and can be brought back."


async def test_a_label_that_is_not_there_is_made_once_after_the_yes(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    ids = [home.server.add_card(home.todo, f"Card {at}") for at in range(BATCH + 3)]
    order = BulkOrder("trello", "", {"action": "label", "board": "Home", "name": "Spring"})
    snapshot = await room.shown(order)
    assert home.server.labels(home.home) == []
    await room.launcher.start(order, snapshot, called("yes"))
    await room.worked_off()
    (label,) = home.server.labels(home.home)
    assert label["name"] == "Spring"
    assert all(home.card(one)["idLabels"] == [label["id"]] for one in ids)


async def test_a_move_to_a_board_without_lists_and_an_unknown_action_are_refused(home: Boards) -> None:
    home.server.add_board("Empty", ME)
    with pytest.raises(ValueError, match="has no list"):
        await home.adapter.prepare({"action": "move", "board": "Home", "to_board": "Empty"})
    with pytest.raises(ValueError, match="no open list Nowhere"):
        await home.adapter.prepare({"action": "move", "cards": ["aB3dE6gH"], "to_list": "Nowhere"})
    with pytest.raises(ValueError, match="say what is to be done with them"):
        await home.adapter.prepare({"action": "explode", "board": "Home"})
    with pytest.raises(ValueError, match="neither the id nor the address"):
        await home.adapter.prepare({"action": "archive", "cards": ["the rent"]})


async def test_a_label_is_taken_off_cards_that_are_named(home: Boards, room: BulkHarness[TrelloBulkAdapter]) -> None:
    label = home.server.add_label(home.home, "Spring", "green")
    on, off = home.server.add_card(home.todo, "On", labels=[label]), home.server.add_card(home.todo, "Off")
    run_id = await room.begun(action="unlabel", cards=[on, off], name="spring")
    await room.worked_off()
    assert (await room.ids(run_id), home.card(on)["idLabels"]) == ([on], [])
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert home.card(on)["idLabels"] == [label]


async def test_two_labels_of_one_name_are_told_apart_by_their_colour(home: Boards) -> None:
    red, blue = (home.server.add_label(home.home, "Bug", colour) for colour in ("red", "blue"))
    home.server.add_card(home.todo, "Card", labels=[red])
    with pytest.raises(ValueError, match=r"Bug \(red\), Bug \(blue\)"):
        await home.adapter.prepare({"action": "label", "board": "Home", "name": "bug"})
    context = await home.adapter.prepare({"action": "label", "board": "Home", "name": "bug (blue)"})
    assert context.action_params["labels"] == {home.home: blue}
    context = await home.adapter.prepare({"action": "unlabel", "board": "Home", "name": "red"})
    assert context.action_params["labels"] == {home.home: red}


# What others do meanwhile


async def test_who_changed_a_card_meanwhile_is_not_overruled(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    moved, closed, gone, left = (home.server.add_card(home.todo, name) for name in ("Moved", "Closed", "Gone", "Left"))
    run_id = await room.begun(action="move", in_list="To do", to_list="Done")
    home.server.change_card(moved, ANNA, idList=home.doing)
    home.server.change_card(closed, ANNA, closed=True)
    home.server.delete_card(gone, ANNA)
    home.server.add_card(home.todo, "New")
    await room.worked_off()
    assert home.names(home.done) == ["Left"]
    assert home.names(home.doing) == ["Moved"]
    assert await failures(room, run_id) == {
        "Moved": "it was moved to another list meanwhile, so it stays as it is",
        "Closed": "it was archived meanwhile",
        "Gone": "it is no longer there",
    }
    assert "1 more" in await room.text(run_id)
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert home.card(left)["idList"] == home.todo
    assert home.card(moved)["idList"] == home.doing


async def test_a_card_that_went_to_a_board_of_others_hinders_no_other(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    away = home.server.add_list(home.server.add_board("Anna's own", ANNA), "Mine")
    card = home.server.add_card(home.todo, "Taken")
    home.server.add_card(home.todo, "Left")
    run_id = await room.begun(action="archive", in_list="To do")
    inner = home.server._state
    inner.rehang(inner.cards[card], away)
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.DONE
    assert await failures(room, run_id) == {"Taken": "it is no longer there"}
    assert home.names(home.todo) == []


async def test_what_failed_is_tried_again_as_it_is_now_when_the_person_wants_it(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    card = home.server.add_card(home.todo, "Moved")
    home.server.add_card(home.todo, "Other")
    run_id = await room.begun(action="archive", in_list="To do")
    home.server.change_card(card, ANNA, idList=home.doing)
    await room.worked_off()
    assert not home.card(card)["closed"]
    await room.tap(run_id, "Retry failed")
    await room.worked_off()
    assert home.card(card)["closed"]


async def test_what_others_did_before_the_run_began_is_not_put_back_with_it(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    theirs, ours = home.server.add_card(home.todo, "Theirs"), home.server.add_card(home.todo, "Ours")
    run_id = await room.begun(action="archive", in_list="To do")
    home.server.change_card(theirs, ANNA, closed=True)
    await room.worked_off()
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert (home.card(theirs)["closed"], home.card(ours)["closed"]) == (True, False)


async def test_an_undo_leaves_what_was_moved_or_dated_again(home: Boards, room: BulkHarness[TrelloBulkAdapter]) -> None:
    one, other = home.server.add_card(home.todo, "One"), home.server.add_card(home.todo, "Other")
    moved = await room.begun("call-1", action="move", in_list="To do", to_list="Done")
    await room.worked_off()
    dated = await room.begun("call-2", action="due", board="Home", due="2027-06-01T08:00")
    await room.worked_off()
    home.server.change_card(one, ANNA, idList=home.doing, due="2027-07-01T08:00:00.000Z")
    for run_id in (moved, dated):
        await room.tap(run_id, "Undo")
        await room.worked_off()
    assert (home.card(one)["idList"], home.card(one)["due"]) == (home.doing, "2027-07-01T08:00:00.000Z")
    assert (home.card(other)["idList"], home.card(other)["due"]) == (home.todo, None)


async def test_a_list_or_a_label_that_goes_away_pauses_the_run_until_it_is_back(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    ids = [home.server.add_card(home.todo, f"Card {at}") for at in range(BATCH + 1)]
    label = home.server.add_label(home.home, "Spring", "green")
    run_id = await room.begun("call-1", action="label", board="Home", name="Spring")
    await room.step()
    remove(home, label)
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.PAUSED
    assert "The label Spring is no longer there" in await room.text(run_id)
    again = home.server.add_label(home.home, "Spring", "green")
    await room.tap(run_id, "Resume")
    await room.worked_off()
    assert sum(home.card(one)["idLabels"] == [again] for one in ids) == 1
    run_id = await room.begun("call-2", action="move", in_list="To do", to_list="Done")
    home.server.archive_list(home.done, closed=True)
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.PAUSED
    assert "The list Done is archived" in await room.text(run_id)
    home.server.archive_list(home.done, closed=False)
    await room.tap(run_id, "Resume")
    await room.worked_off()
    assert len(home.names(home.done)) == len(ids)


def remove(home: Boards, label_id: str) -> None:
    """Somebody deletes a label."""
    inner = home.server._state
    home.server._editor.remove_label(inner.labels[label_id])


# When Trello does not answer


async def prepared(home: Boards, **order: Any) -> tuple[PreparedBulkContext, list[BulkItem]]:
    context = await home.adapter.prepare(order)
    return context, await home.adapter.get_next_batch(context, 100)


async def test_one_card_that_trello_refuses_hinders_no_other(home: Boards) -> None:
    for at in range(5):
        home.server.add_card(home.todo, f"Card {at}")
    context, items = await prepared(home, action="archive", board="Home")
    home.server.fail("put-cards-id", 400, "no")
    home.server.fail("put-cards-id", 401, "unauthorized card permission requested")
    results = await home.adapter.execute_batch(items, context)
    assert sorted(filter(None, (result.error for result in results))) == [
        "Trello refuses it: no",
        "you may not do this on Trello",
    ]
    assert len(home.names(home.todo)) == 2


@pytest.mark.parametrize("after_effect", [True, False])
async def test_a_card_without_an_answer_is_read_again_and_told_truly(home: Boards, after_effect: bool) -> None:
    for at in range(3):
        home.server.add_card(home.todo, f"Card {at}")
    context, items = await prepared(home, action="archive", board="Home")
    home.server.fail("put-cards-id", 502, "bad gateway", after_effect=after_effect)
    results = await home.adapter.execute_batch(items, context)
    failed = [result.error for result in results if not result.success]
    assert failed == ([] if after_effect else ["Trello gave no answer, and it is not done"])
    assert len(home.names(home.todo)) == len(failed)


async def test_a_trello_that_is_away_is_waited_for_and_nothing_is_counted_as_done(home: Boards) -> None:
    home.server.add_card(home.todo, "Card")
    context, items = await prepared(home, action="archive", board="Home")
    await home.server.stop()
    with pytest.raises(BatchLaterError):
        await home.adapter.execute_batch(items, context)


async def test_a_trello_that_goes_away_in_the_middle_leaves_the_batch_unclear(home: Boards) -> None:
    for at in range(3):
        home.server.add_card(home.todo, f"Card {at}")
    context, items = await prepared(home, action="archive", board="Home")
    home.server.fail("put-cards-id", 502, "bad gateway", times=9)
    home.server.fail("get-cards-id", 502, "bad gateway", times=9)
    with pytest.raises(BatchUnclearError):
        await home.adapter.execute_batch(items, context)
    home.server.clear_faults()
    results = await home.adapter.execute_batch(items, context)
    assert all(result.success for result in results)


async def test_a_sign_in_that_ends_in_the_middle_pauses_and_nothing_is_lost(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    for at in range(BATCH + 5):
        home.server.add_card(home.todo, f"Card {at}")
    before = state(home)
    run_id = await room.begun(action="archive", board="Home")
    await room.step()
    home.server.revoke(ME)
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.PAUSED
    assert "butler login trello" in await room.text(run_id)
    given = home.server.credentials(ME)
    home.vault.put("USER_TRELLO_KEY", given.key)
    home.vault.put("USER_TRELLO_TOKEN", given.token)
    await room.tap(run_id, "Resume")
    await room.worked_off()
    assert home.names(home.todo) == []
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert state(home) == before


async def test_a_batch_that_a_crash_cut_off_is_sent_again_and_undone_exactly(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    fill(home)
    before = state(home)
    run_id = await room.begun(action="move", board="Home", to_list="Done")
    taken = await room.run(run_id)
    items = await room.store.write(lambda c: room.runs._take(c, taken, 5))
    context = await home.adapter.prepare({"action": "move", "board": "Home", "to_list": "Done"})
    await home.adapter.execute_batch([BulkItem(row.item_id, row.name, row.data) for row in items[:3]], context)
    room = room.again()
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.DONE
    assert await failures(room, run_id) == {}
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert state(home) == before


async def test_an_account_that_is_taken_out_of_the_settings_is_told(home: Boards) -> None:
    context, items = await prepared(home, action="archive", board="Home")
    context.metadata = {"account": "gone"}
    with pytest.raises(Reconfigure, match="no longer set up"):
        await home.adapter.execute_batch(items, context)
    with pytest.raises(ValueError, match="there is no account"):
        await home.adapter.prepare({"action": "archive", "board": "Home", "account": "gone"})


async def test_without_a_sign_in_an_order_is_not_begun(home: Boards) -> None:
    home.server.revoke(ME)
    with pytest.raises(AuthRequiredError, match="butler login trello"):
        await home.adapter.prepare({"action": "archive", "board": "Home"})


# Huge boards


async def test_bk_11_a_board_that_trello_refuses_to_list_at_once_is_listed_list_by_list(home: Boards) -> None:
    home.server.limit_cards_at_once(20)
    for at in range(60):
        home.server.add_card((home.todo, home.doing, home.done)[at % 3], f"Card {at}")
    context = await home.adapter.prepare({"action": "archive", "board": "Home"})
    assert await home.adapter.get_total_count(context) == 60


async def test_bk_11_a_list_that_cannot_be_read_is_never_an_empty_one(
    home: Boards, room: BulkHarness[TrelloBulkAdapter], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "WINDOW_S", 0.01)
    home.server.add_card(home.todo, "Card")
    order = BulkOrder("trello", "", {"action": "archive", "board": "Home"})
    for status, code in ((403, "REJECTED"), (500, "UNAVAILABLE"), (429, "UNAVAILABLE"), (404, "REJECTED")):
        name = "API_TOO_MANY_CARDS_REQUESTED" if status == 403 else ""
        home.server.fail("get-lists-id-cards", status, "no", code=name, times=3)
        result = await room.launcher.snapshot(order, called("c"))
        assert result.error is not None
        assert result.error.code == code, (status, result.error)
        home.server.clear_faults()
    home.server.garble("get-lists-id-cards")
    result = await room.launcher.snapshot(order, called("c"))
    assert result.error is not None
    assert (await room.launcher.snapshot(order, called("c"))).ok


@pytest.mark.nightly
@pytest.mark.timeout(150)
async def test_two_thousand_cards_are_listed_by_the_thousand_though_many_were_made_in_one_second(
    home: Boards, room: BulkHarness[TrelloBulkAdapter]
) -> None:
    made = datetime(2027, 1, 1, tzinfo=UTC)
    for at in range(2_000):
        home.server.add_card(home.todo, f"Card {at}", created=made + timedelta(seconds=at // 40))
    before = state(home)
    run_id = await room.begun(action="archive", in_list="To do")
    assert (await room.run(run_id)).total == 2_000
    listed = [call for call in home.server.calls if call.operation == "get-lists-id-cards"]
    assert len(listed) == 3, "two full pages, and one that says there are no more"
    await room.worked_off()
    assert home.names(home.todo) == []
    assert home.server.calls_in_all < 2_000 * 1.06
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert state(home) == before


async def test_more_than_a_thousand_cards_of_one_second_are_told_and_not_passed_over(home: Boards) -> None:
    made = datetime(2027, 1, 1, tzinfo=UTC)
    for at in range(1_001):
        home.server.add_card(home.todo, f"Card {at}", created=made)
    context = await home.adapter.prepare({"action": "archive", "in_list": "To do"})
    with pytest.raises(BatchRefusedError, match="made in one second"):
        await home.adapter.get_total_count(context)
