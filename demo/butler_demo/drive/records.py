"""What the Drive stand-in keeps: files, who may do what with them, and the changes."""

from dataclasses import dataclass, field
from datetime import datetime

FOLDER = "application/vnd.google-apps.folder"
DOCS_PREFIX = "application/vnd.google-apps."
ROLES = ("reader", "commenter", "writer", "owner")
"""From the least to the most."""


@dataclass(frozen=True)
class Permission:
    """What a user, or anyone with the link, may do with a file and with what is in it."""

    id: str
    type: str
    role: str
    email: str = ""


@dataclass
class StoredFile:
    """A file or folder. What Google's own editors made has no content, but exports by media type."""

    id: str
    name: str
    type: str
    owner: str
    created: datetime
    modified: datetime
    modified_by: str
    parents: list[str]
    content: bytes | None = None
    exports: dict[str, bytes] = field(default_factory=dict[str, bytes])
    permissions: dict[str, Permission] = field(default_factory=dict[str, Permission])
    shared_at: dict[str, datetime] = field(default_factory=dict[str, datetime])
    starred_by: set[str] = field(default_factory=set[str])
    description: str = ""
    properties: dict[str, str] = field(default_factory=dict[str, str])
    app_properties: dict[str, str] = field(default_factory=dict[str, str])
    trashed: bool = False
    version: int = 1
    by_app: bool = False
    """Whether the client made it, so that the scope `drive.file` reaches it."""
    drive_id: str = ""
    """The shared drive that it lies in; one's own id, for the drive itself."""

    @property
    def is_folder(self) -> bool:
        return self.type == FOLDER

    @property
    def is_docs(self) -> bool:
        """Whether it has no content of its own to be downloaded."""
        return self.type.startswith(DOCS_PREFIX)


@dataclass(frozen=True)
class Change:
    """One change of a file, with those who could see the file before or after it."""

    number: int
    file_id: str
    at: datetime
    seen_by: frozenset[str]


@dataclass(frozen=True)
class ShareNotice:
    """One mail that Drive would send to somebody a file was shared with."""

    to: str
    file_id: str
    role: str
    message: str
