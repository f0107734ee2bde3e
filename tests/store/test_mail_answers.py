"""An automatic answer is counted once, and how far it came is known after a restart."""

from datetime import UTC, datetime

from butler.repositories import StoreAnswers
from butler.store.queries import mail_answers
from butler.store.queries.mail_answers import Caps
from butler.store.store import Store
from tests.support.context import FixedOwner, TurnedClock

NOW = datetime(2026, 7, 30, 12, tzinfo=UTC)
ANNA, THREAD = "anna@friends.example", "mail:<root@friends.example>"


async def test_an_answers_notes_outlive_the_process(store: Store) -> None:
    book = StoreAnswers(store, TurnedClock(), FixedOwner())
    assert await book.note("k", ANNA, THREAD) == ""
    progress = await book.progress("k")
    assert progress.stored == {}
    await progress.save(stage="data", copy="abc")
    await progress.save(stage="accepted")
    later = await StoreAnswers(store, TurnedClock(), FixedOwner()).progress("k")
    assert later.stored == progress.stored == {"stage": "accepted", "copy": "abc"}


async def test_sm_04_the_same_answer_counts_once_and_the_next_one_is_refused(store: Store) -> None:
    caps = Caps(thread=1, correspondent=3, domain=10)

    async def noted(key: str, thread: str = THREAD) -> str:
        return await store.write(
            lambda c: mail_answers.note(c, key, correspondent=ANNA, thread=thread, caps=caps, now=NOW)
        )

    assert await noted("k") == ""
    assert await noted("k") == ""
    assert await noted("other") == "this conversation had 1 automatic answer within a day, which is as many as may be"
