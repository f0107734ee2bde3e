"""Gmail calls of bulk operations: any call, and the owner's own labels."""

from collections.abc import Mapping, Sequence
from typing import Any

from butler.contract.bulk import NOT_SET_UP, PreparedBulkContext
from butler.contract.bulk_adapter import answered, metadata_of
from butler.contract.errors import Reconfigure
from butler.contract.integration import READS, IntegrationResult
from butler.contract.speech import say
from modules.email.integration_gmail import GmailIntegration
from modules.email.integration_gmail_records import LABELS, MailLabel, MailLabels

_TIMEOUT_MS = 100_000


class GmailAsking:
    """Calls the owner's Gmail accounts, by name; a context says which one."""

    def __init__(self, accounts: Mapping[str, GmailIntegration]) -> None:
        self._accounts = accounts

    async def call(
        self, context: PreparedBulkContext, method_id: str, args: dict[str, Any], cursor: str | None = None
    ) -> IntegrationResult:
        """Make one call. Raise `Reconfigure` if the account is no longer set up."""
        integration = self._accounts.get(str(metadata_of(context)["account"]))
        if integration is None:
            raise Reconfigure(say(NOT_SET_UP))
        return await integration.request(
            f"bulk-{context.action}", method_id, args, timeout_ms=_TIMEOUT_MS, retry_policy=READS, cursor=cursor
        )

    async def labels(self, context: PreparedBulkContext) -> Sequence[MailLabel]:
        """Return Gmail's own labels and the owner's."""
        return MailLabels.model_validate(answered(await self.call(context, LABELS, {}))).labels

    async def own_labels(self, context: PreparedBulkContext) -> Sequence[MailLabel]:
        """Return the owner's labels."""
        return [label for label in await self.labels(context) if label.own]


def label_called(labels: Sequence[MailLabel], name: str) -> MailLabel | None:
    """Return the label of this name; Gmail ignores case in names."""
    return next((label for label in labels if label.name.casefold() == name.casefold()), None)
