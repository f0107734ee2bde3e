"""What it takes to archive twenty thousand mails of a mailbox on Dovecot: commands, time and memory.

The controller runs as a process of its own against Dovecot, through a relay that counts its commands. Once it is left
alone, once it is killed at random, again and again, and started anew; each time all of it is undone, and folder, flags
and Message-ID of every mail are compared. The floor is one SEARCH, and a FETCH and a MOVE for each 500 mails.
"""

import argparse
import asyncio
import imaplib
import math
import os
import random
import re
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from bench.bulk_runs import begin, outcome, run_killed, undo
from bench.bulk_worker import Job
from bench.machine import report, table
from tests.services.dovecot import Dovecot

ME, PASSWORD = "me@home.example", "correct horse"
SENDER, OTHER = "news@hostinger.example", "anna@friends.example"
ADDRESS_ENV, PASSWORD_ENV = "USER_EMAIL_ADDRESS", "USER_EMAIL_PASSWORD"
ORDER = {"action": "archive", "senders": ["hostinger"]}
OTHERS = 500
FLAGS = ("", "S", "FS", "S")
KEYWORD = "$Work"
_TAGGED = re.compile(rb"^[A-Z0-9]+ (?:UID )?([A-Z]+)", re.MULTILINE)
_MESSAGE_ID = re.compile(rb"message-id: *(\S+)", re.IGNORECASE)
Lying = list[tuple[str, str, tuple[str, ...]]]


