"""Calls of one mailbox's integration that nobody's tool call stands behind: the looks into it, and filing."""

from typing import Any

from butler.contract.integration import READS, IntegrationCall, IntegrationError, IntegrationResult
from modules.email.integration_smtp_imap import SmtpImapIntegration

_TIMEOUT_MS = 180_000


class CallFailedError(Exception):
    """A call did not work; never leaves the look that it belongs to."""

    def __init__(self, error: IntegrationError) -> None:
        super().__init__(error.message)
        self.error = error


class MailboxCalls:
    """Calls of one look."""

    def __init__(self, integration: SmtpImapIntegration, trace: str) -> None:
        self._integration, self._trace = integration, trace

    async def ask(self, method_id: str, args: dict[str, Any]) -> IntegrationResult:
        """The answer; raises `CallFailedError`."""
        result = await self._integration.call(
            IntegrationCall(
                trace_id=self._trace, method_id=method_id, args=args, timeout_ms=_TIMEOUT_MS, retry_policy=READS
            )
        )
        if result.error is not None:
            raise CallFailedError(result.error)
        return result
