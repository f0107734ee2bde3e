"""A selected folder as one session sees it: stable message numbers, and the commands that act on mails."""

from collections.abc import Callable, Iterator

from butler_demo.mailbox.imap_fetch import FetchItem, parse_fetch, render_flags
from butler_demo.mailbox.imap_search import CHARSETS, BadCharsetError, Candidate, parse_search
from butler_demo.mailbox.imap_syntax import BadSyntaxError, CommandReader, RefusedError, SequenceSet
from butler_demo.mailbox.records import StoredMail
from butler_demo.mailbox.store import Folder


class SelectedFolder:
    """Message numbers change only when the client is told; `changed` is called when there is news."""

    def __init__(self, folder: Folder, *, changed: Callable[[], None]) -> None:
        self.folder = folder
        self._changed = changed
        self._uids = list(folder.mails)
        # Per mail, the change of flags that the client has been told of.
        self._told = dict(folder.flag_revisions)
        folder.watchers.add(changed)

    def leave(self) -> None:
        self.folder.watchers.discard(self._changed)

    def updates(self, *, expunges: bool, uid: bool = False) -> Iterator[bytes]:
        """Untagged lines that bring the client up to date; expunges only where a command allows them."""
        folder = self.folder
        if expunges:
            for number in range(len(self._uids), 0, -1):
                if self._uids[number - 1] not in folder.mails:
                    del self._uids[number - 1]
                    yield b"* %d EXPUNGE" % number
        known = set(self._uids)
        added = [new for new in folder.mails if new not in known]
        if added:
            self._uids += added
            self._told.update({new: folder.flag_revisions.get(new, 0) for new in added})
            yield b"* %d EXISTS" % len(self._uids)
            yield b"* 0 RECENT"
        for number, mail in self._present():
            revision = folder.flag_revisions.get(mail.uid, 0)
            if revision > self._told.get(mail.uid, 0):
                self._told[mail.uid] = revision
                yield _fetch_line(number, mail, [(b"FLAGS", render_flags(mail))], uid=uid)

    def fetch(self, reader: CommandReader, *, by_uid: bool) -> Iterator[bytes]:
        """FETCH answers, one untagged line a mail."""
        numbers = reader.sequence()
        reader.space()
        items = parse_fetch(reader, by_uid=by_uid)
        marks = any(item.sets_seen for item in items)
        for number, mail in self._matching(numbers, by_uid=by_uid):
            if marks and not mail.seen:
                self.folder.set_flags(mail.uid, mail.flags | {"\\Seen"})
            current = self.folder.mails[mail.uid]
            yield _fetch_line(number, current, _values(current, items), uid=False)

    def search(self, reader: CommandReader, *, by_uid: bool) -> bytes:
        """The untagged SEARCH answer."""
        try:
            predicate = parse_search(reader)
        except BadCharsetError as error:
            raise RefusedError(f"[BADCHARSET ({' '.join(CHARSETS)})] Unknown charset") from error
        present = list(self._present())
        largest = max(self._uids, default=0)
        found = [mail.uid if by_uid else number for number, mail in present if predicate(Candidate(mail, largest))]
        return b"* SEARCH" + b"".join(b" %d" % number for number in found)

    def store(self, reader: CommandReader, *, by_uid: bool) -> Iterator[bytes]:
        """STORE answers, none for .SILENT."""
        numbers = reader.sequence()
        reader.space()
        sign = b"+" if reader.accept(b"+") else b"-" if reader.accept(b"-") else b""
        reader.expect(b"FLAGS")
        silent = reader.accept(b".SILENT")
        reader.space()
        flags = reader.flags()
        reader.end()
        for number, mail in self._matching(numbers, by_uid=by_uid):
            kept = {b"+": mail.flags | flags, b"-": mail.flags - flags}.get(sign, flags)
            stored = self.folder.set_flags(mail.uid, frozenset(kept))
            self._told[mail.uid] = self.folder.flag_revisions.get(mail.uid, 0)
            if not silent:
                yield _fetch_line(number, stored, [(b"FLAGS", render_flags(stored))], uid=by_uid)

    def copy(self, reader: CommandReader, target: Callable[[str], Folder], *, by_uid: bool) -> str:
        """Copy mails; returns the COPYUID code, empty where nothing matched."""
        return self._copy(reader, target, by_uid=by_uid)[0]

    def move(self, reader: CommandReader, target: Callable[[str], Folder], *, by_uid: bool) -> str:
        """Copy mails and expunge them here; returns the COPYUID code."""
        code, moved = self._copy(reader, target, by_uid=by_uid)
        self.folder.expunge(moved)
        return code

    def expunge(self, reader: CommandReader, *, by_uid: bool) -> None:
        r"""Remove the mails flagged \Deleted, with UID only those in the set."""
        numbers = None
        if by_uid:
            reader.space()
            numbers = reader.sequence()
        reader.end()
        largest = max(self._uids, default=0)
        self.folder.expunge(
            [
                mail.uid
                for _, mail in self._present()
                if "\\Deleted" in mail.flags and (numbers is None or numbers.matches(mail.uid, largest))
            ],
        )

    def _copy(
        self,
        reader: CommandReader,
        target: Callable[[str], Folder],
        *,
        by_uid: bool,
    ) -> tuple[str, list[int]]:
        numbers = reader.sequence()
        reader.space()
        folder = target(reader.mailbox())
        reader.end()
        mails = [mail for _, mail in self._matching(numbers, by_uid=by_uid)]
        if not mails:
            return "", []
        copies = [folder.add(mail.raw, mail.flags, mail.received_at).uid for mail in mails]
        sources = [mail.uid for mail in mails]
        return f"[COPYUID {folder.uidvalidity} {_spell(sources)} {_spell(copies)}]", sources

    def _present(self) -> Iterator[tuple[int, StoredMail]]:
        for number, uid in enumerate(tuple(self._uids), start=1):
            mail = self.folder.mails.get(uid)
            if mail is not None:
                yield number, mail

    def _matching(self, numbers: SequenceSet, *, by_uid: bool) -> Iterator[tuple[int, StoredMail]]:
        if not by_uid:
            for first, last in numbers.ranges:
                if max(first or 1, last or 1) > len(self._uids):
                    raise BadSyntaxError("No such message number")
        largest = max(self._uids, default=0) if by_uid else len(self._uids)
        for number, mail in self._present():
            if numbers.matches(mail.uid if by_uid else number, largest):
                yield number, mail


def _values(mail: StoredMail, items: list[FetchItem]) -> list[tuple[bytes, bytes]]:
    return [(item.label, item.render(mail)) for item in items]


def _fetch_line(number: int, mail: StoredMail, values: list[tuple[bytes, bytes]], *, uid: bool) -> bytes:
    pairs = ([(b"UID", b"%d" % mail.uid)] if uid else []) + values
    return b"* %d FETCH (%b)" % (number, b" ".join(label + b" " + value for label, value in pairs))


def _spell(uids: list[int]) -> str:
    return ",".join(str(uid) for uid in uids)
