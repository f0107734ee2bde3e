"""`butler mail quarantine` and `butler mail retry`: what was put aside is listed, and taken up anew once."""

import asyncio
import functools
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest
import sqlalchemy as sa

from butler.cli.mail.quarantine import list_quarantined, retry_mail
from butler.contract.errors import Refuse
from butler.contract.inbound import Inbound
from butler.contract.reasons import Reason, ReasonCode, in_own_words, reason
from butler.store.blobs import FileBlobs
from butler.store.open import open_store
from butler.store.queries import cursors, inbox
from butler.store.queries.inbox import InboxNote, InboxState
from butler.store.store import Store
from butler.store.tables import work
from modules.email.facts import facts_of
from modules.email.fetching import NOT_GIVEN
from modules.email.inbound import Place, mail_inbound
from modules.email.parsing.parsed import ParsedMail
from modules.email.parsing.reader import MailReader

NOW = datetime(2026, 11, 28, 10, tzinfo=UTC)
RAW = (
    b"From: Anna <anna@friends.example>\r\nTo: butler@home.example\r\nSubject: Lunch\r\n"
    b"Date: Sat, 28 Nov 2026 09:00:00 +0000\r\nMessage-ID: <lunch@friends.example>\r\n\r\nAt one?\r\n"
)
SETTINGS = """
[butler]
data_dir = "data"
timezone = "Europe/London"

[owner]
emails = ["me@home.example"]

[modules.email.bot]
imap = "imaps://mail.home.example"
smtp = "smtps://mail.home.example"
"""
UNREADABLE = in_own_words("the mail could not be read")
T = TypeVar("T")
DeadLetter = Callable[..., Awaitable[str]]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "butler.toml"
    path.write_text(SETTINGS)
    (tmp_path / "data").mkdir()
    return path


@pytest.fixture
async def put_aside(config: Path) -> DeadLetter:
    """Puts a mail into quarantine as the daemon does; its id."""

    async def put(raw: bytes = RAW, why: Reason = UNREADABLE, uid: int = 7, *, cut: bool = False) -> str:
        digest = await blobs(config).put(raw) if raw else ""
        place = Place("butler@home.example", 3, uid, NOW)
        nothing = ParsedMail()
        item = mail_inbound(
            nothing, place, facts_of(nothing, own=place.account, unread=why), raw=digest, quarantine=why, cut=cut
        )
        await with_store(config, lambda c: _store(c, item, why))
        return item.inbound_id

    await with_store(config, lambda _: None)
    return put


def _store(connection: sa.Connection, item: Inbound, why: Reason) -> None:
    assert inbox.add(connection, item)
    inbox.settle(connection, item.inbound_id, InboxState.QUARANTINED, now=NOW, detail=(why,))


def blobs(config: Path) -> FileBlobs:
    return FileBlobs(config.parent / "data" / "blobs")


async def with_store(config: Path, look: Callable[[sa.Connection], T]) -> T:
    store: Store = open_store("sqlite:///butler.db", data_dir=config.parent / "data")
    try:
        return await store.write(look, "test")
    finally:
        await store.close()


async def retry(config: Path, beginning: str) -> str:
    return await asyncio.to_thread(retry_mail, config, beginning)


async def new_items(config: Path) -> list[Inbound]:
    """What waits to be looked at, each with its row of work."""

    def look(connection: sa.Connection) -> list[Inbound]:
        subjects = [row.subject for row in connection.execute(sa.select(work.c.subject).order_by(work.c.work_id))]
        found = [inbox.get(connection, subject) for subject in subjects]
        return [row[0] for row in found if row is not None and row[1] is InboxState.NEW]

    return await with_store(config, look)


async def state(config: Path, inbound_id: str) -> tuple[InboxState | None, str]:
    return await with_store(config, lambda c: (inbox.state(c, inbound_id), inbox.detail(c, inbound_id)))


