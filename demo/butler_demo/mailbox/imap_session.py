r"""An IMAP4rev1 session (RFC 3501 with IDLE, UIDPLUS, MOVE, SPECIAL-USE, SASL-IR): states and commands.

Strict where clients go wrong: commands in the wrong state, broken syntax and unknown folders are refused.
It keeps no \Recent flag, which the standard leaves to the server.
"""

import asyncio
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable

from butler_demo.faults import FaultOrders
from butler_demo.mailbox.faults import ImapFault
from butler_demo.mailbox.imap_folders import Command, FolderCommands
from butler_demo.mailbox.imap_selected import SelectedFolder
from butler_demo.mailbox.imap_syntax import SYSTEM_FLAGS, BadSyntaxError, CommandReader, RefusedError
from butler_demo.mailbox.imap_wire import ImapWire, WireError
from butler_demo.mailbox.sasl import XOAUTH2_REFUSAL, parse_xoauth2
from butler_demo.mailbox.store import Account, Folder, MailStore

_BEFORE_LOGIN = "IMAP4rev1 LITERAL+ SASL-IR AUTH=PLAIN AUTH=XOAUTH2"
_AFTER_LOGIN = "IMAP4rev1 LITERAL+ IDLE UIDPLUS MOVE SPECIAL-USE NAMESPACE CHILDREN"
_UID_COMMANDS = {"COPY", "EXPUNGE", "FETCH", "MOVE", "SEARCH", "STORE"}
_NO_EXPUNGES_IN = {"FETCH", "SEARCH", "STORE"}
_STATE = "the state was checked when the command was found"


