"""The audit log as JSON lines: written and read entry by entry, with everything that its chain consists of."""

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, BaseModel

from butler.cli.database import reading
from butler.cli.output import counted
from butler.contract.errors import Refuse
from butler.store.chain import Entry
from butler.store.queries import audit
from config.load import why_unreadable


class Exported(BaseModel):
    """A line of an export."""

    seq: int
    at: AwareDatetime
    kind: str
    subject: str
    actor: str
    data: Any
    previous_hash: str
    hash: str


def export_audit(path: Path, *, first: int) -> Iterator[str]:
    """Yield a line for each entry from number `first` on."""
    with reading(path) as connection:
        for entry in audit.entries(connection, first):
            yield _line(entry)


def write_export(path: Path, target: Path, *, first: int, force: bool = False) -> str:
    """Write the lines atomically into a file that only its owner may read; return one sentence.

    Raises `Refuse` if it exists, unless `force` is given.
    """
    if target.exists() and not force:
        raise Refuse(f"{target} is there already; name another file, or say --force to overwrite it")
    number = 0
    try:
        handle, name = tempfile.mkstemp(dir=target.absolute().parent, prefix=f".{target.name}.")
        fresh = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                for line in export_audit(path, first=first):
                    file.write(line + "\n")
                    number += 1
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(target)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise Refuse(f"{target} cannot be written ({error.strerror})") from None
    return f"Wrote {counted(number, 'entry', 'entries')} to {target}"


def read_export(file: Path) -> Iterator[Entry]:
    """Yield the entries of an export; raise `Refuse` that names an invalid line."""
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                yield _entry(line, f"line {number} of {file}")
    except (OSError, UnicodeDecodeError) as error:
        raise Refuse(f"{file} cannot be read: {why_unreadable(error)}") from None


def _line(entry: Entry) -> str:
    try:
        data: Any = json.loads(entry.text)
    except ValueError:
        raise Refuse(f"entry {entry.seq} of the audit log was changed: it holds no JSON") from None
    line = {name: getattr(entry, name, data) for name in Exported.model_fields}
    return json.dumps(line | {"at": entry.at.isoformat()})


def _entry(line: str, where: str) -> Entry:
    try:
        # Not pydantic's own JSON: it refuses lone surrogates, which an entry's data may hold.
        found = Exported.model_validate(json.loads(line))
    except ValueError:
        raise Refuse(f"{where} is no entry of an audit log") from None
    text = audit.data_text(found.data)
    return Entry(found.seq, found.at, found.kind, found.subject, found.actor, text, found.previous_hash, found.hash)
