"""`butler mail quarantine` and `retry`: quarantined mails, with or without a running daemon."""

import asyncio
import hashlib
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.reason_words import details_in_words
from approvals.visible import visible_line
from butler.cli.approvals.list import ID_SHOWN
from butler.cli.database import changing, reading
from butler.cli.mail.items import mail_items
from butler.cli.mail.scene import bot_settings
from butler.cli.mail.words import why_unread
from butler.cli.output import hanging, json_text
from butler.clock import RealClock
from butler.contract.errors import BlobDamagedError, ConfigError, Refuse, Retryable
from butler.contract.inbound import Inbound
from butler.contract.reasons import dump_reasons
from butler.sink import come_in
from butler.store.blobs import FileBlobs
from butler.store.queries import cursors, inbox
from butler.store.queries.inbox import DeadLetter, InboxNote, InboxState
from config.load import Loaded, load

CHANNEL = "email"


def list_quarantined(path: Path, *, as_json: bool) -> str:
    """Return the mails in quarantine, the newest last."""
    zone = ZoneInfo(load(path).settings.butler.timezone)
    with reading(path) as connection:
        found = inbox.quarantined(connection, channel=CHANNEL)
    if as_json:
        return json_text([_json(one) for one in found])
    return "\n".join(_line(one, zone) for one in found) or "No mail is in quarantine."


def _json(one: DeadLetter) -> dict[str, Any]:
    payload = one.item.payload
    return {
        "id": one.item.inbound_id,
        "received_at": one.item.received_at.isoformat(),
        "from": payload["from"],
        "subject": payload["subject"],
        "why": details_in_words(one.why),
        "why_codes": dump_reasons(one.why),
        "raw": payload["raw"],
    }


def _line(one: DeadLetter, zone: ZoneInfo) -> str:
    payload = one.item.payload
    lead = f"{one.item.received_at.astimezone(zone):%Y-%m-%d %H:%M}  {one.item.inbound_id[:ID_SHOWN]}  "
    subject = visible_line(payload["subject"]) or "(no subject)"
    return hanging(
        lead, f"{visible_line(payload['from']) or 'nobody it names'}: {subject} – {details_in_words(one.why)}"
    )


def retry_mail(path: Path, beginning: str) -> str:
    """Process a mail again, by its id or a unique prefix of it; return one sentence. Raise `Refuse` on failure."""
    loaded, now = load(path), RealClock().now()
    with reading(path) as connection:
        item = _the_one(connection, beginning).item
    if not _is_whole(item):
        return _ask_the_server_again(path, item, now)
    try:
        fresh = asyncio.run(_made(loaded, path, item, now))
    except Retryable as error:
        raise Refuse(f"it could not be read now ({error}); try again later") from None
    if why := why_unread(fresh):
        raise Refuse(f"it still cannot be read: {why}; the mail itself is kept in {_file(loaded, item)}")
    with changing(path) as connection:
        return _hand_over(connection, item, fresh, now)


def _the_one(connection: sa.Connection, beginning: str) -> DeadLetter:
    found = inbox.quarantined(connection, channel=CHANNEL, beginning=beginning) if beginning else []
    if not found:
        raise Refuse(f"there is no mail {beginning!r} in quarantine; `butler mail quarantine` lists them")
    if len(found) > 1:
        ids = " and ".join(one.item.inbound_id for one in found[:2])
        raise Refuse(f"more than one mail begins with {beginning}, such as {ids}; write more of it")
    return found[0]


def _ask_the_server_again(path: Path, item: Inbound, now: datetime) -> str:
    """Have the daemon fetch an incomplete mail again, which makes another item."""
    from modules.email.refetch_list import RefetchList  # noqa: PLC0415 - the mail libraries are heavy

    with changing(path) as connection:
        name = RefetchList.cursor(item.account)
        again = RefetchList.of(cursors.get(connection, name))
        again = again.with_mail(item.payload["uidvalidity"], item.payload["uid"])
        cursors.put(connection, name, str(again), now)
        _release(connection, item, InboxNote.ASKED_ANEW, now)
    return "Asked for it anew: the butler fetches it at its next look into the mailbox."


async def _made(loaded: Loaded, path: Path, item: Inbound, now: datetime) -> Inbound:
    from modules.email.inbound import Place  # noqa: PLC0415

    settings = bot_settings(loaded, path)
    if settings is None:
        raise ConfigError(f"{path} has no [modules.email.bot], the butler's mailbox")
    blobs = FileBlobs(loaded.data_dir / "blobs")
    emails = frozenset(address.lower() for address in loaded.settings.owner.emails)
    place = Place(item.account, item.payload["uidvalidity"], item.payload["uid"], item.received_at)
    async with mail_items(settings, emails, now, blobs) as items:
        try:
            return await items.make(place, await blobs.get(item.payload["raw"]))
        except (KeyError, BlobDamagedError):
            raise Refuse(f"what was stored of it is damaged or gone: {_file(loaded, item)}") from None


def _hand_over(connection: sa.Connection, item: Inbound, fresh: Inbound, now: datetime) -> str:
    """Put a mail into the inbox as new, once, even with concurrent retries."""
    if inbox.state(connection, item.inbound_id) is not InboxState.QUARANTINED:
        raise Refuse(f"{item.inbound_id} is not in quarantine any more")
    key = fresh.dedup_key
    if key != item.dedup_key and inbox.is_known(connection, key):
        _release(connection, item, InboxNote.CAME_OTHERWISE, now)
        return "It came in another time, too, and the butler has read it then; nothing more is done."
    while inbox.is_known(connection, key):
        key += ":again"
    data = {"dedup_key": key, "inbound_id": hashlib.sha256(key.encode()).hexdigest()[:32]}
    come_in(connection, [fresh.model_copy(update=data)], now)
    _release(connection, item, InboxNote.READ_ANEW, now)
    subject = visible_line(fresh.payload["subject"]) or "(no subject)"
    return f"Read it anew: {subject}. The butler takes it up as soon as it runs."


def _release(connection: sa.Connection, item: Inbound, note: InboxNote, now: datetime) -> None:
    inbox.settle(connection, item.inbound_id, InboxState.IGNORED, now=now, detail=note)


def _is_whole(item: Inbound) -> bool:
    # Older mails have no such note; then the server is asked.
    return bool(item.payload["raw"]) and not item.payload.get("cut", True)


def _file(loaded: Loaded, item: Inbound) -> Path:
    raw = str(item.payload["raw"])
    return loaded.data_dir / "blobs" / raw[:2] / raw
