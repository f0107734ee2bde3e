"""The daemon starts with whatever contracts there are: what is broken is not used, and the rest lives."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import MappingProxyType

import pytest

from butler import app, background_tasks
from butler.adapters.catalogue import Catalogue
from butler.app import build
from butler.logs import Redactor
from butler.metrics import Metrics
from butler.store.open import open_store
from butler.store.queries import run_records
from butler.store.store import Store
from config.load import load
from tests.adapters.contracts.harness import ADAPTER, OPERATIONS, Harness, Local, SearchArgs
from tests.support.context import TurnedClock

CONFIG = """
[butler]
data_dir = "data"
[owner]
telegram_user_id = 42
[modules.telegram.bot]
provider = "telegram_bot_api"
token_env = "BUTLER_TELEGRAM_TOKEN"
[modules.qdrant.bot]
url = "http://127.0.0.1:1"
key_env = ""
"""


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = open_store("sqlite:///butler.db", data_dir=tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BUTLER_TELEGRAM_TOKEN", "1:a-token")
    path = tmp_path / "butler.toml"
    path.write_text(CONFIG)
    return path


async def built(config: Path, store: Store) -> app.App:
    return await build(load(config), store, clock=TurnedClock(), redactor=Redactor(), metrics=Metrics(None, None))


def of_qdrant(wired: app.App) -> list[str]:
    return [spec.tool_name for spec in wired.registry.specs() if spec.channel == "qdrant"]


async def test_an_adapter_as_it_was_locked_is_used(config, store):
    wired = await built(config, store)
    assert of_qdrant(wired) == sorted(f"bot_qdrant_{name}" for name in OPERATIONS)
    assert await store.read(lambda connection: run_records.newest(connection, 10)) == []


async def test_a_broken_contract_costs_its_own_tools_and_not_the_daemon(config, store, monkeypatch):
    broken = Catalogue(broken=MappingProxyType({ADAPTER: "the contract was changed"}))

    class Broken:
        def current(self) -> Catalogue:
            return broken

    monkeypatch.setattr("butler.adapters.gatekeeper.WatchedCatalogue", Broken)
    wired = await built(config, store)
    assert of_qdrant(wired) == []
    assert "bot_notes_remember" in [spec.tool_name for spec in wired.registry.specs()]
    records = await store.read(lambda connection: run_records.newest(connection, 10))
    assert {record.tool for record in records} == {f"bot_qdrant_{name}" for name in OPERATIONS}
    assert {record.gate for record in records} == {"5 contract_frozen"}


class Holding:
    """A module with these integrations."""

    def __init__(self, *integrations: Local) -> None:
        self._integrations = integrations

    def integrations(self) -> tuple[Local, ...]:
        return self._integrations


class Told:
    """What the owner was told, by key."""

    def __init__(self) -> None:
        self.sentences: dict[str, str] = {}

    async def tell(self, key: str, sentence: str) -> None:
        self.sentences[key] = sentence


async def test_methods_that_are_not_as_they_were_locked_are_told_at_the_start(harness: Harness, monkeypatch):
    monkeypatch.setattr(background_tasks, "Files", lambda: harness.files)
    same, told = Local(*OPERATIONS.values()), Told()
    await background_tasks.tell_redefined([Holding(same)], told.tell)
    assert told.sentences == {}
    harness.change("upsert", args=SearchArgs)
    await background_tasks.tell_redefined([Holding(same), Holding(Local(*harness.ops.values()))], told.tell)
    assert told.sentences == {"methods_redefined": "Parts of me are not as they were locked: qdrant.points.upsert.v1"}


async def test_a_lock_that_cannot_be_read_ends_no_daemon(harness: Harness, monkeypatch):
    monkeypatch.setattr(background_tasks, "Files", lambda: harness.files)
    harness.files.lock.write_text("{")
    told = Told()
    async with asyncio.timeout(60):
        await background_tasks.tell_redefined([Holding(Local(*OPERATIONS.values()))], told.tell)
    assert told.sentences == {}
