"""Cards that a Butler before rules and digests has left in the chat are answered as they were."""

import json
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from approvals.frozen import freeze, sha256
from approvals.revise import Change, Put, Revised
from approvals.states import State
from butler.store import migrate
from butler.store.connect import make_engine, resolve_url, writer_of
from butler.store.open import create, open_store
from butler.store.queries import audit
from tests.approvals.house import House
from tests.approvals.phone import NOON, OWNER
from tests.approvals.providers import ANNA, OWN_WORDS, SEND, Invoker, Provider, SendArgs

URL = "sqlite:///butler.db"
MICROSECONDS = 1_000_000
AT = int(NOON.timestamp()) * MICROSECONDS


def old_rows(path: Path, state: str, verbs: tuple[str, ...]) -> None:
    """A store as the first version left it, with one approval whose card has these buttons."""
    engine = make_engine(resolve_url(URL, path))
    with writer_of(engine).begin() as connection:
        create(connection)
        migrate.downgrade(connection, "0001")
    engine.dispose()
    frozen = freeze(Invoker(Provider()).spec(SEND), SendArgs(to=(ANNA,), text="I'll be late"))
    refs = [{"revision": 1, "message": {"chat": OWNER, "message_ids": ["7"]}}]
    row = {
        "approval_id": "old", "revision": 1, "state": state, "tool": SEND, "identity": "user", "account": "",
        "args": frozen.args, "args_sha256": frozen.args_sha256, "contract_digest": frozen.contract_digest,
        "labels": json.dumps({"to": [], "text": []}), "reasons": json.dumps(["acts as you"]), "chat": OWNER,
        "requested_by": "in-1", "call_id": "c", "card_refs": json.dumps(refs), "created_at": AT,
        "expires_at": AT + 48 * 3600 * MICROSECONDS,
    }  # fmt: skip
    if state == State.APPROVED:
        row |= {"decided_at": AT, "decided_by": OWNER, "execute_at": AT + 10 * MICROSECONDS}
    with closing(sqlite3.connect(path / "butler.db")) as plain, plain:
        columns = {name for _, name, *_ in plain.execute("PRAGMA table_info(approvals)")}
        assert set(row) <= columns
        plain.execute(f"INSERT INTO approvals ({','.join(row)}) VALUES ({','.join('?' * len(row))})", [*row.values()])
        for verb in verbs:
            plain.execute(
                "INSERT INTO buttons (nonce_sha256, approval_id, revision, verb, owner, chat, created_at)"
                " VALUES (?, 'old', 1, ?, ?, ?, ?)",
                (sha256(f"nonce-{verb}"), verb, OWNER, OWNER, AT),
            )


@asynccontextmanager
async def upgraded(path: Path) -> AsyncGenerator[House]:
    store = open_store(URL, data_dir=path)
    yield House(store)
    await store.close()


@pytest.mark.parametrize(
    ("state", "verb", "after"),
    [
        ("pending", "approve", State.DONE),
        ("pending", "deny", State.DENIED),
        ("approved", "undo", State.CANCELLED),
        ("unknown", "mark_done", State.DONE),
    ],
)
async def test_a_tap_on_a_card_from_before_the_upgrade_counts(
    tmp_path: Path, state: str, verb: str, after: State
) -> None:
    old_rows(tmp_path, state, (verb,))
    async with upgraded(tmp_path) as house:
        await house.know("Anna", ANNA)
        answer = await house.approvals.decide(house.tap_of(f"a:nonce-{verb}"))
        assert answer.tapped == "decided", answer
        await house.after_undo_window()
        row = await house.row("old")
        assert row.state == after, row.detail
        assert len(house.provider.effects) == (verb == "approve")
        again = await house.approvals.decide(house.tap_of(f"a:nonce-{verb}"))
        assert again.tapped == "too late"
        assert await house.store.read(audit.verify) is None


async def test_a_card_from_before_the_upgrade_is_changed_by_its_owner(tmp_path: Path) -> None:
    old_rows(tmp_path, "pending", ("approve",))
    async with upgraded(tmp_path) as house:
        await house.know("Anna", ANNA)
        change = Change("in-2", text=Put("Later", OWN_WORDS))
        done = await house.write(lambda c: house.approvals.revise(c, "old", 1, change, house.clock.now()))
        assert isinstance(done, Revised)
        await house.run()
        answer = await house.approvals.decide(house.tap_of("a:nonce-approve"))
        assert answer.tapped == "stale"
        await house.tap("Approve", house.channel.cards["100"])
        await house.after_undo_window()
        assert [call.args.text for call in house.provider.effects] == ["Later"]
