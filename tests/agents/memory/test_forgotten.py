"""What is forgotten goes from every row that took it over; that something was done stays."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from butler.agents.memory.agent import LibraryMemory
from butler.contract.agent_ports import MemoryKind
from butler.contract.agents import PlanStep
from butler.contract.card import OwnerMessage, plain, rich_text
from butler.contract.speech import say
from butler.store.conversation import ConversationState
from butler.store.queries import conversations, forgotten, notes, outbox, plans, progress
from butler.store.store import Store
from butler.store.tables import notes as notes_table
from tests.agents.memory.memory_library import document

NOW = datetime(2026, 7, 30, 12, 0, tzinfo=UTC)
SECRET = "The zeppelin lands behind the old quarry on the ninth of September"
OTHER = "The harbour ferry leaves at noon on every second Sunday of the month"


def chunk(source_id: str, text: str) -> dict[str, Any]:
    return {
        "chunk_id": f"{source_id}#0",
        "content": text,
        "source_id": source_id,
        "source_url": None,
        "relevance_score": 0.9,
        "metadata": {},
        "title": "A title",
    }


async def planned(store: Store, plan_id: str, said: str, *outcomes: Mapping[str, Any]) -> None:
    """A plan that has ended, with its answer in the outbox."""
    steps = [
        PlanStep(step_id=n, description="Look", tool_call="bot_memory_search") for n in range(1, len(outcomes) + 1)
    ]

    def write(connection: sa.Connection) -> None:
        plans.add(connection, plan_id, session_id="telegram:42", inbound_id=f"in-{plan_id}", steps=steps, now=NOW)
        for number, outcome in enumerate(outcomes, 1):
            plans.step_ended(connection, plan_id, number, ok=True, outcome=outcome)
        outbox.add(connection, "telegram:42", OwnerMessage(text=plain(said)), now=NOW, dedup_key=plan_id)

    await store.write(write)


def holding(folder: Path, *texts: bytes) -> list[Path]:
    """The files in which one of these stands, byte for byte."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path for path in files if any(text in path.read_bytes() for text in texts)]


async def outcomes(store: Store, plan_id: str) -> Sequence[Any]:
    row = await store.read(lambda c: plans.get(c, plan_id))
    assert row
    return [step.outcome for step in row.steps]


async def answer(store: Store, key: str) -> str:
    message = await store.read(lambda c: outbox.by_key(c, key))
    assert message
    return rich_text(message.text)


async def test_what_is_forgotten_stands_nowhere_in_the_database_any_more(
    memory: LibraryMemory, lasting_store: Store, tmp_path: Path
):
    await memory.add(document("mail:1", SECRET, kind=MemoryKind.MAIL, title="Landing of the zeppelin"))
    found = {"ok": True, "data": {"results": [chunk("mail:1", SECRET), chunk("mail:2", OTHER)], "question": "when"}}
    read = {"ok": True, "data": {"text": f"> {SECRET}\n> Yours", "subject": "Hello"}}
    await planned(lasting_store, "p1", f"Landing says: “{SECRET}”", found, read)
    await planned(
        lasting_store, "p2", "Retold in words of its own", {"ok": True, "data": {"document": chunk("mail:1", SECRET)}}
    )
    await planned(lasting_store, "p3", OTHER, {"ok": True, "data": {"results": [chunk("mail:2", OTHER)]}})

    def talk(state: ConversationState) -> None:
        state.add_message("user", "when does it land", timestamp=NOW)
        state.add_message("assistant", "Found source-1.", timestamp=NOW)
        kept = ConversationState.model_validate(
            {"session_id": "x", "accumulated_context": [chunk("mail:1", SECRET), chunk("mail:2", OTHER)]}
        )
        state.accumulated_context = kept.accumulated_context

    await lasting_store.write(lambda c: conversations.update(c, "telegram:42", talk, NOW))
    assert await memory.forget(["mail:1"]) == 1

    first, second = await outcomes(lasting_store, "p1")
    assert [(one["source_id"], one["content"]) for one in first["data"]["results"]] == [
        ("mail:1", ""),
        ("mail:2", OTHER),
    ]
    assert (first["ok"], first["data"]["question"]) == (True, "when")
    assert second["data"] == {"text": "", "subject": "Hello"}
    gone = say(forgotten.FORGOTTEN)
    assert [await answer(lasting_store, key) for key in ("p1", "p2", "p3")] == [gone, gone, OTHER]
    state = await lasting_store.read(lambda c: conversations.load(c, "telegram:42"))
    assert [one.source_id for one in state.accumulated_context] == ["mail:2"]
    assert [one.content for one in state.history] == ["when does it land", "Found source-1."]
    await memory.stop()
    await lasting_store.close()
    assert not holding(tmp_path, b"old quarry", b"Landing of the")


