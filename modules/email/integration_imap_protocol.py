# pyright: basic, reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportArgumentType=false
# pyright: reportIncompatibleVariableOverride=false
# aioimaplib's annotations are partial and partly wrong; no other module uses it this closely.
"""aioimaplib's protocol with its defects worked around.

The library's own parser recurses once a line and fails on a long answer; commands hang when the connection is lost; a
refused XOAUTH2 token hangs too. Here the parser is a loop, a lost connection fails pending commands immediately, and
every `+` is answered.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from aioimaplib.aioimaplib import (
    CRLF,
    Abort,
    AioImapException,
    Command,
    IMAP4ClientProtocol,
    IncompleteRead,
    Response,
    literal_data_re,
)

from modules.email.imap.stream import LARGEST_LITERAL, AnswerReader, TooLargeError


class ImapProtocol(IMAP4ClientProtocol):
    """aioimaplib's protocol with a parser that loops, commands that answer every continuation, and its own FETCH."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.gone: asyncio.Future[None] = loop.create_future()
        self._answers: deque[bytes] | None = None
        self._fetching: tuple[AnswerReader, asyncio.Future[None]] | None = None

    def data_received(self, d: bytes) -> None:
        if self._fetching is not None:
            d = self._feed(*self._fetching, d)
            if not d:
                return
        # The library's version logs every byte it receives, mails included.
        try:
            self._handle_responses(self.incomplete_line + d, self._handle_line, self.current_command)
        except IncompleteRead as incomplete:
            self.current_command = incomplete.cmd
            self.incomplete_line = incomplete.data
        except (AioImapException, ValueError):
            self.transport.abort()
        else:
            self.incomplete_line = b""
            self.current_command = None

    def _handle_responses(
        self, data: bytes, line_handler: Callable[..., Command | None], current_cmd: Command | None = None
    ) -> None:
        command = current_cmd
        while data:
            if command is not None and command.wait_literal_data():
                data = command.append_literal_data(data)
                if command.wait_literal_data():
                    raise IncompleteRead(command)
            line, separator, rest = data.partition(CRLF)
            if not separator:
                raise IncompleteRead(command, data)
            handled = line_handler(line, command)
            if literal := literal_data_re.match(line):
                size = int(literal.group("size"))
                if size > LARGEST_LITERAL:
                    raise Abort("the server announced more than fits")
                command = handled or Command("NIL", "unused")
                command.begin_literal_data(size)
            else:
                command = handled if handled is not None and handled.wait_data() else None
            data = rest
        if self.pending_sync_command is not None:
            self.pending_sync_command.flush()
        if command is not None and command.wait_data():
            raise IncompleteRead(command)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if not self.gone.done():
            self.gone.set_result(None)
        pending = [self.pending_sync_command, *self.pending_async_commands.values()]
        for command in pending:
            if command is not None:
                command._exception = Abort("the connection was lost")  # noqa: SLF001 - its only way to fail one
                command.close(b"", "KO")

        if self._fetching is not None and not self._fetching[1].done():
            self._fetching[1].set_exception(Abort("the connection was lost"))

    async def fetch_stream(self, uids: str, items: str, largest: int = LARGEST_LITERAL) -> AnswerReader:
        """Run UID FETCH, read as it streams in; the library's own rescans everything received at each line.

        Raise `TooLargeError` if the server announces more than `largest` bytes in one piece.
        """
        reader, done = AnswerReader(self.new_tag(), largest), self.loop.create_future()
        self._fetching = reader, done
        before, self.incomplete_line = self.incomplete_line, b""
        self.transport.write(f"{reader.tag} UID FETCH {uids} {items}\r\n".encode("ascii"))
        try:
            if before:
                self._feed(reader, done, before)
            await done
        finally:
            self._fetching = None
        return reader

    def _feed(self, reader: AnswerReader, done: "asyncio.Future[None]", data: bytes) -> bytes:
        try:
            rest = reader.feed(data)
        except TooLargeError as error:
            if not done.done():
                done.set_exception(error)
            self.transport.abort()
            return b""
        if reader.result and not done.done():
            self._fetching = None
            done.set_result(None)
        return rest

    async def welcome(self, command: bytes) -> None:
        try:
            await super().welcome(command)
        except AioImapException:
            self.transport.abort()

    async def converse(self, name: str, chunks: Sequence[bytes]) -> Response:
        """Send a command whose later chunks are sent at the server's request; empty lines once they run out."""
        command = Command(name, self.new_tag(), loop=self.loop)
        self._answers = deque(chunks[1:])
        self.pending_sync_command = command
        self.transport.write(command.tag.encode() + b" " + chunks[0] + CRLF)
        try:
            await command.wait()
        finally:
            self._answers = None
        return command.response

    def _continuation(self, line: bytes) -> None:
        if self._answers is None:
            super()._continuation(line)
            return
        self.transport.write((self._answers.popleft() if self._answers else b"") + CRLF)
