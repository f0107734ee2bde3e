"""List and verify the audit log: implements `butler audit` and `butler audit verify`."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.visible import visible_line
from butler.audit_head import NAME, NotedHeads, read_heads
from butler.audit_progress import CheckedUpTo, checked_up_to, note_checked
from butler.cli.audit.export import read_export
from butler.cli.database import reading
from butler.cli.output import counted, json_text
from butler.contract.errors import Refuse
from butler.store.chain import Checked, Head, check
from butler.store.queries import audit
from butler.vault import open_vault
from config.load import load

_HEAD = re.compile(r"([0-9]{1,18}):([0-9a-f]{64})", re.IGNORECASE)
_LONG_ID = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{24}\b")


def list_audit(path: Path, *, as_json: bool, limit: int) -> str:
    """Return the newest entries of the audit log, the newest first."""
    with reading(path) as connection:
        rows = audit.rows(connection, limit=limit)
    zone = ZoneInfo(load(path).settings.butler.timezone)
    if as_json:
        return json_text([entry_json(row) for row in rows])
    return "\n".join(entry_line(row, zone) for row in rows) or "The audit log is empty."


def entry_json(row: audit.AuditRow) -> dict[str, object]:
    """Return an entry for `--json`."""
    return {
        "seq": row.seq,
        "at": row.at.isoformat(),
        "kind": row.kind,
        "subject": row.subject,
        "actor": row.actor,
        "data": row.data,
        "hash": row.hash,
    }


def entry_line(row: audit.AuditRow, zone: ZoneInfo) -> str:
    """Return an entry as one line, with the owner's time; of a long id the beginning, which `show` accepts."""
    at = row.at.astimezone(zone)
    kind, actor, subject = map(visible_line, (row.kind, row.actor, _LONG_ID.sub(r"\1", row.subject)))
    return f"{row.seq:6}  {at:%Y-%m-%d %H:%M:%S}  {kind:20}  {actor:18}  {subject}"


def verify_audit(path: Path, noted: str, *, everything: bool = False) -> str:
    """Verify the log; return some sentences. Raise `Refuse` that names the first broken entry."""
    head, loaded, now = parse_head(noted), load(path), datetime.now(UTC)
    # The heads first: a running daemon may note another one while the log is read.
    kept = read_heads(loaded.data_dir)
    heads = [*(kept.heads if kept else ()), *head]
    cipher = open_vault(loaded).keys.cipher()
    before = None if everything else checked_up_to(loaded.data_dir, cipher, now)
    if before is not None and any(one.seq < before.seq for one in head):
        # A head that somebody has noted is compared with the entry itself.
        before = None
    with reading(path) as connection:
        checked = check(audit.entries(connection), heads) if before is None else _since(connection, before, heads)
    if checked.broken:
        raise Refuse(checked.broken.rstrip("."))
    last, all_at = checked.last, now if before is None else before.all_at
    note_checked(loaded.data_dir, cipher, last, now, all_at)
    whole = f"The audit log is whole: {counted(last.seq, 'entry', 'entries')}, head {last.seq}:{last.hash}"
    return "\n".join([whole, *([_not_read(before)] if before else []), _by_what(kept)])


def _since(connection: sa.Connection, before: CheckedUpTo, heads: Sequence[Head]) -> Checked:
    """Return the chain from the last checked entry, which must be unchanged, and the number of entries before it."""
    later = [before.head, *(head for head in heads if head.seq >= before.seq)]
    checked = check(audit.entries(connection, before.seq), later, part=True)
    if checked.broken is None and (count := audit.count_before(connection, before.seq)) != before.seq - 1:
        missing = f"Of the {before.seq - 1} entries before entry {before.seq} of the audit log, {count} are there."
        return replace(checked, broken=missing)
    return checked


def _not_read(before: CheckedUpTo) -> str:
    until = f"those up to {before.seq} were found whole at {before.at:%Y-%m-%d %H:%M} UTC"
    return f"Read from entry {before.seq} on; {until}, and --all reads them again."


def verify_export(file: Path, noted: str) -> str:
    """Verify an export; return one sentence. Raise `Refuse` that names the first broken entry."""
    checked = check(read_export(file), parse_head(noted), part=True)
    if checked.broken:
        raise Refuse(f"{file}: {checked.broken.rstrip('.')}")
    first, last = checked.first, checked.last
    if last.seq == 0:
        raise Refuse(f"{file} holds no entry")
    number = counted(last.seq - first + 1, "entry", "entries")
    found = f"{number} from {first} on, head {last.seq}:{last.hash}"
    if noted:
        return f"{file} is whole: {found}"
    return f"{file} is whole as far as it goes: {found}; only a noted head (--head) tells whether its end was cut"


def parse_head(text: str) -> Sequence[Head]:
    """Parse the head that somebody noted, `SEQ:HASH`, if given."""
    if not text:
        return ()
    match = _HEAD.fullmatch(text.strip())
    if match is None:
        raise Refuse("a head is written SEQ:HASH, as in the daemon's log; write the whole hash, 64 digits")
    return (Head(int(match[1]), match[2].lower()),)


def _by_what(kept: NotedHeads | None) -> str:
    """Return what the end of the log was compared with."""
    if kept is None:
        return (
            f"Butler has noted no head in {NAME} yet, which it does at its next start, every hour and when it stops: "
            "until then a cut off end cannot be seen by it."
        )
    held = f"It holds {counted(len(kept.heads), 'head', 'heads')} of {NAME}."
    if kept.restored:
        held += f" Those before the restore of the backup of {kept.restored} do not count."
    return held