async def test_the_progress_that_became_an_answer_goes_too(memory: LibraryMemory, lasting_store: Store):
    await memory.add(document("mail:1", SECRET, kind=MemoryKind.MAIL))
    await planned(lasting_store, "p1", "Something else", {"ok": True, "data": {"results": [chunk("mail:1", SECRET)]}})
    key = progress.key_of("p1")
    await lasting_store.write(
        lambda c: outbox.add(c, "telegram:42", OwnerMessage(text=plain("Retold")), now=NOW, dedup_key=key)
    )
    await memory.forget(["mail:1"])
    assert await answer(lasting_store, key) == say(forgotten.FORGOTTEN)


async def test_a_note_that_is_forgotten_is_no_note_any_more(memory: LibraryMemory, lasting_store: Store):
    note = await lasting_store.write(lambda c: notes.add_note(c, "call", "gate code 4711", NOW))
    other = await lasting_store.write(lambda c: notes.add_note(c, "call-2", "milk", NOW))
    await memory.add(document(f"note:{note.note_id}", note.text, title=note.text))
    await planned(lasting_store, "p1", "📝 Noted: gate code 4711", {"ok": True, "data": {"text": "gate code 4711"}})
    await memory.forget([f"note:{note.note_id}"])
    assert await lasting_store.read(lambda c: c.execute(sa.select(notes_table.c.note_id)).scalars().all()) == [
        other.note_id
    ]
    assert await outcomes(lasting_store, "p1") == [{"ok": True, "data": {"text": ""}}]
    assert await answer(lasting_store, "p1") == say(forgotten.FORGOTTEN)


async def test_what_only_shares_a_few_words_or_a_name_with_it_stays(memory: LibraryMemory, lasting_store: Store):
    await memory.add(document("chat:1", f"Ben: {SECRET}", kind=MemoryKind.CHAT, title="Ben"))
    said = "Ben says that the zeppelin lands on the ninth of May"
    await planned(lasting_store, "p1", said, {"ok": True, "data": {"title": "Ben", "text": said}})
    await memory.forget(["chat:1"])
    assert await outcomes(lasting_store, "p1") == [{"ok": True, "data": {"title": "Ben", "text": said}}]
    assert await answer(lasting_store, "p1") == said


async def test_what_is_deleted_where_it_came_from_leaves_what_was_answered(memory: LibraryMemory, lasting_store: Store):
    await memory.add(document("mail:1", SECRET, kind=MemoryKind.MAIL))
    await planned(lasting_store, "p1", SECRET, {"ok": True, "data": {"results": [chunk("mail:1", SECRET)]}})
    await memory.drop(["mail:1"])
    assert await answer(lasting_store, "p1") == SECRET


@pytest.mark.parametrize(
    ("stored", "there"),
    [
        ({"text": "zeppelin \n lands behind THE old"}, True),
        ({"text": "a zeppelin, behind the quarry"}, False),
        ({"deep": [{"x": ["> The zeppelin lands behind the old"]}]}, True),
    ],
)
def test_words_in_a_row_are_found_wherever_they_stand(stored: dict[str, Any], there: bool):
    texts = forgotten.ForgottenTexts({"mail:1": [SECRET]})
    assert (forgotten.without(stored, texts) != stored) is there
