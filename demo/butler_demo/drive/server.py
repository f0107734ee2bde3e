"""A Drive API v3 stand-in on a loopback socket: stateful, strict, with faults by order."""

from collections.abc import Callable, Mapping
from datetime import datetime

from butler_demo.drive.cabinet import Cabinet, permission_id
from butler_demo.drive.records import DOCS_PREFIX, FOLDER, ROLES, Permission, ShareNotice, StoredFile
from butler_demo.drive.service import DriveService
from butler_demo.drive.views import file_view
from butler_demo.gmail.oauth import Authority
from butler_demo.google.call import Json
from butler_demo.google.channels import Channel, Channels, Push
from butler_demo.google.quota import QuotaRules
from butler_demo.google.server import GoogleServer, utc_now

DRIVE_SCOPE = "https://www.googleapis.com/auth/drive"
DRIVE_SINCE_MAY_2026 = QuotaRules(
    {
        "drive.about.get": 5,
        "drive.files.list": 100,
        "drive.changes.list": 100,
        "drive.permissions.list": 100,
        "drive.files.get:media": 200,
        "drive.files.export": 200,
        "drive.files.create": 50,
        "drive.files.update": 50,
        "drive.files.copy": 50,
        "drive.files.delete": 50,
        "drive.files.emptyTrash": 50,
        "drive.permissions.create": 50,
        "drive.permissions.update": 50,
        "drive.permissions.delete": 50,
    },
    other=5,
    user_per_minute=325_000,
    project_per_minute=1_000_000,
    project_per_day=400_000_000,
)


class DriveServer(GoogleServer):
    """The stand-in. Its methods are called on the event loop that serves it."""

    def __init__(self, *, now: Callable[[], datetime] = utc_now, authority: Authority | None = None) -> None:
        """Create a server without accounts.

        `now` returns aware times. `authority` is that of another stand-in, for one consent to both.
        """
        self._cabinet = Cabinet(now, self._announce)
        self._notices: list[ShareNotice] = []
        self._listeners: list[Callable[[Json], None]] = []
        self._channels = Channels()
        service = DriveService(self._cabinet, self._notices, self._channels)
        super().__init__(service, (DRIVE_SCOPE,), DRIVE_SINCE_MAY_2026, now, authority)

    def add_account(self, address: str, name: str) -> None:
        """Give this address an empty drive. Raises ValueError if it has one."""
        self._cabinet.open(address, name)

    def add_shared_drive(self, owner: str, name: str) -> str:
        """Make a shared drive; its id, which is the parent of what lies in it. `share` adds members."""
        return self._cabinet.open_shared(name, self._cabinet.account(owner)).id

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

    def share(self, file_id: str, address: str, role: str = "reader") -> None:
        """Share a file as its owner does in the browser. Raises KeyError and ValueError."""
        if role not in ROLES[:-1]:
            raise ValueError(f"a file can be shared as {', '.join(ROLES[:-1])}, not as {role}")
        file = self._file(file_id)
        email = address.lower()
        self._cabinet.permit(file, Permission(permission_id(email), "user", role, email))
        self._cabinet.changed(file, file.owner, modified=False)

    def write(self, file_id: str, content: bytes) -> None:
        """Change a file's content as its owner does elsewhere. Raises KeyError."""
        file = self._file(file_id)
        file.content = content
        self._cabinet.changed(file, file.owner)

    def delete(self, file_id: str) -> None:
        """Delete a file for good as its owner does elsewhere. Raises KeyError."""
        self._cabinet.remove(self._file(file_id))

    def content_of(self, file_id: str) -> bytes:
        """Return a file's content, empty for one that has none. Raises KeyError."""
        return self._file(file_id).content or b""

    def files(self, address: str) -> list[Json]:
        """Return all files that the account sees by name, in the trash or not, oldest first."""
        account = self._cabinet.account(address)
        seen = (file for file in self._cabinet.all() if self._cabinet.lists_for(file, account))
        return [file_view(file, self._cabinet, account) for file in seen]

    @property
    def notices(self) -> tuple[ShareNotice, ...]:
        """The mails about shared files that Drive would have sent, oldest first."""
        return tuple(self._notices)

    def forget_changes(self) -> None:
        """Let every page token of changes handed out so far be too old: 400 invalid."""
        self._cabinet.forget_changes()

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels that have not ended, the oldest first."""
        return tuple(self._channels.open_now(self._now()))

    def on_push(self, listen: Callable[[Push], None] | None) -> None:
        """Call `listen` for each notice to a channel from now on."""
        self._channels.listen = listen

    def subscribe(self, callback: Callable[[Json], None]) -> Callable[[], None]:
        """Call `callback(file)` at every change of a file; the returned function ends that."""
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

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
        for listener in list(self._listeners):
            listener(file_view(file, self._cabinet, file.owner))
