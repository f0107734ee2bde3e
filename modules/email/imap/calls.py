"""Calls of a mailbox's integration outside any tool call: for syncing and for filing."""

from typing import Any

from butler.contract.integration import READS, IntegrationError, IntegrationResult
from modules.email.integration_smtp_imap import SmtpImapIntegration

_TIMEOUT_MS = 180_000


class CallFailedError(Exception):
    """A call failed; never raised beyond the look that made it."""

    def __init__(self, error: IntegrationError) -> None:
        super().__init__(error.message)
        self.error = error


class MailboxCalls:
    """The calls of one look."""

    def __init__(self, integration: SmtpImapIntegration, trace: str) -> None:
        self._integration, self._trace = integration, trace

    async def ask(self, method_id: str, args: dict[str, Any]) -> IntegrationResult:
        """Return the result; raise `CallFailedError` if the call failed."""
        result = await self._integration.request(
            self._trace, method_id, args, timeout_ms=_TIMEOUT_MS, retry_policy=READS
        )
        if result.error is not None:
            raise CallFailedError(result.error)
        return result
