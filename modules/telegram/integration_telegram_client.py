# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon carries no complete types.)
"""One of the owner's accounts through Telethon. Imported only when the identity is on, since the library is large.

Reading, sending and changing have files of their own; this one joins them into one provider, with the account itself
and its address book.
"""

from typing import Any

from telethon import functions, types, utils

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import (
    CallProbe,
    Idempotency,
    IntegrationCall,
    Json,
    Method,
    RawAnswer,
    ResultProvenance,
    method,
)
from butler.contract.ports import BlobStore
from modules.telegram.client_records import Contacts, Me, Nothing
from modules.telegram.feed_filter import FeedFilter
from modules.telegram.integration_client_changing import Changing
from modules.telegram.integration_client_connection import ClientConnection
from modules.telegram.integration_client_groups import Groups
from modules.telegram.integration_client_peers import Peers
from modules.telegram.integration_client_reading import Reading
from modules.telegram.integration_client_sending import Sending
from modules.telegram.method_ids import USER_CONTACTS, USER_ME


class TelegramClientApi(BaseIntegration):
    """The methods of one account."""

    provider = "telegram_client"

    def __init__(
        self,
        connection: ClientConnection,
        peers: Peers,
        feed_filter: FeedFilter,
        blobs: BlobStore,
        probe: CallProbe | None = None,
    ) -> None:
        self._connection = connection
        self._reading = Reading(connection, peers, feed_filter, blobs)
        self._groups = Groups(connection, feed_filter)
        self._sending = Sending(connection, peers, blobs)
        self._changing = Changing(connection, peers)
        super().__init__(probe)

    def methods(self) -> list[Method]:
        read = Idempotency.READ
        return [
            *self._reading.methods(),
            *self._groups.methods(),
            *self._sending.methods(),
            *self._changing.methods(),
            method(USER_CONTACTS, args=Nothing, answer=Contacts, run=self._raw_contacts, idempotency=read),
            method(USER_ME, args=Nothing, answer=Me, run=self._raw_me, idempotency=read),
        ]

    async def auth_status(self) -> dict[str, Any]:
        result = await self.request("auth_status", USER_ME, timeout_ms=20_000)
        if result.data is not None:
            account = f"@{result.data['username']}" if result.data["username"] else result.data["name"]
            return {"ok": True, "account": account, "detail": "the session is signed in", "todo": ""}
        assert result.error is not None
        signed_out = result.error.code is IntegrationErrorCode.AUTH_REQUIRED
        todo = f"Run `{self._connection.login}`." if signed_out else "Check the network."
        return {"ok": False, "account": "", "detail": result.error.message, "todo": todo}

    async def _raw_contacts(self, _call: IntegrationCall, _args: Nothing) -> RawAnswer:
        found = await self._connection.run(lambda client: client(functions.contacts.GetContactsRequest(hash=0)))
        return _read({"items": [_person(user) for user in found.users]}, "contacts")

    async def _raw_me(self, _call: IntegrationCall, _args: Nothing) -> RawAnswer:
        request = functions.users.GetUsersRequest([types.InputUserSelf()])
        (user,) = await self._connection.run(lambda client: client(request))
        return _read(_person(user), "me")


def _person(user: Any) -> Json:
    return {"user_id": user.id, "name": utils.get_display_name(user), "username": user.username or ""}


def _read(data: Json, source_ref: str) -> RawAnswer:
    return RawAnswer(data, provenance=ResultProvenance(source_type="telegram", source_ref=source_ref))
