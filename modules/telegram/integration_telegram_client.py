# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon carries no complete types.)
"""The person's own account through Telethon. Imported only when that identity is on: the library is large.

A send goes out as a raw request with a random id of ours, so that a repeat after a crash is refused by Telegram
itself. A session that was signed out or used from elsewhere is given up at once: only the owner can help.
"""

import time
from typing import Any

from telethon import errors, functions, types, utils

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import (
    BaseIntegration,
    CallProbe,
    Idempotency,
    IntegrationCall,
    Json,
    Method,
    RawAnswer,
    ResultProvenance,
    method,
)
from modules.telegram.client_records import (
    ClientMessages,
    Contacts,
    Dialogs,
    ListDialogs,
    ListMessages,
    Me,
    Nothing,
    SendAsUser,
    SentAsUser,
)
from modules.telegram.integration_client_connection import ClientConnection
from modules.telegram.method_ids import USER_CONTACTS, USER_DIALOGS, USER_HISTORY, USER_ME, USER_SEND

LOOK_AGAIN_AFTER_S = 600.0
DIALOGS_LOOKED_THROUGH = 100


class TelegramClientApi(BaseIntegration):
    """The methods of one account."""

    provider = "telegram_client"

    def __init__(self, connection: ClientConnection, probe: CallProbe | None = None) -> None:
        self._connection = connection
        self._looked_up_at = -LOOK_AGAIN_AFTER_S
        super().__init__(probe)

    def methods(self) -> list[Method]:
        read = Idempotency.READ
        return [
            method(USER_SEND, args=SendAsUser, answer=SentAsUser, run=self._raw_send, idempotency=Idempotency.PROVIDER),
            method(USER_DIALOGS, args=ListDialogs, answer=Dialogs, run=self._raw_dialogs, idempotency=read),
            method(USER_HISTORY, args=ListMessages, answer=ClientMessages, run=self._raw_history, idempotency=read),
            method(USER_CONTACTS, args=Nothing, answer=Contacts, run=self._raw_contacts, idempotency=read),
            method(USER_ME, args=Nothing, answer=Me, run=self._raw_me, idempotency=read),
        ]

    async def auth_status(self) -> dict[str, Any]:
        result = await self.call(IntegrationCall(trace_id="auth_status", method_id=USER_ME, args={}, timeout_ms=20_000))
        if result.data is not None:
            account = f"@{result.data['username']}" if result.data["username"] else result.data["name"]
            return {"ok": True, "account": account, "detail": "the session is signed in", "todo": ""}
        assert result.error is not None
        signed_out = result.error.code is IntegrationErrorCode.AUTH_REQUIRED
        todo = "Run `butler login telegram`." if signed_out else "Check the network."
        return {"ok": False, "account": "", "detail": result.error.message, "todo": todo}

    async def _raw_send(self, call: IntegrationCall, args: SendAsUser) -> RawAnswer:
        if not call.token:
            raise IntegrationFault(IntegrationErrorCode.INVALID_INPUT, "a send as the person needs a token")
        peer = await self._connection.run(lambda client: self._peer(client, args.to))
        # The high-level call hides the random id, which is what makes a repeat safe.
        request = functions.messages.SendMessageRequest(
            peer=peer, message=args.text, random_id=int(call.token), no_webpage=True
        )

        async def deliver(client: Any) -> Any:
            try:
                return await client(request)
            except errors.RandomIdDuplicateError:
                return None

        answer = await self._connection.run(deliver, unclear=Effect.UNKNOWN)
        if answer is None:
            return RawAnswer({"message_id": None, "repeated": True})
        message_id = _sent_id(answer, request.random_id)
        return RawAnswer({"message_id": message_id}, provider_request_id=str(message_id or ""))

    async def _raw_dialogs(self, _call: IntegrationCall, args: ListDialogs) -> RawAnswer:
        dialogs = await self._connection.run(lambda client: client.get_dialogs(limit=args.limit))
        items = [
            {
                "id": f"telegram:{dialog.id}",
                "name": dialog.name or "",
                "unread": dialog.unread_count,
                "at": dialog.date,
                "last_text": (dialog.message.message or "") if dialog.message else "",
            }
            for dialog in dialogs
        ]
        return _read({"count": len(items), "items": items}, "dialogs")

    async def _raw_history(self, _call: IntegrationCall, args: ListMessages) -> RawAnswer:
        async def read(client: Any) -> Any:
            return await client.get_messages(await self._peer(client, args.chat), limit=args.limit)

        items = [
            {
                "message_id": message.id,
                "sender": f"telegram:{message.sender_id}",
                "outgoing": message.out,
                "at": message.date,
                "text": message.message or "",
            }
            for message in await self._connection.run(read)
        ]
        return _read({"count": len(items), "items": items}, str(args.chat))

    async def _raw_contacts(self, _call: IntegrationCall, _args: Nothing) -> RawAnswer:
        found = await self._connection.run(lambda client: client(functions.contacts.GetContactsRequest(hash=0)))
        return _read({"items": [_person(user) for user in found.users]}, "contacts")

    async def _raw_me(self, _call: IntegrationCall, _args: Nothing) -> RawAnswer:
        (user,) = await self._connection.run(
            lambda client: client(functions.users.GetUsersRequest([types.InputUserSelf()]))
        )
        return _read(_person(user), "me")

    async def _peer(self, client: Any, to: int | str) -> Any:
        """Where a message goes, from a public name or from an id that the account has seen."""
        if isinstance(to, str):
            found = await client(functions.contacts.ResolveUsernameRequest(to.removeprefix("@")))
            return client.session.get_input_entity(found.peer)
        known = self._known_peer(client, to)
        if known is None and time.monotonic() - self._looked_up_at > LOOK_AGAIN_AFTER_S:
            await client(functions.contacts.GetContactsRequest(hash=0))
            known = self._known_peer(client, to)
            if known is None:
                await client.get_dialogs(limit=DIALOGS_LOOKED_THROUGH)
                known = self._known_peer(client, to)
            self._looked_up_at = time.monotonic()
        if known is None:
            raise IntegrationFault(
                IntegrationErrorCode.NOT_FOUND,
                f"your Telegram account knows nobody with the id {to}: use their @name, or add them to your contacts",
            )
        return known

    @staticmethod
    def _known_peer(client: Any, marked_id: int) -> Any:
        real_id, peer_class = utils.resolve_id(marked_id)
        try:
            return client.session.get_input_entity(peer_class(real_id))
        except ValueError:
            return None


def _sent_id(answer: Any, random_id: int) -> int | None:
    if isinstance(answer, types.UpdateShortSentMessage):
        return answer.id
    updates = getattr(answer, "updates", [])
    return next((u.id for u in updates if isinstance(u, types.UpdateMessageID) and u.random_id == random_id), None)


def _person(user: Any) -> Json:
    return {"user_id": user.id, "name": utils.get_display_name(user), "username": user.username or ""}


def _read(data: Json, source_ref: str) -> RawAnswer:
    return RawAnswer(data, provenance=ResultProvenance(source_type="telegram", source_ref=source_ref))
