"""What a logged-in session does with folders and without opening one: LIST, CREATE, STATUS, APPEND and kin."""

import re
from collections.abc import Awaitable, Callable, Iterable

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
            "DELETE": self._delete,
            "LIST": self._list,
            "LSUB": self._lsub,
            "NAMESPACE": self._namespace,
            "RENAME": self._rename,
            "STATUS": self._status,
            "SUBSCRIBE": self._subscribe,
            "UNSUBSCRIBE": self._unsubscribe,
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

    async def _delete(self, reader: CommandReader) -> str:
        reader.space()
        folder = self.find(reader.mailbox())
        reader.end()
        if folder.name == "INBOX":
            raise RefusedError("[CANNOT] INBOX stays")
        del self._account.folders[folder.name]
        return "OK Completed"

    async def _rename(self, reader: CommandReader) -> str:
        reader.space()
        folder = self.find(reader.mailbox())
        reader.space()
        name = reader.mailbox()
        reader.end()
        if name in self._account.folders or folder.name == "INBOX":
            raise RefusedError("[CANNOT] INBOX stays, and the new name must be free")
        self._account.folders[name] = self._account.folders.pop(folder.name)
        folder.name = name
        return "OK Completed"

    async def _subscribe(self, reader: CommandReader) -> str:
        reader.space()
        self._account.subscribed.add(self.find(reader.mailbox()).name)
        reader.end()
        return "OK Completed"

    async def _unsubscribe(self, reader: CommandReader) -> str:
        reader.space()
        self._account.subscribed.discard(reader.mailbox())
        reader.end()
        return "OK Completed"

    async def _list(self, reader: CommandReader) -> str:
        return self._names(reader, "LIST", self._account.folders)

    async def _lsub(self, reader: CommandReader) -> str:
        return self._names(reader, "LSUB", self._account.subscribed)

    def _names(self, reader: CommandReader, answer: str, names: Iterable[str]) -> str:
        reader.space()
        reference = reader.mailbox()
        reader.space()
        pattern = reference + reader.list_pattern()
        reader.end()
        if not pattern:
            self._send(f'* {answer} (\\Noselect) "/" ""'.encode())
        wanted = re.compile(re.escape(pattern).replace("\\*", ".*").replace("%", "[^/]*"))
        for name in sorted(names):
            if wanted.fullmatch(name):
                use = f" {SPECIAL_USE[name]}" if name in SPECIAL_USE else ""
                self._send(f'* {answer} (\\HasNoChildren{use}) "/" '.encode() + quote(name.encode()))
        return "OK Completed"

    async def _namespace(self, reader: CommandReader) -> str:
        reader.end()
        self._send(b'* NAMESPACE (("" "/")) NIL NIL')
        return "OK Completed"

    async def _status(self, reader: CommandReader) -> str:
        reader.space()
        folder = self.find(reader.mailbox())
        values = {
            "MESSAGES": len(folder.mails),
            "RECENT": 0,
            "UIDNEXT": folder.uidnext,
            "UIDVALIDITY": folder.uidvalidity,
            "UNSEEN": sum(not mail.seen for mail in folder.mails.values()),
        }
        reader.expect(b" (")
        wanted = [reader.atom().upper()]
        while not reader.accept(b")"):
            reader.space()
            wanted.append(reader.atom().upper())
        reader.end()
        if not values.keys() >= set(wanted):
            raise BadSyntaxError("Unknown status item")
        pairs = " ".join(f"{name} {values[name]}" for name in wanted)
        self._send(b"* STATUS " + quote(folder.name.encode()) + f" ({pairs})".encode())
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
