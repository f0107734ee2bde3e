# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon carries no complete types.)
"""Edits and deletes the owner's own messages. Both are idempotent: the message's state shows whether they were done."""

from typing import Any

from telethon import errors, functions, types, utils

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import Idempotency, IntegrationCall, Method, RawAnswer, method
from butler.contract.speech import say
from modules.telegram.client_records import DeleteAsUser, DeletedAsUser, EditAsUser, EditedAsUser
from modules.telegram.integration_client_connection import ClientConnection
from modules.telegram.integration_client_peers import Peer, Peers
from modules.telegram.integration_client_reading import messages_by_id
from modules.telegram.method_ids import USER_DELETE, USER_EDIT


class Changing:
    """The methods of one account that change what was sent."""

    def __init__(self, connection: ClientConnection, peers: Peers) -> None:
        self._connection = connection
        self._peers = peers

    def methods(self) -> list[Method]:
        """Return both methods."""
        state = Idempotency.STATE
        return [
            method(USER_EDIT, args=EditAsUser, answer=EditedAsUser, run=self._raw_edit, idempotency=state),
            method(USER_DELETE, args=DeleteAsUser, answer=DeletedAsUser, run=self._raw_delete, idempotency=state),
        ]

    async def _raw_edit(self, _call: IntegrationCall, args: EditAsUser) -> RawAnswer:
        peer, own = await self._connection.run(lambda client: self._own(client, args.to, (args.message_id,)))
        if not own:
            raise IntegrationFault(IntegrationErrorCode.NOT_FOUND, say("the message is gone"))
        request = functions.messages.EditMessageRequest(peer.input, args.message_id, message=args.text, no_webpage=True)

        async def edit(client: Any) -> bool:
            try:
                await client(request)
            except errors.MessageNotModifiedError:
                return False
            return True

        changed = await self._connection.run(edit, unclear=Effect.UNKNOWN)
        return RawAnswer({"message_id": args.message_id, "changed": changed})

    async def _raw_delete(self, _call: IntegrationCall, args: DeleteAsUser) -> RawAnswer:
        peer, own = await self._connection.run(lambda client: self._own(client, args.to, args.message_ids))
        gone = [message_id for message_id in args.message_ids if message_id not in own]
        if own:
            if isinstance(peer.input, types.InputPeerChannel):
                channel: Any = utils.get_input_channel(peer.input)
                request: Any = functions.channels.DeleteMessagesRequest(channel, own)
            else:
                request = functions.messages.DeleteMessagesRequest(own, revoke=True)
            await self._connection.run(lambda client: client(request), unclear=Effect.UNKNOWN)
        return RawAnswer({"deleted": own, "gone": gone})

    async def _own(self, client: Any, to: int | str, ids: tuple[int, ...]) -> tuple[Peer, list[int]]:
        """Return the chat and the ids that still exist; raise if one of the messages is not the owner's."""
        peer = await self._peers.to_read(client, to)
        found, _ = await messages_by_id(client, peer, ids)
        if not all(message.out for message in found):
            raise IntegrationFault(
                IntegrationErrorCode.FORBIDDEN, say("only your own messages can be changed or deleted")
            )
        return peer, [message.id for message in found]