class ImapSession:
    """Serves one connection until it ends. `silent` tells whether IDLE keeps quiet about news."""

    def __init__(
        self,
        wire: ImapWire,
        store: MailStore,
        faults: FaultOrders[ImapFault],
        silent: Callable[[], bool],
    ) -> None:
        self._wire = wire
        self._store = store
        self._faults = faults
        self._silent = silent
        self._folders: FolderCommands | None = None
        self._selected: SelectedFolder | None = None
        self._news = asyncio.Event()
        self._by_uid = False
        self._open = True
        self._any_state: dict[str, Command] = {
            "CAPABILITY": self._capability,
            "LOGOUT": self._logout,
            "NOOP": self._done,
        }
        self._logged_out: dict[str, Command] = {"AUTHENTICATE": self._authenticate, "LOGIN": self._login}
        self._logged_in: dict[str, Command] = {"SELECT": self._select}
        self._in_folder: dict[str, Command] = {
            "COPY": self._copy,
            "EXPUNGE": self._expunge,
            "FETCH": self._fetch,
            "IDLE": self._idle,
            "MOVE": self._move,
            "SEARCH": self._search,
            "STORE": self._store_flags,
        }

    @property
    def selected(self) -> Folder | None:
        """The folder this session has open."""
        return None if self._selected is None else self._selected.folder

    async def run(self) -> None:
        """Greet, answer commands, say goodbye."""
        try:
            self._wire.send(f"* OK [CAPABILITY {_BEFORE_LOGIN}] ready".encode())
            while self._open:
                await self._wire.flush()
                await self._answer(await self._wire.read_command())
            await self._wire.close()
        except WireError as error:
            self._wire.send(f"* BYE {error}".encode())
            await self._wire.close()
        except (EOFError, OSError):
            return
        finally:
            self._leave()
            self._wire.abort()

    def drop(self) -> None:
        """Cut the connection, as a network does."""
        self._wire.abort()

    async def _answer(self, raw: bytes) -> None:
        reader = CommandReader(raw)
        tag = "*"
        try:
            tag = reader.tag()
            reader.space()
            name, command = self._find_command(reader)
            fault = self._faults.take(name)
            if fault is not None:
                self._misbehave(tag, fault)
                return
            result = await command(reader)
            if self._selected is not None:
                expunges = name not in _NO_EXPUNGES_IN
                self._send_all(self._selected.updates(expunges=expunges, uid=self._by_uid))
        except BadSyntaxError as error:
            result = f"BAD {error}"
        except RefusedError as error:
            result = f"NO {error}"
        self._wire.send(f"{tag} {result}".encode())

    def _find_command(self, reader: CommandReader) -> tuple[str, Command]:
        name = reader.atom().upper()
        self._by_uid = name == "UID"
        if self._by_uid:
            reader.space()
            name = reader.atom().upper()
            if name not in _UID_COMMANDS:
                raise BadSyntaxError(f"There is no UID {name}")
        command = self._allowed().get(name)
        if command is None:
            raise BadSyntaxError(f"{name} is unknown or not allowed in this state")
        return name, command

    def _allowed(self) -> dict[str, Command]:
        if self._folders is None:
            return self._any_state | self._logged_out
        allowed = self._any_state | self._logged_in | self._folders.commands
        return allowed if self._selected is None else allowed | self._in_folder

    def _misbehave(self, tag: str, fault: ImapFault) -> None:
        if fault.answer == "DROP":
            self._wire.abort()
        elif fault.answer == "BYE":
            self._wire.send(f"* BYE {fault.text}".encode())
            self._open = False
        elif fault.answer != "HANG":
            self._wire.send(f"{tag} {fault.answer} {fault.text}".encode())

    def _send_all(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self._wire.send(line)

    def _leave(self) -> None:
        if self._selected is not None:
            self._selected.leave()
            self._selected = None

    # Any state

    async def _done(self, reader: CommandReader) -> str:
        reader.end()
        return "OK Completed"

    async def _capability(self, reader: CommandReader) -> str:
        reader.end()
        self._wire.send(f"* CAPABILITY {_BEFORE_LOGIN if self._folders is None else _AFTER_LOGIN}".encode())
        return "OK Completed"

    async def _logout(self, reader: CommandReader) -> str:
        reader.end()
        self._wire.send(b"* BYE Logging out")
        self._leave()
        self._open = False
        return "OK Completed"

    # Before login

    async def _login(self, reader: CommandReader) -> str:
        reader.space()
        user = reader.astring().decode("utf-8", "replace")
        reader.space()
        password = reader.astring().decode("utf-8", "replace")
        reader.end()
        return self._log_in(self._store.check_password(user, password))

    async def _authenticate(self, reader: CommandReader) -> str:
        reader.space()
        mechanism = reader.atom().upper()
        initial = reader.take(re.compile(rb" (.+)"), "a response")[1] if not reader.at_end() else None
        reader.end()
        if mechanism == "PLAIN":
            parts = (await self._sasl(initial, b"")).split(b"\0")
            if len(parts) != 3:
                raise BadSyntaxError("Malformed PLAIN response")
            return self._log_in(self._store.check_password(parts[1].decode(), parts[2].decode()))
        if mechanism == "XOAUTH2":
            parsed = parse_xoauth2(await self._sasl(initial, b""))
            account = None if parsed is None else self._store.check_token(*parsed)
            if account is None:
                # The refusal comes as a challenge that the client has to answer before it hears NO.
                await self._sasl(None, XOAUTH2_REFUSAL)
            return self._log_in(account)
        raise RefusedError("Unsupported authentication mechanism")

    async def _sasl(self, initial: bytes | None, challenge: bytes) -> bytes:
        if initial is None:
            self._wire.send(b"+ " + b64encode(challenge))
            await self._wire.flush()
            initial = (await self._wire.read_line())[:-2]
        if initial == b"*":
            raise BadSyntaxError("Authentication cancelled")
        try:
            return b"" if initial == b"=" else b64decode(initial, validate=True)
        except ValueError as error:
            raise BadSyntaxError("Malformed base64") from error

    def _log_in(self, account: Account | None) -> str:
        if account is None:
            raise RefusedError("[AUTHENTICATIONFAILED] Authentication failed")
        self._folders = FolderCommands(account, self._store, self._wire.send)
        return f"OK [CAPABILITY {_AFTER_LOGIN}] Logged in"

    # After login

    async def _select(self, reader: CommandReader) -> str:
        reader.space()
        name = reader.mailbox()
        reader.end()
        self._leave()
        assert self._folders is not None, _STATE
        folder = self._folders.find(name)
        self._selected = SelectedFolder(folder, changed=self._news.set)
        flags = " ".join(SYSTEM_FLAGS)
        unseen = [number for number, mail in enumerate(folder.mails.values(), start=1) if not mail.seen]
        lines = [f"* FLAGS ({flags})"]
        lines += [f"* OK [PERMANENTFLAGS ({flags} \\*)] Flags that stay"]
        lines += [f"* {len(folder.mails)} EXISTS", "* 0 RECENT"]
        lines += [f"* OK [UNSEEN {unseen[0]}] First unseen"] if unseen else []
        lines += [f"* OK [UIDVALIDITY {folder.uidvalidity}] UIDs valid"]
        lines += [f"* OK [UIDNEXT {folder.uidnext}] Predicted next UID"]
        self._send_all(line.encode() for line in lines)
        return "OK [READ-WRITE] Opened"

    # With a folder open

    @property
    def _open_folder(self) -> SelectedFolder:
        assert self._selected is not None, _STATE
        return self._selected

    async def _fetch(self, reader: CommandReader) -> str:
        reader.space()
        for line in self._open_folder.fetch(reader, by_uid=self._by_uid):
            self._wire.send(line)
            await self._wire.flush()
        return "OK Completed"

    async def _search(self, reader: CommandReader) -> str:
        reader.space()
        self._wire.send(self._open_folder.search(reader, by_uid=self._by_uid))
        return "OK Completed"

    async def _store_flags(self, reader: CommandReader) -> str:
        reader.space()
        self._send_all(self._open_folder.store(reader, by_uid=self._by_uid))
        return "OK Completed"

    async def _copy(self, reader: CommandReader) -> str:
        reader.space()
        code = self._open_folder.copy(reader, self._copy_target, by_uid=self._by_uid)
        return f"OK {code} Completed" if code else "OK No messages found"

    async def _move(self, reader: CommandReader) -> str:
        reader.space()
        code = self._open_folder.move(reader, self._copy_target, by_uid=self._by_uid)
        if not code:
            return "OK No messages found"
        self._wire.send(f"* OK {code} Moved".encode())
        return "OK Completed"

    def _copy_target(self, name: str) -> Folder:
        assert self._folders is not None, _STATE
        return self._folders.find_target(name)

    async def _expunge(self, reader: CommandReader) -> str:
        self._open_folder.expunge(reader, by_uid=self._by_uid)
        return "OK Completed"

    async def _idle(self, reader: CommandReader) -> str:
        reader.end()
        self._wire.send(b"+ idling")
        done = asyncio.ensure_future(self._wire.read_line())
        try:
            while not done.done():
                self._news.clear()
                if not self._silent():
                    self._send_all(self._open_folder.updates(expunges=True))
                await self._wire.flush()
                news = asyncio.ensure_future(self._news.wait())
                await asyncio.wait({done, news}, return_when=asyncio.FIRST_COMPLETED)
                news.cancel()
        finally:
            done.cancel()
        if (await done).strip().upper() != b"DONE":
            raise BadSyntaxError("Expected DONE")
        return "OK Idle ended"
