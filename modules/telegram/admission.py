"""Decides which updates are stored: the owner's, those of allowed groups and, before pairing, pairing codes."""

import json

from butler.contract.inbound import InboundKind
from butler.contract.ports import Cursors, OwnerFacts
from modules.telegram.normalise import Normalised


class Admission:
    """Tracks id changes of allowed groups and counts the updates that it rejects, without storing them."""

    def __init__(self, owner: OwnerFacts, allowed_groups: tuple[int, ...], cursors: Cursors) -> None:
        self._owner = owner
        self._groups = set(allowed_groups)
        self._cursors = cursors
        self._moved: dict[int, int] = {}
        self._cursor = ""
        self.from_strangers = 0
        self.from_other_groups = 0

    async def load(self, bot_id: int) -> None:
        """Load the recorded id changes."""
        self._cursor = f"telegram.bot.{bot_id}.moved_groups"
        stored: dict[str, int] = json.loads(await self._cursors.get(self._cursor) or "{}")
        self._moved = {int(old): new for old, new in stored.items()}
        for old, new in self._moved.items():
            self._follow(old, new)

    async def moved(self, old: int, new: int) -> None:
        """Carry a group's permission over to its new id."""
        if self._moved.get(old) == new or old not in self._groups:
            return
        self._moved[old] = new
        self._follow(old, new)
        await self._cursors.set(self._cursor, json.dumps(self._moved))

    def admits(self, item: Normalised) -> bool:
        """Return whether to store this item."""
        if item.moved_from is not None:
            return item.moved_from in self._groups
        if item.inbound.kind is InboundKind.BUTTON:
            return True  # the user who tapped waits for an answer, and gets a true one
        if not item.private:
            admitted = item.chat_id in self._groups
            self.from_other_groups += not admitted
            return admitted
        owner = self._owner.telegram_user_id
        admitted = item.sender_id == owner or (owner is None and _is_pairing(item))
        self.from_strangers += not admitted
        return admitted

    def _follow(self, old: int, new: int) -> None:
        # The old id stays allowed too: messages from before the move may still come in.
        if old in self._groups:
            self._groups.add(new)


def _is_pairing(item: Normalised) -> bool:
    payload = item.inbound.payload
    return item.inbound.kind is InboundKind.COMMAND and payload["name"] == "start" and bool(payload["rest"])
