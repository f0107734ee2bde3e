"""One of the owner's accounts: its connection, its methods and its feed."""

from butler.contract.errors import Retryable
from butler.contract.module import AddressBookEntry, CheckResult, ModuleContext
from modules.telegram.config import AccountSettings
from modules.telegram.feed_filter import FeedFilter
from modules.telegram.integration_client_connection import ClientConnection
from modules.telegram.integration_client_errors import LOGIN
from modules.telegram.integration_client_peers import Peers
from modules.telegram.integration_telegram_client import TelegramClientApi
from modules.telegram.method_ids import USER_CONTACTS
from modules.telegram.source_user import UserFeed
from modules.telegram.user_limits import READS
from modules.telegram.user_scope import Scope


class UserAccount:
    """One account's connection, methods and feed. Imported only when the identity is on, since the library is large."""

    def __init__(
        self, name: str, settings: AccountSettings, context: ModuleContext, butler: str, *, default: bool
    ) -> None:
        self.name = name
        self.settings = settings
        scope = Scope.of(settings, butler)
        self.feed_filter = FeedFilter(scope)
        login = LOGIN if default else f"{LOGIN} --account {name}"
        self.connection = ClientConnection(name, settings, context.vault, context.clock, login)
        self.peers = Peers(name, self.feed_filter, scope.excluded_names, context.storage.mirror)
        self.api: TelegramClientApi = TelegramClientApi(
            self.connection, self.peers, self.feed_filter, context.storage.blobs, context.probe
        )
        self.source = UserFeed(self.connection, self.feed_filter, context, history=settings.history, is_first=default)
        self._beside_daemon = context.beside_daemon
        self._title = "Your Telegram account" if default else f"Your Telegram account {name}"

    async def check(self) -> CheckResult:
        """Check that the session is signed in."""
        from modules.telegram.checks import account_check  # noqa: PLC0415 - only for `butler doctor`

        return await account_check(self.api, self._title, self.connection.login, beside_daemon=self._beside_daemon)

    async def address_book(self) -> list[AddressBookEntry]:
        """Return the contacts, under the names that the owner gave them."""
        entries: list[AddressBookEntry] = []
        result = await self.api.request("address_book", USER_CONTACTS, retry_policy=READS)
        if result.error is not None:
            # An address book that could not be read does not mean that it is empty.
            raise Retryable(result.error.message)
        for contact in (result.data or {}).get("items", []):
            addresses = [f"telegram:{contact['user_id']}"]
            if contact["username"]:
                addresses.append(f"telegram:@{contact['username']}")
            entries.append(AddressBookEntry(contact["name"], tuple(addresses)))
        return entries
