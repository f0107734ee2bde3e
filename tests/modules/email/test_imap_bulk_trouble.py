"""Many mails over IMAP where the server or the network does not keep up: nothing is lost, done twice, or claimed."""

from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from butler.contract.bulk import BatchLaterError, BatchUnclearError, BulkOrder, BulkToolAdapter
from butler.contract.errors import AuthRequiredError
from butler.store.queries import bulk
from butler.store.queries.bulk import RunState
from butler_demo.mailbox import imap_search, imap_session
from butler_demo.mailbox.imap_selected import SelectedFolder
from butler_demo.mailbox.server import MailServer
from modules.email import integration_imap_bulk
from modules.email.bulk import imap, imap_listing
from modules.email.imap import bulk_moving
from modules.email.imap.bulk_methods import FIND, LOCATE, LOOK, MOVE
from tests.bulk.bulk_harness import BulkHarness, called
from tests.modules.email.imap_account import Elsewhere, lying, room_of
from tests.modules.email.mailhost import UserUnderTest

SHOP = "news@hostinger.example"
NO_MOVE = "IMAP4rev1 LITERAL+ UIDPLUS SPECIAL-USE NAMESPACE"
NO_UIDPLUS = "IMAP4rev1 LITERAL+ MOVE SPECIAL-USE"
NEITHER = "IMAP4rev1 LITERAL+"


@pytest.fixture
def user(demo_user: UserUnderTest) -> UserUnderTest:
    return demo_user


@pytest.fixture
def elsewhere(user: UserUnderTest) -> Elsewhere:
    return Elsewhere(user)


@pytest.fixture
async def room(user: UserUnderTest, tmp_path: Path) -> AsyncIterator[BulkHarness[BulkToolAdapter]]:
    async with room_of(user, tmp_path) as made:
        yield made


def can_only(monkeypatch: pytest.MonkeyPatch, capabilities: str) -> None:
    monkeypatch.setattr(imap_session, "_AFTER_LOGIN", capabilities)


def answer_lost(monkeypatch: pytest.MonkeyPatch, command: str, times: int = 1) -> None:
    """The server does what it is told, and the connection breaks before it can say so."""
    does: Callable[..., Any] = getattr(SelectedFolder, command)
    left = [times]

    def lost(self: SelectedFolder, *args: Any, **named: Any) -> Any:
        found = does(self, *args, **named)
        if left[0] > 0:
            left[0] -= 1
            list(found) if command == "store" else None
            raise EOFError
        return found

    monkeypatch.setattr(SelectedFolder, command, lost)


async def offers(elsewhere: Elsewhere, count: int = 6) -> set[str]:
    return {await elsewhere.put(f"Offer {at}", SHOP, "INBOX", *(("\\Seen",) if at % 2 else ())) for at in range(count)}


def asked(user: UserUnderTest, method_id: str) -> int:
    return sum(call.method_id == method_id for call in user.probe.calls)


async def archived_and_undone(elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], ids: set[str]) -> str:
    """Archive all of them, whatever comes in between, and put them back."""
    before = await elsewhere.kept()
    run_id = await room.begun(action="archive", senders=[SHOP])
    await room.worked_off()
    assert lying(await elsewhere.kept(), "Archive") >= ids
    text = await room.text(run_id)
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert await elsewhere.kept() == before
    return text


async def test_a_batch_is_a_few_commands_and_nothing_is_looked_for(
    user: UserUnderTest, elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    await archived_and_undone(elsewhere, room, await offers(elsewhere))
    assert [asked(user, one) for one in (FIND, LOOK, MOVE, LOCATE)] == [2, 1, 2, 0]


@pytest.mark.parametrize("capabilities", [NO_MOVE, NO_UIDPLUS])
async def test_a_server_that_knows_less_moves_them_all_the_same(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], monkeypatch: pytest.MonkeyPatch, capabilities: str
) -> None:
    can_only(monkeypatch, capabilities)
    if capabilities == NO_UIDPLUS:
        does: Callable[..., str] = SelectedFolder.move

        def untold(*args: Any, **named: Any) -> str:
            does(*args, **named)
            return ""

        monkeypatch.setattr(SelectedFolder, "move", untold)
    ids = await offers(elsewhere)
    assert await archived_and_undone(elsewhere, room, ids) == "Archived: 6 of 6"


