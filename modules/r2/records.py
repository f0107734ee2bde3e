"""The arguments and answers of the bucket's methods, whose schemas the adapter's contract publishes."""

from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator, Field

from butler.contract.records import ClosedRecord
from butler.contract.tools import Attachment
from modules.r2.config import LONGEST_LINK_MINUTES

PUT_OBJECT = "r2.objects.put_object.v1"
GET_OBJECT = "r2.objects.get_object.v1"
LOOK_AT = "r2.objects.look_at_object.v1"


def _only(value: Any) -> Any:
    """Return the file of a list of one: received files come as lists."""
    if not isinstance(value, list | tuple):
        return value
    if len(value) != 1:  # pyright: ignore[reportUnknownArgumentType] - of whatever came
        raise ValueError("one file at a time")
    return value[0]  # pyright: ignore[reportUnknownVariableType] - as above


Key = Annotated[
    str, Field(min_length=1, max_length=500, description="the object's key, exactly as it is in the bucket")
]
LinkMinutes = Annotated[
    int, Field(ge=0, le=LONGEST_LINK_MINUTES, description="how long the link holds; 0 for the usual time")
]


class PutArgs(ClosedRecord):
    """A file to be put into the bucket. What is there under its key already is never replaced."""

    file: Annotated[Attachment, BeforeValidator(_only)] = Field(description="a file that the butler holds")
    key: str = Field(default="", max_length=500, description="what it is called there; as the file is, if empty")
    link_minutes: LinkMinutes = 0


class Stored(ClosedRecord):
    """A file that is in the bucket, and a link to it."""

    key: str
    size: int
    etag: str
    link: str = Field(description="a credential: whoever has it can fetch the file")
    link_expires_at: AwareDatetime


class GetArgs(ClosedRecord):
    """A file to be fetched out of the bucket."""

    key: Key
    link_only: bool = Field(default=False, description="whether only a link is wanted, and not the file")
    link_minutes: LinkMinutes = 0


class Fetched(ClosedRecord):
    """A file that the butler holds now; or a link to it, where that was asked for or the file is too large."""

    key: str
    size: int
    media_type: str
    file: Attachment | None
    link: str = Field(description="a credential: whoever has it can fetch the file; empty where the file is here")
    link_expires_at: AwareDatetime | None


class LookArgs(ClosedRecord):
    """An object to be looked at."""

    key: Key


class Seen(ClosedRecord):
    """What is known of an object without its content."""

    key: str
    size: int
    etag: str
    media_type: str
    sha256: str = Field(description="of its content, where Butler put it there; else empty")
