"""How long a mail server may take: as RFC 5321 has it, so that a late answer is one, and not a mail of unknown fate."""

import asyncio
from typing import Any

import pytest

from butler.contract.integration import IntegrationCall
from butler.contract.tools import Settled
from butler_demo.mailbox.server import MailServer
from butler_demo.mailbox.smtp import SubmissionHandler
from modules.email import integration_smtp
from modules.email.imap import methods
from modules.email.integration_smtp_imap import SmtpImapIntegration
from tests.modules.email.mailhost import ANNA, BotUnderTest, Notes

SEND = "bot_email_send_message"
MESSAGE = {"to": ({"address": f"mail:{ANNA}", "name": "Anna"},), "subject": "Lunch", "body": "At one."}
STEP_S = 30.0


class Hours:
    """The time of the event loop, which the test moves on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._ahead = 0.0
        loop = asyncio.get_running_loop()
        real = loop.time
        monkeypatch.setattr(loop, "time", lambda: real() + self._ahead)

    async def go_on(self, seconds: float) -> None:
        """In steps, so that whatever is due meanwhile happens in its order."""
        while seconds > 0:
            self._ahead += min(seconds, STEP_S)
            seconds -= STEP_S
            for _ in range(20):
                await asyncio.sleep(0)


class SlowServer:
    """Takes a mail, and thinks about it before it says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
        self.has_it = asyncio.Event()
        take = SubmissionHandler.handle_DATA

        async def late(handler: SubmissionHandler, protocol: Any, session: Any, envelope: Any) -> str:
            # The stand-in's own patience with a client that says nothing.
            protocol._reset_timeout(duration=seconds * 2)
            self.has_it.set()
            await asyncio.sleep(seconds)
            return await take(handler, protocol, session, envelope)

        monkeypatch.setattr(SubmissionHandler, "handle_DATA", late)


async def sent_in(bot: BotUnderTest, hours: Hours, slow: SlowServer, seconds: float, notes: Notes) -> Any:
    sending = asyncio.create_task(bot.do(SEND, notes=notes, **MESSAGE))
    await asyncio.wait_for(slow.has_it.wait(), 60)
    await hours.go_on(seconds)
    return await sending


async def test_a_server_that_takes_ten_minutes_over_a_mail_has_taken_it(
    demo_bot: BotUnderTest, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes()
    hours, slow = Hours(monkeypatch), SlowServer(monkeypatch, 599)
    result = await sent_in(demo_bot, hours, slow, 605, notes)
    assert result.ok, result.error
    assert result.data["accepted"] == [ANNA]
    assert notes.stored["stage"] == "accepted"
    assert len(server.outgoing) == 1


async def test_a_server_that_never_answers_is_left_in_the_end_and_it_is_said_that_nobody_knows(
    demo_bot: BotUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes()
    hours, slow = Hours(monkeypatch), SlowServer(monkeypatch, 10_000)
    result = await sent_in(demo_bot, hours, slow, integration_smtp.DATA_S + STEP_S, notes)
    assert result.error is not None
    assert result.error.effect == "unknown"
    settled = await demo_bot.registry.reconcile(demo_bot.call(SEND, MESSAGE, notes=notes))
    assert settled.settled is Settled.UNKNOWN


async def test_no_limit_of_ours_ends_a_send_before_its_waits_do(
    demo_bot: BotUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[IntegrationCall] = []
    call = SmtpImapIntegration.call

    async def noted(integration: SmtpImapIntegration, req: IntegrationCall) -> Any:
        asked.append(req)
        return await call(integration, req)

    monkeypatch.setattr(SmtpImapIntegration, "call", noted)
    assert (await demo_bot.do(SEND, **MESSAGE)).ok
    (send,) = [one for one in asked if one.method_id == methods.SEND]
    longest = integration_smtp.BEFORE_DATA_S + 2 * integration_smtp.DATA_S
    assert send.timeout_ms / 1000 > longest
    assert integration_smtp.TAKEN_S >= 600
    assert min(integration_smtp.MAIL_S, integration_smtp.RCPT_S) >= 300
    assert integration_smtp.BLOCK_S >= 180
