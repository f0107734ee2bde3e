"""The butler's mails to its owner, and the owner's to the butler: the way for when Telegram is down."""

from datetime import timedelta
from email import message_from_bytes
from email.policy import default

import pytest

from butler.contract.errors import Refuse, Retryable
from butler.contract.inbound import Inbound
from butler.contract.ports import SecondChannel
from butler_demo.mailbox.server import MailServer
from modules.email.authentication.dns_txt import DnsUnavailableError
from modules.email.config import EmailSettings
from modules.email.intake import Intake
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.items import MailItems
from modules.email.module import EmailModule
from modules.email.parsing.reader import MailReader
from tests.modules.email.mailhost import BotUnderTest, mail, mail_context
from tests.support.context import MemoryAnswers, TurnedClock, make_context
from tests.support.signing import Dns, letter, now, signed
from tests.support.waiting import until
from tests.support.worded import authority_of

ME = "me@home.example"


def second(bot: BotUnderTest) -> SecondChannel:
    channel = bot.module.second_channel()
    assert channel is not None
    return channel


async def test_a_mail_to_the_owner_leaves_the_butlers_address_marked_as_automatic(bot: BotUnderTest) -> None:
    elsewhere = "me@elsewhere.example"
    bot.context.owner.emails = frozenset({elsewhere})  # type: ignore[misc]
    message_id = await second(bot).send(elsewhere, "Zur Freigabe – A7K2", "Grüße\n" + "x" * 3_000, key="twin:1:1")
    assert message_id == await second(bot).send(elsewhere, "again", "the same key", key="twin:1:1")
    await until(lambda: any(one.mail_from == bot.address for one in bot.host.outgoing), 20)
    sent = next(one for one in bot.host.outgoing if one.mail_from == bot.address)
    assert sent.rcpt_tos == (elsewhere,)
    parsed = message_from_bytes(sent.raw, policy=default)
    assert parsed["Message-ID"] == message_id
    assert parsed["Auto-Submitted"] == "auto-generated"
    assert parsed["Reply-To"].addresses[0].addr_spec == bot.address
    assert parsed["X-Butler"] == "bot"
    assert parsed["Subject"] == "Zur Freigabe – A7K2"
    assert parsed.get_content() == "Grüße\r\n" + "x" * 3_000 + "\r\n"


async def test_a_mail_to_the_owner_holds_no_link_and_nothing_that_hides(bot: BotUnderTest) -> None:
    elsewhere = "me@elsewhere.example"
    bot.context.owner.emails = frozenset({elsewhere})  # type: ignore[misc]
    text = "Eve wrote: https://evil.example/pay, or www.evil.example\u202e, and write to eve@evil.example."
    await second(bot).send(elsewhere, "Hello\u200b", text, key="twin:1:1")
    await until(lambda: any(one.mail_from == bot.address for one in bot.host.outgoing), 20)
    sent = next(one for one in bot.host.outgoing if one.mail_from == bot.address)
    parsed = message_from_bytes(sent.raw, policy=default)
    assert parsed["Subject"] == "Hello[U+200B]"
    assert parsed.get_content().strip() == (
        "Eve wrote: https[:]//evil[.]example/pay, or www[.]evil[.]example[U+202E], and write to eve@evil.example."
    )


async def test_what_is_sent_to_the_owner_is_kept_nowhere(demo_bot: BotUnderTest) -> None:
    await second(demo_bot).send(ME, "For your approval", "yes ABCD-EFGH", key="twin:1:1")
    assert demo_bot.context.storage.blobs.data == {}  # type: ignore[attr-defined]
    assert demo_bot.host.mailbox(demo_bot.address, "Sent") == []


async def test_it_reaches_nobody_but_the_owner(demo_bot: BotUnderTest) -> None:
    with pytest.raises(Refuse, match="not an address of the owner's"):
        await second(demo_bot).send("anna@friends.example", "Hello", "You?", key="k")
    assert demo_bot.host.outgoing == []


@pytest.mark.parametrize(("code", "kind"), [(451, Retryable), (550, Refuse), (None, Retryable)])
async def test_a_refusal_for_now_is_told_from_one_for_good(server: MailServer, code: int | None, kind: type) -> None:
    bot = BotUnderTest(server, mail_context(server))
    server.fail_smtp("data", code, times=None)
    with pytest.raises(kind):
        await second(bot).send(ME, "For your approval", "x", key="k")
    await bot.module.stop()


async def test_an_address_that_cannot_be_one_is_refused(server: MailServer) -> None:
    bot = BotUnderTest(server, mail_context(server))
    bot.context.owner.emails = frozenset({"me@@home"})  # type: ignore[misc]
    with pytest.raises(Refuse):
        await second(bot).send("me@@home", "For your approval", "x", key="k")


