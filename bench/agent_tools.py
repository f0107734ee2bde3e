"""AgentDojo's workspace functions as Butler's tools: the name, arguments, result and card of each.

Where Butler has a tool for the same, its name is used, so that Butler finds and reads things as it does for people
(names: made up here, for what Butler has no tool for).
"""
# names: made up here

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from bench import agent_arguments as takes
from bench.agent_dojo import SuiteCall
from butler.contract.names import Direction
from butler.contract.tools import ArgRole, Preview, Recipient, ToolMetadata

MAIL, EVENT, FILE = "messages", "events", "files"
"""The lists in which results stand."""
FACTS: Mapping[str, tuple[str, ...]] = {
    MAIL: ("count", *(f"messages.0.{name}" for name in ("message_id", "from", "to", "subject", "date", "text"))),
    EVENT: (
        "count",
        *(f"events.0.{one}" for one in ("event_id", "title", "start", "end", "location", "description")),
        "events.0.participants",
    ),
    FILE: ("count", *(f"files.0.{name}" for name in ("file_id", "title", "size", "owner", "shared_with", "text"))),
    "contacts": ("count", "contacts.0.email", "contacts.0.name"),
    "day": ("today",),
}
MADE: Mapping[str, tuple[str, ...]] = {"": (), "event": ("event.event_id",), "file": ("file.file_id",)}
OWN_NAMES = {"message_id": "email_id", "file": "file_id"}
"""Arguments that have Butler's name, with the suite's."""
ROLES: Mapping[ArgRole, str] = {
    ArgRole.RECIPIENT: "recipients cc bcc participants email",
    ArgRole.CONTENT: "subject body title description location content filename",
    ArgRole.TARGET: "message_id event_id file file_id query sender date day",
    ArgRole.OPTION: "start_time end_time new_start_time new_end_time attachments permission",
}


@dataclass(frozen=True, slots=True)
class SuiteTool:
    """One function as a tool."""

    name: str
    function: str
    args: type[BaseModel]
    finds: str = ""
    """The list that its result becomes; empty for one with an effect."""
    effect: str = ""
    """What its card says."""
    makes: str = ""
    """What it makes or changes, whose id later steps may use."""

    @property
    def direction(self) -> Direction:
        return Direction.OUTPUT if self.effect else Direction.INPUT

    def metadata(self) -> ToolMetadata:
        """The roles of its arguments."""
        roles = {name: role for role, names in ROLES.items() for name in names.split()}
        return ToolMetadata({name: roles[name] for name in self.args.model_fields})

    def preview(self, args: Any) -> Preview:
        """What its card shows."""
        people = [*_people(args, "recipients"), *_people(args, "cc"), *_people(args, "bcc")]
        people += [*_people(args, "participants"), *_people(args, "email")]
        body = str(getattr(args, "body", "") or getattr(args, "content", "") or getattr(args, "description", ""))
        told = [name for name in ("recipients", "cc", "bcc", "participants", "email") if hasattr(args, name)]
        return Preview(
            self.effect,
            recipients=tuple(people),
            subject=str(getattr(args, "subject", "") or getattr(args, "title", "")),
            body=body,
            told=tuple(told),
        )

    def suite_call(self, args: BaseModel, zone: ZoneInfo) -> SuiteCall:
        """The call of the suite's function that a call of this tool is."""
        given = {OWN_NAMES.get(name, name): _as_suite(value, zone) for name, value in args}
        if "attachments" in given:
            given["attachments"] = [{"type": "file", "file_id": one} for one in given["attachments"]]
        needed = {OWN_NAMES.get(name, name) for name, one in self.args.model_fields.items() if one.is_required()}
        return SuiteCall(self.function, {name: one for name, one in given.items() if name in needed or one})


def _people(args: Any, name: str) -> Iterator[Recipient]:
    value = getattr(args, name, ())
    if isinstance(value, str):
        yield Recipient(address=f"mail:{value}")
    else:
        yield from cast("tuple[Recipient, ...]", value)


def _as_suite(value: Any, zone: ZoneInfo) -> Any:
    """A value as the suite's functions take it."""
    match value:
        case Recipient():
            return value.address.removeprefix("mail:")
        case datetime():
            local = value.astimezone(zone) if value.tzinfo else value
            return f"{local:%Y-%m-%d %H:%M}"
        case date():
            return value.isoformat()
        case tuple():
            return [_as_suite(one, zone) for one in cast("tuple[Any, ...]", value)]
        case _:
            return value


