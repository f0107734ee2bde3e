"""A file that comes with a message, or leaves with one."""

from butler.contract.records import ClosedRecord


class Attachment(ClosedRecord):
    """A file by what it is, never by what it is called: the digest names the blob, the name is data."""

    name: str
    size: int
    sha256: str
    media_type: str = "application/octet-stream"
