"""A mailbox brought in by a script as one writes it: `python -m bench.mailbox_plain LIBRARY IMAP_URL FOLDER`.

It fetches 200 mails at a time by imaplib or IMAPClient, reads each by the standard library, and keeps its text and all
of it in SQLite, a transaction for each batch: what Butler does, without its processes and its care.
"""

import email
import imaplib
import sqlite3
import sys
import time
from collections.abc import Iterator
from email.policy import default
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.mailbox_turn import PASSWORD, USER, finish, wait_for_go

AT_ONCE = 200


def by_imaplib(host: str, port: int) -> Iterator[list[bytes]]:
    with imaplib.IMAP4(host, port) as client:
        client.login(USER, PASSWORD)
        client.select("INBOX", readonly=True)
        _, (found,) = client.uid("SEARCH", "ALL")
        uids = found.split()
        for at in range(0, len(uids), AT_ONCE):
            _, answers = client.uid("FETCH", b",".join(uids[at : at + AT_ONCE]).decode(), "(FLAGS BODY.PEEK[])")
            yield [answer[1] for answer in answers if isinstance(answer, tuple)]


def by_imapclient(host: str, port: int) -> Iterator[list[bytes]]:
    from imapclient import IMAPClient  # noqa: PLC0415 - one of two

    with IMAPClient(host, port, ssl=False) as client:
        client.login(USER, PASSWORD)
        client.select_folder("INBOX", readonly=True)
        uids = client.search("ALL")
        for at in range(0, len(uids), AT_ONCE):
            found: dict[int, Any] = client.fetch(uids[at : at + AT_ONCE], ["FLAGS", "BODY.PEEK[]"])
            yield [mail[b"BODY[]"] for mail in found.values()]


def row(raw: bytes) -> tuple[str, str, str, str, str, bytes]:
    """What is kept of a mail."""
    message = email.message_from_bytes(raw, policy=default)
    body = message.get_body(("plain", "html"))
    text = body.get_content() if body is not None else ""
    return (
        str(message["Message-ID"]), str(message["From"]), str(message["To"]), str(message["Subject"]), text, raw,
    )  # fmt: skip


def main(library: str, url: str, folder: Path) -> None:
    server = urlsplit(url)
    fetch = by_imaplib if library == "imaplib" else by_imapclient
    database = sqlite3.connect(folder / "mails.db")
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE mails (id, sender, recipient, subject, text, raw)")
    wait_for_go()
    began = time.perf_counter()
    for batch in fetch(server.hostname or "", server.port or 143):
        with database:
            database.executemany("INSERT INTO mails VALUES (?, ?, ?, ?, ?, ?)", map(row, batch))
    finish(time.perf_counter() - began)
    database.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
