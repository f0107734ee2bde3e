"""The operations on files."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from butler_demo.drive.call_context import CallContext
from butler_demo.drive.query import parse_query
from butler_demo.drive.records import FOLDER, StoredFile
from butler_demo.drive.views import USUAL_FIELDS, file_view
from butler_demo.google.call import Answer, Download, Json
from butler_demo.google.errors import GoogleError, insufficient_scopes, invalid_value, not_in_stand_in

_LARGEST_PAGE = 1000
_LARGEST_EXPORT = 10 * 1024 * 1024
_RANGE = re.compile(r"bytes=(\d+)-(\d*)")
_WRITABLE = frozenset(
    {"name", "mimeType", "description", "starred", "trashed", "properties", "appProperties", "modifiedTime"}
)
_ON_CREATION = _WRITABLE | {"id", "parents", "createdTime"}
_PASSED_OVER = frozenset(
    {"kind", "originalFilename", "writersCanShare", "copyRequiresWriterPermission", "contentHints"}
)
_ORDERS: dict[str, Callable[[StoredFile], Any]] = {
    "name": lambda file: file.name.casefold(),
    "name_natural": lambda file: [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", file.name.casefold())],
    "createdTime": lambda file: file.created,
    "modifiedTime": lambda file: file.modified,
    "recency": lambda file: file.modified,
    "folder": lambda file: not file.is_folder,
    "quotaBytesUsed": lambda file: len(file.content or b""),
}


async def list_files(call: CallContext) -> Json:
    """`files.list`."""
    if call.text("spaces") != "drive":
        raise not_in_stand_in("other spaces than drive")
    matches = parse_query(call.text("q"), call.cabinet, call.address)
    within = _corpora(call)
    found = [
        file
        for file in call.cabinet.all()
        if within(file) and call.cabinet.lists_for(file, call.address) and call.reaches(file) and matches(file)
    ]
    size = call.number("pageSize", 100)
    if not 1 <= size <= _LARGEST_PAGE:
        raise invalid_value(
            "pageSize", f"Invalid value '{size}'. Values must be within the range: [1, {_LARGEST_PAGE}]"
        )
    page, more = call.page(_ordered(found, call.text("orderBy")), size, invalid_value("pageToken"))
    whole = [file_view(file, call.cabinet, call.address) for file in page]
    files = whole if call.selected else [{name: file[name] for name in USUAL_FIELDS} for file in whole]
    return {"kind": "drive#fileList", "incompleteSearch": False} | more | {"files": files}


def _corpora(call: CallContext) -> Callable[[StoredFile], bool]:
    """Which files are looked through: what lies in shared drives only for a client that says it knows of them."""
    corpora, drive = call.text("corpora") or "user", call.text("driveId")
    knows = all(call.parameters.get(name) is True for name in ("supportsAllDrives", "includeItemsFromAllDrives"))
    if corpora not in {"user", "drive", "allDrives"}:
        raise not_in_stand_in(f"the corpora {corpora}")
    if bool(drive) != (corpora == "drive"):
        raise invalid_value(
            "driveId", "The driveId parameter must be specified if and only if corpora is set to drive."
        )
    if corpora != "user" and not knows:
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
    if not call.may_read_content():
        raise insufficient_scopes("drive.googleapis.com", call.operation.id)
    if file.content is None:
        message = "Only files with binary content can be downloaded. Use Export with Docs Editors files."
        location = {"locationType": "parameter", "location": "alt"}
        raise GoogleError(403, "fileNotDownloadable", message, location=location)
    return _ranged(file.content, file.type, call.headers.get("Range", ""))


async def export_file(call: CallContext) -> Answer:
    """`files.export`: what Google's editors made, in another form."""
    file = call.file()
    if not file.is_docs or file.is_folder:
        raise GoogleError(403, "fileNotExportable", "Export only supports Docs Editors files.")
    data = file.exports.get(call.text("mimeType"))
    if data is None:
        raise GoogleError(400, "badRequest", "The requested conversion is not supported.")
    if len(data) > _LARGEST_EXPORT:
        raise GoogleError(403, "exportSizeLimitExceeded", "This file is too large to be exported.")
    return Download(data, call.text("mimeType"))


async def create_file(call: CallContext) -> Json:
    """`files.create`: 409 for an id that is taken."""
    _check_fields(call.body, _ON_CREATION)
    file_id: str = call.body.get("id") or ""
    if file_id and call.cabinet.get(file_id):
        raise GoogleError(409, "fileIdInUse", "A file already exists with the provided ID.")
    if file_id and not call.cabinet.is_promised(file_id):
        raise invalid_value("file.id", "The provided file ID is not usable.")
    parents: list[str] = call.body.get("parents") or ["root"]
    if len(parents) != 1:
        raise GoogleError(400, "invalid", "A file has to have exactly one parent.")
    folder = _folder(call, parents[0])
    kind = call.body.get("mimeType") or (call.media.type if call.media else "application/octet-stream")
    file = call.cabinet.make(call.body.get("name") or "Untitled", kind, call.address, [folder.id], file_id=file_id)
    file.by_app = True
    _write(call, file, {name: value for name, value in call.body.items() if name not in ("name", "mimeType")})
    if "createdTime" in call.body:
        file.created = datetime.fromisoformat(call.body["createdTime"])
    if not file.is_docs:
        file.content = b""
    _take_content(call, file)
    return call.view(file)


