"""A Drive API v3 stand-in on a loopback socket: stateful, strict, with faults by order."""

from collections.abc import Callable, Mapping
from datetime import datetime

from butler_demo.drive.operations import OPERATIONS, CallContext
from butler_demo.drive.store import DOCS_PREFIX, FOLDER, DriveStore, StoredFile
from butler_demo.drive.views import file_view
from butler_demo.gmail.oauth import Authority
from butler_demo.google.call import Call, Json
from butler_demo.google.description import load_description
from butler_demo.google.quota import QuotaRules
from butler_demo.google.service import Service
from butler_demo.google.watched import WatchedServer
from butler_demo.serving import utc_now

DRIVE_SCOPE = "https://www.googleapis.com/auth/drive"
DRIVE_SINCE_MAY_2026 = QuotaRules(
    {
        "drive.about.get": 5,
        "drive.files.list": 100,
        "drive.changes.list": 100,
        "drive.files.get:media": 200,
        "drive.files.export": 200,
    },
    other=5,
    user_per_minute=325_000,
    project_per_minute=1_000_000,
)


class DriveServer(WatchedServer):
    """The stand-in. Its methods are called on the event loop that serves it."""

    def __init__(self, *, now: Callable[[], datetime] = utc_now, authority: Authority | None = None) -> None:
        """Create a server without accounts.

        `now` returns aware times. `authority` is that of another stand-in, for one consent to both.
        """
        self._cabinet = DriveStore(now, self._announce)
        description = load_description("drive", "v3")
        service = Service(description, "drive.googleapis.com", OPERATIONS, self._cabinet.account, self._context)
        super().__init__(service, (DRIVE_SCOPE,), DRIVE_SINCE_MAY_2026, now, authority)

    def _context(self, call: Call) -> CallContext:
        return CallContext(**call.parts(), cabinet=self._cabinet, channels=self._channels)

    def add_account(self, address: str, name: str) -> None:
        """Give this address an empty drive."""
        self._cabinet.open(address, name)

    def add_shared_drive(self, owner: str, name: str) -> str:
        """Make a shared drive; its id, which is the parent of what lies in it. `share` adds members."""
        drive = self._cabinet.make(name, FOLDER, self._cabinet.account(owner), [])
        drive.drive_id = drive.id
        return drive.id

    def add_folder(self, owner: str, name: str, *, parent: str = "") -> str:
        """Make a folder, in the account's root where no parent is named; its id."""
        return self._made(owner, name, FOLDER, parent).id

    def add_file(
        self, owner: str, name: str, content: bytes, kind: str = "application/octet-stream", *, parent: str = ""
    ) -> str:
        """Put a file there that the client has not made; its id. `kind` is its media type."""
        file = self._made(owner, name, kind, parent)
        file.content = content
        return file.id

    def add_document(
        self, owner: str, name: str, exports: Mapping[str, bytes], kind: str = "document", *, parent: str = ""
    ) -> str:
        """Put a file of Google's editors there; its id.

        `exports` is what it looks like by media type; `kind` is document, spreadsheet or presentation.
        """
        file = self._made(owner, name, f"{DOCS_PREFIX}{kind}", parent)
        file.exports = dict(exports)
        return file.id

    def share(self, file_id: str, address: str) -> None:
        """Share a file or folder as its owner does in the browser. Raises KeyError."""
        file = self._file(file_id)
        file.shared_with.add(address.lower())
        self._cabinet.changed(file)

    def delete(self, file_id: str) -> None:
        """Delete a file for good as its owner does elsewhere. Raises KeyError."""
        self._cabinet.remove(self._file(file_id))

    def files(self, address: str) -> list[Json]:
        """Return all files that the account sees, oldest first."""
        account = self._cabinet.account(address)
        seen = (file for file in self._cabinet.all() if self._cabinet.sees(file, account))
        return [file_view(file, self._cabinet, account) for file in seen]

    def forget_changes(self) -> None:
        """Let every page token of changes handed out so far be too old: 400 invalid."""
        self._cabinet.forget_changes()

    def _made(self, owner: str, name: str, kind: str, parent: str) -> StoredFile:
        account = self._cabinet.account(owner)
        file = self._cabinet.make(name, kind, account, [parent or self._cabinet.root_of(account)])
        file.drive_id = self._file(parent).drive_id if parent else ""
        return file

    def _file(self, file_id: str) -> StoredFile:
        file = self._cabinet.get(file_id)
        if file is None:
            raise KeyError(f"there is no file {file_id}")
        return file

    def _announce(self, file: StoredFile) -> None:
        for address in self._cabinet.seen_by(file):
            self._channels.tell(address, self._now(), "change")
