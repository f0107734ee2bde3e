"""What comes into the butler's mailbox reaches the inbox: once, in order, whatever happens in between."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from butler.contract.errors import IntegrationErrorCode, LoginRefusedError
from butler.contract.inbound import InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Trust
from butler.store.errors import StoreBusyError
from butler_demo.mailbox.server import MailServer
from modules.email.intake import MOST_TOLD_AT_FIRST
from tests.modules.email.mailhost import ANNA, BotUnderTest, mail, mail_context
from tests.support.context import TurnedClock
from tests.support.waiting import until
from tests.support.worded import authority_of, problems, put_aside, worded


def cursor(bot: BotUnderTest) -> dict[str, object]:
    return json.loads(bot.context.storage.cursors.values[f"mail.bot.{bot.address}"])  # type: ignore[attr-defined]


async def test_a_mail_becomes_an_untrusted_item_of_the_inbox(bot: BotUnderTest) -> None:
    await bot.check()
    await bot.deliver(mail("Lunch", "At one?", message_id="<lunch@friends.example>", In_Reply_To="<root@home.example>"))
    assert (await bot.check())["new"] == 1
    (item,) = bot.sink.items
    assert (item.kind, item.channel, item.identity) == (InboundKind.MAIL, "email", Identity.BOT)
    assert item.account == bot.address
    assert (item.sender, item.sender_name) == (f"mail:{ANNA}", "Anna")
    assert item.chat == "mail:<root@home.example>"
    assert item.message_ref == "<lunch@friends.example>"
    assert item.text == "At one?"
    assert item.origin.trust is Trust.UNTRUSTED
    assert all(segment.tainted for segment in item.segments)
    assert item.payload["subject"] == "Lunch"
    raw = await bot.context.storage.blobs.get(item.payload["raw"])
    assert raw.endswith(b"At one?\r\n")
    assert not item.payload["quarantine"]


async def test_a_mail_is_seen_at_once_while_the_server_tells(bot: BotUnderTest) -> None:
    async with bot.running():
        # The watcher's connection asks for a second look, after which it idles.
        news = "smtp_imap.inbox.news.v1"
        await until(lambda: sum(call.method_id == news for call in bot.probe.calls) > 1)
        await bot.deliver(mail())
        assert len(await bot.sink.wait_for(1)) == 1


async def test_the_cursor_moves_with_the_item_and_no_flag_moves(bot: BotUnderTest) -> None:
    await bot.check()
    await bot.deliver(mail())
    before = await bot.flags()
    await bot.check()
    ((items, moved),) = bot.sink.commits
    assert len(items) == 1
    assert moved is not None
    assert moved[0] == f"mail.bot.{bot.address}"
    assert json.loads(moved[1])["uid"] == items[0].payload["uid"]
    assert await bot.flags() == before


async def test_im_06_what_lay_there_before_the_first_look_is_told_once_and_is_no_request(bot: BotUnderTest) -> None:
    for number in range(5):
        await bot.deliver(mail(f"Old {number}"))
    assert (await bot.check())["new"] == 5
    await bot.deliver(mail("New"))
    await bot.check()
    again = BotUnderTest(bot.host, bot.context)
    await again.check()
    await again.module.stop()
    assert [item.payload["subject"] for item in bot.sink.items] == [*(f"Old {number}" for number in range(5)), "New"]
    assert [item.payload.get("before_first_look", False) for item in bot.sink.items] == [True] * 5 + [False]


async def test_an_order_that_lay_there_before_the_first_look_is_not_the_owners(demo_bot: BotUnderTest) -> None:
    await demo_bot.deliver(mail("Do it", "tell Anna that I come", From="Robin <me@home.example>"))
    await demo_bot.check()
    (item,) = demo_bot.sink.items
    assert authority_of(item) == {"command": False, "why": "it lay in my mailbox before I first looked there"}
    assert all(origin.trust is Trust.UNTRUSTED for part in item.segments for origin in part.origins)
    assert item.mail is not None
    assert item.mail.standing_answer == ""


async def test_what_somebody_has_read_before_the_first_look_is_left_alone(
    demo_bot: BotUnderTest, server: MailServer
) -> None:
    server.put(demo_bot.address, mail("Read"), "INBOX", "\\Seen")
    assert (await demo_bot.check())["new"] == 0
    assert demo_bot.sink.items == []


async def test_of_a_mailbox_full_of_old_mails_the_newest_are_told_and_the_others_are_counted(
    demo_bot: BotUnderTest,
) -> None:
    for number in range(MOST_TOLD_AT_FIRST + 3):
        await demo_bot.deliver(mail(f"Old {number}"))
    await demo_bot.check()
    told = [item.payload["subject"] for item in demo_bot.sink.items]
    assert told == [f"Old {number}" for number in range(3, MOST_TOLD_AT_FIRST + 3)]
    first, *others = [[*map(worded, item.mail.problems)] for item in demo_bot.sink.items if item.mail]
    assert "3 older unread mails that lay in my mailbox before I first looked are not told" in first
    assert not any("older" in problem for problems in others for problem in problems)
    assert (await demo_bot.check())["new"] == 0


async def test_a_restart_goes_on_where_it_was(bot: BotUnderTest) -> None:
    await bot.check()
    await bot.deliver(mail("While up"))
    await bot.check()
    await bot.deliver(mail("While down"))
    again = BotUnderTest(bot.host, bot.context)
    assert await again.check() == {"new": 1, "known": 0, "quarantined": 0, "reason": ""}
    await again.module.stop()
    assert [item.payload["subject"] for item in bot.sink.items] == ["While up", "While down"]


async def test_a_mail_that_could_not_be_stored_comes_again(bot: BotUnderTest) -> None:
    await bot.check()
    await bot.deliver(mail())
    bot.sink.fail_with = StoreBusyError()
    with pytest.raises(StoreBusyError):
        await bot.do("bot_email_check_and_route_inbox")
    assert bot.sink.items == []
    assert (await bot.check())["new"] == 1


async def test_the_same_mail_twice_is_one_item(bot: BotUnderTest) -> None:
    await bot.check()
    twice = mail(message_id="<same@friends.example>")
    await bot.deliver(twice)
    await bot.deliver(twice)
    report = await bot.check()
    assert (report["new"], report["known"]) == (1, 1)


async def test_a_mail_that_borrows_the_id_of_another_is_another_mail(bot: BotUnderTest) -> None:
    await bot.check()
    await bot.deliver(mail("Lunch", "At one?", message_id="<same@friends.example>"))
    await bot.deliver(mail("Lunch", "Not at one.", message_id="<same@friends.example>"))
    assert (await bot.check())["new"] == 2
    assert [item.text for item in bot.sink.items] == ["At one?", "Not at one."]


async def test_a_mail_without_an_id_is_known_by_its_content(demo_bot: BotUnderTest, server: MailServer) -> None:
    await demo_bot.check()
    server.put(demo_bot.address, mail(message_id=None))
    server.put(demo_bot.address, mail(message_id=None))
    report = await demo_bot.check()
    assert (report["new"], report["known"]) == (1, 1)
    (item,) = demo_bot.sink.items
    assert item.message_ref.startswith("uid:")
    assert "there is no Message-ID" in problems(item)


async def test_im_18_the_first_of_two_message_ids_counts(bot: BotUnderTest) -> None:
    await bot.check()
    raw = mail(message_id="<first@friends.example>").replace(b"Subject:", b"Message-Id: <second@x.example>\r\nSubject:")
    await bot.deliver(raw.replace(b"Message-ID: <first", b"MESSAGE-ID: <first"))
    await bot.check()
    (item,) = bot.sink.items
    assert item.message_ref in {"<first@friends.example>", "<second@x.example>"}
    assert "there is more than one Message-ID" in problems(item)


async def test_im_22_an_odd_charset_stops_no_other_mail(bot: BotUnderTest) -> None:
    await bot.check()
    await bot.deliver(mail("One"))
    odd = mail("Two", Content_Type="text/plain; charset=x-no-such-thing", Content_Transfer_Encoding="8bit")
    await bot.deliver(odd.replace(b"At one?", b"Gr\xfc\xdfe"))
    await bot.deliver(mail("Three"))
    assert (await bot.check())["new"] == 3
    one, two, three = bot.sink.items
    assert [one.payload["subject"], two.payload["subject"], three.payload["subject"]] == ["One", "Two", "Three"]
    assert two.text == "Grüße"
    assert "the text does not hold to its charset" in problems(two)


async def test_a_mail_that_no_store_takes_is_put_aside_and_the_next_goes_on(demo_bot: BotUnderTest) -> None:
    await demo_bot.check()
    await demo_bot.deliver(mail("Poison"))
    await demo_bot.deliver(mail("Fine"))
    demo_bot.sink.fail_with = ValueError("not to be stored")
    report = await demo_bot.check()
    assert (report["new"], report["quarantined"]) == (1, 1)
    poison, fine = demo_bot.sink.items
    assert put_aside(poison) == "the mail could not be read"
    assert await demo_bot.context.storage.blobs.get(poison.payload["raw"])
    assert fine.payload["subject"] == "Fine"


async def test_a_mail_that_the_server_will_not_give_is_put_aside(demo_bot: BotUnderTest, server: MailServer) -> None:
    await demo_bot.check()
    await demo_bot.deliver(mail("Stuck", message_id="<stuck@friends.example>"))
    await demo_bot.deliver(mail("Fine"))

    def withhold(answer: bytes) -> bytes:
        if b"<stuck@friends.example>" not in answer:
            return answer
        head, _, _ = answer.partition(b" BODY[")
        return head + b")\r\n"

    server.rewrite_imap = withhold
    report = await demo_bot.check()
    assert (report["new"], report["quarantined"]) == (1, 1)
    assert put_aside(demo_bot.sink.items[0]) == "the mail server would not give this mail"


async def test_a_mail_that_is_too_large_is_told_and_not_fetched(server: MailServer) -> None:
    demo_bot = BotUnderTest(server, mail_context(server), largest_mail_mb=1)
    await demo_bot.check()
    await demo_bot.deliver(mail("Huge", ("y" * 70 + "\r\n") * 16_000))
    report = await demo_bot.check()
    assert report["quarantined"] == 1
    (item,) = demo_bot.sink.items
    assert item.payload["subject"] == "Huge"
    assert "too many to be read" in put_aside(item)
    assert len(await demo_bot.context.storage.blobs.get(item.payload["raw"])) < 5000
    await demo_bot.module.stop()


async def test_many_mails_come_in_several_portions_in_order(
    demo_bot: BotUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.email.integration_smtp_imap._LARGEST_PORTION", 3000)
    await demo_bot.check()
    for number in range(60):
        await demo_bot.deliver(mail(f"Mail {number}"))
    assert (await demo_bot.check())["new"] == 60
    assert [item.payload["subject"] for item in demo_bot.sink.items] == [f"Mail {number}" for number in range(60)]


async def test_im_09_a_renumbered_mailbox_gives_no_mail_twice_and_loses_none(
    demo_bot: BotUnderTest, server: MailServer, server_clock: TurnedClock
) -> None:
    server_clock.offset = -timedelta(hours=1)
    await demo_bot.deliver(mail("Before the first look"))
    server_clock.offset = timedelta(minutes=1)
    await demo_bot.check()
    await demo_bot.deliver(mail("Known"))
    await demo_bot.check()
    await demo_bot.deliver(mail("Unseen"))
    new_validity = server.change_uidvalidity(demo_bot.address)
    report = await demo_bot.check()
    assert (report["new"], report["known"]) == (1, 2)
    told = [item.payload["subject"] for item in demo_bot.sink.items]
    assert told == ["Before the first look", "Known", "Unseen"]
    assert cursor(demo_bot)["uidvalidity"] == new_validity
    await demo_bot.deliver(mail("After"))
    assert await demo_bot.check() == {"new": 1, "known": 0, "quarantined": 0, "reason": ""}


async def test_im_09_a_mailbox_that_lost_its_times_of_arrival_gives_no_old_mail(
    demo_bot: BotUnderTest, server: MailServer, server_clock: TurnedClock
) -> None:
    await demo_bot.check()
    server_clock.offset = timedelta(minutes=1)
    server.put(demo_bot.address, mail("Restored", Date="Thu, 01 Jan 2026 10:00:00 +0000"))
    server.put(demo_bot.address, mail("Unseen", Date=format_datetime(datetime.now(UTC))))
    server.change_uidvalidity(demo_bot.address)
    assert (await demo_bot.check())["new"] == 1
    assert [item.payload["subject"] for item in demo_bot.sink.items] == ["Unseen"]


async def test_im_01_a_silent_idle_costs_at_most_one_poll(server: MailServer) -> None:
    bot = BotUnderTest(server, mail_context(server), poll_interval="1s")
    server.silent_idle = True
    async with bot.running():
        await bot.deliver(mail())
        assert len(await bot.sink.wait_for(1, within_s=5)) == 1
    await bot.module.stop()


@pytest.mark.parametrize("poll_interval", ["1s", "60s", "5m"])
async def test_im_02_silence_is_noticed_within_ten_minutes(server: MailServer, poll_interval: str) -> None:
    bot = BotUnderTest(server, mail_context(server), poll_interval=poll_interval)
    (source,) = bot.module.sources()
    assert source.health().last_ok is None
    async with bot.running():
        assert source.health().last_ok is not None
    assert source.health().stale_after_s < 600
    await bot.module.stop()


async def test_im_02_a_command_without_an_answer_ends_the_connection(
    server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modules.email.integration_imap.STEP_S", 0.3)
    monkeypatch.setattr("modules.email.integration_smtp_imap.STEP_S", 0.3)
    bot = BotUnderTest(server, mail_context(server))
    server.fail_imap("SEARCH", "HANG")
    result = await bot.do("bot_email_search_inbox")
    # The first try timed out, the second had a connection of its own.
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.NOT_FOUND
    await bot.module.stop()


async def test_a_server_that_comes_back_is_used_again(server: MailServer) -> None:
    bot = BotUnderTest(server, mail_context(server), poll_interval="1s")
    (source,) = bot.module.sources()
    async with bot.running():
        await server.go_offline()
        await until(lambda: bool(source.health().detail), 10)
        assert "cannot be reached" in source.health().detail
        await server.come_back()
        await bot.deliver(mail())
        await bot.sink.wait_for(1)
        await until(lambda: not source.health().detail)
    await bot.module.stop()


async def test_dropped_connections_lose_nothing(server: MailServer) -> None:
    bot = BotUnderTest(server, mail_context(server), poll_interval="1s")
    async with bot.running():
        for number in range(3):
            server.drop_imap()
            await bot.deliver(mail(f"Mail {number}"))
            await bot.sink.wait_for(number + 1)
    await bot.module.stop()
    assert len(bot.sink.items) == 3


@pytest.mark.parametrize("auth", ["password", "xoauth2"])
async def test_a_refused_login_stops_the_source_with_one_sentence(host: MailServer, auth: str) -> None:
    wrong = BotUnderTest(host, mail_context(host, WRONG="not the password"), password_env="WRONG", auth=auth)
    (source,) = wrong.module.sources()
    with pytest.raises(LoginRefusedError, match="refused the login of"):
        await asyncio.wait_for(source.run(), 60)
    assert source.health().stopped
    await wrong.module.stop()


async def test_an_access_token_opens_the_mailbox(host: MailServer) -> None:
    bot = BotUnderTest(host, mail_context(host), password_env="TOKEN", auth="xoauth2")
    assert (await bot.check())["new"] == 0
    assert all(check.ok for check in await bot.module.checks())
    await bot.module.stop()


async def test_a_missing_variable_is_named(demo_bot: BotUnderTest) -> None:
    bare = BotUnderTest(demo_bot.host, demo_bot.context, password_env="NOT_THERE")
    result = await bare.do("bot_email_search_inbox")
    assert result.error is not None
    assert result.error.message == "NOT_THERE is not set; set it to use this mailbox"


async def test_only_our_own_servers_verdict_is_believed(server: MailServer) -> None:
    bot = BotUnderTest(server, mail_context(server), authserv_id="mx.home.example")
    await bot.check()
    server.deliver(
        mail(Authentication_Results="mx.evil.example; dkim=pass header.d=bank.example"),
        ANNA,
        [bot.address],
        results="dkim=none",
    )
    await bot.check()
    (item,) = bot.sink.items
    assert item.payload["authentication_results"] == "mx.home.example; dkim=none"
    await bot.module.stop()


async def test_im_28_an_impossible_date_is_flagged_and_the_servers_is_used(bot: BotUnderTest) -> None:
    await bot.check()
    await bot.deliver(mail(Date="Thu, 8 11 9 6:3:14 -5"))
    await bot.check()
    (item,) = bot.sink.items
    assert item.sent_at is None
    assert item.received_at.year >= 2026
    assert any("date" in problem for problem in problems(item))
