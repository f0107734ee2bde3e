"""The operations that the Drive stand-in has: all of them read."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from butler_demo.drive.query import parse_query
from butler_demo.drive.store import DOCS_PREFIX, FOLDER, Change, DriveStore, StoredFile
from butler_demo.drive.views import file_view, stamp, user_view
from butler_demo.google.call import Answer, Call, Download, Json
from butler_demo.google.channels import Channels
from butler_demo.google.errors import GoogleError, invalid_value, not_in_stand_in
from butler_demo.google.service import Served, served

_USUAL_FIELDS = ("kind", "id", "name", "mimeType")
_LARGEST_EXPORT = 10 * 1024 * 1024
_RANGE = re.compile(r"bytes=(\d+)-(\d*)")


@dataclass(frozen=True)
class CallContext(Call):
    """One checked call on the files that the token's account sees."""

    cabinet: DriveStore
    channels: Channels

    def file(self) -> StoredFile:
        """Return the file that the path names. Raises GoogleError 404."""
        return self.file_by_id(self.text("fileId"))

    def file_by_id(self, file_id: str) -> StoredFile:
        """Return a file that the account sees. Raises GoogleError 404."""
        file = self.cabinet.get(file_id)
        has_to_know = file is not None and file.drive_id and "supportsAllDrives" in self.operation.parameters
        unknown = has_to_know and not self.flag("supportsAllDrives")
        if file is None or unknown or not self.cabinet.sees(file, self.address):
            location = {"locationType": "parameter", "location": "fileId"}
            raise GoogleError(404, "notFound", f"File not found: {file_id}.", location=location)
        return file

    def view(self, file: StoredFile) -> Json:
        """Return a file as the caller sees it, in few words where no fields are named."""
        whole = file_view(file, self.cabinet, self.address)
        return whole if self.selected else {name: whole[name] for name in _USUAL_FIELDS}


async def list_files(call: CallContext) -> Json:
    """`files.list`: the latest first."""
    matches, within = parse_query(call.text("q")), _corpora(call)
    found = [
        file for file in call.cabinet.all() if within(file) and call.cabinet.sees(file, call.address) and matches(file)
    ]
    size = call.number("pageSize", 100)
    if call.text("orderBy") not in {"", NEWEST_FIRST}:
        raise not_in_stand_in(f"orderBy={call.text('orderBy')}")
    found.sort(key=lambda file: (file.modified, file.id), reverse=True)
    page, more = call.page(found, size, invalid_value("pageToken"))
    return {"kind": "drive#fileList", "incompleteSearch": False} | more | {"files": [call.view(one) for one in page]}


def _corpora(call: CallContext) -> Callable[[StoredFile], bool]:
    """Which files are looked through: what lies in shared drives only for a client that says it knows of them."""
    corpora, drive = call.text("corpora") or "user", call.text("driveId")
    if corpora not in {"user", "drive", "allDrives"}:
        raise invalid_value("corpora")
    if bool(drive) != (corpora == "drive"):
        message = "The driveId parameter must be specified if and only if corpora is set to drive."
        raise invalid_value("driveId", message)
    if corpora != "user" and not (call.flag("supportsAllDrives") and call.flag("includeItemsFromAllDrives")):
        message = "The supportsAllDrives and includeItemsFromAllDrives parameters must be true for these corpora."
        raise invalid_value("corpora", message)
    if drive:
        call.file_by_id(drive)
        return lambda file: file.drive_id == drive
    return lambda file: corpora == "allDrives" or not file.drive_id


async def get_file(call: CallContext) -> Answer:
    """`files.get`, and with `alt=media` the content or a range of it."""
    file = call.file()
    if not call.downloads:
        return call.view(file)
    if file.content is None:
        message = "Only files with binary content can be downloaded. Use Export with Docs Editors files."
        location = {"locationType": "parameter", "location": "alt"}
        raise GoogleError(403, "fileNotDownloadable", message, location=location)
    return _ranged(file.content, file.type, call.headers.get("Range", ""))


