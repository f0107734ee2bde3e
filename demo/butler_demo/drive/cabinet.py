"""All files of the server: who sees them, what is in which folder, and the log of changes."""

import hashlib
import secrets
from collections.abc import Callable, Iterator
from datetime import datetime

from butler_demo.drive.records import FOLDER, ROLES, Change, Permission, StoredFile
from butler_demo.google.service import UnknownAccountError


class Cabinet:
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
        self._promised: set[str] = set()

    # Accounts

    def open(self, address: str, name: str) -> None:
        """Give a new account its root folder. Raises ValueError if it has one."""
        address = address.lower()
        if address in self._names:
            raise ValueError(f"the address {address} has an account already")
        self._names[address] = name
        root = self.make("My Drive", FOLDER, address, [])
        self._roots[address] = root.id

    def account(self, address: str) -> str:
        """Return the account's address in lower case. Raises UnknownAccountError."""
        if address.lower() not in self._names:
            raise UnknownAccountError(f"no account has the address {address}; add it first")
        return address.lower()

    def name_of(self, address: str) -> str:
        """Return the display name of an account, the local part for anybody else."""
        return self._names.get(address, address.partition("@")[0])

    def root_of(self, address: str) -> str:
        """Return the id of an account's root folder."""
        return self._roots[address]

    def open_shared(self, name: str, owner: str) -> StoredFile:
        """Make a shared drive, which its maker alone sees so far."""
        drive = self.make(name, FOLDER, owner, [], file_id=f"0A{secrets.token_urlsafe(12)}")
        drive.drive_id = drive.id
        return drive

    # Files

    def all(self) -> Iterator[StoredFile]:
        """Return every file but the root folders."""
        roots = set(self._roots.values())
        return (file for file in self._files.values() if file.id not in roots and file.id != file.drive_id)

    def get(self, file_id: str) -> StoredFile | None:
        """Return a file, whoever asks; None if there is none."""
        return self._files.get(file_id)

    def promise_id(self) -> str:
        """Return an id that the client may use for a file it makes later."""
        file_id = f"1{secrets.token_urlsafe(24)}"
        self._promised.add(file_id)
        return file_id

    def is_promised(self, file_id: str) -> bool:
        """Whether the id has been handed out for a file."""
        return file_id in self._promised

    def make(self, name: str, kind: str, owner: str, parents: list[str], *, file_id: str = "") -> StoredFile:
        """Make an empty file or folder that its owner alone sees, apart from who sees its folder."""
        now = self._now()
        file = StoredFile(file_id or self.promise_id(), name, kind, owner, now, now, owner, parents)
        self.permit(file, Permission(permission_id(owner), "user", "owner", owner))
        self._files[file.id] = file
        self.changed(file, owner, modified=False)
        return file

    def changed(
        self, file: StoredFile, by: str, *, modified: bool = True, before: frozenset[str] = frozenset()
    ) -> None:
        """Write down that a file is different now; `before` are those who saw it until now."""
        file.version += 1
        if modified:
            file.modified, file.modified_by = self._now(), by
        self._log(file, before)
        self._announce(file)

    def remove(self, file: StoredFile) -> None:
        """Delete a file for good, a folder with all that is in it."""
        for child in list(self.children(file)):
            self.remove(child)
        seen_by = self.seen_by(file)
        del self._files[file.id]
        self._log(file, seen_by)

    def children(self, folder: StoredFile) -> Iterator[StoredFile]:
        """Return what is directly in a folder."""
        return (file for file in self._files.values() if folder.id in file.parents)

    def is_trashed(self, file: StoredFile) -> bool:
        """Whether the file or a folder that it is in has been thrown away."""
        return any(above.trashed for above in self._upwards(file))

    # Who may do what

    def permit(self, file: StoredFile, permission: Permission) -> None:
        """Give a permission, in the place of an earlier one of the same user."""
        if permission.email and permission.email not in file.shared_at and permission.role != "owner":
            file.shared_at[permission.email] = self._now()
        file.permissions[permission.id] = permission

    def role(self, file: StoredFile, address: str) -> str:
        """Return the most that the account may do with a file, by its own and its folders' permissions; or nothing."""
        held = [
            permission.role
            for above in self._upwards(file)
            for permission in above.permissions.values()
            if permission.type == "anyone" or permission.email == address
        ]
        return max(held, key=ROLES.index, default="")

    def lists_for(self, file: StoredFile, address: str) -> bool:
        """Whether the file is in the account's lists: by name, not only for anyone with the link."""
        return address in self.seen_by(file)

    def seen_by(self, file: StoredFile) -> frozenset[str]:
        """Return the addresses that a file is shared with by name, its owner included."""
        return frozenset(
            permission.email
            for above in self._upwards(file)
            for permission in above.permissions.values()
            if permission.email
        )

    def _upwards(self, file: StoredFile) -> Iterator[StoredFile]:
        yield file
        for parent in file.parents:
            if above := self._files.get(parent):
                yield from self._upwards(above)

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

    def _log(self, file: StoredFile, before: frozenset[str]) -> None:
        self._numbers += 1
        self._changes.append(Change(self._numbers, file.id, self._now(), self.seen_by(file) | before))


def permission_id(address: str) -> str:
    """Return the id of a user's permission, the same on every file."""
    return str(int(hashlib.sha256(address.encode()).hexdigest()[:16], 16)).zfill(20)
