"""Asks Gmail to push changes, at every start and daily, since Google's watch expires after a week."""

from datetime import datetime, timedelta
from typing import Any

from pydantic import AwareDatetime

from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import READS
from butler.contract.module import CheckResult, ModuleContext
from butler.contract.polling import PollError
from butler.contract.records import ClosedRecord
from butler.contract.speech import phrase, say
from modules.email.config import GmailSettings
from modules.email.integration_gmail import GmailIntegration
from modules.email.integration_gmail_records import PROFILE, STOP, WATCH, Profile, Watched

RENEW_EVERY = timedelta(days=1)
_TIMEOUT_MS = 60_000
_NOT_OURS = frozenset({IntegrationErrorCode.FORBIDDEN, IntegrationErrorCode.NOT_FOUND})
_NO_TOPIC = phrase("Gmail may not publish to the topic (docs/how-to/get-pushes-from-google.md)")


class Watching(ClosedRecord):
    """The last watch requested from Google."""

    topic: str
    address: str
    asked_at: AwareDatetime
    until: AwareDatetime


class GmailPush:
    """One account's watch. Implements `Promise`."""

    def __init__(
        self, account: str, settings: GmailSettings, integration: GmailIntegration, context: ModuleContext
    ) -> None:
        self._settings, self._integration, self._context = settings, integration, context
        self._cursor = f"gmail.push.{account}"
        self._asked = False

    @property
    def wanted(self) -> bool:
        return bool(self._settings.push_topic)

    def signed_in(self) -> None:
        """Request the watch again: the mailbox may be another one now."""
        self._asked = False

    async def address(self) -> str:
        """Return the mailbox that Google was asked to watch, or an empty text."""
        watching = await self.watching()
        return watching.address if watching else ""

    async def watching(self) -> Watching | None:
        """Return the last watch requested from Google."""
        stored = await self._context.storage.cursors.get(self._cursor)
        return Watching.model_validate_json(stored) if stored else None

    async def keep(self) -> None:
        before, now = await self.watching(), self._context.clock.now()
        if not self.wanted:
            if before is not None:
                await self._call(STOP, {})
                await self._context.storage.cursors.set(self._cursor, "")
            return
        if before is not None and self._asked and not self._is_due(before, now):
            return
        profile = Profile.model_validate(await self._call(PROFILE, {}))
        watched = Watched.model_validate(await self._call(WATCH, {"topic": self._settings.push_topic}))
        # The history id in Google's answer is not needed: the poll continues from its own cursor.
        after = Watching(
            topic=self._settings.push_topic, address=profile.address.lower(), asked_at=now, until=watched.until
        )
        await self._context.storage.cursors.set(self._cursor, after.model_dump_json())
        self._asked = True

    async def check(self, title: str) -> CheckResult | None:
        """Return the line of `butler doctor`; None if no pushes are wanted."""
        if not self.wanted:
            return None
        watching, name = await self.watching(), f"{title}: pushes"
        if watching is None or watching.until <= self._context.clock.now():
            todo = "start the daemon, and see docs/how-to/get-pushes-from-google.md"
            return CheckResult(name, ok=False, detail="Google is not asked to tell of changes", todo=todo)
        return CheckResult(name, ok=True, detail=f"Google tells of changes until {watching.until:%Y-%m-%d}")

    def _is_due(self, watching: Watching, now: datetime) -> bool:
        return now - watching.asked_at >= RENEW_EVERY or watching.topic != self._settings.push_topic

    async def _call(self, method_id: str, args: dict[str, Any]) -> dict[str, Any]:
        result = await self._integration.request(
            self._cursor, method_id, args, timeout_ms=_TIMEOUT_MS, retry_policy=READS
        )
        if result.error is not None:
            why = {"message": say(_NO_TOPIC)} if result.error.code in _NOT_OURS else {}
            raise PollError(result.error.model_copy(update=why))
        return result.data or {}
