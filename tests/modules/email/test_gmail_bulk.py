"""Many mails of a Gmail account: found, counted, changed by the thousand, and put back exactly."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from butler.contract.bulk import BulkOrder, BulkToolAdapter, PreparedBulkContext
from butler.store.open import open_store
from butler.store.queries import bulk
from butler.store.queries.bulk import ItemState, RunState
from modules.email.integration_gmail_records import BATCH_MODIFY
from tests.bulk.bulk_harness import BulkHarness, called
from tests.modules.email.gmail_account import ME, GmailUnderTest, gmail_account
from tests.modules.email.gmail_mails import SCHOOL, SHOP, labels, own_labels, put, undone


@pytest.fixture
async def user() -> AsyncIterator[GmailUnderTest]:
    async with gmail_account() as under_test:
        yield under_test


@pytest.fixture
async def room(user: GmailUnderTest, tmp_path: Path) -> AsyncIterator[BulkHarness[BulkToolAdapter]]:
    store = open_store("sqlite://", data_dir=tmp_path)
    (adapter,) = user.module.bulk_adapters()
    yield BulkHarness.of(store, adapter)
    await store.close()


async def test_what_is_archived_is_what_was_meant_and_undo_restores_it_exactly(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    old = [put(user.server, SHOP, at, age=timedelta(days=40)) for at in range(7)]
    fresh, other = put(user.server, SHOP, 90), put(user.server, SCHOOL, 91, age=timedelta(days=40))
    before = labels(user.server)
    run_id = await room.begun(action="archive", senders=["hostinger"], before="2026-10-27")
    await room.worked_off()
    after = labels(user.server)
    assert all("INBOX" not in after[one] and "UNREAD" in after[one] for one in old)
    assert after[fresh] == before[fresh]
    assert after[other] == before[other]
    assert await room.text(run_id) == "Archived: 7 of 7"
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert labels(user.server) == before


async def test_some_senders_can_be_kept(user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]) -> None:
    promotion = ("INBOX", "CATEGORY_PROMOTIONS")
    gone = put(user.server, SHOP, 1, *promotion)
    kept = put(user.server, "deals@amazon.example", 2, *promotion)
    await room.begun(action="trash", category="promotions", keep=["amazon"])
    await room.worked_off()
    after = labels(user.server)
    assert "TRASH" in after[gone]
    assert "TRASH" not in after[kept]


async def test_mails_that_are_named_can_be_kept(user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]) -> None:
    gone, kept = put(user.server, SHOP, 1), put(user.server, SHOP, 2)
    await room.begun(action="archive", senders=["hostinger"], keep_mails=[kept])
    await room.worked_off()
    after = labels(user.server)
    assert "INBOX" not in after[gone]
    assert "INBOX" in after[kept]


async def test_bk_05_undo_of_the_trash_leaves_every_mail_where_it_lay(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    put(user.server, SHOP, 1, "INBOX", "STARRED")
    put(user.server, SHOP, 2, "UNREAD")
    put(user.server, SHOP, 3, "INBOX", "SENT")
    before = labels(user.server)
    run_id = await room.begun(action="trash", senders=[SHOP])
    await room.worked_off()
    assert await room.text(run_id) == "Put into the trash: 2 of 2"
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert labels(user.server) == before


async def test_a_label_that_is_not_there_is_made_once_it_is_said_yes_to(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    one = put(user.server, SCHOOL, 1)
    asked = await room.launcher.snapshot(
        BulkOrder("gmail", "", {"action": "label", "senders": [SCHOOL], "name": "Family/School"}), called("asks")
    )
    assert asked.ok
    assert "Family/School" not in own_labels(user.server)
    run_id = await room.begun(action="label", senders=[SCHOOL], name="Family/School")
    await room.worked_off()
    label = own_labels(user.server)["Family/School"]
    assert label in labels(user.server)[one]
    assert await room.text(run_id) == "Labelled: 1 of 1"
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert label not in labels(user.server)[one]


async def test_a_label_that_is_renamed_meanwhile_is_still_the_one(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    one, label = put(user.server, SCHOOL, 1), user.server.add_label(ME, "Family")
    await room.begun(action="label", senders=[SCHOOL], name="family")
    user.server.rename_label(ME, label, "Relatives")
    await room.worked_off()
    assert label.id in labels(user.server)[one]


async def test_a_label_that_is_deleted_meanwhile_pauses_the_run_and_says_so(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    for at in range(5):
        put(user.server, SCHOOL, at)
    label = user.server.add_label(ME, "Family")
    run_id = await room.begun(action="label", senders=[SCHOOL], name="Family")
    user.server.delete_label(ME, label)
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.PAUSED
    assert "The label Family is no longer there" in await room.text(run_id)


async def test_a_mail_that_vanishes_meanwhile_hinders_nothing(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    ids = [put(user.server, SHOP, at) for at in range(5)]
    run_id = await room.begun(action="archive", senders=[SHOP])
    user.server.delete(ME, ids[2])
    await room.worked_off()
    assert all("INBOX" not in found for found in labels(user.server).values())
    assert (await room.run(run_id)).state is RunState.DONE


async def test_one_mail_is_acted_on_by_its_id_and_one_that_is_so_already_is_left(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    one, read = put(user.server, SHOP, 1), put(user.server, SHOP, 2, "INBOX")
    run_id = await room.begun(action="mark_read", mails=[one, read])
    await room.worked_off()
    assert "UNREAD" not in labels(user.server)[one]
    assert await room.text(run_id) == "Marked as read: 1 of 1"
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert "UNREAD" in labels(user.server)[one]
    assert "UNREAD" not in labels(user.server)[read]


async def test_an_offset_that_was_not_reached_by_paging_is_found_all_the_same(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    ids = [put(user.server, SHOP, at, age=timedelta(minutes=at)) for at in range(9)]
    context = await room.adapter.prepare({"action": "archive", "senders": [SHOP]})
    assert await room.adapter.get_total_count(context) == 9
    assert [item.id for item in await room.adapter.get_next_batch(context, 3, 4)] == ids[4:7]
    assert await room.adapter.get_next_batch(context, 3, 9) == []


async def test_a_thousand_mails_take_three_requests_and_the_units_of_the_floor(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    for at in range(2_000):
        put(user.server, SHOP, at)
    spent = user.server.spent_in_all(ME)
    calls = len(user.probe.calls)
    run_id = await room.begun(action="archive", senders=[SHOP])
    await room.worked_off()
    counted = await room.store.read(lambda c: bulk.counts(c, run_id))
    assert counted[ItemState.DONE] == 2_000
    methods = [call.method_id for call in user.probe.calls[calls:]]
    assert methods.count("gmail.messages.list.v1") == 4 + 1
    assert methods.count("gmail.messages.batch_modify.v1") == 2
    sample, history = 6 * 20, 1 + 2 * 2
    assert user.server.spent_in_all(ME) - spent - sample - history <= (4 * 5 + 2 * 50) * 1.05


async def test_gm_09_more_than_a_thousand_go_in_chunks_each_with_its_result(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    for spec in user.module.integrations()[0].describe_methods():
        if (ids := spec.input_schema.get("properties", {}).get("ids")) is not None:
            assert ids["maxItems"] == (1_000 if spec.method_id == BATCH_MODIFY else 50)
    for at in range(1_500):
        put(user.server, SHOP, at)
    run_id = await room.begun(action="archive", senders=[SHOP])
    await room.step()
    counted = await room.store.read(lambda c: bulk.counts(c, run_id))
    assert (counted[ItemState.DONE], counted[ItemState.TODO]) == (1_000, 500)
    await room.worked_off()
    assert [len(call.args["ids"]) for call in user.probe.calls if call.method_id == BATCH_MODIFY] == [1_000, 500]
    assert not any("INBOX" in found for found in labels(user.server).values())


async def test_what_makes_no_sense_is_refused_in_a_sentence(room: BulkHarness[BulkToolAdapter]) -> None:
    for params in ({"action": "archive"}, {"action": "unlabel", "senders": ["x"], "name": "None"}, {"action": "eat"}):
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            await room.adapter.prepare(dict(params))


def test_the_inverse_names_the_ids_of_what_was_done(user: GmailUnderTest) -> None:
    (adapter,) = user.module.bulk_adapters()
    done = PreparedBulkContext(
        "gmail", "archive", {"q": "in:inbox"}, {"add": [], "remove": ["INBOX"]}, {"account": "main"}
    )
    back = adapter.inverse(done)
    assert back is not None
    assert (back.action, back.action_params["add"]) == ("unarchive", ["INBOX"])


async def test_a_label_that_is_renamed_meanwhile_leaves_nothing_called_undone(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    one, label = put(user.server, SCHOOL, 1), user.server.add_label(ME, "Family")
    for action, done in (("label", "Labelled: 1 of 1"), ("unlabel", "Label taken off: 1 of 1")):
        name = next(name for name, found in own_labels(user.server).items() if found == label.id)
        run_id = await room.begun(action, action=action, senders=[SCHOOL], name=name)
        user.server.rename_label(ME, label, f"{name} again")
        await room.worked_off()
        assert await room.text(run_id) == done
        assert await room.labels(run_id) == ["Undo", "As a file"]
    assert label.id not in labels(user.server)[one]


async def test_a_label_that_gmail_refuses_is_asked_for_once_and_pauses_the_run(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    for at in range(5):
        put(user.server, SCHOOL, at, "UNREAD")
    run_id = await room.begun(action="label", senders=[SCHOOL], name="Inbox")
    calls = len(user.probe.calls)
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.PAUSED
    assert "Gmail makes no label Inbox" in await room.text(run_id)
    assert [call.method_id for call in user.probe.calls[calls:]].count("gmail.labels.create.v1") <= 1


async def test_what_lies_in_the_trash_already_is_not_trashed_and_undo_leaves_it_there(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    before, fresh = put(user.server, SHOP, 1, "TRASH"), put(user.server, SHOP, 2)
    result = await room.launcher.snapshot(
        BulkOrder("gmail", "", {"action": "trash", "senders": [SHOP], "label": "trash"}), called("asks")
    )
    assert result.error is not None
    run_id = await room.begun(action="trash", senders=[SHOP])
    await room.worked_off()
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert "TRASH" in labels(user.server)[before]
    assert "TRASH" not in labels(user.server)[fresh]


@pytest.mark.parametrize(
    "said",
    [{"senders": [""]}, {"senders": ['"']}, {"senders": ["anna", "*"]}, {"keep": ["-"], "unread": True}]
    + [{name: '" "'} for name in ("words", "subject", "list_id", "label")],
)
async def test_what_would_find_any_mail_is_refused(room: BulkHarness[BulkToolAdapter], said: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="letter or a digit"):
        await room.adapter.prepare({"action": "trash", **said})


async def test_no_word_smuggles_an_operator_into_the_search(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    mine = put(user.server, SHOP, 1)
    put(user.server, SCHOOL, 2)
    for said in ('hostinger" OR from:"school', "hostinger} {from:school", "-hostinger", "(hostinger OR school)"):
        for name in ("senders", "words", "subject", "list_id", "label"):
            context = await room.adapter.prepare({"action": "archive", name: [said] if name == "senders" else said})
            found = [item.id for item in await room.adapter.get_next_batch(context, 10)]
            assert found in ([], [mine])


async def test_an_account_that_was_taken_out_of_the_settings_pauses_its_run(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    put(user.server, SHOP, 1)
    run_id = await room.begun(action="archive", senders=[SHOP])
    gone = {**(await room.run(run_id)).context, "metadata": {"account": "gone"}}
    await room.store.write(lambda c: bulk.learn(c, run_id, gone))
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.PAUSED
    assert "no longer set up" in await room.text(run_id)


async def test_one_mail_gets_a_label_that_is_not_there_yet(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    one = put(user.server, SCHOOL, 1)
    run_id = await room.begun(action="label", mails=[one], name="Urgent")
    await room.worked_off()
    assert await room.text(run_id) == "Labelled: 1 of 1"
    assert own_labels(user.server)["Urgent"] in labels(user.server)[one]


@pytest.mark.parametrize(
    "said",
    [
        {"action": "label", "name": "Family"},
        {"action": "label", "name": " ", "mails": ["18f0"]},
        {"action": "label", "name": "Family", "inbox": True, "keep": ["anna"]},
        {"action": "trash", "mails": ["18f0"], "senders": ["spam"]},
        {"action": "trash", "mails": ["18f0"], "keep": ["anna"]},
        {"action": "trash", "inbox": True, "keep_mails": ["18f0"]},
    ],
)
async def test_an_order_says_which_mails_and_says_it_in_one_way(
    room: BulkHarness[BulkToolAdapter], said: dict[str, object]
) -> None:
    with pytest.raises(ValueError, match=r"mails|name"):
        await room.adapter.prepare(dict(said))


async def test_spam_leaves_the_inbox_and_undo_puts_each_mail_back_where_it_lay(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    shown, away = put(user.server, SHOP, 1), put(user.server, SHOP, 2, "UNREAD")
    other = put(user.server, SCHOOL, 3)
    before = labels(user.server)
    run_id = await room.begun(action="spam", senders=[SHOP])
    await room.worked_off()
    after = labels(user.server)
    assert after[shown] == after[away] == ("SPAM", "UNREAD")
    assert after[other] == before[other]
    assert await room.text(run_id) == "Marked as spam: 2 of 2"
    await undone(room, run_id)
    assert labels(user.server) == before


async def test_what_is_taken_out_of_spam_comes_into_the_inbox_and_undo_takes_it_back(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    spam, odd = put(user.server, SHOP, 1, "SPAM"), put(user.server, SHOP, 2, "SPAM", "INBOX")
    fine = put(user.server, SHOP, 3)
    before = labels(user.server)
    run_id = await room.begun(action="unspam", senders=[SHOP])
    await room.worked_off()
    assert labels(user.server) == {spam: ("INBOX",), odd: ("INBOX",), fine: before[fine]}
    await undone(room, run_id)
    assert labels(user.server) == before


@pytest.mark.parametrize("named", [False, True])
async def test_what_is_moved_bears_the_label_and_leaves_the_inbox_and_undo_restores_each_exactly(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter], *, named: bool
) -> None:
    label = user.server.add_label(ME, "Tax")
    kinds = (("INBOX",), ("INBOX", label.id), ("UNREAD",), (label.id, "UNREAD"))
    ids = [put(user.server, SCHOOL, at, *kind) for at, kind in enumerate(kinds)]
    put(user.server, SHOP, 9)
    before = labels(user.server)
    which: dict[str, Any] = {"mails": ids} if named else {"senders": [SCHOOL]}
    run_id = await room.begun(action="move", to="tax", **which)
    await room.worked_off()
    after = labels(user.server)
    assert [after[one] for one in ids] == [(label.id,), (label.id,), (label.id, "UNREAD"), (label.id, "UNREAD")]
    assert await room.text(run_id) == "Moved: 3 of 3"
    asked = user.asked(BATCH_MODIFY)
    await undone(room, run_id)
    assert labels(user.server) == before
    assert user.asked(BATCH_MODIFY) - asked == 2
    (undo,) = await room.store.read(lambda c: bulk.of_run(c, run_id))
    assert await room.text(undo.run_id) == "Put back: 3 of 3"


async def test_a_label_to_move_to_is_made_once_it_is_said_yes_to_and_one_of_gmails_own_is_refused(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    one, away = put(user.server, SCHOOL, 1), put(user.server, SCHOOL, 2, "UNREAD")
    before = labels(user.server)
    with pytest.raises(ValueError, match="Gmail's own"):
        await room.adapter.prepare({"action": "move", "senders": [SCHOOL], "to": "Inbox"})
    run_id = await room.begun(action="move", senders=[SCHOOL], to="Family/School")
    await room.worked_off()
    label = own_labels(user.server)["Family/School"]
    assert labels(user.server) == {one: tuple(sorted((label, "UNREAD"))), away: tuple(sorted((label, "UNREAD")))}
    await undone(room, run_id)
    assert labels(user.server) == before


async def test_a_label_that_is_made_anew_is_the_one_that_goes_on(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    one, label = put(user.server, SCHOOL, 1), user.server.add_label(ME, "Family")
    run_id = await room.begun(action="label", senders=[SCHOOL], name="Family")
    user.server.delete_label(ME, label)
    await room.worked_off()
    assert await room.labels(run_id) == ["Resume", "Stop"]
    again = user.server.add_label(ME, "Family")
    await room.tap(run_id, "Resume")
    await room.worked_off()
    assert await room.text(run_id) == "Labelled: 1 of 1"
    assert again.id in labels(user.server)[one]


async def test_a_label_that_is_gone_is_taken_off_already(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    label = user.server.add_label(ME, "Family")
    put(user.server, SCHOOL, 1, "INBOX", label.id)
    run_id = await room.begun(action="unlabel", senders=[SCHOOL], name="Family")
    user.server.delete_label(ME, label)
    await room.worked_off()
    assert await room.text(run_id) == "Label taken off: 1 of 1"


async def test_labels_that_the_search_cannot_tell_apart_are_two(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    one, two = user.server.add_label(ME, "tax 2026"), user.server.add_label(ME, "tax-2026")
    mine, other = put(user.server, SHOP, 1, "INBOX", one.id), put(user.server, SHOP, 2, "INBOX", two.id)
    await room.begun(action="archive", label="Tax 2026")
    await room.worked_off()
    assert "INBOX" not in labels(user.server)[mine]
    assert "INBOX" in labels(user.server)[other]
    await room.begun("call-2", action="unlabel", senders=[SHOP], name="tax-2026")
    await room.worked_off()
    assert (one.id in labels(user.server)[mine], two.id in labels(user.server)[other]) == (True, False)


@pytest.mark.parametrize("action", ["label", "move"])
async def test_a_label_that_is_searched_for_like_another_is_put_on_what_bears_the_other(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter], action: str
) -> None:
    one, two = user.server.add_label(ME, "tax 2026"), user.server.add_label(ME, "Tax/2026")
    ids = [put(user.server, SHOP, at, "UNREAD", *which) for at, which in enumerate(((), (one.id,), (two.id,)))]
    before = labels(user.server)
    run_id = await room.begun(action=action, senders=[SHOP], **{"name" if action == "label" else "to": "tax 2026"})
    assert await room.ids(run_id) == [ids[2], ids[0]]
    await room.worked_off()
    assert (await room.text(run_id)).endswith("2 of 2")
    assert all(one.id in found for found in labels(user.server).values())
    await undone(room, run_id)
    assert labels(user.server) == before


async def test_a_new_label_that_is_searched_for_like_another_is_put_on_what_bears_the_other(
    user: GmailUnderTest, room: BulkHarness[BulkToolAdapter]
) -> None:
    other = user.server.add_label(ME, "tax-2026")
    mine = put(user.server, SHOP, 1, "INBOX", other.id)
    await room.begun(action="label", senders=[SHOP], name="tax 2026")
    await room.worked_off()
    assert own_labels(user.server)["tax 2026"] in labels(user.server)[mine]