async def test_without_a_mailbox_of_its_own_there_is_no_second_channel() -> None:
    assert EmailModule(EmailSettings(), make_context()).second_channel() is None


# The owner's mails


async def taken(bot: BotUnderTest, raw: bytes, dns: Dns, authserv_id: str = "") -> Inbound:
    """The item that a mail becomes."""
    integration, *_ = bot.module.integrations()
    assert isinstance(integration, SmtpImapIntegration)
    assert isinstance(bot.module.settings, EmailSettings)
    assert bot.module.settings.bot is not None
    settings = bot.module.settings.bot.model_copy(update={"authserv_id": authserv_id})
    intake = Intake(integration, MailItems(MailReader(), bot.context, settings, lookup=dns), bot.context)
    await intake.check()
    await bot.deliver(raw)
    report = await intake.check()
    assert report.error is None
    return bot.sink.items[-1]


def own_letter(bot: BotUnderTest) -> bytes:
    return letter(now(), From=f"Me <{ME}>", To=bot.address)


async def test_a_mail_of_the_owners_says_whether_it_may_command(demo_bot: BotUnderTest) -> None:
    item = await taken(demo_bot, signed(own_letter(demo_bot), now()), Dns.of())
    assert authority_of(item) == {"command": True, "why": "it is signed by home.example"}


async def test_a_mail_that_only_names_the_owner_may_not_command(demo_bot: BotUnderTest) -> None:
    item = await taken(demo_bot, own_letter(demo_bot), Dns.of())
    assert authority_of(item) == {"command": False, "why": "it has no signature of home.example"}


async def test_nobody_elses_mail_is_looked_at(demo_bot: BotUnderTest) -> None:
    dns = Dns.of("friends.example")
    item = await taken(demo_bot, signed(mail(), now(), domain="friends.example"), dns)
    assert "authority" not in item.payload
    assert dns.asked == []


async def test_what_our_own_server_found_is_believed_at_intake(demo_bot: BotUnderTest, server: MailServer) -> None:
    await demo_bot.check()
    raw = signed(own_letter(demo_bot), now())
    server.deliver(raw, ME, [demo_bot.address], results="dkim=pass header.d=home.example")
    item = await taken(demo_bot, mail(), Dns(), "mx.home.example")
    first = next(one for one in demo_bot.sink.items if one is not item)
    assert authority_of(first) == {
        "command": True,
        "why": "it is signed by home.example, as mx.home.example found",
    }


async def test_a_mail_waits_for_dns_but_not_for_ever(server: MailServer) -> None:
    clock = TurnedClock()
    bot = BotUnderTest(server, mail_context(server))
    bot.context = make_context(vault=bot.context.vault, clock=clock)
    dns = Dns.of()
    dns.down = DnsUnavailableError()
    with pytest.raises(Retryable):
        await taken(bot, signed(own_letter(bot), now()), dns)
    assert bot.sink.items == []
    clock.offset = timedelta(minutes=2)
    item = await taken(bot, mail(), dns)
    first = next(one for one in bot.sink.items if one is not item)
    assert first.payload["authority"]["command"] is False
    assert "DNS did not answer" in authority_of(first)["why"]
    await bot.module.stop()


async def test_a_mail_that_comes_twice_commands_once(demo_bot: BotUnderTest) -> None:
    raw = signed(own_letter(demo_bot), now())
    first = await taken(demo_bot, raw, Dns.of())
    assert await taken(demo_bot, b"X-Passed-On: by a replayer\r\n" + raw, Dns.of()) is first
    assert demo_bot.sink.items == [first]
    # One that cannot be proved is told, and commands nothing.
    await demo_bot.deliver(b"X-Passed-On: once more\r\n" + raw)
    assert (await demo_bot.check())["new"] == 1
    assert demo_bot.sink.items[-1].payload["authority"]["command"] is False


# Answers to them


async def asked(bot: BotUnderTest, **headers: str) -> Inbound:
    """A mail of the owner's to the butler, as it came in."""
    lines = {"From": f"Me <{ME}>", "References": "<root@home.example>", **headers}
    raw = mail("Lunch", "At one?", message_id=f"<ask-{bot.address}>", **lines)
    return await taken(bot, raw, Dns.of())


def answers(bot: BotUnderTest) -> MemoryAnswers:
    book = bot.context.inbox.answers
    assert isinstance(book, MemoryAnswers)
    return book


