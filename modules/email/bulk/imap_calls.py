"""Calls from the bulk adapter to the mail servers of the owner's accounts."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from butler.contract.bulk import NOT_SET_UP, PreparedBulkContext
from butler.contract.bulk_adapter import answered, metadata_of
from butler.contract.errors import Reconfigure
from butler.contract.integration import READS, IntegrationResult
from butler.contract.speech import say
from modules.email.imap.bulk_methods import FOLDERS
from modules.email.imap.bulk_moving import HELD
from modules.email.integration_smtp_imap import SmtpImapIntegration

_TIMEOUT_MS = 300_000
_PARTS = 3
Place = tuple[str, int, int]
"""Folder, UIDVALIDITY and UID."""


class BulkCalls:
    """Calls the mail servers; keeps no state."""

    def __init__(self, accounts: Mapping[str, SmtpImapIntegration]) -> None:
        self.accounts = accounts

    @property
    def default(self) -> str:
        """The account for orders that name none."""
        return next(iter(self.accounts))

    async def call(self, context: PreparedBulkContext, method_id: str, args: dict[str, Any]) -> IntegrationResult:
        """Call a method and return its result, even a failed one. Raise `Reconfigure` for what stops the whole run."""
        integration = self.accounts.get(str(metadata_of(context)["account"]))
        if integration is None:
            raise Reconfigure(say(NOT_SET_UP))
        result = await integration.request(
            f"bulk-{context.action}", method_id, args, timeout_ms=_TIMEOUT_MS, retry_policy=READS
        )
        if result.error is not None and result.error.provider_code == HELD:
            raise Reconfigure(result.error.message)
        return result

    async def ask(self, context: PreparedBulkContext, method_id: str, args: dict[str, Any]) -> dict[str, Any]:
        """Call a method and return its data; raise a batch error if it failed."""
        return answered(await self.call(context, method_id, args))

    async def folders(self, context: PreparedBulkContext) -> dict[str, Any]:
        """Return `AllFolders` of the account."""
        return await self.ask(context, FOLDERS, {})

    def by_folder(self, ids: Iterable[str]) -> dict[tuple[str, int], list[int]]:
        """Return the UIDs of ids by folder and UIDVALIDITY; invalid ids are left out."""
        found: dict[tuple[str, int], list[int]] = {}
        for one in ids:
            if (place := read_place(one)) is not None:
                found.setdefault(place[:2], []).append(place[2])
        return found


def read_place(item_id: str) -> Place | None:
    """Return where an item was listed; None if it is no such id."""
    parts = item_id.split(":")
    if len(parts) != _PARTS or not (parts[0] and parts[1].isdecimal() and parts[2].isdecimal()):
        return None
    return unquote(parts[0]), int(parts[1]), int(parts[2])
