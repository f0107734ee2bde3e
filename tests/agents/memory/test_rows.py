"""The named queries over `memory_sources`, the same on every database."""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from butler.contract.agent_ports import MemoryKind
from butler.contract.agents import PlanStep
from butler.contract.card import OwnerMessage, plain
from butler.contract.provenance import Origin, Trust
from butler.store.queries import forgotten, outbox, plans
from butler.store.queries import memory as rows
from butler.store.queries.memory import SourceState
from butler.store.store import Store
from tests.agents.memory.memory_library import document

NOW = datetime(2026, 7, 30, 12, 0, tzinfo=UTC)
MAIL = (Origin(trust=Trust.UNTRUSTED, source="mail:1"),)


async def test_a_source_goes_through_its_states(store: Store):
    given = document("mail:1", "x", title="Grüße \x00", kind=MemoryKind.MAIL, at=NOW, origins=MAIL, url="https://x")
    await store.write(lambda c: rows.begin(c, given, "d1", NOW))
    row = (await store.read(lambda c: rows.get(c, ["mail:1", "mail:2"])))["mail:1"]
    assert (row.state, row.title, row.origins, row.at, row.chunks) == (SourceState.WRITING, "Grüße ", MAIL, NOW, 1)
    assert await store.read(rows.count) == 0
    assert not await store.write(lambda c: rows.settle(c, "mail:1", "another"))
    assert await store.write(lambda c: rows.settle(c, "mail:1", "d1"))
    assert await store.read(rows.standing) == [("mail:1", "d1", SourceState.KEPT, 1)]
    assert await store.write(lambda c: rows.leave(c, ["mail:1", "mail:2"], SourceState.FORGETTING)) == 1
    assert await store.read(rows.count) == 0
    await store.write(lambda c: rows.mark_removed(c, ["mail:1"]))
    row = (await store.read(lambda c: rows.get(c, ["mail:1"])))["mail:1"]
    assert (row.state, row.title, row.url, row.at, row.digest) == (SourceState.FORGOTTEN, "", None, None, "")
    assert await store.read(rows.standing) == []


async def test_sources_are_searched_by_kind_words_and_time(store: Store):
    for number, (kind, title) in enumerate([("mail", "ÄRGER im Haus"), ("note", "Haus"), ("mail", "Garten")]):
        given = document(f"s{number}", "x", title=title, kind=MemoryKind(kind), at=NOW + timedelta(number))
        await store.write(lambda c, given=given: rows.begin(c, given, "d", NOW))
        await store.write(lambda c, given=given: rows.settle(c, given.source_id, "d"))

    async def found(**query: object) -> list[str]:
        wanted = rows.Wanted(**{name: value for name, value in query.items() if name != "limit"})  # type: ignore[arg-type]
        limit = query.get("limit", 10)
        return [one.source_id for one in await store.read(lambda c: rows.search(c, wanted, limit))]  # type: ignore[arg-type]

    assert await found() == ["s2", "s1", "s0"]
    assert await found(words="ärger haus") == ["s0"]
    assert await found(kind=MemoryKind.MAIL, limit=1) == ["s2"]
    assert await found(since=NOW + timedelta(1)) == ["s2", "s1"]


async def test_what_is_forgotten_goes_from_results_and_answers(store: Store):
    text = "the zeppelin lands behind the old quarry"

    def write(connection: sa.Connection) -> None:
        step = PlanStep(step_id=1, description="Look", tool_call="bot_memory_search")
        plans.add(connection, "p1", session_id="telegram:42", inbound_id="in-1", steps=[step], now=NOW)
        plans.step_ended(connection, "p1", 1, ok=True, outcome={"ok": True, "data": {"text": f"Ü {text}"}})
        outbox.add(connection, "telegram:42", OwnerMessage(text=plain("Retold")), now=NOW, dedup_key="p1")
        forgotten.scrub(connection, {"mail:1": [text.title()]})

    await store.write(write)
    row = await store.read(lambda c: plans.get(c, "p1"))
    assert row
    assert row.steps[0].outcome == {"ok": True, "data": {"text": ""}}
    message = await store.read(lambda c: outbox.by_key(c, "p1"))
    assert message == OwnerMessage(text=plain(forgotten.FORGOTTEN))
