"""The requests to Drive and its answers, as `call()` validates them."""

from pydantic import AwareDatetime, Field

from butler.contract.records import ClosedRecord

ABOUT = "drive.about.get.v1"
SEARCH = "drive.files.search.v1"
GET = "drive.files.get.v1"
FOLDER = "drive.folders.list.v1"
DOWNLOAD = "drive.files.download.v1"
START = "drive.changes.start.v1"
CHANGES = "drive.changes.list.v1"
RECENT = "drive.files.recent.v1"
NEWEST = "drive.files.newest.v1"
OPEN_CHANNEL = "drive.channels.open.v1"
CLOSE_CHANNEL = "drive.channels.close.v1"
READONLY = "https://www.googleapis.com/auth/drive.readonly"
MOST_FOUND = 50


class Nothing(ClosedRecord):
    """No arguments."""


class About(ClosedRecord):
    """The owner of the Drive."""

    address: str
    name: str


class SearchArgs(ClosedRecord):
    """A search for words of a file's name or content."""

    words: str = Field(min_length=1, max_length=300)
    limit: int = Field(ge=1, le=MOST_FOUND)


class NewestArgs(ClosedRecord):
    """A request for the files and folders that changed last."""

    limit: int = Field(ge=1, le=MOST_FOUND)


class FileId(ClosedRecord):
    """A file or folder, by its id."""

    id: str = Field(pattern=r"^[\w-]{1,200}$")


class FolderArgs(FileId):
    """A folder, and the shared drive that contains it; empty for the owner's own Drive."""

    drive: str = Field(default="", pattern=r"^[\w-]{0,200}$")


class DownloadArgs(FileId):
    """A request for a file's content, or for an export of an editor's file."""

    export: str = ""
    """The media type to export as; empty for a plain file."""
    into: str
    """The path to write to."""
    largest: int
    """The most bytes to download."""


class Downloaded(ClosedRecord):
    """The number of bytes that were downloaded."""

    size: int


class DriveFile(ClosedRecord):
    """A file as Drive describes it. Its name is whatever somebody chose."""

    id: str
    name: str
    media_type: str
    size: int | None = None
    modified_at: AwareDatetime | None = None
    owner: str = ""
    """The owner's mail address; empty for a file of a shared drive."""
    url: str = ""
    target: str = ""
    """The id of the file that a shortcut points to."""
    drive: str = ""
    """The id of the shared drive that contains the file; empty for a file of a person's own Drive."""


class Start(ClosedRecord):
    """The token from which later changes are listed."""

    token: str


class ChangesArgs(ClosedRecord):
    """A request for the changes since a token."""

    token: str = Field(min_length=1, max_length=500)


class Touched(ClosedRecord):
    """A file after its last change; of a file that the owner no longer has, little more than its id."""

    id: str
    at: AwareDatetime | None = None
    """When Drive recorded the change."""
    removed: bool = False
    name: str = ""
    media_type: str = ""
    size: int | None = None
    created_at: AwareDatetime | None = None
    modified_at: AwareDatetime | None = None
    by: str = ""
    """The display name of whoever changed the file last."""
    owner: str = ""
    url: str = ""


class Changes(ClosedRecord):
    """A page of changes, oldest first, and the token to continue from: at once if there is `more`, else next time."""

    changes: list[Touched]
    token: str
    more: bool = False


class RecentArgs(ClosedRecord):
    """A request for the files changed since a time."""

    since: AwareDatetime


class Recent(ClosedRecord):
    """A page of recently changed files."""

    files: list[Touched]


class Files(ClosedRecord):
    """Files, and whether Drive has searched everywhere."""

    files: list[DriveFile]
    complete: bool = True
