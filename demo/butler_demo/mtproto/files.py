"""Files: parts as they are uploaded, whole files, and the references without which nobody gets them.

https://core.telegram.org/api/files and https://core.telegram.org/api/file_reference describe the rules.
"""

import hashlib
import struct
from collections.abc import Iterable
from typing import Any

from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.records import Media

MAX_PART = 512 * 1024
_MAX_PARTS = 4000
_KB = 1024


class FileStore:
    """Uploads by the client's file id, finished files by the server's."""

    def __init__(self) -> None:
        self._parts: dict[tuple[int, int], dict[int, bytes]] = {}
        self._files: dict[int, tuple[Media, bytes]] = {}

    def save_part(self, user_id: int, upload_id: int, part: int, data: bytes) -> None:
        """Keep one part; a part that comes again replaces itself."""
        if not data:
            raise RpcFault(400, "FILE_PART_EMPTY")
        if len(data) > MAX_PART:
            raise RpcFault(400, "FILE_PART_TOO_BIG")
        if not 0 <= part < _MAX_PARTS:
            raise RpcFault(400, "FILE_PART_INVALID")
        self._parts.setdefault((user_id, upload_id), {})[part] = data

    def finish(self, user_id: int, upload_id: int, parts: int, md5: str = "") -> bytes:
        """Put the parts together; the upload may be used again."""
        uploaded = self._parts.get((user_id, upload_id), {})
        if not 0 < parts <= _MAX_PARTS:
            raise RpcFault(400, "FILE_PARTS_INVALID")
        missing = [part for part in range(parts) if part not in uploaded]
        if missing:
            raise RpcFault(400, f"FILE_PART_{missing[0]}_MISSING")
        _check_sizes([len(uploaded[part]) for part in range(parts)])
        data = b"".join(uploaded[part] for part in range(parts))
        if md5 and hashlib.md5(data).hexdigest() != md5:
            raise RpcFault(400, "MD5_CHECKSUM_INVALID")
        return data

    def add(
        self,
        data: bytes,
        *,
        is_photo: bool = False,
        mime_type: str = "application/octet-stream",
        attributes: Iterable[Any] = (),
        name: str | None = None,
    ) -> Media:
        """Keep a whole file."""
        file_id = len(self._files) + 1
        media = Media(file_id, is_photo, mime_type, len(data), tuple(attributes), name)
        self._files[file_id] = (media, data)
        return media

    def find(self, file_id: int) -> Media | None:
        """The file with this id."""
        found = self._files.get(file_id)
        return found[0] if found else None

    def read(self, file_id: int, offset: int, limit: int) -> bytes:
        """A piece of a file that is there; empty past its end."""
        return self._files[file_id][1][offset : offset + limit]

    def reference(self, file_id: int) -> bytes:
        """The reference that a client has to show; it never expires."""
        return struct.pack("<q", file_id)

    def check_reference(self, file_id: int, reference: bytes) -> None:
        """Refuse a file to whom does not show its reference.

        Raises:
            RpcFault: FILE_REFERENCE_EMPTY or FILE_REFERENCE_INVALID.
        """
        if reference != self.reference(file_id):
            raise RpcFault(400, "FILE_REFERENCE_INVALID" if reference else "FILE_REFERENCE_EMPTY")


def _check_sizes(sizes: list[int]) -> None:
    """All parts but the last have one size, whole kilobytes that divide half a megabyte."""
    if len(sizes) == 1:
        return
    if len(set(sizes[:-1])) > 1 or sizes[-1] > sizes[0]:
        raise RpcFault(400, "FILE_PART_SIZE_CHANGED")
    if sizes[0] % _KB or MAX_PART % sizes[0]:
        raise RpcFault(400, "FILE_PART_SIZE_INVALID")
