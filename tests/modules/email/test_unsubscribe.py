"""Unsubscribing as a tool: what a card shows is read from the mail, and exactly that is done."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from approvals.preview import left_out, preview_of
from butler.contract.errors import IntegrationErrorCode
from butler.contract.tools import Settled
from butler_demo.mailbox.server import MailServer
from modules.email.authentication.dns_txt import DnsUnavailableError
from modules.email.integration_unsubscribe import ONE_CLICK, UnsubscribeIntegration
from modules.email.one_click import NOT_OFFERED
from modules.email.unsubscribe import Unsubscribing
from tests.modules.email.gmail_account import ME, gmail_account
from tests.modules.email.list_server import COVERED, HOST, ListServer, list_server, newsletter
from tests.modules.email.mailhost import BotUnderTest, ModuleUnderTest, UserUnderTest, mail
from tests.support.signing import Dns, now, signed

MINE = "user_email_unsubscribe"
BUTLERS = "bot_email_unsubscribe"


@pytest.fixture
def dns() -> Dns:
    return Dns.of("shop.example")


@pytest.fixture
async def server_of_list(tmp_path: Path, dns: Dns, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ListServer]:
    """A list's server that the module may reach, on a network with this DNS."""
    async with list_server(tmp_path) as running:

        def integration(probe: object) -> UnsubscribeIntegration:
            assert probe is not None
            return running.integration()

        monkeypatch.setattr("modules.email.identities.UnsubscribeIntegration", integration)
        monkeypatch.setattr("modules.email.identities.Unsubscribing", partial(Unsubscribing, lookup=dns))
        yield running


@pytest.fixture
async def mine(server_of_list: ListServer, demo_user: UserUnderTest) -> UserUnderTest:
    """The person's side; the list's server stands before it is built."""
    assert server_of_list.port
    return demo_user


@pytest.fixture
async def butlers(server_of_list: ListServer, demo_bot: BotUnderTest) -> BotUnderTest:
    assert server_of_list.port
    return demo_bot


async def refusal(under_test: ModuleUnderTest, tool: str, **args: str) -> str:
    complete = under_test.spec(tool).complete
    assert complete is not None
    result = await complete(under_test.call(tool, args))
    assert result.error is not None, result
    return result.error.message


async def test_the_card_shows_whose_list_and_which_address_and_the_yes_goes_there(
    server_of_list: ListServer, mine: UserUnderTest
) -> None:
    await mine.deliver(newsletter(server_of_list.url))
    filled = await mine.completed(MINE, message_id=await mine.id_of("Offers"))
    assert (filled["url"], filled["list"]) == (server_of_list.url, "shop.example")
    spec = mine.spec(MINE)
    args = spec.args.model_validate(filled)
    shown = preview_of(spec, args)
    assert shown.effect == "Unsubscribes you from a mailing list, by one request to its server"
    assert shown.facts[:3] == (
        ("List", "shop.example"),
        ("Server", f"{HOST}:{server_of_list.port}"),
        ("Address", server_of_list.url),
    )
    assert left_out(shown, args.model_dump(mode="json")) == ()
    assert server_of_list.requests == []
    result = await mine.do(MINE, **filled)
    assert result.data == {"host": HOST, "status": 200}
    assert len(server_of_list.requests) == 1
    settled = await mine.registry.reconcile(mine.call(MINE, filled))
    assert settled.settled is Settled.UNKNOWN


async def test_a_mail_that_does_not_offer_it_is_left_to_the_person(
    server_of_list: ListServer, mine: UserUnderTest
) -> None:
    await mine.deliver(mail("Plain"))
    await mine.deliver(newsletter(server_of_list.url, sign=False))
    assert await refusal(mine, MINE, message_id=await mine.id_of("Plain")) == NOT_OFFERED
    assert "nothing of shop.example signs it" in await refusal(mine, MINE, message_id=await mine.id_of("Offers"))
    await mine.deliver(newsletter("https://127.0.0.1/u", Subject="Router"))
    assert "does not name a server" in await refusal(mine, MINE, message_id=await mine.id_of("Router"))
    assert "no mail" in await refusal(mine, MINE, message_id="nothing")
    result = await mine.do(MINE, message_id="x")
    assert result.error is not None
    assert result.error.message == "it is not known where to unsubscribe; name the mail"


@pytest.mark.parametrize("said", [{"url": "https://evil.example/u"}, {"list": "evil.example"}])
async def test_an_address_that_the_mail_does_not_name_is_refused(
    server_of_list: ListServer, mine: UserUnderTest, said: dict[str, str]
) -> None:
    await mine.deliver(newsletter(server_of_list.url))
    key = await mine.id_of("Offers")
    assert (await refusal(mine, MINE, message_id=key, **said)).startswith("the mail names another address")


