"""Exports everything that is known about the owner as a folder to read: JSON Lines for each kind, files, and a page.

Every table of the database is either included or listed here with the reason for leaving it out; a test checks that.
"""

import base64
import html
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, cast

import sqlalchemy as sa

from approvals.reason_words import details_in_words
from butler.contract.errors import BlobDamagedError, Refuse
from butler.contract.reasons import Reason
from butler.store.blobs import FileBlobs
from butler.store.tables import metadata

AT_ONCE: Final = 500
SHOWN: Final = 300
"""Rows of a kind on the page; the file has all of them."""
WIDEST: Final = 400
LEFT_OUT: Final[Mapping[str, str]] = {
    "work": "what is to be looked at next; it names rows that are here, and says nothing of its own",
    "card_buttons": "digests of the secrets behind buttons",
    "cursors": "positions in the feeds of providers",
    "facts": "the state of the program itself",
    "daemons": "which process served the data when",
}
"""Tables that are not exported, and why."""
COLUMNS_LEFT_OUT: Final[Mapping[str, Mapping[str, str]]] = {
    "choices": {"nonce_sha256": "the digest of the secret behind a button"},
    "attempts": {"token": "the secret by which a provider knows a call that is made again"},
    "seen_raws": {"raw": "stands as a file in mails/"},
}
TITLES: Final[Mapping[str, str]] = {
    "inbox": "What came in to the butler",
    "outbox": "What the butler said",
    "conversations": "What the butler knows of each chat",
    "plans": "What was planned for requests",
    "plan_steps": "The steps of plans, and what was found",
    "approvals": "What asked for your yes",
    "revisions": "Earlier forms of what asked for your yes",
    "rules": "Standing rules",
    "approval_batches": "Cards that stand for many",
    "email_fallbacks": "Cards that were sent by mail",
    "attempts": "How often something approved was tried",
    "audit": "The audit log",
    "contacts": "People",
    "contact_aliases": "What people are called",
    "contact_addresses": "Addresses of people",
    "notes": "Notes",
    "reminders": "Reminders",
    "choices": "Choices that were offered",
    "mail_answers": "Mails that were answered",
    "seen_chats": "Chats and mailboxes of your accounts",
    "seen_messages": "Messages and mails of your accounts",
    "seen_raws": "Mails of your accounts, as they came",
    "seen_people": "People that were seen in your accounts",
    "preferences": "Preferences",
    "memory_sources": "What is remembered",
    "run_records": "Tools that were refused",
    "events": "What happened",
    "firings": "When something was told by the clock",
    "automations": "Automations",
    "automation_firings": "When automations fired",
    "hooks": "What webhooks brought",
    "waits": "Answers that are waited for",
    "polled": "Events, files and cards of your accounts",
    "model_use": "What language models cost, by day",
    "bulk_runs": "What was done to many things",
    "bulk_items": "Each of those things",
    "bulk_schedules": "When it is done again",
}


@dataclass(slots=True)
class Exported:
    """The result of an export: rows by kind, files, and unreadable files."""

    rows: dict[str, int] = field(default_factory=dict[str, int])
    files: int = 0
    damaged: list[str] = field(default_factory=list[str])
    sections: list[str] = field(default_factory=list[str])
    """The sections of the page, in HTML."""


def export(connection: sa.Connection, blobs: FileBlobs, folder: Path) -> Exported:
    """Write rows, mails and files, of one moment, into a new folder that only its owner may read.

    The folder is complete after `finish`. Raises `Refuse` if the folder exists.
    """
    _make(folder)
    done, names = Exported(), _names(connection)
    _make(folder / "data")
    for table in metadata.sorted_tables:
        if table.name in LEFT_OUT:
            continue
        left_out = COLUMNS_LEFT_OUT.get(table.name, {})
        columns = [column for column in table.columns if column.name not in left_out]
        count, shown = 0, list[Mapping[str, Any]]()
        with opened(folder / "data" / f"{table.name}.jsonl") as file:
            for row in _rows(connection, columns):
                file.write(json.dumps(row, ensure_ascii=False).encode(errors="backslashreplace") + b"\n")
                count += 1
                if len(shown) < SHOWN:
                    shown.append(row)
        done.rows[table.name] = count
        done.sections.append(_section(table.name, [column.name for column in columns], shown, count))
    _write_mails(connection, folder / "mails")
    _write_files(blobs, folder / "files", names, done)
    return done


def finish(folder: Path, done: Exported, made_at: datetime) -> None:
    """Write the explanations, `index.html` last: without it a folder is incomplete."""
    with opened(folder / "README.txt") as file:
        file.write(_readme(done, made_at).encode())
    with opened(folder / "index.html") as file:
        file.write(_page(done, made_at).encode(errors="xmlcharrefreplace"))


def _rows(connection: sa.Connection, columns: list[sa.Column[Any]]) -> Iterator[dict[str, Any]]:
    query = sa.select(*columns).order_by(*columns[0].table.primary_key)
    for row in connection.execution_options(yield_per=AT_ONCE).execute(query):
        yield {column.name: _readable(value) for column, value in zip(columns, row, strict=True)}


def _without_buttons(value: Any) -> Any:
    """Return a message without its buttons' data, which would allow tapping them."""
    match value:
        case {"label": str(label), "data": str()}:
            return {"label": label}
        case dict():
            record = cast("dict[str, Any]", value)
            return {key: _without_buttons(one) for key, one in record.items()}
        case list():
            return [_without_buttons(one) for one in cast("list[Any]", value)]
        case _:
            return value


