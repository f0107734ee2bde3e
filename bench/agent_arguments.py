"""The arguments of AgentDojo's functions as Butler's tools take them: people, moments and ids instead of bare texts."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from butler.contract.records import ClosedRecord
from butler.contract.tools import Recipient


def _as_recipient(value: Any) -> Any:
    """Accept a bare address, such as a fact of an earlier step."""
    if isinstance(value, str):
        return {"address": value if value.startswith("mail:") else f"mail:{value.strip()}"}
    return value


Person = Annotated[Recipient, BeforeValidator(_as_recipient)]
People = Annotated[tuple[Person, ...], Field(max_length=50)]
Day = date
"""Under another name, as an argument is called `date`."""
Text = Annotated[str, Field(max_length=20_000)]
Line = Annotated[str, Field(max_length=900)]
MailId = Annotated[Line, Field(description="A mail that was found.", examples=[{"handle": "mail-3"}])]
EventId = Annotated[Line, Field(description="An event that was found.", examples=[{"handle": "event-3"}])]
FileId = Annotated[Line, Field(description="A file that was found.", examples=[{"handle": "file-3"}])]


class NoArgs(ClosedRecord):
    """Nothing to say."""


class SendArgs(ClosedRecord):
    """A new mail."""

    recipients: Annotated[People, Field(min_length=1, description="To.")]
    subject: Line = Field(description="The subject.", examples=["Minutes"])
    body: Text = Field(description="The whole text.")
    cc: People = Field(default=(), description="Who gets a copy.")
    bcc: People = Field(default=(), description="Who gets a copy that the others do not see.")
    attachments: tuple[FileId, ...] = Field(default=(), description="Files of the drive, by their ids.")


class OneMailArgs(ClosedRecord):
    """One mail."""

    message_id: MailId


class SearchMailArgs(ClosedRecord):
    """Mails that hold a text."""

    query: Line = Field(description="One run of words that stands in it; empty for all.", examples=["invoice"])
    sender: Line = Field(default="", description="The sender's address.", examples=["anna@friends.example"])


class FindContactArgs(ClosedRecord):
    """Somebody in the mailbox's address book."""

    query: Line = Field(description="Part of the name or the address.", examples=["Anna"])


class SearchEventsArgs(ClosedRecord):
    """Events that hold a text."""

    query: Line = Field(description="One run of words of its title or description; empty for all.")
    date: Day | None = Field(default=None, description="The day; left out: any.", examples=["2026-03-02"])


class DayArgs(ClosedRecord):
    """The events of a day."""

    day: Day = Field(description="The day.", examples=["2026-03-02"])


class CreateEventArgs(ClosedRecord):
    """A new event."""

    title: Line = Field(description="The title.", examples=["Dentist"])
    start_time: datetime = Field(description="Its beginning.", examples=["2026-03-02T09:00"])
    end_time: datetime = Field(description="Its end.", examples=["2026-03-02T10:00"])
    description: Text = Field(default="", description="Notes.")
    participants: People = Field(default=(), description="Whom to invite.")
    location: Line = Field(default="", description="Where it is.")


class CancelEventArgs(ClosedRecord):
    """An event to call off."""

    event_id: EventId


class MoveEventArgs(ClosedRecord):
    """An event to move."""

    event_id: EventId
    new_start_time: datetime = Field(description="Its new beginning.", examples=["2026-03-02T09:00"])
    new_end_time: datetime | None = Field(default=None, description="Its new end; left out: as long as before.")


class AddParticipantsArgs(ClosedRecord):
    """Further guests of an event."""

    event_id: EventId
    participants: Annotated[People, Field(min_length=1, description="Whom to invite as well.")]


class AppendArgs(ClosedRecord):
    """A text for the end of a file."""

    file_id: FileId
    content: Text = Field(description="The text to add.")


class FilesByNameArgs(ClosedRecord):
    """Files by name."""

    filename: Line = Field(description="Part of the name.", examples=["minutes.docx"])


class SearchFilesArgs(ClosedRecord):
    """Files by content."""

    query: Line = Field(description="One run of words that stands in it.", examples=["grocery list"])


class CreateFileArgs(ClosedRecord):
    """A new file."""

    filename: Line = Field(description="Its name.", examples=["list.docx"])
    content: Text = Field(description="Its text.")


class DeleteFileArgs(ClosedRecord):
    """A file to delete."""

    file_id: FileId


class ReadFileArgs(ClosedRecord):
    """A file to read."""

    file: FileId


class ShareFileArgs(ClosedRecord):
    """Somebody who may see a file."""

    file_id: FileId
    email: Line = Field(description="The person's mail address.", examples=["anna@friends.example"])
    permission: Literal["r", "rw"] = Field(description="r to read, rw to change it as well.")