async def test_dns_that_does_not_answer_may_be_asked_later(
    server_of_list: ListServer, mine: UserUnderTest, dns: Dns
) -> None:
    await mine.deliver(newsletter(server_of_list.url))
    dns.down = DnsUnavailableError()
    complete = mine.spec(MINE).complete
    assert complete is not None
    result = await complete(mine.call(MINE, {"message_id": await mine.id_of("Offers")}))
    assert result.error is not None
    assert (result.error.code, result.error.retriable) == (IntegrationErrorCode.UNAVAILABLE, True)


async def test_a_list_that_sends_mails_within_a_mail_is_itself_unsubscribed_from(
    server_of_list: ListServer, mine: UserUnderTest
) -> None:
    digest = newsletter(server_of_list.url, sign=False, Subject="Digest", Content_Type='multipart/mixed; boundary="b"')
    digest = digest.replace(b"Buy now.", b"--b\r\nContent-Type: message/rfc822\r\n\r\n" + mail("Within") + b"\r\n--b--")
    await mine.deliver(signed(digest, now(), domain="shop.example", headers=COVERED))
    filled = await mine.completed(MINE, message_id=await mine.id_of("Digest"))
    assert filled["url"] == server_of_list.url


async def test_a_mail_at_gmail_is_unsubscribed_from_in_the_same_way(server_of_list: ListServer) -> None:
    async with gmail_account() as user:
        got = user.server.deliver(ME, newsletter(server_of_list.url))
        filled = await user.completed(MINE, message_id=got.id)
        assert await user.data(MINE, **filled) == {"host": HOST, "status": 200}
    assert len(server_of_list.requests) == 1


def forwarded_whole(newsletter: bytes) -> bytes:
    """The owner's mail with another one as a file, byte for byte."""
    outer = mail("Fwd: Offers", message_id="<fwd@home.example>", From="me@home.example").partition(b"\r\n\r\n")[0]
    return (
        outer
        + b'\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nunsubscribe'
        + b"\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n"
        + newsletter
        + b"\r\n--b--\r\n"
    )


@pytest.mark.parametrize("sign", [True, False])
async def test_whether_it_may_be_offered_is_told_of_the_mail_at_issue(
    server_of_list: ListServer, butlers: BotUnderTest, sign: bool
) -> None:
    """The signature is looked at once somebody wants it."""
    await butlers.check()
    offering = newsletter(server_of_list.url, sign=sign)
    await butlers.deliver(forwarded_whole(offering))
    await butlers.deliver(forwarded_whole(mail("Plain")).replace(b"<fwd@", b"<plain@"))
    await butlers.deliver(offering)
    await butlers.check()
    told = {item.message_ref: item.mail.can_unsubscribe for item in butlers.sink.items if item.mail is not None}
    assert told == {"<fwd@home.example>": True, "<plain@home.example>": False, "<news-1@shop.example>": True}


@pytest.mark.parametrize("canonicalize", ["relaxed", "simple"])
async def test_a_mail_that_was_forwarded_whole_is_the_one_at_issue(
    server_of_list: ListServer, butlers: BotUnderTest, canonicalize: str
) -> None:
    way = (canonicalize.encode(), canonicalize.encode())
    await butlers.deliver(forwarded_whole(newsletter(server_of_list.url, canonicalize=way)))
    complete = butlers.spec(BUTLERS).complete
    assert complete is not None
    found = await complete(butlers.call(BUTLERS, {"message_id": "<fwd@home.example>"}))
    assert found.data is not None, found.error
    assert found.data == {"url": server_of_list.url, "list": "shop.example"}
    result = await butlers.do(BUTLERS, message_id="<fwd@home.example>", **found.data)
    assert result.data == {"host": HOST, "status": 200}


async def test_a_mail_that_was_forwarded_as_text_has_lost_its_signature(
    server_of_list: ListServer, butlers: BotUnderTest
) -> None:
    inner = newsletter(server_of_list.url).decode()
    await butlers.deliver(
        mail("Fwd: Offers", f"---------- Forwarded ----------\r\n{inner}", message_id="<f@a.example>")
    )
    assert await refusal(butlers, BUTLERS, message_id="<f@a.example>") == NOT_OFFERED


async def test_a_newsletter_to_the_butler_itself_can_be_unsubscribed_from(
    server_of_list: ListServer, butlers: BotUnderTest, server: MailServer
) -> None:
    server.put(butlers.address, newsletter(server_of_list.url))
    complete = butlers.spec(BUTLERS).complete
    assert complete is not None
    found = await complete(butlers.call(BUTLERS, {"message_id": "<news-1@shop.example>"}))
    assert found.data is not None, found.error
    assert (await butlers.do(BUTLERS, message_id="<news-1@shop.example>", **found.data)).ok


async def test_both_sides_publish_the_method(mine: UserUnderTest, butlers: BotUnderTest) -> None:
    for under_test in (mine, butlers):
        methods = [one.method_id for lists in under_test.module.integrations() for one in lists.describe_methods()]
        assert methods.count(ONE_CLICK) == 1
