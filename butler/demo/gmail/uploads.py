"""The three ways to send a mail to an `/upload/` address: media, multipart and resumable."""

import re
import secrets
from dataclasses import dataclass, field
from email.message import Message

from butler.demo.gmail.description import Operation, Parameters
from butler.demo.gmail.google_errors import bad_request, not_found

_CONTENT_RANGE = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)")
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")


@dataclass(frozen=True)
class Upload:
    """What came with an upload: the JSON text beside the mail (may be empty) and the mail."""

    metadata: bytes
    media: bytes


def read_upload(upload_type: str, content_type: str, body: bytes) -> Upload:
    """Take a `media` or `multipart` body apart. Raises GoogleError 400."""
    if upload_type == "media":
        check_media_type(content_type)
        return Upload(b"", body)
    if upload_type == "multipart":
        return _read_multipart(content_type, body)
    raise bad_request(f"Invalid upload request: unknown uploadType '{upload_type}'")


def check_media_type(content_type: str) -> None:
    """Raise GoogleError 400 unless this is a mail's media type."""
    if not content_type.lower().startswith("message/"):
        kind = content_type.partition(";")[0]
        raise bad_request(f"Media type '{kind}' is not supported. Valid media types: [message/*]")


def _read_multipart(content_type: str, body: bytes) -> Upload:
    header: Message[str, str] = Message()
    header["Content-Type"] = content_type
    boundary = header.get_boundary()
    if header.get_content_type() != "multipart/related" or not boundary:
        raise bad_request("Missing or malformed multipart/related content type")
    pieces = re.split(rb"(?:^|\r?\n)--" + re.escape(boundary.encode()) + rb"(?:--)?[ \t]*(?:\r?\n|$)", body)
    parts = [_BLANK_LINE.split(piece, maxsplit=1) for piece in pieces[1:-1]]
    if len(parts) != 2 or any(len(part) != 2 for part in parts):
        raise bad_request("Malformed multipart body: a JSON part and a media part are needed")
    (_, metadata), (media_head, media) = parts
    found = re.search(rb"(?im)^content-type:\s*([^\r\n]+)", media_head)
    check_media_type(found.group(1).decode("latin-1") if found else "")
    return Upload(metadata, media)


@dataclass
class ResumableUpload:
    """An upload under way: the checked request that it belongs to and the bytes so far."""

    operation: Operation
    parameters: Parameters
    metadata: bytes
    received: bytearray = field(default_factory=bytearray)

    def take(self, content_range: str, chunk: bytes) -> bool:
        """Add a chunk; return whether the mail is complete. Raises GoogleError 400 for a gap."""
        if not content_range:
            self.received += chunk
            return True
        found = _CONTENT_RANGE.fullmatch(content_range)
        if not found:
            raise bad_request(f"Invalid Content-Range: {content_range}")
        if chunk and (not found.group(1) or int(found.group(1)) != len(self.received)):
            raise bad_request("The chunk does not follow the bytes received so far")
        self.received += chunk
        return found.group(3) == str(len(self.received))


class ResumableUploads:
    """All uploads under way, by upload id."""

    def __init__(self) -> None:
        self._uploads: dict[str, ResumableUpload] = {}

    def begin(self, upload: ResumableUpload) -> str:
        """Keep a new upload and return its id."""
        upload_id = secrets.token_urlsafe(16)
        self._uploads[upload_id] = upload
        return upload_id

    def get(self, upload_id: str) -> ResumableUpload:
        """Return an upload under way. Raises GoogleError 404."""
        if upload_id not in self._uploads:
            raise not_found()
        return self._uploads[upload_id]

    def finish(self, upload_id: str) -> Upload:
        """Take the complete upload out."""
        upload = self._uploads.pop(upload_id)
        return Upload(upload.metadata, bytes(upload.received))
