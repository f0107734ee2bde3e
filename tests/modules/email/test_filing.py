"""Mails that were dealt with are moved to the folder that the owner names, and no other mail is ever touched."""

from collections.abc import AsyncIterator

import pytest

from butler.contract.inbound import Inbound
from butler_demo.mailbox.server import MailServer
from modules.email.imap.syntax import read_copied
from tests.modules.email.mailhost import BotUnderTest, Host, mail, mail_context
from tests.support.context import MemoryRecords
from tests.support.waiting import until

FOLDER = "Dealt with"


@pytest.fixture
async def tidy(host: Host) -> AsyncIterator[BotUnderTest]:
    """The module on a mailbox whose owner names a folder for what is dealt with."""
    under_test = BotUnderTest(host, mail_context(host), handled_folder=FOLDER)
    yield under_test
    await under_test.module.stop()


@pytest.fixture
async def demo_tidy(server: MailServer) -> AsyncIterator[BotUnderTest]:
    under_test = BotUnderTest(server, mail_context(server), handled_folder=FOLDER)
    yield under_test
    await under_test.module.stop()


def records(bot: BotUnderTest) -> MemoryRecords:
    assert isinstance(bot.context.inbox.records, MemoryRecords)
    return bot.context.inbox.records


async def dealt_with(bot: BotUnderTest, *raws: bytes) -> list[Inbound]:
    """Mails that came in and were dealt with."""
    await bot.check()
    for raw in raws:
        await bot.deliver(raw)
    await bot.check()
    records(bot).settled = {item.inbound_id for item in bot.sink.items}
    return bot.sink.items


async def filed(bot: BotUnderTest) -> None:
    """A look of the source, after which all that was dealt with is filed."""
    async with bot.running():
        await until(lambda: records(bot).filed >= records(bot).settled, 10)


async def subjects(bot: BotUnderTest, folder: str = "INBOX") -> list[str]:
    lines = [line for mail in await bot.mailbox(folder) for line in mail.raw.splitlines()]
    return [line.removeprefix(b"Subject: ").decode() for line in lines if line.startswith(b"Subject: ")]


async def test_what_was_dealt_with_is_moved_and_the_rest_stays(tidy: BotUnderTest) -> None:
    await tidy.deliver(mail("Old"))
    await dealt_with(tidy, mail("One"), mail("Two", message_id="<two@friends.example>"))
    await tidy.deliver(mail("Waits"))
    await tidy.check()
    flags = (await tidy.flags())[0]
    await filed(tidy)
    assert await subjects(tidy, FOLDER) == ["Old", "One", "Two"]
    assert await subjects(tidy) == ["Waits"]
    assert {mail.flags - {"\\Recent"} for mail in await tidy.mailbox(FOLDER)} == {flags}


async def test_a_mail_that_was_filed_can_still_be_read_and_found(tidy: BotUnderTest) -> None:
    (item,) = await dealt_with(tidy, mail("Lunch", "At one?", message_id="<lunch@friends.example>"))
    await filed(tidy)
    for key in ("<lunch@friends.example>", item.inbound_id):
        result = await tidy.do("bot_email_read_message", message_id=key)
        assert result.data is not None, result.error
        assert "At one?" in str(result.data)
    found = await tidy.do("bot_email_search_inbox", subject="Lunch")
    assert found.data is not None, found.error
    assert [row["message_id"] for row in found.data["messages"]] == ["<lunch@friends.example>"]


async def test_without_the_setting_every_mail_stays(demo_bot: BotUnderTest) -> None:
    await dealt_with(demo_bot, mail("One"))
    async with demo_bot.running():
        pass
    assert await subjects(demo_bot) == ["One"]


async def test_a_mail_that_is_gone_already_is_only_noted(demo_tidy: BotUnderTest, server: MailServer) -> None:
    await dealt_with(demo_tidy, mail("One"), mail("Two"))
    server.expunge(demo_tidy.address, [(await demo_tidy.mailbox())[0].uid])
    await filed(demo_tidy)
    assert await subjects(demo_tidy, FOLDER) == ["Two"]


