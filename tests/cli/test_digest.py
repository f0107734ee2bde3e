"""`butler digest --preview`: a digest as `/digest` would tell it now, beside a running daemon."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from butler.home_zone import Stay, note_stay
from butler.store.open import open_store
from butler.store.queries import cursors, digests, reminders
from butler.store.store import Store
from tests.support.schedules import once_at

NOW = datetime(2026, 3, 5, 9, tzinfo=UTC)


@pytest.fixture
def store() -> Iterator[Store]:
    Path("butler.toml").write_text('[butler]\ntimezone = "Europe/Berlin"\n\n[modules.calendar]\n')
    Path("data").mkdir(mode=0o700)
    store = open_store("sqlite:///butler.db", data_dir=Path("data"))
    yield store
    store.engine.dispose()


async def test_it_reads_as_in_the_chat_where_the_person_is_and_notes_nothing(butler, store: Store) -> None:
    for number in range(4):
        rule = once_at(NOW + timedelta(hours=1 + number), "Europe/Berlin")
        await store.write(lambda c, n=number, rule=rule: reminders.add(c, f"r{n}", f"thing {n}", rule, now=NOW))
    said = (await butler("digest", "--preview", "--now", NOW.isoformat())).stdout
    assert "Good morning. Thursday 5 March 2026" in said
    assert "I have not read your calendar yet." in said
    assert "⏰ 4 reminders\n• 11:00 thing 0" in said
    assert "thing 3" in said
    await store.write(lambda c: digests.wish(c, NOW, brief=True))
    await store.write(lambda c: note_stay(c, NOW, Stay("Asia/Tokyo", "Europe/Berlin")))
    await store.write(lambda c: cursors.put(c, "calendar.user.main", "{}", NOW))
    said = (await butler("digest", "--preview", "--now", NOW.isoformat())).stdout
    assert "Good evening. Tomorrow, Friday 6 March 2026" in said
    assert "calendar yet" not in said
    assert await store.read(digests.last_sent_at) is None
    said = (await butler("digest", "--preview", "--now", "2026-03-05T13:00")).stdout
    assert "⏰ 4 reminders\n• 19:00 thing 0\n• 20:00 thing 1\n… and 2 more" in said


async def test_without_the_word_or_with_a_time_that_is_none_it_says_what_is_missing(butler, store: Store) -> None:
    assert (await butler("digest")).exit_code == 2
    result = await butler("digest", "--preview", "--now", "tomorrow")
    assert result.exit_code == 2
    assert "write --now in ISO 8601" in result.output
