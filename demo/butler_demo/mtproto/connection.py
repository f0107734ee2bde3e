# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""One client's TCP connection: the handshake, then encrypted messages, service messages and pushes."""

import asyncio
import logging
import struct
import time
from typing import Any

from telethon.tl import TLObject, functions, types
from telethon.tl.core import MessageContainer

from butler_demo.mtproto.authorizations import Authorization, Authorizations, new_salt
from butler_demo.mtproto.crypto import ServerKey, decrypt_from_client, encrypt_to_client
from butler_demo.mtproto.dispatch import Dispatcher, wants_no_updates
from butler_demo.mtproto.errors import ProtocolViolation
from butler_demo.mtproto.handshake import Handshake
from butler_demo.mtproto.tl import read_object, unpack
from butler_demo.mtproto.transport import Transport

logger = logging.getLogger(__name__)

_UNKNOWN_AUTH_KEY = struct.pack("<i", -404)
_BAD_SERVER_SALT = 48
_NOT_CALLS = (types.MsgsAck, types.MsgsStateReq, types.MsgResendReq, types.MsgsAllInfo, types.MsgsStateInfo)


class Connection:
    """Serves one client until either side closes. Everything it sends is queued without waiting."""

    def __init__(
        self,
        transport: Transport,
        *,
        server_key: ServerKey,
        authorizations: Authorizations,
        dispatcher: Dispatcher,
    ) -> None:
        self.authorization: Authorization | None = None
        self.wants_updates = False
        self.is_calling = False
        self._transport = transport
        self._authorizations = authorizations
        self._dispatcher = dispatcher
        self._handshake = Handshake(server_key)
        self._session_id = 0
        self._announced_session_id: int | None = None
        self._last_message_id = 0
        self._content_messages = 0

    async def serve(self) -> None:
        """Answer the client until it goes away or breaks the protocol."""
        try:
            while True:
                self._receive(await self._transport.receive())
        except (asyncio.IncompleteReadError, OSError):
            return
        except ProtocolViolation as error:
            logger.warning("A client's connection is closed: %s", error)
        finally:
            await self._transport.close()

    def push(self, updates: TLObject) -> None:
        """Send an update that nobody asked for."""
        self._send(bytes(updates), is_answer=False)

    def abort(self) -> None:
        """Cut the connection at once."""
        self._transport.abort()

    def _receive(self, packet: bytes) -> None:
        if len(packet) < 24:
            raise ProtocolViolation("a packet is too short")
        (key_id,) = struct.unpack("<Q", packet[:8])
        if key_id == 0:
            self._receive_plain(packet)
            return
        self.authorization = self._authorizations.find(key_id)
        if self.authorization is None:
            self._transport.send(_UNKNOWN_AUTH_KEY)
            return
        message = decrypt_from_client(self.authorization.key, packet)
        self._session_id = message.session_id
        if message.salt != self.authorization.salt:
            self._refuse_salt(message.message_id, message.sequence)
            return
        if self._announced_session_id != message.session_id:
            self._announced_session_id = message.session_id
            salt = self.authorization.salt
            self._send(bytes(types.NewSessionCreated(message.message_id, new_salt(), salt)), is_answer=False)
        self._handle(message.message_id, read_object(message.body))

    def _receive_plain(self, packet: bytes) -> None:
        """One step of the handshake; its messages are not encrypted."""
        body = bytes(self._handshake.answer(read_object(packet[20:])))
        if self._handshake.auth_key is not None:
            self.authorization = self._authorizations.register(self._handshake.auth_key)
        self._transport.send(struct.pack("<qqi", 0, self._next_message_id(is_answer=True), len(body)) + body)

    def _handle(self, message_id: int, message: Any) -> None:
        assert self.authorization is not None
        message = unpack(message)
        if isinstance(message, MessageContainer):
            for inner in message.messages:
                self._handle(inner.msg_id, inner.obj)
        elif isinstance(message, functions.PingRequest | functions.PingDelayDisconnectRequest):
            self._send(bytes(types.Pong(message_id, message.ping_id)), is_answer=True)
        elif not isinstance(message, _NOT_CALLS):
            self.wants_updates = not wants_no_updates(message)
            # A call's own effects come with its answer, so that it is not pushed to as well.
            self.is_calling = True
            answer = self._dispatcher.run(self.authorization, message_id, message)
            self.is_calling = False
            if isinstance(answer, bytes):
                self._send(answer, is_answer=True)
            elif answer.cut:
                self.abort()

    def _refuse_salt(self, message_id: int, sequence: int) -> None:
        assert self.authorization is not None
        refusal = types.BadServerSalt(message_id, sequence, _BAD_SERVER_SALT, self.authorization.salt)
        self._send(bytes(refusal), is_answer=True, is_content=False)

    def _send(self, body: bytes, *, is_answer: bool, is_content: bool = True) -> None:
        """Encrypt and queue one message; content messages have odd sequence numbers."""
        assert self.authorization is not None
        message_id = self._next_message_id(is_answer=is_answer)
        sequence = self._content_messages * 2 + is_content
        self._content_messages += is_content
        head = struct.pack("<qqqii", self.authorization.salt, self._session_id, message_id, sequence, len(body))
        packet = encrypt_to_client(self.authorization.key, self.authorization.key_id, head + body)
        self._transport.send(packet)

    def _next_message_id(self, *, is_answer: bool) -> int:
        """Ascending, the real time in its upper half (clients check it), 1 or 3 in its last two bits."""
        time_part = int(time.time() * 2**32) & ~3
        self._last_message_id = max(time_part, (self._last_message_id & ~3) + 4) | (1 if is_answer else 3)
        return self._last_message_id
