# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon carries no complete types.)
"""An in-memory session of bounded size: Telethon's own keeps everyone it was ever shown, under each of their names.

A client that runs for months is shown hundreds of thousands of people, and searches all of them on each look-up.
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
        """Raise `ValueError` if the text is no session."""
        super().__init__(text)
        self._most = most
        self._rows: OrderedDict[int, Row] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rows)

    def process_entities(self, tlo: Any) -> None:
        """Remember the people and chats of an answer."""
        for row in self._entities_to_rows(tlo):
            self._rows[row[0]] = row
            self._rows.move_to_end(row[0])
        while len(self._rows) > self._most:
            self._rows.popitem(last=False)

    def get_entity_rows_by_id(self, id: int, exact: bool = True) -> tuple[int, int] | None:  # noqa: A002 - Telethon's name
        """Return marked id and access hash; with `exact`, the id is marked already."""
        kinds = (types.PeerUser, types.PeerChat, types.PeerChannel)
        wanted = (id,) if exact else [utils.get_peer_id(kind(id)) for kind in kinds]
        found = next((self._rows[marked] for marked in wanted if marked in self._rows), None)
        return found[:2] if found else None

    def get_entity_rows_by_username(self, username: str) -> tuple[int, int] | None:
        """Return marked id and access hash for a public name in lower case."""
        return self._first(2, username)

    def get_entity_rows_by_phone(self, phone: Any) -> tuple[int, int] | None:
        """Return marked id and access hash for a phone number."""
        return self._first(3, phone)

    def get_entity_rows_by_name(self, name: str) -> tuple[int, int] | None:
        """Return marked id and access hash for a display name."""
        return self._first(4, name)

    def _first(self, column: int, value: Any) -> tuple[int, int] | None:
        return next((row[:2] for row in self._rows.values() if row[column] == value), None)
