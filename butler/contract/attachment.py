"""A file that comes with a message, or leaves with one."""

from pydantic import BaseModel, ConfigDict


class Attachment(BaseModel):
    """A file by what it is, never by what it is called: the digest names the blob, the name is data."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    size: int
    sha256: str
    media_type: str = "application/octet-stream"
