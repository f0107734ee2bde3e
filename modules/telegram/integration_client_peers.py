# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon carries no complete types.)
"""Resolves addresses to peers: an id from what the account has seen, a public name by asking Telegram.

Telegram lets a client address only people that it was shown before. The session remembers those, and the mirror those
whose dialogs it stores; lists of people are read only if an id is in neither, and at most every ten minutes.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from telethon import functions, types, utils

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.mirror import Mirror
from butler.contract.speech import say
from modules.telegram.address import Address
from modules.telegram.feed_filter import FeedFilter
from modules.telegram.feed_position import ChatPosition
from modules.telegram.normalise import CHANNEL
from modules.telegram.user_scope import LOGIN_CODES

LOOK_AGAIN_AFTER_S = 600.0
DIALOGS_LOOKED_THROUGH = 500


@dataclass(frozen=True, slots=True)
class Peer:
    """A person or chat as a request names it, with its marked id."""

    input: Any
    id: int

    @property
    def address(self) -> str:
        return str(Address(self.id))


class Peers:
    """The people and chats of one account. Every method raises Telethon's errors, or `IntegrationFault`."""

    def __init__(self, account: str, feed_filter: FeedFilter, excluded_names: Sequence[str], mirror: Mirror) -> None:
        """`excluded_names` are public names of chats that are left out, in lower case."""
        self._account = account
        self._mirror = mirror
        self._filter = feed_filter
        self._excluded_names = excluded_names
        self._looked_up_at = 0.0
        self._looked_up_in: Any = None
        self._by_name: dict[str, tuple[int, float]] = {}

    async def to_read(self, client: Any, chat: int | str) -> Peer:
        """Return a conversation to read; raise if it is left out. A name is resolved at most once in ten minutes."""
        recent = self.recent_id(chat)
        peer = await self._find(client, chat if recent is None else recent)
        names = [name for name in self._excluded_names if _is_called(client, peer.id, name)]
        if self._filter.leaves_out(peer.id, names):
            raise _refused(peer.id)
        return peer

    async def to_write(self, client: Any, to: int | str) -> Peer:
        """Return a recipient. A name is resolved each time, since it can change hands."""
        peer = await self._find(client, to)
        if peer.id == LOGIN_CODES:
            raise _refused(peer.id)
        return peer

    def recent_id(self, chat: int | str) -> int | None:
        """Return the id of an address, or None if only Telegram can tell."""
        if isinstance(chat, int):
            return chat
        found = self._by_name.get(chat.lower())
        return found[0] if found and time.monotonic() - found[1] < LOOK_AGAIN_AFTER_S else None

    async def _find(self, client: Any, to: int | str) -> Peer:
        if to == LOGIN_CODES:
            raise _refused(LOGIN_CODES)
        if isinstance(to, str):
            return await self._named(client, to)
        known = _known(client, to) or await self._kept(to)
        if known is None and self._may_look(client):
            known = await self._look_for(client, to)
            self._looked_up_at, self._looked_up_in = time.monotonic(), client.session
        if known is None:
            raise IntegrationFault(
                IntegrationErrorCode.NOT_FOUND,
                say(
                    "your Telegram account knows nobody with the id {id}: use their @name, or add them to your "
                    "contacts",
                    id=to,
                ),
            )
        return Peer(known, to)

    async def _kept(self, to: int) -> Any:
        """Return the peer of a stored dialog, with the access hash that the feed noted."""
        seen = await self._mirror.chat(CHANNEL, self._account, str(Address(to)))
        if seen is None:
            return None
        real_id, peer_class = utils.resolve_id(to)
        access_hash = ChatPosition.parse(seen.cursor).access_hash
        if peer_class is types.PeerChat:
            return types.InputPeerChat(real_id)
        if not access_hash:
            return None
        kind = types.InputPeerUser if peer_class is types.PeerUser else types.InputPeerChannel
        return kind(real_id, access_hash)

    def _may_look(self, client: Any) -> bool:
        """Return whether the lists may be read: at most every ten minutes, except for a new, empty session."""
        is_new = client.session is not self._looked_up_in
        return is_new or time.monotonic() - self._looked_up_at > LOOK_AGAIN_AFTER_S

    async def _named(self, client: Any, name: str) -> Peer:
        found = await client(functions.contacts.ResolveUsernameRequest(name.removeprefix("@")))
        peer = Peer(client.session.get_input_entity(found.peer), utils.get_peer_id(found.peer))
        self._by_name[name.lower()] = (peer.id, time.monotonic())
        return peer

    async def _look_for(self, client: Any, to: int) -> Any:
        """Read the address book, then dialogs until the id is among them; the session remembers everyone shown."""
        if to > 0:
            await client(functions.contacts.GetContactsRequest(hash=0))
        if (known := _known(client, to)) is not None:
            return known
        async for _dialog in client.iter_dialogs(limit=DIALOGS_LOOKED_THROUGH):
            if (known := _known(client, to)) is not None:
                break
        return known


def _known(client: Any, marked_id: int) -> Any:
    real_id, peer_class = utils.resolve_id(marked_id)
    try:
        return client.session.get_input_entity(peer_class(real_id))
    except ValueError:
        return None


def _is_called(client: Any, marked_id: int, name: str) -> bool:
    found = client.session.get_entity_rows_by_username(name)
    return found is not None and found[0] == marked_id


def _refused(chat: int) -> IntegrationFault:
    why = (
        say("this is where Telegram sends your login codes, which no program is to see")
        if chat == LOGIN_CODES
        else say("your settings exclude this chat")
    )
    return IntegrationFault(IntegrationErrorCode.FORBIDDEN, why)
