# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingTypeStubs=false
# Google's client and httplib2 have no annotations.
"""A download in a thread, which can be cancelled even while the server sends a byte a minute."""

import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.speech import say

_PIECE = 1024 * 1024


class Download:
    """Writes a file's content, in pieces, until it is complete or given up."""

    def __init__(self, into: Path, largest: int) -> None:
        """`largest` is in bytes."""
        self._into, self._largest = into, largest
        self._lock = threading.Lock()
        self._is_given_up = False
        self._http: Any = None
        """The connection, while the download uses it."""

    def run(self, request: Any, http: Any) -> int:
        """Download; return the size in bytes. Blocks. Raise `IntegrationFault`, or what Google's client raises.

        `http` is the connection below any wrappers.
        """
        from googleapiclient.http import MediaIoBaseDownload  # noqa: PLC0415 - heavy

        self._http = http
        try:
            with self._into.open("wb") as file:
                pieces = MediaIoBaseDownload(file, request, chunksize=_PIECE)
                done = False
                while not done:
                    if self._is_given_up:
                        raise IntegrationFault(IntegrationErrorCode.TIMEOUT, "nobody waits for it any more")
                    _, done = pieces.next_chunk(num_retries=0)
                    if file.tell() > self._largest:
                        text = say("it is larger than {size} MB", size=self._largest // 1_000_000)
                        raise IntegrationFault(IntegrationErrorCode.REJECTED, text)
                return file.tell()
        finally:
            self._end()

    def give_up(self) -> None:
        """End the download from another thread: shuts the connection down, which wakes a blocked read."""
        with self._lock:
            self._is_given_up = True
            for connection in list(self._http.connections.values()) if self._http is not None else ():
                if (sock := connection.sock) is not None:
                    with suppress(OSError):
                        sock.shutdown(socket.SHUT_RDWR)

    def _end(self) -> None:
        """Release the connection; one that was shut down is closed, not used again."""
        with self._lock:
            if self._is_given_up:
                for connection in self._http.connections.values():
                    connection.close()
            self._http = None
