"""The table of what the Drive stand-in can do, and the operations on permissions, changes and the account."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from butler_demo.drive import operations_files as files
from butler_demo.drive.cabinet import permission_id
from butler_demo.drive.call_context import CallContext
from butler_demo.drive.records import ROLES, Change, Permission, ShareNotice, StoredFile
from butler_demo.drive.views import file_view, permission_view, stamp, user_view
from butler_demo.google.call import Answer, Json
from butler_demo.google.errors import GoogleError, invalid_value, not_in_stand_in

OperationHandler: TypeAlias = Callable[[CallContext], Awaitable[Answer]]

_USUAL_FIELDS = ("kind", "id", "type", "role")
_LIMIT = 15 * 1024**3


async def list_permissions(call: CallContext) -> Json:
    """`permissions.list`: for those who may write."""
    held = list(call.file("writer").permissions.values())
    page, more = call.page(held, call.number("pageSize", 100), invalid_value("pageToken"))
    return {"kind": "drive#permissionList"} | more | {"permissions": [_view(call, permission) for permission in page]}


async def get_permission(call: CallContext) -> Json:
    """`permissions.get`."""
    return _view(call, _permission(call, call.file("writer")))


async def create_permission(call: CallContext) -> Json:
    """`permissions.create`: the same user again gets the new role; a mail goes out unless it is not wanted."""
    file = call.file("writer")
    kind, role, email = (str(call.body.get(name) or "") for name in ("type", "role", "emailAddress"))
    if kind not in ("user", "anyone"):
        if kind in ("group", "domain"):
            raise not_in_stand_in(f"permissions of the type {kind}")
        raise GoogleError(400, "required", "The permission type field is required.")
    _check_role(role)
    if kind == "user" and "@" not in email:
        raise GoogleError(400, "invalid", "The specified emailAddress is invalid or not applicable for the given type.")
    if role == "owner":
        _check_transfer(call, file)
    named = email.lower() if kind == "user" else ""
    given = Permission(permission_id(named) if named else "anyoneWithLink", kind, role, named)
    _give(call, file, given)
    if named and call.parameters.get("sendNotificationEmail") is not False:
        call.notices.append(ShareNotice(named, file.id, role, call.text("emailMessage")))
    return _view(call, given)


async def update_permission(call: CallContext) -> Json:
    """`permissions.update`: another role."""
    file = call.file("writer")
    role = str(call.body.get("role") or "")
    _check_role(role)
    if role == "owner":
        _check_transfer(call, file)
    given = replace(_permission(call, file), role=role)
    _give(call, file, given)
    return _view(call, given)


async def delete_permission(call: CallContext) -> None:
    """`permissions.delete`: by those who may write, and by the user for themselves; never the owner's."""
    own = call.text("permissionId") == permission_id(call.address)
    file = call.file("reader" if own else "writer")
    permission = _permission(call, file)
    if permission.role == "owner":
        message = "The owner of a file cannot be removed."
        raise GoogleError(403, "cannotRemoveOwner", message)
    before = call.cabinet.seen_by(file)
    del file.permissions[permission.id]
    file.shared_at.pop(permission.email, None)
    call.cabinet.changed(file, call.address, modified=False, before=before)


async def get_start_page_token(call: CallContext) -> Json:
    """`changes.getStartPageToken`."""
    return {"kind": "drive#startPageToken", "startPageToken": str(call.cabinet.next_change)}


async def list_changes(call: CallContext) -> Json:
    """`changes.list`: each file once, by its last change; the last page has the token to go on from."""
    token = call.text("pageToken")
    start = int(token) if token.isdecimal() else 0
    if not call.cabinet.oldest_change <= start <= call.cabinet.next_change:
        raise invalid_value("pageToken")
    changes = [change for change in call.cabinet.changes_for(call.address, start) if _is_told(call, change)]
    size = call.number("pageSize", 100)
    more = len(changes) > size
    rest: Json = {"nextPageToken": str(changes[size].number)} if more else {}
    last: Json = {} if more else {"newStartPageToken": str(call.cabinet.next_change)}
    return {"kind": "drive#changeList"} | rest | last | {"changes": [_change(call, c) for c in changes[:size]]}