def _readable(value: Any) -> Any:
    """Convert a value for JSON: a moment to ISO 8601, reasons to words, bytes to text or else to Base64."""
    match value:
        case tuple():
            return details_in_words(cast("tuple[Reason, ...]", value))
        case datetime():
            return value.isoformat()
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                return {"base64": base64.b64encode(value).decode()}
        case _:
            return _without_buttons(value)


def _names(connection: sa.Connection) -> dict[str, str]:
    """Return the file names for each digest, from every row that has one."""
    found = dict[str, str]()
    for name in ("inbox", "outbox", "seen_messages"):
        table = metadata.tables[name]
        column = table.c["message"] if name == "outbox" else table.c["item"]
        for (value,) in connection.execution_options(yield_per=AT_ONCE).execute(sa.select(column)):
            for file in _files_of(value):
                found.setdefault(file["sha256"], str(file.get("name") or ""))
    return found


def _files_of(value: Any) -> Iterator[Mapping[str, Any]]:
    match value:
        case {"sha256": str()}:
            yield value
        case dict():
            for one in value.values():  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
                yield from _files_of(one)
        case list():
            for one in value:  # pyright: ignore[reportUnknownVariableType]
                yield from _files_of(one)
        case _:
            return


def _write_mails(connection: sa.Connection, folder: Path) -> None:
    """Write mails of the owner's mailbox, as they came, numbered in the order of data/seen_raws.jsonl."""
    _make(folder)
    table = metadata.tables["seen_raws"]
    query = sa.select(table.c.raw).order_by(*table.primary_key)
    for number, raw in enumerate(connection.execution_options(yield_per=AT_ONCE).execute(query).scalars(), 1):
        with opened(folder / f"{number:06}.eml") as file:
            file.write(zlib.decompress(raw))


def _write_files(blobs: FileBlobs, folder: Path, names: Mapping[str, str], done: Exported) -> None:
    _make(folder)
    for digest in blobs.digests():
        try:
            data = blobs.get_now(digest)
        except (KeyError, BlobDamagedError):
            done.damaged.append(digest)
            continue
        with opened(folder / f"{digest[:12]}-{safe_name(names.get(digest, ''))}") as file:
            file.write(data)
        done.files += 1


def safe_name(name: str) -> str:
    """Sanitize a file name that a sender chose: no folder, no control character, not too long."""
    kept = "".join(one for one in name if one.isalnum() or one in " ._-()").strip(" .")
    return kept.encode()[-80:].decode(errors="ignore") or "file"


def _readme(done: Exported, made_at: datetime) -> str:
    kinds = "\n".join(f"  data/{name}.jsonl  {rows} rows: {TITLES[name]}" for name, rows in done.rows.items())
    left = "\n".join(f"  {name}: {why}" for name, why in LEFT_OUT.items())
    columns = "\n".join(f"  {t}.{c}: {why}" for t, each in COLUMNS_LEFT_OUT.items() for c, why in each.items())
    damaged = "".join(f"\nThe file {one} is damaged, and is not here." for one in done.damaged)
    return f"""Everything that Butler knows about you, as of {made_at.isoformat()}.

Open index.html to look at it. The files in data hold it whole, for programs: one JSON object a line, the columns of
Butler's tables by their names, times in ISO 8601 and UTC. Bytes that are no text stand as {{"base64": "..."}}.

{kinds}
  data/memory_texts.jsonl  the texts of what is remembered, in pieces, by the source_id of memory_sources

mails/ holds mails of your own mailbox as they came, in the order of data/seen_raws.jsonl.
files/ holds {done.files} files that came or were made: the first twelve digits of the SHA-256, and the name.{damaged}

Not in it, because it tells nothing of you or is a secret:
{left}
{columns}
  credentials, sessions and settings: they open your accounts, and are no knowledge about you
  the index of the memory: it is made of the texts that are here
"""


def _page(done: Exported, made_at: datetime) -> str:
    links = "".join(f'<li><a href="#{name}">{TITLES[name]}</a> ({rows})</li>' for name, rows in done.rows.items())
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        "<title>What Butler knows about you</title><style>body{font:15px sans-serif;margin:2em}"
        "table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.2em .5em;vertical-align:top;"
        "max-width:40em;overflow-wrap:anywhere;text-align:left}</style>"
        f"<h1>What Butler knows about you</h1><p>As of {made_at:%d %B %Y, %H:%M} UTC. "
        f'<a href="files/">{done.files} files</a>.</p><ul>{links}</ul>{"".join(done.sections)}</html>'
    )


def _section(name: str, columns: list[str], rows: list[Mapping[str, Any]], count: int) -> str:
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_short(row[column]))}</td>" for column in columns) + "</tr>" for row in rows
    )
    more = f"<p>{count - len(rows)} more in data/{name}.jsonl.</p>" if count > len(rows) else ""
    return f'<h2 id="{name}">{TITLES[name]}</h2><table><tr>{head}</tr>{body}</table>{more}'


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= WIDEST else f"{text[:WIDEST]}…"


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        raise Refuse(f"{folder} is there already; name a folder that is made for this") from None
    except OSError as error:
        raise Refuse(f"the folder {folder} cannot be made ({error.strerror})") from None


def opened(path: Path) -> Any:
    """Create a file that only its owner may read."""
    return os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")