class Mailbox:
    """A mailbox on Dovecot, filled on disk before it is looked at."""

    def __init__(self, host: Dovecot, count: int, address: str = ME) -> None:
        self.host, self.address = host, address
        self.host.add_mailbox(address, PASSWORD)
        self.url = self.host.imap_url
        maildir = self.host.maildir(address)
        for part in ("cur", "new", "tmp"):
            (maildir / part).mkdir(parents=True, exist_ok=True)
        for number in range(count + OTHERS):
            sender = OTHER if number % (1 + count // OTHERS) == 0 else SENDER
            raw = f"From: {sender}\r\nTo: {ME}\r\nSubject: Offer {number}\r\nMessage-ID: <{number}@s>\r\n\r\nBuy.\r\n"
            name = f"{1_700_000_000 + number}.M{number}P1.bench,S={len(raw)}:2,{FLAGS[number % len(FLAGS)]}"
            (maildir / "cur" / name).write_bytes(raw.encode())
        self.host.own(address)
        with self.client() as client:
            client.select("INBOX")
            client.store("1:50", "+FLAGS", KEYWORD)
        self.meant = sum(where == "INBOX" and sender == SENDER for where, sender in self._senders())

    def lying(self) -> Lying:
        """Folder, Message-ID and flags of every mail."""
        found: Lying = []
        with self.client() as client:
            for folder in ("INBOX", "Archive", "Trash"):
                for head, header in self._fetched(client, folder, "(FLAGS BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])"):
                    message_id = _MESSAGE_ID.search(header)
                    flags = {flag.decode() for flag in imaplib.ParseFlags(head)} - {"\\Recent"}
                    found.append((folder, message_id[1].decode() if message_id else "", tuple(sorted(flags))))
        return sorted(found)

    def job(self, folder: Path) -> Job:
        """What the controller is to do."""
        settings = {
            "provider": "smtp_imap",
            "imap": self.url,
            "smtp": "smtp://127.0.0.1:9",
            "address_env": ADDRESS_ENV,
            "password_env": PASSWORD_ENV,
        }
        secrets = (ADDRESS_ENV, PASSWORD_ENV)
        return Job(str(folder), "email", {"user": settings}, "imap", "main", {**ORDER, "account": "main"}, secrets)

    def environment(self) -> dict[str, str]:
        """Who may sign in to it."""
        return {**os.environ, ADDRESS_ENV: self.address, PASSWORD_ENV: PASSWORD}

    def _senders(self) -> list[tuple[str, str]]:
        with self.client() as client:
            fetched = self._fetched(client, "INBOX", "(BODY.PEEK[HEADER.FIELDS (FROM)])")
            return [("INBOX", header.decode().partition(":")[2].strip()) for _, header in fetched]

    @staticmethod
    def _fetched(client: imaplib.IMAP4, folder: str, items: str) -> list[tuple[bytes, bytes]]:
        client.select(folder, readonly=True)
        _, answers = client.uid("FETCH", "1:*", items)
        return [answer for answer in answers if isinstance(answer, tuple)]

    def client(self) -> imaplib.IMAP4:
        """Another mail program, signed in."""
        url = urlsplit(self.host.imap_url)
        client = imaplib.IMAP4(url.hostname or "", url.port or 0, timeout=60)
        client.login(self.address, PASSWORD)
        return client


@asynccontextmanager
async def counted(mailbox: Mailbox) -> AsyncGenerator[Counter[str]]:
    """The commands that go to the server while the block runs, by name."""
    commands: Counter[str] = Counter()
    server = urlsplit(mailbox.host.imap_url)
    served: set[asyncio.Task[None]] = set()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, count: bool) -> None:
        try:
            while data := await reader.read(65_536):
                if count:
                    commands.update(name.decode() for name in _TAGGED.findall(data))
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(server.hostname, server.port)
        for task in (pump(reader, far_writer, count=True), pump(far_reader, writer, count=False)):
            served.add(asyncio.create_task(task))

    listener = await asyncio.start_server(relay, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    mailbox.url = f"imap://127.0.0.1:{port}"
    try:
        yield commands
    finally:
        mailbox.url = mailbox.host.imap_url
        listener.close()
        for task in served:
            task.cancel()
        await asyncio.gather(*served, return_exceptions=True)


async def play(count: int, kills: int, seed: int) -> None:
    """Measure, and print."""
    chance, host = random.Random(seed), Dovecot()
    try:
        mailbox = Mailbox(host, count)
        before = mailbox.lying()
        with tempfile.TemporaryDirectory() as plain, tempfile.TemporaryDirectory() as killed:
            async with counted(mailbox) as commands:
                seconds = await run_killed(mailbox.job(Path(plain)), mailbox.environment(), 0, chance, (1, 1))
                calm = Counter(commands)
                await undo(mailbox.job(Path(plain)), mailbox.environment())
                back = Counter(commands) - calm
            restored = mailbox.lying() == before
            peak = (await outcome(Path(plain))).peak_mb
            async with counted(mailbox):
                job = mailbox.job(Path(killed))
                await begin(job, mailbox.environment())
                hurt_s = await run_killed(job, mailbox.environment(), kills, chance, (2.0, 6.0))
                found = await outcome(Path(killed))
                archived = Counter(folder for folder, _, _ in mailbox.lying())["Archive"]
                await undo(replace(job), mailbox.environment())
            restored = restored and mailbox.lying() == before
    finally:
        host.stop()
    floor = 1 + 2 * math.ceil(mailbox.meant / 500)
    rows = [
        ["floor", floor, f"{floor / mailbox.meant * 1000:.1f}", ""],
        ["Butler", calm.total(), f"{calm.total() / mailbox.meant * 1000:.1f}", f"{seconds:.1f}"],
        ["Butler, undo", back.total(), f"{back.total() / mailbox.meant * 1000:.1f}", ""],
        [f"Butler, killed {kills} times", "", "", f"{hurt_s:.1f}"],
    ]
    table([f"{mailbox.meant:,} mails", "commands", "for 1,000 mails", "seconds"], rows)
    print(", ".join(f"{name} {number}" for name, number in calm.most_common()))
    print(
        f"done {found.done:,}, not done {found.lost}, in the archive {archived:,}, sent again {found.again}, "
        f"undone exactly {restored}, at most {peak:.0f} MB"
    )
    if not restored:
        raise SystemExit("the undo left something other than it was")
    report(
        "bulk_imap",
        {"commands_vs_floor": round(calm.total() / floor, 3)},
        {
            "commands_per_1000": round(calm.total() / mailbox.meant * 1000, 2),
            "mails_per_s": round(mailbox.meant / seconds),
            "done_twice": archived - found.done,
            "lost": found.lost,
            "rss_mb": round(peak),
        },
    )


def main() -> None:
    """`--count`, `--kills`, `--seed`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    asyncio.run(play(arguments.count, arguments.kills, arguments.seed))


if __name__ == "__main__":
    main()