async def test_an_answer_stands_in_the_thread_quotes_the_mail_and_is_kept_in_sent(bot: BotUnderTest) -> None:
    elsewhere = "me@elsewhere.example"
    bot.context.owner.emails = frozenset({elsewhere})  # type: ignore[misc]
    item = await asked(bot, From=f"Me <{elsewhere}>")
    message_id = await second(bot).answer(item, "At one, then.\n", key="turn:1")
    assert message_id == await second(bot).answer(item, "At one, then.\n", key="turn:1")
    (copy,) = await bot.mailbox("Sent")
    read = message_from_bytes(copy.raw, policy=default)
    assert (read["Subject"], read["To"], read["Message-ID"]) == ("Re: Lunch", elsewhere, message_id)
    assert (read["In-Reply-To"], read["Auto-Submitted"]) == (item.payload["message_id"], "auto-replied")
    assert read["References"] == f"<root@home.example> {item.payload['message_id']}"
    assert read["X-Butler"] == "bot"
    plain, html = read.iter_parts()
    answer, _, attribution, *quote = plain.get_content().splitlines()
    assert (answer, quote) == ("At one, then.", ["> At one?"])
    assert attribution.endswith(f", {elsewhere} wrote:")
    assert '<p dir="auto">At one, then.</p>' in html.get_content()
    assert list(answers(bot).noted.values()) == [(elsewhere, item.chat)]


async def test_an_answer_that_was_accepted_is_not_sent_again_after_a_crash(
    demo_bot: BotUnderTest, server: MailServer
) -> None:
    item = await asked(demo_bot)
    server.fail_imap("APPEND", "NO", "Later", times=None)
    message_id = await second(demo_bot).answer(item, "Yes.", key="turn:1")
    server.clear_faults()
    assert await second(demo_bot).answer(item, "Yes.", key="turn:1") == message_id
    assert len(server.outgoing) == 1
    assert len(await demo_bot.mailbox("Sent")) == 1


async def test_sm_12_an_answer_whose_fate_nobody_knows_is_not_sent_again(
    demo_bot: BotUnderTest, server: MailServer
) -> None:
    item = await asked(demo_bot)
    server.fail_smtp("after_data", None)
    for _ in range(2):
        with pytest.raises(Refuse, match=r"^[^(]*whether it was sent is not known"):
            await second(demo_bot).answer(item, "Yes.", key="turn:1")
    assert len(server.outgoing) == 1


async def test_an_answer_waits_for_a_server_that_asks_to_for_a_day_and_then_is_given_up(
    demo_bot: BotUnderTest, server: MailServer
) -> None:
    item = await asked(demo_bot)
    server.fail_smtp("mail", 451, "4.7.1 Greylisted", times=None)
    waits: list[timedelta] = []
    for _ in range(8):
        with pytest.raises(Retryable) as caught:
            await second(demo_bot).answer(item, "Yes.", key="turn:1")
        waits.append(caught.value.wait)
    with pytest.raises(Refuse, match="given up after a day of tries: the mail server asked to wait"):
        await second(demo_bot).answer(item, "Yes.", key="turn:1")
    assert waits[:4] == [timedelta(minutes=minutes) for minutes in (1, 5, 15, 60)]
    assert timedelta(hours=20) < sum(waits, timedelta()) < timedelta(hours=24)
    server.clear_faults()
    assert server.outgoing == []


async def test_a_mail_that_may_not_be_answered_is_not(demo_bot: BotUnderTest) -> None:
    item = await asked(demo_bot, Auto_Submitted="auto-replied")
    with pytest.raises(Refuse, match="the mail may not be answered: it says that a machine sent it"):
        await second(demo_bot).answer(item, "Yes.", key="turn:1")
    stranger = item.model_copy(update={"sender": "mail:anna@friends.example", "mail": None})
    with pytest.raises(Refuse, match="not an address of the owner's"):
        await second(demo_bot).answer(stranger, "Yes.", key="turn:2")
    assert answers(demo_bot).noted == {}
    answers(demo_bot).refuse_with = "there were 30 today"
    with pytest.raises(Refuse, match="there were 30 today"):
        await second(demo_bot).answer(item.model_copy(update={"mail": None}), "Yes.", key="turn:3")
    assert demo_bot.host.outgoing == []


async def test_what_is_sent_to_the_owner_leaves_a_server_alone_that_asks_to_wait(
    demo_bot: BotUnderTest, server: MailServer
) -> None:
    server.fail_smtp("mail", 451, "4.7.1 Greylisted", times=None)
    with pytest.raises(Retryable) as caught:
        await second(demo_bot).send(ME, "For your approval", "x", key="k")
    assert caught.value.wait == timedelta(minutes=1)
