"""What a logged-in session does with folders and without opening one: LIST, NAMESPACE, CREATE, APPEND."""

import re
from collections.abc import Awaitable, Callable

from butler_demo.mailbox.imap_syntax import BadSyntaxError, CommandReader, RefusedError, quote
from butler_demo.mailbox.store import SPECIAL_USE, Account, Folder, MailStore

Command = Callable[[CommandReader], Awaitable[str]]


class FolderCommands:
    """The commands of one account, by name; each takes its arguments and returns the tagged answer."""

    def __init__(self, account: Account, store: MailStore, send: Callable[[bytes], None]) -> None:
        self._account = account
        self._store = store
        self._send = send
        self.commands: dict[str, Command] = {
            "APPEND": self._append,
            "CREATE": self._create,
            "LIST": self._list,
            "NAMESPACE": self._namespace,
        }

    def find(self, name: str, code: str = "NONEXISTENT") -> Folder:
        """The folder of that name; refused with `code` where there is none."""
        folder = self._account.folders.get(name)
        if folder is None:
            raise RefusedError(f"[{code}] No folder {name}")
        return folder

    def find_target(self, name: str) -> Folder:
        """The folder to put a mail into; refused with the hint to create it."""
        return self.find(name, "TRYCREATE")

    async def _create(self, reader: CommandReader) -> str:
        reader.space()
        name = reader.mailbox().rstrip("/")
        reader.end()
        if name in self._account.folders:
            raise RefusedError("[ALREADYEXISTS] Folder exists")
        self._store.create_folder(self._account, name)
        return "OK Completed"

    async def _list(self, reader: CommandReader) -> str:
        reader.space()
        reference = reader.mailbox()
        reader.space()
        pattern = reference + reader.list_pattern()
        reader.end()
        if not pattern:
            self._send(b'* LIST (\\Noselect) "/" ""')
        wanted = re.compile(re.escape(pattern).replace("\\*", ".*").replace("%", "[^/]*"))
        for name in sorted(self._account.folders):
            if wanted.fullmatch(name):
                use = f" {SPECIAL_USE[name]}" if name in SPECIAL_USE else ""
                self._send(f'* LIST (\\HasNoChildren{use}) "/" '.encode() + quote(name.encode()))
        return "OK Completed"

    async def _namespace(self, reader: CommandReader) -> str:
        reader.end()
        self._send(b'* NAMESPACE (("" "/")) NIL NIL')
        return "OK Completed"

    async def _append(self, reader: CommandReader) -> str:
        reader.space()
        name = reader.mailbox()
        reader.space()
        flags: frozenset[str] = frozenset()
        received_at = self._store.now()
        if reader.peek(b"("):
            flags = reader.flags()
            reader.space()
        if reader.peek(b'"'):
            received_at = reader.date_time()
            reader.space()
        raw = reader.string()
        reader.end()
        if b"\0" in raw:
            raise BadSyntaxError("NUL is not allowed in a literal")
        folder = self.find_target(name)
        mail = folder.add(raw, flags, received_at)
        return f"OK [APPENDUID {folder.uidvalidity} {mail.uid}] Completed"