async def watch_changes(call: CallContext) -> Json:
    """`changes.watch`: of all that the account sees."""
    token = call.text("pageToken")
    if not token.isdecimal():
        raise invalid_value("pageToken")
    uri = f"{call.root}drive/v3/changes?pageToken={token}&alt=json"
    return call.channels.watch(call.body, call.address, uri, call.now)


async def stop_channel(call: CallContext) -> None:
    """`channels.stop`."""
    call.channels.stop(call.body)


async def get_about(call: CallContext) -> Json:
    """`about.get`: only with the fields named, as in Drive."""
    if not call.selected:
        location = {"locationType": "parameter", "location": "fields"}
        raise GoogleError(400, "required", "The 'fields' parameter is required for this method.", location=location)
    used = sum(len(file.content or b"") for file in call.cabinet.all() if file.owner == call.address)
    trash = sum(len(f.content or b"") for f in call.cabinet.all() if f.owner == call.address and f.trashed)
    amounts = {"limit": _LIMIT, "usage": used, "usageInDrive": used, "usageInDriveTrash": trash}
    return {
        "kind": "drive#about",
        "user": user_view(call.address, call.cabinet, call.address),
        "storageQuota": {name: str(value) for name, value in amounts.items()},
        "maxUploadSize": "5242880000000",
        "appInstalled": False,
        "canCreateDrives": False,
    }


def _view(call: CallContext, permission: Permission) -> Json:
    whole = permission_view(permission, call.cabinet)
    return whole if call.selected else {name: whole[name] for name in _USUAL_FIELDS}


def _permission(call: CallContext, file: StoredFile) -> Permission:
    permission = file.permissions.get(call.text("permissionId"))
    if permission is None:
        location = {"locationType": "parameter", "location": "permissionId"}
        message = f"Permission not found: {call.text('permissionId')}."
        raise GoogleError(404, "notFound", message, location=location)
    return permission


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise GoogleError(400, "required", "The permission role field is required.")


def _check_transfer(call: CallContext, file: StoredFile) -> None:
    if not call.flag("transferOwnership"):
        message = "The transferOwnership parameter must be enabled when the permission role is 'owner'."
        raise GoogleError(403, "forbidden", message)
    call.file("owner")
    earlier = file.permissions[permission_id(file.owner)]
    file.permissions[earlier.id] = replace(earlier, role="writer")


def _give(call: CallContext, file: StoredFile, given: Permission) -> None:
    before = call.cabinet.seen_by(file)
    call.cabinet.permit(file, given)
    if given.role == "owner":
        file.owner = given.email
    call.cabinet.changed(file, call.address, modified=False, before=before)


def _is_told(call: CallContext, change: Change) -> bool:
    file = call.cabinet.get(change.file_id)
    if file is None or not call.cabinet.lists_for(file, call.address):
        return call.parameters.get("includeRemoved") is not False
    return call.reaches(file) and file.id != call.cabinet.root_of(call.address)


def _change(call: CallContext, change: Change) -> Json:
    file = call.cabinet.get(change.file_id)
    gone = file is None or not call.cabinet.lists_for(file, call.address)
    told: Json = {
        "kind": "drive#change",
        "type": "file",
        "changeType": "file",
        "time": stamp(change.at),
        "removed": gone,
        "fileId": change.file_id,
    }
    return told if file is None or gone else told | {"file": file_view(file, call.cabinet, call.address)}


OPERATIONS: Mapping[str, OperationHandler] = {
    "drive.about.get": get_about,
    "drive.files.list": files.list_files,
    "drive.files.get": files.get_file,
    "drive.files.export": files.export_file,
    "drive.files.create": files.create_file,
    "drive.files.update": files.update_file,
    "drive.files.copy": files.copy_file,
    "drive.files.delete": files.delete_file,
    "drive.files.emptyTrash": files.empty_trash,
    "drive.files.generateIds": files.generate_ids,
    "drive.permissions.list": list_permissions,
    "drive.permissions.get": get_permission,
    "drive.permissions.create": create_permission,
    "drive.permissions.update": update_permission,
    "drive.permissions.delete": delete_permission,
    "drive.changes.getStartPageToken": get_start_page_token,
    "drive.changes.watch": watch_changes,
    "drive.channels.stop": stop_channel,
    "drive.changes.list": list_changes,
}
