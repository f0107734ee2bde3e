"""Files, permissions and changes in the JSON shapes of the API, as the asking account sees them."""

import hashlib
from datetime import UTC, datetime

from butler_demo.drive.cabinet import Cabinet, permission_id
from butler_demo.drive.records import ROLES, Permission, StoredFile
from butler_demo.google.call import Json

USUAL_FIELDS = ("kind", "id", "name", "mimeType")
"""What Drive tells of a file where no fields are named."""


def file_view(file: StoredFile, cabinet: Cabinet, address: str) -> Json:
    """Return all that the account may know of a file."""
    role = cabinet.role(file, address)
    writes = role in ("writer", "owner")
    others = cabinet.seen_by(file) - {file.owner}
    view: Json = {
        "kind": "drive#file",
        "id": file.id,
        "name": file.name,
        "mimeType": file.type,
        "starred": address in file.starred_by,
        "trashed": cabinet.is_trashed(file),
        "explicitlyTrashed": file.trashed,
        "parents": [parent for parent in file.parents if _sees(cabinet, parent, address)],
        "spaces": ["drive"],
        "version": str(file.version),
        "createdTime": stamp(file.created),
        "modifiedTime": stamp(file.modified),
        "owners": [user_view(file.owner, cabinet, address)],
        "lastModifyingUser": user_view(file.modified_by, cabinet, address),
        "ownedByMe": file.owner == address,
        "shared": bool(others) or any(p.type == "anyone" for p in file.permissions.values()),
        "capabilities": {
            "canEdit": writes,
            "canCopy": not file.is_folder,
            "canDownload": not file.is_docs,
            "canShare": writes,
            "canTrash": role == "owner",
            "canDelete": role == "owner",
        },
        "properties": file.properties,
        "appProperties": file.app_properties,
        "isAppAuthorized": file.by_app,
        "webViewLink": f"https://drive.google.com/file/d/{file.id}/view",
    }
    if file.drive_id:
        # What lies there is nobody's own.
        view = {name: value for name, value in view.items() if name not in {"owners", "ownedByMe"}}
        view["driveId"] = file.drive_id
    if file.description:
        view["description"] = file.description
    if address in file.shared_at:
        view["sharedWithMeTime"] = stamp(file.shared_at[address])
    if writes:
        view["permissions"] = [permission_view(permission, cabinet) for permission in file.permissions.values()]
        view["permissionIds"] = list(file.permissions)
    return view | _content_view(file)


def permission_view(permission: Permission, cabinet: Cabinet) -> Json:
    """Return a permission."""
    view: Json = {"kind": "drive#permission", "id": permission.id, "type": permission.type, "role": permission.role}
    if permission.email:
        view |= {"emailAddress": permission.email, "displayName": cabinet.name_of(permission.email)}
        view |= {"deleted": False, "pendingOwner": False}
    if permission.type == "anyone":
        view["allowFileDiscovery"] = False
    return view


def user_view(email: str, cabinet: Cabinet, address: str) -> Json:
    """Return somebody as a file names them."""
    return {
        "kind": "drive#user",
        "displayName": cabinet.name_of(email),
        "emailAddress": email,
        "permissionId": permission_id(email),
        "me": email == address,
    }


def stamp(moment: datetime) -> str:
    """Return a moment to the millisecond in UTC."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"


def at_least(role: str, wanted: str) -> bool:
    """Whether a role includes another."""
    return bool(role) and ROLES.index(role) >= ROLES.index(wanted)


def _sees(cabinet: Cabinet, file_id: str, address: str) -> bool:
    file = cabinet.get(file_id)
    return file is not None and bool(cabinet.role(file, address))


def _content_view(file: StoredFile) -> Json:
    if file.content is None:
        return (
            {"exportLinks": dict.fromkeys(file.exports, f"https://docs.google.com/{file.id}")} if file.exports else {}
        )
    extension = file.name.rpartition(".")[2] if "." in file.name else ""
    return {
        "size": str(len(file.content)),
        "quotaBytesUsed": str(len(file.content)),
        "md5Checksum": hashlib.md5(file.content, usedforsecurity=False).hexdigest(),
        "sha256Checksum": hashlib.sha256(file.content).hexdigest(),
        "originalFilename": file.name,
        "headRevisionId": f"0B{file.version:026d}",
        "webContentLink": f"https://drive.google.com/uc?id={file.id}&export=download",
    } | ({"fileExtension": extension, "fullFileExtension": extension} if extension else {})
