"""The butler's mails to its owner, and the owner's to the butler: the way for when Telegram is down."""

from datetime import timedelta
from email import message_from_bytes
from email.policy import default

import pytest

from butler.contract.errors import Refuse, Retryable
from butler.contract.inbound import Inbound
from butler.contract.ports import SecondChannel
from butler.demo.mailbox.server import MailServer
from modules.email.config import EmailSettings
from modules.email.dns_txt import DnsUnavailableError
from modules.email.intake import Intake
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.items import MailItems
from modules.email.module import EmailModule
from modules.email.reader import MailReader
from tests.modules.email.mailhost import BotUnderTest, mail, mail_context
from tests.support.context import TurnedClock, make_context
from tests.support.signing import Dns, letter, now, signed
from tests.support.waiting import until

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


async def test_what_is_sent_to_the_owner_is_kept_nowhere(demo_bot: BotUnderTest) -> None:
    await second(demo_bot).send(ME, "For your approval", "yes ABCD-EFGH", key="twin:1:1")
    assert demo_bot.context.blobs.data == {}  # type: ignore[attr-defined]
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
    (integration,) = bot.module.integrations()
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
    assert item.payload["authority"] == {"command": True, "reason": "it is signed by home.example"}


async def test_a_mail_that_only_names_the_owner_may_not_command(demo_bot: BotUnderTest) -> None:
    item = await taken(demo_bot, own_letter(demo_bot), Dns.of())
    assert item.payload["authority"] == {"command": False, "reason": "it has no signature of home.example"}


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
    assert first.payload["authority"] == {
        "command": True,
        "reason": "it is signed by home.example, as mx.home.example found",
    }


async def test_a_mail_waits_for_dns_but_not_for_ever(server: MailServer) -> None:
    clock = TurnedClock()
    bot = BotUnderTest(server, mail_context(server))
    bot.context = make_context(secrets=bot.context.secrets, clock=clock)
    dns = Dns.of()
    dns.down = DnsUnavailableError()
    with pytest.raises(Retryable):
        await taken(bot, signed(own_letter(bot), now()), dns)
    assert bot.sink.items == []
    clock.offset = timedelta(minutes=2)
    item = await taken(bot, mail(), dns)
    first = next(one for one in bot.sink.items if one is not item)
    assert first.payload["authority"]["command"] is False
    assert "DNS did not answer" in first.payload["authority"]["reason"]
    await bot.module.stop()


async def test_a_mail_that_comes_twice_commands_once(demo_bot: BotUnderTest) -> None:
    raw = signed(own_letter(demo_bot), now())
    await taken(demo_bot, raw, Dns.of())
    await demo_bot.deliver(b"X-Passed-On: by a replayer\r\n" + raw)
    assert (await demo_bot.check())["known"] == 1
    assert len(demo_bot.sink.items) == 1
