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
OPEN_CHANNEL = "drive.channels.open.v1"
CLOSE_CHANNEL = "drive.channels.close.v1"
READONLY = "https://www.googleapis.com/auth/drive.readonly"
MOST_FOUND = 50


class Nothing(ClosedRecord):
    """No arguments."""


class About(ClosedRecord):
    """Whose Drive it is."""

    address: str
    name: str


class SearchArgs(ClosedRecord):
    """Words of the name or the content."""

    words: str = Field(min_length=1, max_length=300)
    limit: int = Field(ge=1, le=MOST_FOUND)


class FileId(ClosedRecord):
    """A file or folder, by its id."""

    id: str = Field(pattern=r"^[\w-]{1,200}$")


class FolderArgs(FileId):
    """A folder, and the shared drive that it lies in; of the person's own, empty."""

    drive: str = Field(default="", pattern=r"^[\w-]{0,200}$")


class DownloadArgs(FileId):
    """A file's content, or what an editor's file looks like in another format."""

    export: str = ""
    """The media type to export as; empty for a plain file."""
    into: str
    """The path that is written."""
    largest: int
    """Bytes."""


class Downloaded(ClosedRecord):
    """How much came."""

    size: int


class DriveFile(ClosedRecord):
    """A file as Drive tells of it. Names are whoever's."""

    id: str
    name: str
    media_type: str
    size: int | None = None
    modified_at: AwareDatetime | None = None
    owner: str = ""
    """The mail address; empty for a file of a shared drive."""
    url: str = ""
    target: str = ""
    """Of a shortcut: the file it stands for."""
    drive: str = ""
    """The id of the shared drive that it lies in; empty for one that is a person's."""


class Start(ClosedRecord):
    """From where changes are told from now on."""

    token: str


class ChangesArgs(ClosedRecord):
    """Changes from a token on."""

    token: str = Field(min_length=1, max_length=500)


class Touched(ClosedRecord):
    """A file as it is since it was changed last; by its id alone where the person has it no longer."""

    id: str
    at: AwareDatetime | None = None
    """When the change was noted."""
    removed: bool = False
    name: str = ""
    media_type: str = ""
    size: int | None = None
    created_at: AwareDatetime | None = None
    modified_at: AwareDatetime | None = None
    by: str = ""
    """Who changed it last, as they call themselves."""
    owner: str = ""
    url: str = ""


class Changes(ClosedRecord):
    """A page, the oldest first, and from where it goes on: at once where there is `more`, else the next time."""

    changes: list[Touched]
    token: str
    more: bool = False


class RecentArgs(ClosedRecord):
    """Files that were changed since then."""

    since: AwareDatetime


class Recent(ClosedRecord):
    """A page."""

    files: list[Touched]


class Files(ClosedRecord):
    """Files, and whether Drive has looked everywhere."""

    files: list[DriveFile]
    complete: bool = True