async def export_file(call: CallContext) -> Answer:
    """`files.export`: what Google's editors made, in another form."""
    file = call.file()
    if not file.type.startswith(DOCS_PREFIX) or file.type == FOLDER:
        raise GoogleError(403, "fileNotExportable", "Export only supports Docs Editors files.")
    data = file.exports.get(call.text("mimeType"))
    if data is None:
        raise GoogleError(400, "badRequest", "The requested conversion is not supported.")
    if len(data) > _LARGEST_EXPORT:
        raise GoogleError(403, "exportSizeLimitExceeded", "This file is too large to be exported.")
    return Download(data, call.text("mimeType"))


async def get_start_page_token(call: CallContext) -> Json:
    """`changes.getStartPageToken`."""
    return {"kind": "drive#startPageToken", "startPageToken": str(call.cabinet.next_change)}


async def list_changes(call: CallContext) -> Json:
    """`changes.list`: each file once, by its last change; the last page has the token to go on from."""
    start = _change_number(call)
    if not call.cabinet.oldest_change <= start <= call.cabinet.next_change:
        raise invalid_value("pageToken")
    root = call.cabinet.root_of(call.address)
    changes = [change for change in call.cabinet.changes_for(call.address, start) if change.file_id != root]
    size = call.number("pageSize", 100)
    more = len(changes) > size
    rest: Json = {"nextPageToken": str(changes[size].number)} if more else {}
    last: Json = {} if more else {"newStartPageToken": str(call.cabinet.next_change)}
    return {"kind": "drive#changeList"} | rest | last | {"changes": [_change(call, c) for c in changes[:size]]}


async def watch_changes(call: CallContext) -> Json:
    """`changes.watch`: of all that the account sees."""
    uri = f"{call.root}drive/v3/changes?pageToken={_change_number(call)}&alt=json"
    return call.channels.watch(call.body, call.address, uri, call.now)


async def stop_channel(call: CallContext) -> None:
    """`channels.stop`."""
    call.channels.stop(call.body)


async def get_about(call: CallContext) -> Json:
    """`about.get`: whose account it is, only with the fields named, as in Drive."""
    if not call.selected:
        location = {"locationType": "parameter", "location": "fields"}
        raise GoogleError(400, "required", "The 'fields' parameter is required for this method.", location=location)
    return {"kind": "drive#about", "user": user_view(call.address, call.cabinet, call.address)}


def _change_number(call: CallContext) -> int:
    token = call.text("pageToken")
    if not token.isdecimal():
        raise invalid_value("pageToken")
    return int(token)


def _change(call: CallContext, change: Change) -> Json:
    file = call.cabinet.get(change.file_id)
    told: Json = {
        "kind": "drive#change",
        "type": "file",
        "changeType": "file",
        "time": stamp(change.at),
        "removed": file is None,
        "fileId": change.file_id,
    }
    return told if file is None else told | {"file": call.view(file)}


def _ranged(content: bytes, kind: str, header: str) -> Download:
    found = _RANGE.fullmatch(header)
    if not found:
        return Download(content, kind)
    start, end = int(found[1]), min(int(found[2] or len(content)), len(content) - 1)
    if start >= len(content):
        headers = {"Content-Range": f"bytes */{len(content)}"}
        raise GoogleError(416, "requestedRangeNotSatisfiable", "Request range not satisfiable", headers=headers)
    return Download(content[start : end + 1], kind, 206, {"Content-Range": f"bytes {start}-{end}/{len(content)}"})


NEWEST_FIRST = "modifiedTime desc"
"""The only order that the stand-in knows."""
_ALL_DRIVES = "supportsAllDrives includeItemsFromAllDrives"
OPERATIONS: Mapping[str, Served] = {
    "drive.about.get": served(get_about),
    "drive.files.list": served(list_files, f"q corpora driveId orderBy pageSize pageToken {_ALL_DRIVES}"),
    "drive.files.get": served(get_file, "fileId supportsAllDrives"),
    "drive.files.export": served(export_file, "fileId mimeType"),
    "drive.changes.getStartPageToken": served(get_start_page_token, "supportsAllDrives"),
    "drive.changes.list": served(list_changes, f"pageToken pageSize includeRemoved {_ALL_DRIVES}"),
    "drive.changes.watch": served(watch_changes, f"pageToken {_ALL_DRIVES}"),
    "drive.channels.stop": served(stop_channel),
}
