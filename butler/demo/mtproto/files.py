"""Files: parts as they are uploaded, and whole files once a message has taken them."""

from butler.demo.mtproto.errors import RpcFault

MAX_PART = 512 * 1024


class FileStore:
    """Uploads by the client's file id, finished files by the server's."""

    def __init__(self) -> None:
        self._parts: dict[tuple[int, int], dict[int, bytes]] = {}
        self._files: dict[int, bytes] = {}

    def save_part(self, user_id: int, upload_id: int, part: int, data: bytes) -> None:
        """Keep one part; a part that comes again replaces itself."""
        if not data:
            raise RpcFault(400, "FILE_PART_EMPTY")
        if len(data) > MAX_PART:
            raise RpcFault(400, "FILE_PART_TOO_BIG")
        self._parts.setdefault((user_id, upload_id), {})[part] = data

    def finish(self, user_id: int, upload_id: int, parts: int) -> tuple[int, int]:
        """Put the parts together; returns the file's id and its size in bytes."""
        uploaded = self._parts.get((user_id, upload_id), {})
        missing = [part for part in range(parts) if part not in uploaded]
        if not parts:
            raise RpcFault(400, "FILE_PARTS_INVALID")
        if missing:
            raise RpcFault(400, f"FILE_PART_{missing[0]}_MISSING")
        del self._parts[user_id, upload_id]
        file_id = len(self._files) + 1
        self._files[file_id] = b"".join(uploaded[part] for part in range(parts))
        return file_id, len(self._files[file_id])

    def read(self, file_id: int, offset: int, limit: int) -> bytes:
        """A piece of a finished file; empty past its end."""
        if file_id not in self._files:
            raise RpcFault(400, "FILE_ID_INVALID")
        return self._files[file_id][offset : offset + limit]
