"""What goes over the wire arrives as it was written: letters beyond ASCII in addresses, dots, long lines."""

from email import message_from_bytes
from email.policy import SMTPUTF8, default

import pytest
from pydantic import ValidationError

from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.tools import Settled
from butler_demo.mailbox.server import MailServer
from butler_demo.mailbox.smtp import SubmissionProtocol
from tests.modules.email.mailhost import ANNA, BotUnderTest, Notes

SEND = "bot_email_send_message"
JORG = "jörg@bücher.example"
BODY = ".\n..\n.hidden\nFrom me\n" + "x" * 3000 + "\nüber\ttab \n\n.\n"


def to(*addresses: str) -> tuple[dict[str, str], ...]:
    return tuple({"address": f"mail:{address}"} for address in addresses)


async def test_sm_16_17_dots_and_long_lines_arrive_as_they_were_written(bot: BotUnderTest) -> None:
    result = await bot.do(SEND, to=to(ANNA), subject="." * 300, body=BODY)
    assert result.ok, result.error
    (sent,) = await bot.left()
    assert max(map(len, sent.raw.split(b"\r\n"))) <= 998
    read = message_from_bytes(sent.raw, policy=default)
    assert read.get_content().replace("\r\n", "\n") == BODY
    assert read["Subject"] == "." * 300


async def test_an_address_with_letters_beyond_ascii_is_written_to_where_the_server_takes_it(bot: BotUnderTest) -> None:
    result = await bot.do(SEND, to=to(JORG), subject="Grüße", body="Bücher")
    assert result.data is not None, result.error
    assert result.data["accepted"] == ["jörg@xn--bcher-kva.example"]
    (copy,) = await bot.mailbox("Sent")
    read = message_from_bytes(copy.raw, policy=SMTPUTF8)
    assert (read["To"], read["Subject"]) == ("jörg@xn--bcher-kva.example", "Grüße")
    if isinstance(bot.host, MailServer):
        # Where Postfix would pass it on to does not take it.
        (sent,) = await bot.left()
        assert sent.rcpt_tos == ("jörg@xn--bcher-kva.example",)


async def test_a_server_that_does_not_take_such_an_address_is_sent_nothing_at_all(
    demo_bot: BotUnderTest, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    off = property(lambda _: False, lambda _, __: None)
    monkeypatch.setattr(SubmissionProtocol, "enable_SMTPUTF8", off, raising=False)
    notes = Notes()
    result = await demo_bot.do(SEND, notes=notes, to=to(ANNA, JORG), subject="Hi", body="x")
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.REJECTED, Effect.NONE)
    assert "addresses like jörg@xn--bcher-kva.example" in result.error.message
    assert server.outgoing == []
    settled = await demo_bot.registry.reconcile(
        demo_bot.call(SEND, {"to": to(ANNA, JORG), "subject": "Hi", "body": "x"}, notes=notes)
    )
    assert settled.settled is Settled.REPEAT
    assert (await demo_bot.do(SEND, to=to("a@bücher.example"), subject="Grüße", body="ü")).ok
    (sent,) = await demo_bot.left()
    assert sent.rcpt_tos == ("a@xn--bcher-kva.example",)


@pytest.mark.parametrize("address", ["a..b@x.example", "a@x..example", '"a,b"@x.example', "a\u200db@x.example"])
async def test_an_address_that_no_mail_can_go_to_is_refused_before_anybody_is_asked(
    demo_bot: BotUnderTest, address: str
) -> None:
    with pytest.raises(ValidationError, match="mail"):
        demo_bot.call(SEND, {"to": to(address), "subject": "Hi", "body": "x"})
