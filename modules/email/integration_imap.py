"""One logged-in IMAP connection, with time-outs and typed faults for every failure.

A connection that failed is discarded, never repaired.
"""

import asyncio
import re
import socket
import ssl
from base64 import b64encode
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, Self

from aioimaplib.aioimaplib import AUTH, Abort, AioImapException, CommandTimeout

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.speech import say
from modules.email.config import Endpoint
from modules.email.imap.stream import LARGEST_LITERAL, AnswerReader, TooLargeError
from modules.email.imap.syntax import (
    Fetched,
    FolderName,
    FolderState,
    Piece,
    command_chunks,
    read_fetch,
    read_list,
    read_search,
    read_select,
    read_threads,
)
from modules.email.imap.uids import Uids
from modules.email.integration_imap_protocol import ImapProtocol

STEP_S = 20.0
BODY_S = 90.0
_TEMPORARY = re.compile(rb"\[(UNAVAILABLE|INUSE|LIMIT|SERVERBUG|CONTACTADMIN)\]|try again|temporar", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Login:
    """Access to one mailbox. `secret` is a password, or an access token with `xoauth2`."""

    endpoint: Endpoint
    address: str
    secret: str
    xoauth2: bool = False
    tls: ssl.SSLContext | None = None


class ImapConnection:
    """A logged-in connection. Every method raises `IntegrationFault`; after one it is no longer `usable`."""

    def __init__(self, protocol: Any) -> None:
        # The library's annotations are partial and partly wrong, so its protocol is Any on this side.
        self._protocol = protocol
        self._dropped = False
        self.opened: tuple[str, FolderState] | None = None
        """The open folder, and its state when it was opened."""

    @classmethod
    async def open(cls, login: Login) -> Self:
        """Connect and log in."""
        loop = asyncio.get_running_loop()
        protocol = ImapProtocol(loop)
        connection = cls(protocol)
        async with connection._step("connecting"):
            await loop.create_connection(
                lambda: protocol,
                login.endpoint.host,
                login.endpoint.port,
                ssl=login.tls if login.endpoint.encrypted else None,
            )
            _keep_alive(protocol)
            await connection._greeting()
        await connection._log_in(login)
        return connection

    @property
    def usable(self) -> bool:
        """False once anything failed, or the server disconnected."""
        return not self._dropped and not self._protocol.gone.done()

    @property
    def has_idle(self) -> bool:
        return "IDLE" in self.capabilities

    @property
    def has_threads(self) -> bool:
        return "THREAD=REFERENCES" in self.capabilities

    @property
    def capabilities(self) -> set[str]:
        """The server's capabilities, in capitals."""
        return {str(name).upper() for name in self._protocol.capabilities}

    async def select(self, folder: str = "INBOX") -> FolderState:
        """Open a folder for later commands. Raise NOT_FOUND if it does not exist."""
        self.opened = None
        async with self._step("SELECT"):
            response = await self._protocol.select(folder)
            if response.result != "OK":
                _refused(
                    response.lines, IntegrationErrorCode.NOT_FOUND, say("there is no folder {folder}", folder=folder)
                )
        state = read_select(response.lines)
        self.opened = (folder, state)
        return state

    async def threads(self, criteria: Sequence[Piece]) -> list[list[int]]:
        """Return the UIDs of matching mails by conversation; requires a server that `has_threads`."""
        chunks = command_chunks(["UID THREAD REFERENCES UTF-8", *criteria])
        async with self._step("THREAD", BODY_S):
            response = await self._protocol.converse("THREAD", chunks)
            if response.result != "OK":
                _refused(
                    response.lines, IntegrationErrorCode.REJECTED, say("the mail server refused to tell conversations")
                )
        return read_threads(line for line in response.lines[:-1] if bytes(line[:6]).upper() == b"THREAD")

    async def search(self, criteria: Sequence[Piece], within_s: float | None = None) -> list[int]:
        """Return the matching UIDs, ascending. Non-ASCII values make it a UTF-8 search.

        Raise INVALID_INPUT with provider_code BADCHARSET if the server does not support UTF-8.
        """
        beyond_ascii = any(isinstance(piece, bytes) and not piece.isascii() for piece in criteria)
        charset: tuple[Piece, ...] = ("CHARSET", "UTF-8") if beyond_ascii else ()
        chunks = command_chunks(["UID SEARCH", *charset, *criteria])
        async with self._step("SEARCH", within_s):
            response = await self._protocol.converse("SEARCH", chunks)
            if response.result != "OK":
                if beyond_ascii:
                    raise IntegrationFault(
                        IntegrationErrorCode.INVALID_INPUT,
                        say("the mail server cannot search for these characters"),
                        provider_code="BADCHARSET",
                    )
                _refused(response.lines, IntegrationErrorCode.REJECTED, say("the mail server refused the search"))
        return read_search(response.lines[:-1])

    async def fetch(
        self, uids: Sequence[int], items: str, within_s: float = BODY_S, largest: int = LARGEST_LITERAL
    ) -> dict[int, Fetched]:
        """Fetch items of messages, by UID; messages that are gone are left out.

        Raise INVALID_OUTPUT if the server announces more than `largest` bytes for one item.
        """
        if not uids:
            return {}
        async with self._step("FETCH", within_s):
            answer: AnswerReader = await self._protocol.fetch_stream(str(Uids.of(uids)), f"(UID {items})", largest)
            if answer.result != "OK":
                _refused(
                    [answer.last_line], IntegrationErrorCode.REJECTED, say("the mail server refused to give the mail")
                )
        wanted = set(uids)
        return {uid: one for uid, one in read_fetch(answer.answers).items() if uid in wanted}

    async def folders(self) -> list[FolderName]:
        """Return all folders."""
        async with self._step("LIST"):
            response = await self._protocol.simple_command("LIST", '""', "*")
            if response.result != "OK":
                _refused(response.lines, IntegrationErrorCode.REJECTED, say("the mail server refused to list folders"))
        return read_list(response.lines[:-1])

    async def command(self, chunks: Sequence[bytes], what: str, within_s: float = BODY_S) -> tuple[str, list[bytes]]:
        """Run any other command; return `OK`, `NO` or `BAD`, and the answer with its final line."""
        async with self._step(what, within_s):
            response = await self._protocol.converse(what, chunks)
        return response.result, [bytes(line) for line in response.lines]

    async def create(self, folder: str) -> None:
        """Create a folder; an existing one is no error."""
        async with self._step("CREATE"):
            await self._protocol.simple_command("CREATE", folder)

    async def append(self, folder: str, raw: bytes, flags: str) -> None:
        """Append a mail to a folder."""
        async with self._step("APPEND", BODY_S):
            response = await self._protocol.append(raw, folder, flags)
            if response.result != "OK":
                _refused(
                    response.lines,
                    IntegrationErrorCode.REJECTED,
                    say("the mail server did not take the copy for {folder}", folder=folder),
                )

    async def idle(self, wait_s: float) -> bool:
        """Wait at most `wait_s` seconds for news in the open folder; return whether there was any.

        Ending IDLE is a round trip of its own, which detects a silently dead connection.
        """
        protocol = self._protocol
        while not protocol.idle_queue.empty():
            protocol.idle_queue.get_nowait()
        idling = asyncio.ensure_future(protocol.idle())
        try:
            async with self._step("IDLE"):
                await _first(idling, protocol.wait_for_idle_response())
                if idling.done():
                    raise IntegrationFault(IntegrationErrorCode.REJECTED, say("the mail server refused IDLE"))
            news = asyncio.ensure_future(protocol.idle_queue.get())
            await asyncio.wait({news, idling}, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
            value = news.done()
            news.cancel()
            async with self._step("DONE"):
                if not idling.done():
                    protocol.idle_done()
                await idling
        finally:
            idling.cancel()
        return value

    async def close(self) -> None:
        """Log out and close; never raise if the connection is gone."""
        if self.usable:
            try:
                async with self._step("LOGOUT", 2.0):
                    await self._protocol.logout()
            except IntegrationFault:
                pass
        self.drop()

    def drop(self) -> None:
        """Close without logging out."""
        self._dropped = True
        if self._protocol.transport is not None:
            self._protocol.transport.abort()

    async def _greeting(self) -> None:
        hello = asyncio.ensure_future(self._protocol.wait("AUTH|NONAUTH"))
        await _first(hello, asyncio.shield(self._protocol.gone))
        if not hello.done():
            hello.cancel()
            raise Abort("the connection was closed before a greeting")

    async def _log_in(self, login: Login) -> None:
        async with self._step(say("logging in")):
            response = await self._authenticate(login)
            if response.result != "OK":
                last = bytes(response.lines[-1]) if response.lines else b""
                if _TEMPORARY.search(last):
                    raise IntegrationFault(
                        IntegrationErrorCode.UNAVAILABLE, say("the mail server cannot check the login now")
                    )
                raise IntegrationFault(
                    IntegrationErrorCode.AUTH_REQUIRED,
                    _login_refused(login),
                )
            self._protocol.state = AUTH
            await self._protocol.capability()

    async def _authenticate(self, login: Login) -> Any:
        if login.xoauth2:
            sasl = f"user={login.address}\1auth=Bearer {login.secret}\1\1"
            return await self._sasl("XOAUTH2", sasl)
        if "AUTH=PLAIN" in self.capabilities:
            return await self._sasl("PLAIN", f"\0{login.address}\0{login.secret}")
        chunks = command_chunks(["LOGIN", login.address.encode(), login.secret.encode()])
        return await self._protocol.converse("LOGIN", chunks)

    async def _sasl(self, mechanism: str, message: str) -> Any:
        encoded = b64encode(message.encode())
        start = b"AUTHENTICATE " + mechanism.encode()
        chunks = [start + b" " + encoded] if "SASL-IR" in self.capabilities else [start, encoded]
        return await self._protocol.converse("AUTHENTICATE", chunks)

    @asynccontextmanager
    async def _step(self, what: str, within_s: float | None = None) -> AsyncGenerator[None]:
        if not self.usable:
            raise IntegrationFault(IntegrationErrorCode.UNAVAILABLE, say("the connection to the mail server was lost"))
        try:
            async with asyncio.timeout(STEP_S if within_s is None else within_s):
                yield
        except IntegrationFault as fault:
            if fault.code in {IntegrationErrorCode.AUTH_REQUIRED, IntegrationErrorCode.UNAVAILABLE}:
                self.drop()
            raise
        except TooLargeError as error:
            self.drop()
            raise IntegrationFault(
                IntegrationErrorCode.INVALID_OUTPUT, say("the mail server announced more than a mail may have")
            ) from error
        except ssl.SSLCertVerificationError as error:
            self.drop()
            raise IntegrationFault(
                IntegrationErrorCode.UNAVAILABLE,
                say(
                    "the mail server's certificate is not trusted ({why}); set tls_ca for a private one",
                    why=error.verify_message,
                ),
            ) from error
        except (TimeoutError, CommandTimeout) as error:
            self.drop()
            raise IntegrationFault(
                IntegrationErrorCode.TIMEOUT, say("the mail server did not answer ({step})", step=what)
            ) from error
        except (OSError, AioImapException) as error:
            self.drop()
            raise IntegrationFault(
                IntegrationErrorCode.UNAVAILABLE, say("the mail server cannot be reached ({step})", step=what)
            ) from error
        except BaseException:
            # Cancelled between a command and its answer: the answer must not be taken for that of another command.
            self.drop()
            raise


def _refused(lines: Sequence[bytes | bytearray], code: IntegrationErrorCode, message: str) -> NoReturn:
    if lines and _TEMPORARY.search(lines[-1]):
        raise IntegrationFault(IntegrationErrorCode.UNAVAILABLE, say("the mail server is not available now"))
    raise IntegrationFault(code, message)


def _login_refused(login: Login) -> str:
    if login.xoauth2:
        return say("the mail server refused the login of {address}; check its access token", address=login.address)
    return say("the mail server refused the login of {address}; check its password", address=login.address)


async def _first(*waits: Any) -> None:
    """Wait for the first of several, and raise its exception."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in pending - {tasks[0]}:
        task.cancel()
    for task in done:
        task.result()


def _keep_alive(protocol: Any) -> None:
    sock = protocol.transport.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
