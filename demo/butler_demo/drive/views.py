"""Files in the JSON shape of the API, as the asking account sees them."""

from datetime import UTC, datetime

from butler_demo.drive.store import DriveStore, StoredFile
from butler_demo.google.call import Json


def file_view(file: StoredFile, cabinet: DriveStore, address: str) -> Json:
    """Return what the account may know of a file."""
    owner = user_view(file.owner, cabinet, address)
    view: Json = {
        "kind": "drive#file",
        "id": file.id,
        "name": file.name,
        "mimeType": file.type,
        "trashed": False,
        "createdTime": stamp(file.created),
        "modifiedTime": stamp(file.modified),
        "lastModifyingUser": owner,
        "webViewLink": f"https://drive.google.com/file/d/{file.id}/view",
    }
    # What lies in a shared drive is nobody's own.
    view |= {"driveId": file.drive_id} if file.drive_id else {"owners": [owner]}
    return view | ({} if file.content is None else {"size": str(len(file.content))})


def user_view(email: str, cabinet: DriveStore, address: str) -> Json:
    """Return somebody as a file names them."""
    return {
        "kind": "drive#user",
        "displayName": cabinet.name_of(email),
        "emailAddress": email,
        "me": email == address,
    }


def stamp(moment: datetime) -> str:
    """Return a moment to the millisecond in UTC."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"
