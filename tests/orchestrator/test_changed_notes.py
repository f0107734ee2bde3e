"""A note that is given another text, up to what memory then knows of it."""

from butler.orchestrator.planning.plan_types import Command
from butler.store.queries import notes
from butler.store.queries.memory_feeds import notes_to_come
from tests.orchestrator.harness import NOTE, Harness, planned, step

CHANGE = "bot_notes_change"


async def test_a_note_that_was_just_made_is_changed_by_its_handle(harness: Harness) -> None:
    await harness.say("note milk and bread", planned(step(1, NOTE, text="Shopping: milk, bread")))
    await harness.say("and butter", planned(step(1, CHANGE, note_id={"handle": "note-1"}, text="Shopping: all three")))
    assert harness.phone.said[-1] == "📝 Noted: Shopping: all three"
    assert [note.text for note in harness.notes.notes.values()] == ["Shopping: all three"]
    await harness.say("help", Command.HELP)
    assert 'bot_notes_change {"note_id": "note-1", "text": "Shopping: all three"} -> note-1' in (
        harness.script.requests[-1].history[-1].content
    )


async def test_a_note_that_is_gone_is_told(harness: Harness) -> None:
    await harness.say("note milk", planned(step(1, NOTE, text="milk")))
    harness.notes.notes.clear()
    await harness.say("and butter", planned(step(1, CHANGE, note_id={"handle": "note-1"}, text="butter")))
    assert "that note is not there any more" in harness.phone.said[-1]


async def test_memory_takes_a_changed_note_over_again(harness: Harness) -> None:
    now = harness.clock.now()
    kept = await harness.store.write(lambda c: notes.add_note(c, "call-1", "milk", now))
    changed = await harness.store.write(lambda c: notes.change_note(c, kept.note_id, "butter", now.replace(hour=23)))
    assert changed == kept.model_copy(update={"text": "butter", "created_at": now.replace(hour=23)})
    come = await harness.store.read(lambda c: notes_to_come(c, now=now.replace(hour=23), limit=5))
    assert [one.text for one in come] == ["butter"]
    assert await harness.store.write(lambda c: notes.change_note(c, "nobody", "x", now)) is None