async def test_what_is_in_quarantine_is_listed_with_the_reason(config: Path, put_aside: DeadLetter):
    assert list_quarantined(config, as_json=False) == "No mail is in quarantine."
    inbound_id = await put_aside()
    told = list_quarantined(config, as_json=False)
    assert told.startswith(f"2026-11-28 10:00  {inbound_id[:8]}  ")
    assert "the mail could not be read" in told
    (row,) = json.loads(list_quarantined(config, as_json=True))
    assert (row["id"], row["why"]) == (inbound_id, "the mail could not be read")
    assert row["why_codes"] == [{"code": "words", "params": {"text": "the mail could not be read"}}]


async def test_a_mail_is_read_anew_from_what_was_stored_and_comes_in_once(config: Path, put_aside: DeadLetter):
    inbound_id = await put_aside()
    assert (await retry(config, inbound_id[:8])).startswith("Read it anew: Lunch.")
    (item,) = await new_items(config)
    assert item.text == "At one?"
    assert item.message_ref == "<lunch@friends.example>"
    assert item.mail is not None
    assert not item.payload["quarantine"]
    assert (await state(config, inbound_id))[0] is InboxState.IGNORED
    with pytest.raises(Refuse, match="no mail"):
        await retry(config, inbound_id)
    assert len(await new_items(config)) == 1


async def test_a_mail_that_the_butler_failed_over_comes_in_under_another_id(config: Path, put_aside: DeadLetter):
    first = await put_aside()
    await retry(config, first)
    (item,) = await new_items(config)
    await with_store(
        config,
        lambda c: inbox.settle(
            c, item.inbound_id, InboxState.QUARANTINED, now=NOW, detail=(reason(ReasonCode.FAULT, kind="KeyError"),)
        ),
    )
    await retry(config, item.inbound_id)
    (again,) = await new_items(config)
    assert again.inbound_id != item.inbound_id
    assert again.text == item.text


async def test_a_mail_that_came_in_otherwise_is_only_let_go(config: Path, put_aside: DeadLetter):
    first = await put_aside()
    await retry(config, first)
    twin = await put_aside(b"X-Way: another\r\n" + RAW, uid=8)
    assert "another time" in await retry(config, twin)
    assert len(await new_items(config)) == 1
    assert await state(config, twin) == (InboxState.IGNORED, InboxNote.CAME_OTHERWISE)


async def test_what_is_still_unreadable_stays_where_it_is(
    config: Path, put_aside: DeadLetter, monkeypatch: pytest.MonkeyPatch
):
    inbound_id = await put_aside()
    in_no_time = functools.partial(MailReader, longest_parse_s=0.0)
    monkeypatch.setattr("modules.email.parsing.reader.MailReader", in_no_time)
    with pytest.raises(Refuse, match="still cannot be read"):
        await retry(config, inbound_id)
    assert (await state(config, inbound_id))[0] is InboxState.QUARANTINED
    assert await new_items(config) == []


@pytest.mark.parametrize(
    ("raw", "why"),
    [(b"", NOT_GIVEN), (b"Subject: Huge\r\n\r\n", in_own_words("the mail has 99 bytes, too many to be read"))],
)
async def test_a_mail_of_which_not_all_was_had_is_asked_for_anew(
    config: Path, put_aside: DeadLetter, raw: bytes, why: Reason
):
    inbound_id = await put_aside(raw, why, cut=bool(raw))
    assert "fetches it at its next look" in await retry(config, inbound_id)
    wanted = await with_store(config, lambda c: cursors.get(c, "mail.bot.butler@home.example.again"))
    assert json.loads(wanted or "") == [[3, 7]]
    assert (await state(config, inbound_id))[0] is InboxState.IGNORED


async def test_what_was_stored_and_is_damaged_is_told(config: Path, put_aside: DeadLetter):
    inbound_id = await put_aside()
    for digest in blobs(config).digests():
        (config.parent / "data" / "blobs" / digest[:2] / digest).write_bytes(b"")
    with pytest.raises(Refuse, match="damaged or gone"):
        await retry(config, inbound_id)


async def test_an_id_that_fits_several_or_none_is_refused(config: Path, put_aside: DeadLetter):
    await put_aside()
    with pytest.raises(Refuse, match="no mail 'zz'"):
        await retry(config, "zz")
    with pytest.raises(Refuse, match="no mail ''"):
        await retry(config, "")
