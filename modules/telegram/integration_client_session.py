# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon carries no complete types.)
"""A session in memory that does not grow: Telethon's own keeps everybody it was ever shown, under every name they had.

A client that runs for months is shown hundreds of thousands of people, and looks through all of them for each it is
asked about.
"""

from collections import OrderedDict
from typing import Any

from telethon import types, utils
from telethon.sessions import StringSession

MOST_ENTITIES = 5_000

Row = tuple[int, int, str | None, int | None, str | None]
"""Marked id, access hash, public name, phone number, name."""


class BoundedSession(StringSession):
    """Remembers the people and chats that it was shown last, each once."""

    def __init__(self, text: str = "", most: int = MOST_ENTITIES) -> None:
        """Raises `ValueError` for a text that is no session."""
        super().__init__(text)
        self._most = most
        self._rows: OrderedDict[int, Row] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rows)

    def process_entities(self, tlo: Any) -> None:
        """Note whom an answer shows."""
        for row in self._entities_to_rows(tlo):
            self._rows[row[0]] = row
            self._rows.move_to_end(row[0])
        while len(self._rows) > self._most:
            self._rows.popitem(last=False)

    def get_entity_rows_by_id(self, id: int, exact: bool = True) -> tuple[int, int] | None:  # noqa: A002 - Telethon's name
        """Marked id and access hash; `exact` takes the id as marked."""
        kinds = (types.PeerUser, types.PeerChat, types.PeerChannel)
        wanted = (id,) if exact else [utils.get_peer_id(kind(id)) for kind in kinds]
        found = next((self._rows[marked] for marked in wanted if marked in self._rows), None)
        return found[:2] if found else None

    def get_entity_rows_by_username(self, username: str) -> tuple[int, int] | None:
        """Marked id and access hash of a public name in small letters."""
        return self._first(2, username)

    def get_entity_rows_by_phone(self, phone: Any) -> tuple[int, int] | None:
        """Marked id and access hash of a phone number."""
        return self._first(3, phone)

    def get_entity_rows_by_name(self, name: str) -> tuple[int, int] | None:
        """Marked id and access hash of whoever has this name."""
        return self._first(4, name)

    def _first(self, column: int, value: Any) -> tuple[int, int] | None:
        return next((row[:2] for row in self._rows.values() if row[column] == value), None)
