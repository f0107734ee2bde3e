"""Calendar behind the common door."""

from dataclasses import fields

from butler_demo.calendar.call_context import CallContext
from butler_demo.calendar.guests import Guests
from butler_demo.calendar.operations import OPERATIONS
from butler_demo.calendar.shelf import Shelf
from butler_demo.calendar.sync_tokens import SyncTokens
from butler_demo.google.call import Answer, Call
from butler_demo.google.channels import Channels
from butler_demo.google.description import load_description


class CalendarService:
    """The Calendar API over a shelf of calendars."""

    def __init__(self, shelf: Shelf, guests: Guests, channels: Channels) -> None:
        self.description = load_description("calendar", "v3")
        self.host = "calendar-json.googleapis.com"
        self.names_status = False
        self.operations = OPERATIONS
        self._shelf = shelf
        self._guests = guests
        self._channels = channels
        self._tokens = SyncTokens()

    def account(self, address: str) -> str:
        """Return the account's address in lower case. Raises UnknownAccountError."""
        return self._shelf.account(address)

    async def perform(self, call: Call) -> Answer:
        """Do what the call asks. Raises GoogleError."""
        checked = {field.name: getattr(call, field.name) for field in fields(call)}
        return await self.operations[call.operation.id].perform(
            CallContext(**checked, shelf=self._shelf, guests=self._guests, tokens=self._tokens, channels=self._channels)
        )
