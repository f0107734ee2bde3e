"""Polls the owner's Drive: stores files changed in the last month, and publishes each change.

A token gives the changes since it was issued. It is fetched before the files of the last month are listed, so that no
change is lost in between. If Drive no longer knows the token, both are done again, and stored files that are not found
are deleted. `docs/explanation/polling.md` says what all such sources share.
"""

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

import structlog
from pydantic import AwareDatetime, BaseModel

from butler.contract.base_integration import BaseIntegration
from butler.contract.events import MOST_TEXT, Event, EventName
from butler.contract.integration import IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.names import Identity
from butler.contract.polled import AllOf, Polled, PolledChange, PolledKind, PolledQuery, Teller, Told
from butler.contract.polling import PollError, PollStep, asked
from butler.contract.provenance import Origin, Trust
from butler.contract.speech import phrase
from modules.drive import records as r

log = structlog.get_logger(__name__)

CHANNEL = "drive"
RECENT = timedelta(days=30)
"""How long a file is stored after its last change."""
_PRUNE_EVERY = timedelta(days=1)
_MOST_PRUNED = 1_000
_TIMEOUT_MS = 120_000
_UNKNOWN_TOKEN = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.GONE})


class SyncPosition(BaseModel):
    """An account's position: its address, the token of the next changes, and since when it is polled."""

    address: str
    token: str
    since: AwareDatetime
    pruned_at: AwareDatetime


class DrivePoll:
    """Polls one account. Implements `Poll`."""

    def __init__(self, account: str, integration: BaseIntegration, context: ModuleContext) -> None:
        self._account, self._integration, self._context = account, integration, context
        self._cursor = f"drive.user.{account}"
        self._address = ""

    @property
    def progress(self) -> str:
        return ""

    def signed_in(self) -> None:
        """Forget the address: the credentials may now be another account's."""
        self._address = ""

    async def step(self) -> PollStep:
        """Apply a page of changes."""
        stored = await self._context.storage.cursors.get(self._cursor)
        standing = SyncPosition.model_validate_json(stored) if stored else None
        if not self._address:
            self._address = r.About.model_validate((await self._call(r.ABOUT, {})).data).address
        if standing is None or standing.address != self._address:
            return await self._bring_in(None)
        try:
            result = await self._call(r.CHANGES, {"token": standing.token})
        except PollError as failure:
            if failure.error.http_status not in _UNKNOWN_TOKEN:
                raise
            log.warning("drive_token_too_old", account=self._account, status=failure.error.http_status)
            return await self._bring_in(standing)
        page = r.Changes.model_validate(result.data)
        now = self._context.clock.now()
        old: Sequence[Polled] = ()
        if not timedelta() <= now - standing.pruned_at < _PRUNE_EVERY:
            old, standing = await self._old(now), standing.model_copy(update={"pruned_at": now})
        if not page.changes and not old and page.token == standing.token:
            return PollStep(more=page.more)
        after = standing.model_copy(update={"token": page.token})
        # For a file that changed twice on a page, Drive lists the last change only.
        records = [self._record(one) for one in page.changes]
        changes = await self._context.storage.polled.keep(
            [*old, *records], cursor=self._at(after), tell=self._teller(standing.since, frozenset(o.ref for o in old))
        )
        return PollStep(more=page.more, changed=len(changes))

    async def _bring_in(self, before: SyncPosition | None) -> PollStep:
        """List the files of the last month; publish the differences if there was a previous position."""
        now = self._context.clock.now()
        token = r.Start.model_validate((await self._call(r.START, {})).data).token
        records, cursor = list[Polled](), None
        while True:
            result = await self._call(r.RECENT, {"since": now - RECENT}, cursor)
            records += [self._record(one) for one in r.Recent.model_validate(result.data).files]
            if (cursor := result.meta.next_cursor) is None:
                break
        after = SyncPosition(address=self._address, token=token, since=before.since if before else now, pruned_at=now)
        old = frozenset[str]() if before is None else frozenset(one.ref for one in await self._old(now))
        all_of = AllOf(CHANNEL, self._account, PolledKind.FILE)
        tell = None if before is None else self._teller(before.since, old)
        changes = await self._context.storage.polled.replace(all_of, records, cursor=self._at(after), tell=tell)
        return PollStep(changed=len(changes))

    async def _old(self, now: datetime) -> Sequence[Polled]:
        """Return records older than the retention as removed; the files still exist at Drive."""
        query = PolledQuery(PolledKind.FILE, CHANNEL, self._account, until=now - RECENT, limit=_MOST_PRUNED)
        return [one.model_copy(update={"removed": True}) for one in await self._context.storage.polled.find(query)]

    def _record(self, file: r.Touched) -> Polled:
        modified = file.modified_at or file.at
        item = {} if file.removed else file.model_dump(mode="json", exclude={"at", "removed"})
        return Polled(
            channel=CHANNEL,
            account=self._account,
            kind=PolledKind.FILE,
            ref=file.id,
            version=str(file.at.isoformat() if file.removed and file.at else modified.isoformat() if modified else ""),
            at=modified,
            item=item,
            removed=file.removed,
        )

    def _teller(self, since: datetime, let_go: frozenset[str]) -> Teller:
        def tell(changes: Sequence[PolledChange]) -> Iterable[Told]:
            for change in changes:
                kind = _kind(change, since)
                if kind and not (change.after.removed and change.after.ref in let_go):
                    yield self._change_event(change, kind)

        return tell

    def _change_event(self, change: PolledChange, kind: str) -> Told:
        record = change.after
        item = change.before.item if record.removed and change.before is not None else record.item
        subject = f"{CHANNEL}/{self._account}/{record.ref}"
        event = Event(
            event_id=uuid.uuid4().hex,
            name=EventName.FILE_CHANGED,
            channel=CHANNEL,
            identity=Identity.USER,
            account=self._account,
            at=self._context.clock.now(),
            facts={
                "account": self._account,
                "file": record.ref,
                "name": str(item.get("name", ""))[:MOST_TEXT],
                "change": kind,
                # Drive does not say who deleted a file.
                "by": "" if record.removed else str(item.get("by", ""))[:MOST_TEXT],
            },
            origin=Origin(trust=Trust.UNTRUSTED, source=subject, shown_as=phrase("a file of your Drive")),
            subject=subject,
        )
        return event, f"file.changed:{subject}:{kind}:{record.version}"

    def _at(self, standing: SyncPosition) -> tuple[str, str]:
        return self._cursor, standing.model_dump_json()

    async def _call(self, method_id: str, args: dict[str, Any], cursor: str | None = None) -> IntegrationResult:
        return await asked(
            self._integration, method_id, args, trace_id=self._cursor, timeout_ms=_TIMEOUT_MS, cursor=cursor
        )


def _kind(change: PolledChange, since: datetime) -> str:
    """Return the kind of change; of a file that was not stored before, by its creation time."""
    if change.after.removed:
        return "removed"
    if change.before is not None and not change.before.removed:
        return "changed" if _seen(change.before) != _seen(change.after) else ""
    made = change.after.item.get("created_at") or ""
    return "made" if made and datetime.fromisoformat(made) >= since else "changed"


def _seen(record: Polled) -> tuple[object, ...]:
    """Return a file's visible fields, without those that say whom it is shared with."""
    return tuple(record.item.get(name) for name in ("name", "modified_at", "size"))
