"""Killed at any provider call, or just before or after a note: nothing leaves twice, and no second draft stays."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from butler.contract.integration import IntegrationCall, IntegrationResult
from butler.contract.tools import Settled
from butler_demo.gmail.server import GmailServer
from tests.modules.email.gmail_account import ME, GmailUnderTest, gmail_server
from tests.modules.email.mailhost import ANNA, Notes, mail
from tests.support.context import RecordingProbe

SEND = "user_email_send_message"
REPLY = "user_email_reply_to_thread"
DRAFT, NEW_DRAFT = "user_email_draft_reply", "user_email_draft_message"


class KilledError(BaseException):
    """The process ends here."""


@dataclass
class Fate:
    """Ends the process at the moment of this number; 0: never."""

    moment: int = 0
    passed: int = 0

    def strike(self) -> None:
        self.passed += 1
        if self.passed == self.moment:
            raise KilledError


@dataclass
class MortalProbe(RecordingProbe):
    fate: Fate = field(default_factory=Fate)

    def before_call(self, call: IntegrationCall) -> None:
        self.fate.strike()

    def after_call(self, call: IntegrationCall, result: IntegrationResult) -> None:
        self.fate.strike()


class MortalNotes(Notes):
    """Notes on disk: what was saved stays, whenever the process ends."""

    fate: Fate

    async def save(self, **notes: str) -> None:
        self.fate.strike()
        await super().save(**notes)
        self.fate.strike()


class Play:
    """One approved call, and what becomes of it."""

    def __init__(self, user: GmailUnderTest, fate: Fate, tool: str, args: Mapping[str, Any], token: str) -> None:
        self._user, self._fate, self._token = user, fate, token
        self._notes = MortalNotes()
        self._notes.fate = fate
        self._call = user.call(tool, dict(args), self._notes, token=token)

    async def run(self, moment: int) -> tuple[Settled, int]:
        """Die at that moment, then do what the executor does; how it ended, and how many moments there were."""
        self._fate.moment, self._fate.passed = moment, 0
        try:
            result = await self._user.registry.invoke(self._call)
        except KilledError:
            pass
        else:
            assert result.ok, result.error
            return Settled.DONE, self._fate.passed
        self._fate.moment = 0
        found = await self._user.registry.reconcile(self._call)
        if found.settled is Settled.REPEAT:
            again = await self._user.registry.invoke(self._call)
            assert again.ok, again.error
            return Settled.DONE, moment
        return found.settled, moment

    def traces(self, server: GmailServer) -> tuple[int, int]:
        """How many mails were sent, and how many drafts lie there."""
        mark = f"X-Butler-Call: {self._token}".encode()
        sent = sum(mark in mail.message.raw for mail in server.sent_by(ME))
        return sent, sum("DRAFT" in one.label_ids and mark in one.raw for one in server.mailbox(ME))


@pytest.fixture
async def server() -> AsyncIterator[GmailServer]:
    async with gmail_server() as server:
        yield server


@pytest.mark.parametrize("tool", [SEND, REPLY, DRAFT, NEW_DRAFT])
async def test_a_kill_at_any_moment_doubles_nothing_and_loses_nothing(server: GmailServer, tool: str) -> None:
    fate = Fate()
    user = GmailUnderTest(server, units_per_minute=1_000_000, probe=MortalProbe(fate=fate))
    got = server.deliver(ME, mail("Lunch"))
    args: dict[str, Any] = {"to": ({"address": f"mail:{ANNA}"},), "subject": "Lunch", "body": "At one."}
    if tool in {REPLY, DRAFT}:
        args = await user.completed(tool, message_id=got.id, body="Yes.")
    moments, moment = 2, 0
    while moment < moments:
        play = Play(user, fate, tool, args, token=str(4_000 + moment))
        settled, passed = await play.run(moment)
        moments = moments if moment else passed + 1
        sent, drafts = play.traces(server)
        if tool in {DRAFT, NEW_DRAFT}:
            assert (settled, sent, drafts) == (Settled.DONE, 0, 1), moment
        elif settled is Settled.DONE:
            assert (sent, drafts) == (1, 0), moment
        else:
            # The draft was noted and not sent: only the person can say.
            assert (settled, sent, drafts) == (Settled.UNKNOWN, 0, 1), moment
        moment += 1
    assert moments > {DRAFT: 8, NEW_DRAFT: 6}.get(tool, 12)
    await user.module.stop()
