"""All files of the server: who sees them, what is in which folder, and the log of changes."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from butler_demo.google.service import registered

DOCS_PREFIX = "application/vnd.google-apps."
FOLDER = f"{DOCS_PREFIX}folder"


@dataclass
class StoredFile:
    """A file or folder. What Google's own editors made has no content, but exports by media type."""

    id: str
    name: str
    type: str
    owner: str
    created: datetime
    modified: datetime
    parents: list[str]
    drive_id: str = ""
    """The shared drive that it lies in; one's own id, for the drive itself."""
    content: bytes | None = None
    exports: dict[str, bytes] = field(default_factory=dict[str, bytes])
    shared_with: set[str] = field(default_factory=set[str])


@dataclass(frozen=True)
class Change:
    """One change of a file, with those who could see the file after it, or before it was deleted."""

    number: int
    file_id: str
    at: datetime
    seen_by: frozenset[str]


class DriveStore:
    """The files by id. Every change goes through `changed` or `remove`, and so into the log."""

    def __init__(self, now: Callable[[], datetime], announce: Callable[[StoredFile], None]) -> None:
        self.oldest_change = 1
        """Page tokens of changes before this one have expired."""
        self._now = now
        self._announce = announce
        self._files: dict[str, StoredFile] = {}
        self._names: dict[str, str] = {}
        self._roots: dict[str, str] = {}
        self._changes: list[Change] = []
        self._numbers = 0

    # Accounts

    def open(self, address: str, name: str) -> None:
        """Give a new account its root folder."""
        address = address.lower()
        self._names[address] = name
        self._roots[address] = self.make("My Drive", FOLDER, address, []).id

    def account(self, address: str) -> str:
        """Return the account's address in lower case. Raises UnknownAccountError."""
        return registered(address, self._names)

    def name_of(self, address: str) -> str:
        """Return the display name of an account."""
        return self._names[address]

    def root_of(self, address: str) -> str:
        """Return the id of an account's root folder."""
        return self._roots[address]

    # Files

    def all(self) -> Iterator[StoredFile]:
        """Return every file but the root folders."""
        roots = set(self._roots.values())
        return (file for file in self._files.values() if file.id not in roots and file.id != file.drive_id)

    def get(self, file_id: str) -> StoredFile | None:
        """Return a file, whoever asks; None if there is none."""
        return self._files.get(file_id)

    def make(self, name: str, kind: str, owner: str, parents: list[str]) -> StoredFile:
        """Make an empty file or folder that its owner alone sees, apart from who sees its folder."""
        now = self._now()
        file = StoredFile(f"1{secrets.token_urlsafe(24)}", name, kind, owner, now, now, parents)
        self._files[file.id] = file
        self.changed(file)
        return file

    def changed(self, file: StoredFile) -> None:
        """Write down that a file, or who sees it, is different now."""
        self._log(file)
        self._announce(file)

    def remove(self, file: StoredFile) -> None:
        """Delete a file for good, a folder with all that is in it."""
        for child in [other for other in self._files.values() if file.id in other.parents]:
            self.remove(child)
        self._log(file)
        del self._files[file.id]

    def sees(self, file: StoredFile, address: str) -> bool:
        """Whether the account sees the file."""
        return address in self.seen_by(file)

    def seen_by(self, file: StoredFile) -> frozenset[str]:
        """Return the addresses of the owner and of those whom the file or a folder above it is shared with."""
        above = (self.seen_by(self._files[parent]) for parent in file.parents if parent in self._files)
        return frozenset({file.owner, *file.shared_with}.union(*above))

    # Changes

    @property
    def next_change(self) -> int:
        """The number of the change that comes next."""
        return self._numbers + 1

    def changes_for(self, address: str, start: int) -> list[Change]:
        """Return the last change of each file that the account sees or saw, from this number on."""
        last = {change.file_id: change for change in self._changes if address in change.seen_by}
        return sorted((c for c in last.values() if c.number >= start), key=lambda change: change.number)

    def forget_changes(self) -> None:
        """Let every page token of changes handed out so far be too old."""
        self._numbers += 1
        self.oldest_change = self.next_change

    def _log(self, file: StoredFile) -> None:
        self._numbers += 1
        self._changes.append(Change(self._numbers, file.id, self._now(), self.seen_by(file)))