async def test_another_mail_in_its_place_is_never_touched(demo_tidy: BotUnderTest) -> None:
    (item,) = await dealt_with(demo_tidy, mail("One"))
    await demo_tidy.deliver(mail("Somebody else's"))
    other = (await demo_tidy.mailbox())[-1]
    demo_tidy.sink.items[0] = item.model_copy(update={"payload": item.payload | {"uid": other.uid}})
    await filed(demo_tidy)
    assert await subjects(demo_tidy) == ["One", "Somebody else's"]


async def test_after_a_renumbering_a_mail_is_found_by_its_id(demo_tidy: BotUnderTest, server: MailServer) -> None:
    await dealt_with(demo_tidy, mail("One"), mail("Two"))
    twin = mail("Twin", message_id=demo_tidy.sink.items[0].message_ref)
    server.put(demo_tidy.address, twin)
    server.change_uidvalidity(demo_tidy.address)
    await filed(demo_tidy)
    assert sorted(await subjects(demo_tidy, FOLDER)) == ["One", "Two"]
    assert await subjects(demo_tidy) == ["Twin"]


async def test_a_server_without_move_copies_and_expunges_only_what_it_copied(
    demo_tidy: BotUnderTest, server: MailServer
) -> None:
    server.rewrite_imap = lambda answer: answer.replace(b" MOVE", b"")
    await dealt_with(demo_tidy, mail("One"))
    await demo_tidy.deliver(mail("Marked by the owner"))
    await demo_tidy.check()
    marked = (await demo_tidy.mailbox())[-1].uid
    server.flag(demo_tidy.address, marked, "\\Deleted")
    await filed(demo_tidy)
    assert await subjects(demo_tidy, FOLDER) == ["One"]
    assert await subjects(demo_tidy) == ["Marked by the owner"]


async def test_a_copy_that_the_server_does_not_confirm_removes_nothing(
    demo_tidy: BotUnderTest, server: MailServer
) -> None:
    server.rewrite_imap = lambda answer: answer.replace(b" MOVE", b"").replace(b"[COPYUID", b"[X-COPYUID")
    await dealt_with(demo_tidy, mail("One"))
    async with demo_tidy.running():
        (source,) = demo_tidy.module.sources()
        await until(lambda: "stay in the inbox" in source.health().detail, 10)
        assert not source.health().failing
    assert await subjects(demo_tidy) == ["One"]
    assert not records(demo_tidy).filed


async def test_a_server_that_can_only_expunge_everything_moves_nothing(
    demo_tidy: BotUnderTest, server: MailServer
) -> None:
    server.rewrite_imap = lambda answer: answer.replace(b" UIDPLUS MOVE", b"")
    await dealt_with(demo_tidy, mail("One"))
    async with demo_tidy.running():
        (source,) = demo_tidy.module.sources()
        await until(lambda: "cannot move mails" in source.health().detail, 10)
    assert await subjects(demo_tidy) == ["One"]


@pytest.mark.parametrize("answer", ["DROP", "NO", "BYE"])
async def test_a_move_that_is_broken_off_is_done_at_a_later_look(
    demo_tidy: BotUnderTest, server: MailServer, answer: str
) -> None:
    await dealt_with(demo_tidy, mail("One"))
    server.fail_imap("MOVE", answer)  # type: ignore[arg-type]
    async with demo_tidy.running():
        # The next look may come so soon that nobody sees why the one before did not work.
        seen = demo_tidy.module.sources()[0].health
        await until(lambda: bool(seen().detail or records(demo_tidy).filed), 10)
    await filed(demo_tidy)
    assert await subjects(demo_tidy, FOLDER) == ["One"]


def test_the_confirmation_of_a_copy_names_what_was_copied() -> None:
    assert read_copied([b"OK [COPYUID 7 3:5,9 1:4] Moved", b"3 EXPUNGE"]) == {3, 4, 5, 9}
    assert read_copied([b"Completed"]) == set()