async def test_only_what_was_moved_is_expunged(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], monkeypatch: pytest.MonkeyPatch
) -> None:
    can_only(monkeypatch, NO_MOVE)
    marked = await elsewhere.put("Marked", "other@x.example", "INBOX", "\\Deleted")
    await offers(elsewhere)
    await room.begun(action="archive", senders=[SHOP])
    await room.worked_off()
    assert lying(await elsewhere.kept(), "INBOX") == {marked}


async def test_a_server_that_cannot_take_mails_out_of_a_folder_is_told_at_once(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], monkeypatch: pytest.MonkeyPatch
) -> None:
    can_only(monkeypatch, NEITHER)
    await offers(elsewhere)
    result = await room.launcher.snapshot(
        BulkOrder("imap", "", {"action": "archive", "senders": [SHOP]}), called("asks")
    )
    assert result.error is not None
    assert "neither MOVE nor UIDPLUS" in result.error.message
    run_id = await room.begun(action="mark_read", senders=[SHOP])
    await room.worked_off()
    assert await room.text(run_id) == "Marked as read: 3 of 3"


@pytest.mark.parametrize("capabilities", [None, NO_MOVE])
@pytest.mark.parametrize("lost", ["move", "copy", "expunge"])
async def test_an_answer_that_is_lost_amid_a_move_leaves_each_mail_once_and_done(
    elsewhere: Elsewhere,
    room: BulkHarness[BulkToolAdapter],
    monkeypatch: pytest.MonkeyPatch,
    capabilities: str | None,
    lost: str,
) -> None:
    if capabilities is not None:
        can_only(monkeypatch, capabilities)
    ids = await offers(elsewhere)
    answer_lost(monkeypatch, lost)
    assert await archived_and_undone(elsewhere, room, ids) == "Archived: 6 of 6"


async def test_an_answer_that_is_lost_amid_the_undo_leaves_each_mail_once_where_it_lay(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], monkeypatch: pytest.MonkeyPatch
) -> None:
    await offers(elsewhere)
    before = await elsewhere.kept()
    run_id = await room.begun(action="trash", senders=[SHOP])
    await room.worked_off()
    answer_lost(monkeypatch, "move")
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert await elsewhere.kept() == before


async def test_what_was_sent_and_stopped_before_the_answer_is_put_back_too(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], monkeypatch: pytest.MonkeyPatch
) -> None:
    await offers(elsewhere)
    before = await elsewhere.kept()
    run_id = await room.begun(action="archive", senders=[SHOP])
    answer_lost(monkeypatch, "move")
    with pytest.raises(BatchUnclearError):
        await room.step()
    assert not lying(await elsewhere.kept(), "INBOX")
    again = room.again()
    await again.store.write(lambda c: again.telling.draw(c, run_id, again.clock.now()))
    await again.tap(run_id, "Stop")
    await again.tap(run_id, "Undo")
    await again.worked_off()
    assert await elsewhere.kept() == before


async def test_mails_with_one_message_id_are_told_apart_when_an_answer_is_lost(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        await elsewhere.put("Twin", SHOP)
    await elsewhere.put("Twin", SHOP, "Archive", "\\Flagged", X_Longer="so that its size is another one")
    before = await elsewhere.kept()
    answer_lost(monkeypatch, "move")
    run_id = await room.begun(action="archive", senders=[SHOP], inbox=True)
    await room.worked_off()
    assert await room.text(run_id) == "Archived: 3 of 3"
    await room.tap(run_id, "Undo")
    await room.worked_off()
    after = await elsewhere.kept()
    assert sorted(map(str, after.values())) == sorted(map(str, before.values()))


async def test_a_mail_without_a_message_id_is_moved_and_put_back(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], user: UserUnderTest
) -> None:
    raw = f"From: {SHOP}\r\nSubject: Bare\r\n\r\nHello.\r\n".encode()
    await elsewhere.lay(raw)
    run_id = await room.begun(action="trash", senders=[SHOP])
    await room.worked_off()
    assert [mail.raw for mail in await user.mailbox("Trash")] == [raw]
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert [mail.raw for mail in await user.mailbox()] == [raw]