async def update_file(call: CallContext) -> Json:
    """`files.update`: its words, its content, its place, and whether it is in the trash."""
    file = call.file("writer")
    _check_fields(call.body, _WRITABLE)
    if "trashed" in call.body and call.cabinet.role(file, call.address) != "owner":
        message = "The user does not have sufficient permissions for this file."
        raise GoogleError(403, "insufficientFilePermissions", message)
    before = call.cabinet.seen_by(file)
    added = [_folder(call, file_id).id for file_id in filter(None, call.text("addParents").split(","))]
    removed = set(call.text("removeParents").split(","))
    places = [parent for parent in file.parents if parent not in removed] + added
    if len(set(places)) > 1:
        message = "A file cannot have more than one parent: name the present one in removeParents."
        raise GoogleError(403, "cannotAddParent", message)
    file.parents = list(dict.fromkeys(places)) or file.parents
    _write(call, file, call.body)
    _take_content(call, file)
    is_change = call.media is not None or bool(call.body.keys() - {"starred", "trashed", "modifiedTime"})
    call.cabinet.changed(file, call.address, modified=is_change and "modifiedTime" not in call.body, before=before)
    return call.view(file)


async def copy_file(call: CallContext) -> Json:
    """`files.copy`."""
    file = call.file()
    if file.is_folder:
        raise GoogleError(403, "cannotCopyFile", "This file cannot be copied by the user.")
    parents: list[str] = call.body.get("parents") or ["root"]
    folder = _folder(call, parents[0])
    copy = call.cabinet.make(call.body.get("name") or f"Copy of {file.name}", file.type, call.address, [folder.id])
    copy.by_app, copy.content, copy.exports = True, file.content, dict(file.exports)
    return call.view(copy)


async def delete_file(call: CallContext) -> None:
    """`files.delete`: for good, by the owner only."""
    call.cabinet.remove(call.file("owner"))


async def empty_trash(call: CallContext) -> None:
    """`files.emptyTrash`."""
    for file in [file for file in call.cabinet.all() if file.owner == call.address and file.trashed]:
        if call.cabinet.get(file.id):
            call.cabinet.remove(file)


async def generate_ids(call: CallContext) -> Json:
    """`files.generateIds`: ids for files to be made, so that a repeat is refused."""
    count = call.number("count", 10)
    if not 1 <= count <= _LARGEST_PAGE:
        raise invalid_value("count")
    ids = [call.cabinet.promise_id() for _ in range(count)]
    return {"kind": "drive#generatedIds", "space": "drive", "ids": ids}


def _folder(call: CallContext, file_id: str) -> StoredFile:
    folder = call.file_by_id(file_id, "writer")
    if not folder.is_folder:
        raise GoogleError(403, "parentNotAFolder", "The specified parent is not a folder.")
    return folder


def _check_fields(body: Json, writable: frozenset[str]) -> None:
    if "parents" in body.keys() - writable:
        message = (
            "The parents field is not directly writable in update requests. Use the addParents and removeParents"
            " parameters instead."
        )
        raise GoogleError(403, "fieldNotWritable", message)
    if body.keys() - writable - _PASSED_OVER:
        message = "The resource body includes fields which are not directly writable."
        raise GoogleError(403, "fieldNotWritable", message)


def _write(call: CallContext, file: StoredFile, body: Json) -> None:
    file.name = body.get("name") or file.name
    file.type = body.get("mimeType") or file.type
    file.description = body.get("description", file.description) or ""
    file.trashed = body.get("trashed", file.trashed)
    if "starred" in body:
        (file.starred_by.add if body["starred"] else file.starred_by.discard)(call.address)
    for name, held in (("properties", file.properties), ("appProperties", file.app_properties)):
        changes: Json = body.get(name) or {}
        held |= {key: value for key, value in changes.items() if value is not None}
        for key in [key for key, value in changes.items() if value is None]:
            held.pop(key, None)
    if "modifiedTime" in body:
        file.modified = datetime.fromisoformat(body["modifiedTime"])


def _take_content(call: CallContext, file: StoredFile) -> None:
    """Keep what was uploaded; a file of Google's editors is made of it, and exports it as text."""
    if call.media is None:
        return
    if file.type == FOLDER:
        raise GoogleError(400, "badRequest", "A folder has no content.")
    if file.is_docs:
        file.exports = {"text/plain": call.media.data, call.media.type: call.media.data}
    else:
        file.content = call.media.data


def _ranged(content: bytes, kind: str, header: str) -> Download:
    found = _RANGE.fullmatch(header)
    if not found:
        return Download(content, kind)
    start, end = int(found[1]), min(int(found[2] or len(content)), len(content) - 1)
    if start >= len(content):
        message = "Request range not satisfiable"
        raise GoogleError(
            416, "requestedRangeNotSatisfiable", message, headers={"Content-Range": f"bytes */{len(content)}"}
        )
    return Download(content[start : end + 1], kind, 206, {"Content-Range": f"bytes {start}-{end}/{len(content)}"})


def _ordered(files: list[StoredFile], order: str) -> list[StoredFile]:
    files = sorted(files, key=lambda file: (file.modified, file.id), reverse=True)
    for key in reversed([key.strip() for key in order.split(",") if key.strip()]):
        name, _, direction = key.partition(" ")
        if name not in _ORDERS or direction not in ("", "desc"):
            raise invalid_value("orderBy")
        files = sorted(files, key=_ORDERS[name], reverse=direction == "desc")
    return files
