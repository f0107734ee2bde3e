"""Drive behind the common door."""

from dataclasses import fields

from butler_demo.drive.cabinet import Cabinet
from butler_demo.drive.operations import OPERATIONS, CallContext
from butler_demo.google.call import Answer, Call
from butler_demo.google.channels import Channels
from butler_demo.google.description import load_description


class DriveService:
    """The Drive API over a cabinet of files."""

    def __init__(self, cabinet: Cabinet, channels: Channels) -> None:
        self.description = load_description("drive", "v3")
        self.host = "drive.googleapis.com"
        self.names_status = False
        self.operations = OPERATIONS
        self._cabinet = cabinet
        self._channels = channels

    def account(self, address: str) -> str:
        """Return the account's address in lower case. Raises UnknownAccountError."""
        return self._cabinet.account(address)

    async def perform(self, call: Call) -> Answer:
        """Do what the call asks. Raises GoogleError."""
        checked = {field.name: getattr(call, field.name) for field in fields(call)}
        context = CallContext(**checked, cabinet=self._cabinet, channels=self._channels)
        return await self.operations[call.operation.id].perform(context)
