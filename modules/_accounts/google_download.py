# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportMissingTypeStubs=false
# Google's client and httplib2 have no annotations.
"""One download in a thread, which ends when nobody waits for it any more: a server that sends a byte a minute, too."""

import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.speech import say

_PIECE = 1024 * 1024


class Download:
    """Writes a file's content, in pieces, until it is there or given up."""

    def __init__(self, into: Path, largest: int) -> None:
        """`largest` is in bytes."""
        self._into, self._largest = into, largest
        self._lock = threading.Lock()
        self._is_given_up = False
        self._http: Any = None
        """The connection, as long as it is this download's."""

    def run(self, request: Any, http: Any) -> int:
        """The size in bytes; blocking. Raises `IntegrationFault`, or what Google's client does.

        `http` is the connection that the request goes over, whatever is wrapped around it.
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
                        said = say("it is larger than {size} MB", size=self._largest // 1_000_000)
                        raise IntegrationFault(IntegrationErrorCode.REJECTED, said)
                return file.tell()
        finally:
            self._end()

    def give_up(self) -> None:
        """End it, from another thread: what waits for the server is woken by the end of its connection."""
        with self._lock:
            self._is_given_up = True
            for connection in list(self._http.connections.values()) if self._http is not None else ():
                if (sock := connection.sock) is not None:
                    with suppress(OSError):
                        sock.shutdown(socket.SHUT_RDWR)

    def _end(self) -> None:
        """Nobody ends the connection from here on; one that was ended is not used again."""
        with self._lock:
            if self._is_given_up:
                for connection in self._http.connections.values():
                    connection.close()
            self._http = None