Tool = SuiteTool
TOOLS: tuple[SuiteTool, ...] = (
    Tool("user_email_send_message", "send_email", takes.SendArgs, effect="Sends a mail as you"),
    Tool("user_email_trash", "delete_email", takes.OneMailArgs, effect="Deletes a mail of yours"),
    Tool("user_email_list_unread", "get_unread_emails", takes.NoArgs, MAIL),
    Tool("user_email_list_sent", "get_sent_emails", takes.NoArgs, MAIL),
    Tool("user_email_list_received", "get_received_emails", takes.NoArgs, MAIL),
    Tool("user_email_list_drafts", "get_draft_emails", takes.NoArgs, MAIL),
    Tool("user_email_search_inbox", "search_emails", takes.SearchMailArgs, MAIL),
    Tool("user_email_read_message", "", takes.OneMailArgs, MAIL),
    Tool("user_email_find_contacts_by_name", "search_contacts_by_name", takes.FindContactArgs, "contacts"),
    Tool("user_email_find_contacts_by_address", "search_contacts_by_email", takes.FindContactArgs, "contacts"),
    Tool("user_calendar_get_current_day", "get_current_day", takes.NoArgs, "day"),
    Tool("user_calendar_search_events", "search_calendar_events", takes.SearchEventsArgs, EVENT),
    Tool("user_calendar_list_events", "get_day_calendar_events", takes.DayArgs, EVENT),
    Tool(
        "user_calendar_create_event",
        "create_calendar_event",
        takes.CreateEventArgs,
        effect="Creates an event",
        makes="event",
    ),
    Tool("user_calendar_delete_event", "cancel_calendar_event", takes.CancelEventArgs, effect="Cancels an event"),
    Tool(
        "user_calendar_move_event",
        "reschedule_calendar_event",
        takes.MoveEventArgs,
        effect="Moves an event",
        makes="event",
    ),
    Tool(
        "user_calendar_add_participants",
        "add_calendar_event_participants",
        takes.AddParticipantsArgs,
        effect="Invites people to an event",
        makes="event",
    ),
    Tool("user_drive_append_to_file", "append_to_file", takes.AppendArgs, effect="Adds text to a file of yours"),
    Tool("user_drive_search_by_filename", "search_files_by_filename", takes.FilesByNameArgs, FILE),
    Tool("user_drive_create_file", "create_file", takes.CreateFileArgs, effect="Creates a file", makes="file"),
    Tool("user_drive_delete_file", "delete_file", takes.DeleteFileArgs, effect="Deletes a file of yours"),
    Tool("user_drive_read", "get_file_by_id", takes.ReadFileArgs, FILE),
    Tool("user_drive_list_files", "list_files", takes.NoArgs, FILE),
    Tool("user_drive_share_file", "share_file", takes.ShareFileArgs, effect="Shares a file of yours"),
    Tool("user_drive_search", "search_files", takes.SearchFilesArgs, FILE),
)
"""All functions of the suite, and one more: without it no single mail could be read by its handle."""
BY_NAME = {one.name: one for one in TOOLS}
BY_FUNCTION = {one.function: one for one in TOOLS}
READ_MAIL = "Read one mail by its id."


def rows(tool: SuiteTool, found: Any, zone: ZoneInfo) -> dict[str, Any]:
    """What a function found, as Butler's tools return it: records with an id, a text, and times with their zone."""
    if tool.finds == "day":
        return {"today": str(found)}
    each = cast("list[Mapping[str, Any]]", found if isinstance(found, list) else [found])
    listed = [_ROW[tool.finds](one, zone) for one in each]
    return {tool.finds: listed, "count": len(listed), "complete": True}


def made(tool: SuiteTool, found: Any, zone: ZoneInfo) -> dict[str, Any]:
    """What a function with an effect made or changed."""
    kind = {"event": EVENT, "file": FILE}.get(tool.makes)
    if kind is None or not isinstance(found, dict):
        return {"done": True}
    return {tool.makes: _ROW[kind](cast("Mapping[str, Any]", found), zone)}


def _mail(one: Mapping[str, Any], zone: ZoneInfo) -> dict[str, Any]:
    files = [part if isinstance(part, str) else part.get("title", "") for part in one["attachments"]]
    return {
        "message_id": one["id_"],
        "from": one["sender"],
        "to": one["recipients"],
        "cc": one["cc"],
        "subject": one["subject"],
        "date": _moment(one["timestamp"], zone),
        "unread": not one["read"],
        "text": one["body"] + (f"\n\nAttached: {', '.join(files)}" if files else ""),
    }


def _event(one: Mapping[str, Any], zone: ZoneInfo) -> dict[str, Any]:
    begin, end = (datetime.fromisoformat(one[name]) for name in ("start_time", "end_time"))
    lines = (
        one["title"],
        f"{begin:%A} {begin:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}",
        f"Location: {one['location']}" if one["location"] else "",
        f"Participants: {', '.join(one['participants'])}",
        f"Status: {one['status']}",
        one["description"],
    )
    return {
        "event_id": one["id_"],
        "title": one["title"],
        "start": _moment(one["start_time"], zone),
        "end": _moment(one["end_time"], zone),
        "at": _moment(one["start_time"], zone),
        "location": one["location"] or "",
        "description": one["description"],
        "participants": one["participants"],
        "text": "\n".join(filter(None, lines)),
    }


def _file(one: Mapping[str, Any], zone: ZoneInfo) -> dict[str, Any]:
    shared = ", ".join(f"{who} ({how})" for who, how in one["shared_with"].items()) or "nobody"
    head = f"{one['filename']}, ID {one['id_']}, {one['size']} bytes, of {one['owner']}, shared with {shared}"
    return {
        "source_id": f"gdrive:{one['id_']}",
        "file_id": one["id_"],
        "title": one["filename"],
        "size": one["size"],
        "owner": one["owner"],
        "shared_with": list(one["shared_with"]),
        "date": _moment(one["last_modified"], zone),
        "text": f"{head}\n\n{one['content']}",
    }


def _contact(one: Mapping[str, Any], zone: ZoneInfo) -> dict[str, Any]:
    del zone
    return {"id": one["email"], "name": one["name"], "email": one["email"], "text": f"{one['name']} <{one['email']}>"}


def _moment(written: str, zone: ZoneInfo) -> str:
    at = datetime.fromisoformat(written)
    return (at if at.tzinfo else at.replace(tzinfo=zone)).isoformat()


_ROW: Mapping[str, Callable[[Mapping[str, Any], ZoneInfo], dict[str, Any]]] = {
    MAIL: _mail,
    EVENT: _event,
    FILE: _file,
    "contacts": _contact,
}
