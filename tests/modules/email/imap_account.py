"""A mailbox over IMAP as another mail program sees it, and the controller over what acts on many of its mails."""

import asyncio
import imaplib
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from butler.contract.bulk import BulkToolAdapter
from butler.store.open import open_store
from tests.bulk.bulk_harness import BulkHarness
from tests.modules.email.mailhost import PASSWORD, UserUnderTest, mail

FOLDERS = ("INBOX", "Archive", "Sent", "Drafts", "Trash", "Junk", "Projects")
Kept = dict[str, tuple[str, frozenset[str]]]


@asynccontextmanager
async def room_of(user: UserUnderTest, folder: Path) -> AsyncGenerator[BulkHarness[BulkToolAdapter]]:
    """The controller over a store in memory."""
    store = open_store("sqlite://", data_dir=folder)
    adapter: BulkToolAdapter = user.module.bulk_adapters()[0]
    yield BulkHarness[BulkToolAdapter].of(store, adapter)
    await store.close()


class Elsewhere:
    """Another mail program on the same mailbox."""

    def __init__(self, user: UserUnderTest) -> None:
        self._user = user

    async def put(
        self, subject: str, sender: str, folder: str = "INBOX", *flags: str, at: datetime | None = None, **headers: str
    ) -> str:
        """Lay a mail into a folder; its Message-ID."""
        message_id = f"<{subject.replace(' ', '-').lower()}@{sender.rpartition('@')[2]}>"
        raw = mail(subject, message_id=message_id, From=sender, **headers)
        await self.lay(raw, folder, *flags, at=at)
        return message_id

    async def lay(self, raw: bytes, folder: str = "INBOX", *flags: str, at: datetime | None = None) -> None:
        """Lay a mail into a folder, which is made where it is missing."""

        def lay() -> None:
            date = imaplib.Time2Internaldate(at or datetime.now(UTC).replace(microsecond=0))
            with self._client() as client:
                client.create(folder)
                result, answer = client.append(folder, f"({' '.join(flags)})", date, raw)
                assert result == "OK", answer

        await asyncio.to_thread(lay)

    async def kept(self) -> Kept:
        """Folder and flags of every mail by its Message-ID; of several with one, each has its own."""
        return await asyncio.to_thread(self._kept)

    async def say(self, folder: str, *command: str) -> None:
        """A UID command in a folder, and what is deleted is expunged."""

        def say() -> None:
            with self._client() as client:
                client.select(folder)
                result, answer = client.uid(*command)
                assert result == "OK", answer
                client.expunge()

        await asyncio.to_thread(say)

    async def uid(self, message_id: str, folder: str = "INBOX") -> str:
        """A mail's number in a folder."""
        for one in await self._user.mailbox(folder):
            if message_id.encode() in one.raw:
                return str(one.uid)
        raise AssertionError(message_id)

    def _kept(self) -> Kept:
        kept: Kept = {}
        for folder in FOLDERS:
            try:
                mails = self._user.host.mailbox(self._user.address, folder)
            except KeyError:
                continue
            for one in mails:
                key = next(line for line in one.raw.decode().split("\r\n") if line.startswith("Message-ID:"))[12:]
                while key in kept:
                    key += "+"
                kept[key] = (folder, one.flags - {"\\Recent"})
        return kept

    @contextmanager
    def _client(self) -> Generator[imaplib.IMAP4]:
        url = urlsplit(self._user.host.imap_url)
        client = imaplib.IMAP4(url.hostname or "", url.port or 0, timeout=60)
        client.login(self._user.address, PASSWORD)
        try:
            yield client
        finally:
            client.logout()


def lying(kept: Mapping[str, tuple[str, frozenset[str]]], folder: str) -> set[str]:
    """Which mails lie in a folder."""
    return {message_id for message_id, (where, _) in kept.items() if where == folder}
