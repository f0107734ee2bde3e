"""Many mails of a mailbox over IMAP: found, marked, moved, and put back exactly; on the stand-in and on Dovecot."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from butler.contract.bulk import BulkOrder, BulkToolAdapter
from butler.contract.card import rich_text
from butler.store.queries.bulk import RunState
from butler_demo.mailbox.server import MailServer
from modules.email.bulk.imap import ImapBulkAdapter
from modules.email.integration_smtp_imap import SmtpImapIntegration
from tests.bulk.bulk_harness import BulkHarness, called
from tests.modules.email.imap_account import Elsewhere, lying, room_of
from tests.modules.email.mailhost import UserUnderTest, mail
from tests.support.nightly import every_nth

SHOP, SCHOOL = "news@hostinger.example", "office@school.example"
NOW = datetime.now(UTC).replace(microsecond=0)
OLD = NOW - timedelta(days=40)


@pytest.fixture
def elsewhere(user: UserUnderTest) -> Elsewhere:
    return Elsewhere(user)


@pytest.fixture
async def room(user: UserUnderTest, tmp_path: Path) -> AsyncIterator[BulkHarness[BulkToolAdapter]]:
    async with room_of(user, tmp_path) as made:
        yield made


async def test_what_is_archived_is_what_was_meant_and_undo_restores_it_exactly(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    flags = ((), ("\\Seen",), ("\\Flagged", "\\Seen"), ("$Work",))
    old = {await elsewhere.put(f"Offer {at}", SHOP, "INBOX", *flags[at % 4], at=OLD) for at in range(7)}
    fresh = await elsewhere.put("Offer new", SHOP)
    other = await elsewhere.put("Term", SCHOOL, at=OLD)
    before = await elsewhere.kept()
    day = (NOW - timedelta(days=30)).date().isoformat()
    run_id = await room.begun(action="archive", senders=["hostinger"], before=day)
    await room.worked_off()
    after = await elsewhere.kept()
    assert lying(after, "Archive") == old
    assert lying(after, "INBOX") == {fresh, other}
    assert {one: flags for one, (_, flags) in after.items()} == {one: flags for one, (_, flags) in before.items()}
    assert await room.text(run_id) == "Archived: 7 of 7"
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert await elsewhere.kept() == before


@pytest.mark.parametrize(
    ("action", "more", "to"),
    [("trash", {}, "Trash"), ("spam", {}, "Junk"), ("move", {"to": "Projects"}, "Projects")],
)
async def test_what_is_moved_goes_back_to_the_folder_that_each_lay_in(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], action: str, more: dict[str, str], to: str
) -> None:
    moved = {
        await elsewhere.put("One", SHOP, "INBOX", "\\Flagged"),
        await elsewhere.put("Two", SHOP, "Archive", "\\Seen"),
    }
    left = {await elsewhere.put("Mine", SHOP, "Sent"), await elsewhere.put("Theirs", SCHOOL)}
    before = await elsewhere.kept()
    run_id = await room.begun(action=action, senders=[SHOP], **more)
    await room.worked_off()
    after = await elsewhere.kept()
    assert lying(after, to) == moved
    assert {one: after[one] for one in left} == {one: before[one] for one in left}
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert await elsewhere.kept() == before


@pytest.mark.parametrize(
    ("action", "source", "said"),
    [
        ("unarchive", "Archive", "Put back into the inbox: 1 of 1"),
        ("untrash", "Trash", "Taken out of the trash: 1 of 1"),
        ("unspam", "Junk", "Taken out of spam: 1 of 1"),
    ],
)
async def test_what_is_taken_out_of_a_folder_comes_into_the_inbox(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], action: str, source: str, said: str
) -> None:
    one = await elsewhere.put("One", SHOP, source)
    await elsewhere.put("Two", SHOP, "Projects")
    before = await elsewhere.kept()
    run_id = await room.begun(action=action, senders=[SHOP])
    await room.worked_off()
    assert lying(await elsewhere.kept(), "INBOX") == {one}
    assert await room.text(run_id) == said
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert await elsewhere.kept() == before


@pytest.mark.parametrize(
    ("action", "flag", "on"),
    every_nth(
        [
            pytest.param("mark_read", "\\Seen", True),
            pytest.param("mark_unread", "\\Seen", False),
            pytest.param("unstar", "\\Flagged", False),
            pytest.param("star", "\\Flagged", True),
        ],
        2,
    ),
)
async def test_only_what_the_action_changes_is_marked_and_undo_leaves_the_others(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], action: str, flag: str, on: bool
) -> None:
    for at, folder in enumerate(("INBOX", "Archive", "Projects", "Trash", "Sent")):
        await elsewhere.put(f"With {at}", SHOP, folder, flag)
        await elsewhere.put(f"Without {at}", SHOP, folder)
    before = await elsewhere.kept()
    run_id = await room.begun(action=action, senders=[SHOP])
    await room.worked_off()
    for where, flags in (await elsewhere.kept()).values():
        if where not in {"Trash", "Sent"}:
            assert (flag in flags) is on
    assert (await room.run(run_id)).total == 3
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert await elsewhere.kept() == before


async def test_a_label_is_a_keyword_and_is_found_by_its_name(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    one = await elsewhere.put("One", SCHOOL)
    await elsewhere.put("Two", SHOP)
    before = await elsewhere.kept()
    order: dict[str, Any] = {"action": "label", "senders": [SCHOOL], "name": "Schule & Büro"}
    shown = await room.shown(BulkOrder("imap", "", order))
    assert "schule_&-_b&apw-ro" in dict(shown.facts)["Stays"].lower()
    run_id = await room.begun(**order)
    await room.worked_off()
    labelled = (await elsewhere.kept())[one][1] - before[one][1]
    assert {flag.lower() for flag in labelled} == {"schule_&-_b&apw-ro"}
    found = await room.adapter.prepare({"action": "mark_read", "label": "Schule & Büro"})
    assert await room.adapter.get_total_count(found) == 1
    taken_off = await room.begun("call-2", action="unlabel", label="Schule & Büro", name="Schule & Büro")
    await room.worked_off()
    assert await elsewhere.kept() == before
    await room.tap(taken_off, "Undo")
    await room.worked_off()
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert await elsewhere.kept() == before


@pytest.mark.parametrize("name", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"])
async def test_days_are_those_of_the_person_wherever_the_server_is(
    user: UserUnderTest, elsewhere: Elsewhere, name: str
) -> None:
    (integration, *_) = user.module.integrations()
    assert isinstance(integration, SmtpImapIntegration)
    zone = ZoneInfo(name)
    adapter = ImapBulkAdapter({"main": integration}, user.reader, user.mirror, zone)
    midnight = datetime(2026, 3, 29, tzinfo=zone)
    late = await elsewhere.put("Late", SHOP, at=(midnight - timedelta(seconds=1)).astimezone(UTC))
    early = await elsewhere.put("Early", SHOP, at=midnight.astimezone(UTC))
    for said, expected in (({"before": "2026-03-29"}, late), ({"since": "2026-03-29"}, early)):
        context = await adapter.prepare({"action": "archive", **said})
        (item,) = await adapter.get_next_batch(context, 10)
        assert item.raw_data is not None
        assert item.raw_data["m"] == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    every_nth(
        [
            pytest.param({"words": "bill June"}, {"Bill"}),
            pytest.param({"subject": "bill"}, {"Bill"}),
            pytest.param({"subject": "hot"}, set[str]()),
            pytest.param(
                {"attachment": False, "inbox": True, "since": "2020-01-01"}, {"Bill", "Hannah", "Weekly", "Übergrößen"}
            ),
            pytest.param({"words": "bill", "unread": True}, set[str]()),
            pytest.param({"unread": True, "inbox": True}, {"Hannah", "Weekly", "Übergrößen", "Photo"}),
            pytest.param({"attachment": True}, {"Photo"}),
            pytest.param({"senders": ["ann"]}, {"Bill"}),
            pytest.param({"senders": ["ann", "hannah"]}, {"Bill", "Hannah"}),
            pytest.param({"unread": True, "keep": ["hannah", "hostinger"]}, {"Photo"}),
            pytest.param({"list_id": "weekly"}, {"Weekly"}),
            pytest.param({"category": "promotions"}, {"Weekly"}),
            pytest.param({"larger_kb": 20}, {"Photo"}),
            pytest.param({"label": "Projects"}, {"Elsewhere"}),
            pytest.param({"subject": "übergrößen"}, {"Übergrößen"}),
        ],
        3,
    ),
)
async def test_what_is_said_of_mails_finds_them(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], said: dict[str, object], expected: set[str]
) -> None:
    file = (
        "--b\r\nContent-Type: text/plain\r\n\r\nSee.\r\n--b\r\nContent-Type: image/png; name=a.png\r\n"
        'Content-Disposition: attachment; filename="a.png"\r\n\r\n' + ("x" * 70 + "\r\n") * 400 + "--b--"
    )
    await elsewhere.lay(mail("Bill", "For June.", From="Ann Archer <ann@friends.example>"), "INBOX", "\\Seen")
    await elsewhere.lay(mail("Hannah", From="Hannah <hannah@friends.example>"))
    await elsewhere.lay(mail("Weekly", From=SHOP, List_Id="<weekly.hostinger.example>"))
    await elsewhere.lay(mail("Übergrößen", From=SHOP))
    await elsewhere.lay(mail("Photo", file, From=SCHOOL, Content_Type="multipart/mixed; boundary=b"))
    await elsewhere.lay(mail("Elsewhere", From=SCHOOL), "Projects", "\\Seen")
    context = await room.adapter.prepare({"action": "star", **said})
    found = await room.adapter.get_next_batch(context, 10)
    assert {item.display_name.rpartition(" · ")[2] for item in found} == expected


@pytest.mark.parametrize("by_place", [True, False])
async def test_mails_that_are_named_are_left_out(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], by_place: bool
) -> None:
    await elsewhere.lay(mail("Draft", From=SHOP))
    await elsewhere.lay(mail("Final", From=SHOP))
    prepared = await room.adapter.prepare({"action": "archive", "senders": ["hostinger"]})
    every = await room.adapter.get_next_batch(prepared, 9)
    draft = next(item for item in every if item.display_name.endswith("Draft"))
    assert draft.raw_data is not None
    account = next(iter(room.adapter._calls.accounts))
    named = draft.id if by_place else f"imap:{account}:INBOX:1:9999:{draft.raw_data['m']}"
    context = await room.adapter.prepare({"action": "archive", "senders": ["hostinger"], "keep_mails": [named]})
    found = await room.adapter.get_next_batch(context, 9)
    assert [item.display_name.rpartition(" · ")[2] for item in found] == ["Final"]


@pytest.mark.parametrize(
    "said",
    [
        {"action": "archive"},
        {"action": "eat"},
        {"action": "trash", "category": "social"},
        {"action": "label", "senders": ["x"], "name": "x" * 60},
        {"action": "trash", "senders": ["*"]},
        {"action": "trash", "mails": ["imap:1"], "senders": ["x"]},
        {"action": "archive", "senders": ["x"], "account": "other"},
    ],
)
async def test_what_makes_no_sense_is_refused_in_a_sentence(
    room: BulkHarness[BulkToolAdapter], said: dict[str, object]
) -> None:
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        await room.adapter.prepare(dict(said))


async def test_no_word_smuggles_an_operator_into_the_search(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    await elsewhere.put("One", SHOP)
    for said in ('x" OR ALL "', "x) ALL", "x\\", "x{4}", 'a"b'):
        for name in ("senders", "words", "subject", "list_id", "label"):
            context = await room.adapter.prepare({"action": "archive", name: [said] if name == "senders" else said})
            assert await room.adapter.get_next_batch(context, 10) == []


async def test_mails_are_named_by_the_ids_of_a_search_wherever_they_lie_by_now(
    user: UserUnderTest, elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    one, read = await elsewhere.put("One", SHOP), await elsewhere.put("Two", SHOP, "INBOX", "\\Seen")
    ids = [await user.id_of("One"), await user.id_of("Two")]
    await elsewhere.say("INBOX", "COPY", await elsewhere.uid(one), "Archive")
    await elsewhere.say("INBOX", "STORE", await elsewhere.uid(one), "+FLAGS", "(\\Deleted)")
    run_id = await room.begun(action="mark_read", mails=ids)
    await room.worked_off()
    kept = await elsewhere.kept()
    assert kept[one] == ("Archive", frozenset({"\\Seen"}))
    assert kept[read] == ("INBOX", frozenset({"\\Seen"}))
    assert await room.text(run_id) == "Marked as read: 1 of 1"


async def test_a_card_says_what_becomes_of_them_on_this_server_and_which_are_the_newest_and_the_oldest(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    for at in range(5):
        await elsewhere.put(f"In {at}", SHOP, "INBOX", at=NOW - timedelta(days=10 + at))
        await elsewhere.put(f"Away {at}", SHOP, "Archive", at=NOW - timedelta(days=8 + at))
    await elsewhere.put("Oldest", SHOP, "INBOX", at=NOW - timedelta(days=99))
    for at in range(5):
        await elsewhere.put(f"Last {at}", SHOP, "INBOX", at=NOW - timedelta(days=50))
    shown = await room.shown(BulkOrder("imap", "", {"action": "trash", "senders": [SHOP]}))
    facts = dict(shown.facts)
    assert facts["How many"] == "16"
    assert "Away 0" in facts["Newest"]
    assert "Oldest" in facts["Oldest"]
    assert "in the folder Trash" in facts["Stays"]
    promotions = {"action": "trash", "category": "promotions", "words": "hello"}
    stays = room.adapter.words(await room.adapter.prepare(promotions)).stays
    assert "Newsletters are taken to be" in stays
    assert "finds words within longer ones" in stays


async def test_a_card_says_whose_they_are_as_far_as_they_were_seen(
    user: UserUnderTest, elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    for at in range(8):
        await elsewhere.put(f"In {at}", SHOP)
    await user.look()
    for at in range(4):
        await elsewhere.put(f"New {at}", SHOP)
    shown = await room.shown(BulkOrder("imap", "", {"action": "archive", "senders": [SHOP]}))
    assert dict(shown.facts)["Whose"] == f"{SHOP} 8, 4 that I have not seen yet"


async def test_what_comes_in_meanwhile_is_left_and_told(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    await elsewhere.put("One", SHOP)
    run_id = await room.begun(action="archive", senders=[SHOP])
    late = await elsewhere.put("Late", SHOP)
    await room.worked_off()
    assert lying(await elsewhere.kept(), "INBOX") == {late}
    assert "1 more of that kind came meanwhile" in await room.text(run_id)


@pytest.mark.parametrize("action", ["archive", "star"])
async def test_a_mail_that_vanishes_meanwhile_is_told_and_hinders_nothing(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], action: str
) -> None:
    ids = [await elsewhere.put(f"Offer {at}", SHOP) for at in range(5)]
    run_id = await room.begun(action=action, senders=[SHOP])
    await elsewhere.say("INBOX", "STORE", await elsewhere.uid(ids[2]), "+FLAGS", "(\\Deleted)")
    await room.worked_off()
    text = await room.text(run_id)
    assert "4 of 5" in text
    assert "Offer 2: it is no longer there" in text
    assert (await room.run(run_id)).state is RunState.DONE


@pytest.mark.parametrize("action", ["archive", "star"])
async def test_im_09_a_folder_that_was_rebuilt_meanwhile_is_left_alone_and_told(
    user: UserUnderTest, elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], action: str
) -> None:
    for at in range(6):
        await elsewhere.put(f"Offer {at}", SHOP)
    before = await elsewhere.kept()
    run_id = await room.begun(action=action, senders=[SHOP])
    host = user.host if isinstance(user.host, MailServer) else user.host.dovecot
    await asyncio.to_thread(host.change_uidvalidity, user.address)
    await room.worked_off()
    assert await elsewhere.kept() == before
    text = await room.text(run_id)
    assert "0 of 6" in text
    assert "the folder INBOX was rebuilt meanwhile" in text


async def test_nothing_of_that_kind_is_said(room: BulkHarness[BulkToolAdapter]) -> None:
    result = await room.launcher.snapshot(
        BulkOrder("imap", "", {"action": "trash", "senders": ["nobody"]}), called("asks")
    )
    assert result.error is not None
    assert "nothing of that kind" in result.error.message


async def test_a_folder_to_move_to_is_made_once_it_is_said_yes_to(
    user: UserUnderTest, elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter]
) -> None:
    one = await elsewhere.put("One", SCHOOL)
    run_id = await room.begun(action="move", senders=[SCHOOL], to="Family/Büro")
    await room.worked_off()
    assert rich_text((await room.message(run_id)).text) == "Moved: 1 of 1"
    (moved,) = await user.mailbox("Family/B&APw-ro")
    assert one.encode() in moved.raw


@pytest.mark.parametrize("place", ["Trash", "trash", "Junk"])
async def test_the_trash_and_spam_are_no_folders_to_move_to(
    elsewhere: Elsewhere, room: BulkHarness[BulkToolAdapter], place: str
) -> None:
    """Each of them has an act of its own, whose ceiling a move would pass by."""
    await elsewhere.put("One", SCHOOL)
    order = BulkOrder("imap", "", {"action": "move", "senders": [SCHOOL], "to": place})
    result = await room.launcher.snapshot(order, called("asks"))
    assert result.error is not None
    assert f"{place} is a place of its own" in result.error.message