async def test_a_folder_that_was_rebuilt_before_the_undo_is_left_alone_and_told(
    server: MailServer, user: UserUnderTest, elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    await offers(elsewhere)
    run_id = await room.begun(action="archive", senders=[SHOP])
    await room.worked_off()
    after = await elsewhere.kept()
    server.change_uidvalidity(user.address, "Archive")
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert await elsewhere.kept() == after


@pytest.mark.nightly
async def test_a_server_that_cannot_be_reached_is_waited_for(
    server: MailServer, elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    ids = await offers(elsewhere)
    run_id = await room.begun(action="archive", senders=[SHOP])
    await server.go_offline()
    for _ in range(7):
        # Nothing is sent, so it may be waited for as long as it takes.
        with pytest.raises(BatchLaterError):
            await room.step()
    await server.come_back()
    await room.worked_off()
    assert lying(await elsewhere.kept(), "Archive") == ids
    assert await room.text(run_id) == "Archived: 6 of 6"


async def test_a_connection_that_is_cut_before_anything_is_done_is_opened_anew(
    server: MailServer, elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    ids = await offers(elsewhere)
    run_id = await room.begun(action="archive", senders=[SHOP])
    for _ in range(2):
        server.drop_imap()
        server.fail_imap("MOVE", "DROP")
        with pytest.raises(BatchUnclearError):
            await room.step()
    await room.worked_off()
    assert lying(await elsewhere.kept(), "Archive") == ids
    assert await room.text(run_id) == "Archived: 6 of 6"


async def test_a_sign_in_that_is_refused_pauses_the_run_and_says_so(
    server: MailServer, user: UserUnderTest, elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    await offers(elsewhere)
    context = await room.adapter.prepare({"action": "star", "senders": [SHOP]})
    items = await room.adapter.get_next_batch(context, 10)
    run_id = await room.begun(action="star", senders=[SHOP])
    server.drop_imap()
    server.fail_imap("AUTHENTICATE", "NO", "[AUTHENTICATIONFAILED] No", times=None)
    with pytest.raises(BatchUnclearError):
        await room.adapter.execute_batch(items, context)
    with pytest.raises(AuthRequiredError):
        await room.adapter.execute_batch(items, context)
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.PAUSED
    assert "refused the login" in await room.text(run_id)


@pytest.mark.parametrize("why", ["[OVERQUOTA] Quota exceeded", "[NOPERM] Not yours"])
async def test_a_refusal_that_holds_of_every_mail_pauses_the_run_at_once(
    server: MailServer, elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], user: UserUnderTest, why: str
) -> None:
    await offers(elsewhere)
    run_id = await room.begun(action="archive", senders=[SHOP])
    server.fail_imap("MOVE", "NO", why, times=None)
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.PAUSED
    assert asked(user, MOVE) == 1
    assert len(lying(await elsewhere.kept(), "INBOX")) == 6


async def test_a_refusal_without_a_reason_is_halved_and_told_of_each(
    server: MailServer, elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    await offers(elsewhere, 3)
    run_id = await room.begun(action="archive", senders=[SHOP])
    server.fail_imap("MOVE", "NO", "No", times=None)
    await room.worked_off()
    assert "0 of 3" in await room.text(run_id)
    assert "refused to move mails to Archive" in await room.text(run_id)
    server.clear_faults()
    await room.tap(run_id, "Retry failed")
    await room.worked_off()
    assert len(lying(await elsewhere.kept(), "Archive")) == 3


async def test_a_server_that_says_ok_and_does_nothing_is_not_believed(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], monkeypatch: pytest.MonkeyPatch
) -> None:
    await offers(elsewhere, 2)

    def nothing(*_: Any, **__: Any) -> str:
        return ""

    monkeypatch.setattr(SelectedFolder, "move", nothing)
    monkeypatch.setattr(SelectedFolder, "store", nothing)
    for call, action in (("call-1", "archive"), ("call-2", "star")):
        run_id = await room.begun(call, action=action, senders=[SHOP])
        await room.worked_off()
        assert "0 of 2" in await room.text(run_id)
        assert "took it and did not do it" in await room.text(run_id)


async def test_a_code_that_says_other_mails_is_not_believed(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], monkeypatch: pytest.MonkeyPatch
) -> None:
    ids, does = await offers(elsewhere, 3), SelectedFolder.move

    def lies(self: SelectedFolder, *args: Any, **named: Any) -> str:
        does(self, *args, **named)
        return "[COPYUID 17 4711:4713 1:2]"

    monkeypatch.setattr(SelectedFolder, "move", lies)
    assert await archived_and_undone(elsewhere, room, ids) == "Archived: 3 of 3"


async def test_a_server_without_labels_says_that_folders_are_there(
    server: MailServer, elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], monkeypatch: pytest.MonkeyPatch
) -> None:
    await offers(elsewhere)

    def sent(self: Any, lines: Iterable[bytes]) -> None:
        for line in lines:
            self._wire.send(line.replace(b" \\*", b""))

    monkeypatch.setattr(imap_session.ImapSession, "_send_all", sent)
    server.drop_imap()
    order = {"action": "label", "senders": [SHOP], "name": "Shops"}
    result = await room.launcher.snapshot(BulkOrder("imap", "", order), called("asks"))
    assert result.error is not None
    assert "keeps no labels on mails; I can move them to a folder instead" in result.error.message


async def test_im_15_a_server_that_searches_for_ascii_alone_finds_what_is_compared_here(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap_search, "CHARSETS", ("US-ASCII",))
    beyond = "=?utf-8?q?J=C3=BCrgen?= <j@x.example>"
    for at, (sender, subject) in enumerate(((beyond, "Büro"), (beyond, "Lunch"), (SHOP, "Büro"), (SHOP, "Offer"))):
        await elsewhere.put(subject, sender, "INBOX", *(("\\Seen",) if at == 3 else ()), X_Number=str(at))

    async def found(**said: Any) -> list[str]:
        context = await room.adapter.prepare({"action": "archive", **said})
        return sorted(item.display_name for item in await room.adapter.get_next_batch(context, 10))

    mine = ["Jürgen <j@x.example> · Büro", "Jürgen <j@x.example> · Lunch"]
    assert await found(senders=["Jürgen"]) == mine
    assert await found(senders=["Jürgen", "hostinger"], subject="büro") == [mine[0], f"{SHOP} · Büro"]
    assert await found(unread=True, keep=["jürgen"]) == [f"{SHOP} · Büro"]
    result = await room.launcher.snapshot(
        BulkOrder("imap", "", {"action": "archive", "words": "Grüße"}), called("asks")
    )
    assert result.error is not None
    assert "cannot search for these characters" in result.error.message


async def test_an_account_that_was_taken_out_of_the_settings_pauses_its_run(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    await offers(elsewhere)
    run_id = await room.begun(action="archive", senders=[SHOP])
    gone = {**(await room.run(run_id)).context, "metadata": {"account": "gone"}}
    await room.store.write(lambda c: bulk.learn(c, run_id, gone))
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.PAUSED
    assert "no longer set up" in await room.text(run_id)


async def test_pages_windows_and_command_lines_are_bounded(
    user: UserUnderTest, elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "BATCH", 7)
    monkeypatch.setattr(imap_listing, "PAGE", 4)
    monkeypatch.setattr(imap, "PAGE", 4)
    monkeypatch.setattr(integration_imap_bulk, "WINDOW", 5)
    monkeypatch.setattr(bulk_moving, "LONGEST_SET", 6)
    ids: set[str] = set()
    for at in range(30):
        ids.add(await elsewhere.put(f"Offer {at}", SHOP))
        await elsewhere.put(f"Other {at}", "other@x.example")
    assert await archived_and_undone(elsewhere, room, ids) == "Archived: 30 of 30"
    assert asked(user, FIND) >= 12


async def test_an_offset_that_was_not_reached_by_paging_is_found_all_the_same(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    for at in range(9):
        await elsewhere.put(f"Offer {at}", SHOP, "INBOX" if at % 2 else "Projects")
    context = await room.adapter.prepare({"action": "star", "senders": [SHOP]})
    every: list[str] = []
    while page := await room.adapter.get_next_batch(context, 2, len(every)):
        every += [item.id for item in page]
    assert await room.adapter.get_total_count(context) == 9
    assert [item.id for item in await room.adapter.get_next_batch(context, 3, 4)] == every[4:7]
    assert await room.adapter.get_next_batch(context, 3, 9) == []
