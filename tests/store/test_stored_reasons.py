"""Why a row failed, was kept or was refused is stored as codes with their values, on every database."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
import sqlalchemy as sa

from approvals.reason_words import details_in_words
from butler.contract.card import OwnerMessage, plain
from butler.contract.errors import ChatClosedError, Refuse
from butler.contract.hooks import StoredHook
from butler.contract.reasons import Reason, ReasonCode, of_error, of_exception, reason
from butler.contract.speech import speak
from butler.store.errors import StoreFullError
from butler.store.queries import firings, hooks, outbox, work
from butler.store.queries.firings import FiringKind, FiringNote
from butler.store.queries.hooks import HookState
from butler.store.store import Store
from config.language import OwnerLanguage

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
FULL = {"code": "error", "params": {"error": "The disk is full.", "detail": "12 MB left"}}
MESSAGE = OwnerMessage(text=plain("Good morning"))


async def stored(store: Store, table: str, column: str) -> list[list[dict[str, Any]]]:
    """Return what the database itself holds, in the order of its values."""
    query = sa.text(f"select {column} from {table} order by {column}")
    return [json.loads(text) for text in await store.read(lambda c: list(c.execute(query).scalars())) if text]


async def test_the_last_error_of_work_is_a_code_and_a_foreign_one_is_only_its_kind(store: Store) -> None:
    first, second = await store.write(lambda c: [work.add(c, "look", subject, now=NOW) for subject in "ab"])
    await store.write(lambda c: work.again(c, first, NOW, of_exception(StoreFullError("12 MB left"))))
    await store.write(lambda c: work.fail(c, second, of_exception(KeyError("what somebody wrote"))))
    kind = {"code": "fault", "params": {"kind": "KeyError"}}
    assert await stored(store, "work", "last_error") == [[FULL], [kind]]


async def test_a_message_that_is_not_sent_says_by_a_code_why(store: Store) -> None:
    closed, refused = of_error(ChatClosedError("Forbidden")), of_error(Refuse("too long"))

    def fill(connection: sa.Connection) -> None:
        outbox.add_kept(connection, "telegram:42", MESSAGE, closed, now=NOW)
        ids = [outbox.add(connection, "telegram:42", MESSAGE, now=NOW) or "" for _ in range(2)]
        outbox.refused(connection, ids[0], refused, NOW)
        outbox.mark_merged(connection, ids[1], "other", NOW)

    await store.write(fill)
    found = [one for (one,) in await stored(store, "outbox", "detail")]
    assert {one["code"] for one in found} == {"error", "merged_into"}
    assert {"code": "merged_into", "params": {"message": "other"}} in found


@pytest.mark.parametrize(
    ("why", "english", "german"),
    [
        (
            reason(ReasonCode.HOOK_NOT_SET_UP),
            "its webhook is not set up any more",
            "sein Webhook ist nicht mehr eingerichtet",
        ),
        (of_error(StoreFullError("12 MB left")), "The disk is full: 12 MB left", "Die Festplatte ist voll: 12 MB left"),
    ],
)
async def test_an_old_row_of_a_webhook_is_worded_in_the_language_of_the_day(
    store: Store, why: Reason, english: str, german: str
) -> None:
    hook = StoredHook("h1", "bell", {}, b"ring", NOW)
    await store.write(lambda c: hooks.add(c, hook, "key", "198.51.100.7", NOW))
    await store.write(lambda c: hooks.settle(c, "h1", HookState.REFUSED, NOW, (why,)))
    row = await store.read(lambda c: hooks.get(c, "h1"))
    assert row is not None
    assert row.detail == (why,)
    assert details_in_words(row.detail) == english
    speak(OwnerLanguage.GERMAN)
    try:
        assert details_in_words(row.detail) == german
    finally:
        speak(OwnerLanguage.ENGLISH)


async def test_a_firing_is_found_by_its_note(store: Store) -> None:
    def fire(connection: sa.Connection) -> list[bool]:
        firings.fire(connection, FiringKind.DIGEST, "morning", NOW, NOW, note=FiringNote.MISSED)
        notes = (FiringNote.MISSED, FiringNote.NEXT_IS_NEAR)
        return [firings.noted_since(connection, FiringKind.DIGEST, "morning", note, NOW) for note in notes]

    assert await store.write(fire) == [True, False]
