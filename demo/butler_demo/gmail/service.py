"""Gmail behind the common door: whose mailbox a call is about, and which operation does it."""

from dataclasses import fields

from butler_demo.gmail.call_context import CallContext
from butler_demo.gmail.operations import OPERATIONS
from butler_demo.gmail.post_office import PostOffice
from butler_demo.google.call import Answer, Call
from butler_demo.google.description import load_description
from butler_demo.google.errors import GoogleError


class GmailService:
    """The Gmail API over a post office."""

    def __init__(self, post_office: PostOffice) -> None:
        self.description = load_description("gmail", "v1")
        self.host = "gmail.googleapis.com"
        self.names_status = True
        self.operations = OPERATIONS
        self._post_office = post_office

    def account(self, address: str) -> str:
        """Return the account's address in lower case. Raises UnknownAccountError."""
        return self._post_office.account(address).address

    async def perform(self, call: Call) -> Answer:
        """Do what the call asks. Raises GoogleError."""
        if call.text("userId").lower() not in ("me", call.address):
            raise GoogleError(403, "forbidden", f"Delegation denied for {call.address}")
        checked = {field.name: getattr(call, field.name) for field in fields(call)}
        mailbox = self._post_office.account(call.address)
        return await self.operations[call.operation.id].perform(
            CallContext(**checked, mailbox=mailbox, post_office=self._post_office)
        )
