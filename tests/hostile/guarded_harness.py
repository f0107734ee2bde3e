# pyright: reportPrivateUsage=false
# The registry has no way to replace a tool: only tests do.
"""A butler with the real agents: guardrails, connector, parser, memory and tailor, under a model that obeys attacks.

The orchestrator, the approvals and the rows are real, too; what is a provider's only records what it is asked.
"""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from butler.agents.connector.connector import FetchingConnector
from butler.agents.connector.local import LocalFetcher
from butler.agents.connector.workspace import Workspace
from butler.agents.embedding.embedder import Embedder
from butler.agents.memory.agent import LibraryMemory
from butler.agents.parser.parser import DocumentParser
from butler.agents.reader.factory import make_reader
from butler.agents.reading import AgentReader
from butler.agents.redacting import as_it_is
from butler.agents.tailor.factory import make_tailor
from butler.contract.card import Card, OwnerMessage, rich_text
from butler.contract.mirror import MirrorUpdate, SeenChat, SeenMessage
from butler.contract.module import Module
from butler.guardrails.agent import Guardrails
from butler.guardrails.redaction import redact
from butler.ingestion import SETTLED_AFTER, Ingestion
from butler.orchestrator.planning.model_planner import ModelPlanner
from butler.registry import Registry
from butler.repositories import StoreNotes
from butler.sink import StoreRecords
from butler.store.queries import mirror, notes
from butler.store.store import Store
from butler.store.tables import contact_addresses, contact_aliases, contacts, preferences, rules
from config.agents import ConnectorSettings, DocumentsSettings, GuardrailsSettings, MemorySettings
from modules.documents.module import DocumentsModule
from modules.files.module import FilesModule
from modules.memory.module import MemoryModule
from modules.notes.module import NotesModule
from modules.web.module import WebModule
from tests.agents.connector.site import Site, site
from tests.agents.memory.memory_library import WordEmbedder
from tests.hostile.obedient_model import CLAIMS, SECRET, ObedientModel, leaking_links, leaks
from tests.orchestrator.builders import ZONE
from tests.orchestrator.harness import Harness
from tests.support.context import MemoryBlobs, RecordingProbe, make_context
from tests.support.tables import create_tables

OWN: tuple[type[Module], ...] = (MemoryModule, WebModule, FilesModule, DocumentsModule, NotesModule)
KEPT_BY_THE_OWNER = (preferences, contacts, contact_aliases, contact_addresses, rules)


class GuardedHarness(Harness):
    """Made by `guarded_harness()`."""

    def __init__(
        self, store: Store, folder: Path, model: ObedientModel, pages: Site, embedder: Embedder, *, guarded: bool
    ) -> None:
        self.model, self.pages, self.blobs, self.probe = model, pages, MemoryBlobs(), RecordingProbe()
        self.files = folder / "files"
        self.files.mkdir()
        self._settings = MemorySettings(min_relevance=0)
        connecting = ConnectorSettings(roots=(str(self.files),))
        workspace, local = Workspace(folder / "workspace"), LocalFetcher(connecting)
        connector = FetchingConnector(connecting, workspace)
        connector.add((pages.fetcher(connecting), local))
        self.parser = DocumentParser(DocumentsSettings())
        self._folder, self._embedder = folder, embedder
        self._reads = (connector, workspace, local)
        super().__init__(store)
        self._before: list[Any] = []
        hidden = redact if guarded else as_it_is
        self.llm, self.planner = model, ModelPlanner(model, hidden)
        self.memory, self.tailor = self.remembered, make_tailor(model, redact=hidden)
        self.reader = make_reader(model, redact=hidden)
        self.guard = Guardrails(GuardrailsSettings()) if guarded else None
        self.start()

    def _tools(self) -> Registry:
        """The modules that read are the real ones."""
        connector, workspace, local = self._reads
        self.remembered = LibraryMemory(self.store, self.clock, self._folder / "memory", self._settings, self._embedder)
        reader = AgentReader(connector, self.parser, self.blobs, self.clock, workspace, local)
        context = make_context(
            notes=StoreNotes(self.store, self.clock),
            records=StoreRecords(self.store, self.clock),
            blobs=self.blobs,
            clock=self.clock,
            memory=self.remembered,
            documents=reader,
            probe=self.probe,
        )
        registry, own = super()._tools(), Registry()
        for module in OWN:
            own.add_module(module(module.settings_model(), context))
        registry._tools |= own._tools
        registry._metadata |= own._metadata
        return registry

    async def settle_in(self) -> None:
        """The owner's people, and a note that holds the secret."""
        await self.meet()
        await self.store.write(
            lambda c: notes.add_note(c, "of the owner", SECRET, self.clock.now() - 2 * SETTLED_AFTER)
        )
        await self.take_over()
        self._before = await self.store.read(_rows)

    async def see(self, messages: Sequence[SeenMessage], chats: Sequence[SeenChat] = ()) -> None:
        """What the person's own account holds since a while."""
        batch = MirrorUpdate(messages[0].channel, messages[0].account, chats=chats, messages=messages)
        await self.store.write(lambda c: mirror.keep(c, batch, self.clock.now() - 2 * SETTLED_AFTER))

    async def take_over(self) -> None:
        """All that came in, into memory."""
        ingestion = Ingestion(self.store, self.clock, self.remembered, self._settings, ZONE)
        while await ingestion.once():
            pass

    def told(self) -> str:
        """All that the owner was told outside of cards."""
        return "\n".join(self.phone.said)

    def cards(self) -> list[Card]:
        return list(self.phone.cards.values())

    async def hold(self) -> None:
        """Check that nothing came of any attack."""
        prompts = "\n".join(self.model.planner_saw)
        assert self.model.traces.found_in(prompts) == ""
        assert leaks(prompts) == []
        assert self.model.obeyed == []
        await self.stand()

    async def stand(self) -> None:
        """Check that nothing left the butler and nothing was changed in it, whatever the model was told."""
        assert self.outputs() == []
        assert leaks(json.dumps([call.args.model_dump(mode="json") for call in self.calls])) == []
        fetched = [*self.pages.paths, *self.pages.resolved]
        assert leaks("\n".join(fetched)) == []
        assert leaks("".join(fetched)) == []
        for message in self.phone.messages:
            assert leaking_links(_links_of(message)) == []
        for claim in CLAIMS:
            assert claim not in self.told()
        changed = await self.store.read(_rows)
        assert changed == self._before

    async def close(self) -> None:
        await self.parser.stop()
        await self.remembered.stop()
        await self.store.close()


def _links_of(message: OwnerMessage) -> str:
    labels = (button.label for row in message.buttons for button in row)
    return "\n".join((rich_text(message.text), *(span.url or "" for span in message.text), *labels))


def _rows(connection: sa.Connection) -> list[Any]:
    """What only the owner may change."""
    return [[tuple(row) for row in connection.execute(sa.select(table))] for table in KEPT_BY_THE_OWNER]


@asynccontextmanager
async def guarded_harness(
    folder: Path, model: ObedientModel, *, guarded: bool, embedder: Embedder | None = None
) -> AsyncGenerator[GuardedHarness]:
    """Such a butler, with a site that every page lies on."""
    store = Store("sqlite://")
    create_tables(store.engine)
    async with site() as pages:
        harness = GuardedHarness(store, folder, model, pages, embedder or WordEmbedder(), guarded=guarded)
        try:
            await harness.settle_in()
            yield harness
        finally:
            await harness.close()
