"""Builds all agents.

Nothing heavy is loaded before its first use.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from butler.agents.connector.connector import FetchingConnector
from butler.agents.connector.local import LocalFetcher
from butler.agents.connector.web import WebFetcher
from butler.agents.connector.workspace import Workspace
from butler.agents.embedding.e5 import MultilingualE5
from butler.agents.embedding.embedder import Embedder
from butler.agents.llm import Llm
from butler.agents.memory.agent import LibraryMemory
from butler.agents.parser.parser import DocumentParser
from butler.agents.reader.factory import make_reader
from butler.agents.reader.port import Reader
from butler.agents.reading import AgentReader
from butler.agents.redacting import Redact, as_it_is
from butler.agents.tailor.factory import make_tailor
from butler.agents.tailor.port import Tailor
from butler.agents.voice.listener import make_listener
from butler.agents.voice.port import Listener
from butler.contract.ports import BlobStore, Clock, Vault
from butler.guardrails.agent import Guardrails
from butler.guardrails.redaction import redact
from butler.store.store import Store
from config.load import Loaded


@dataclass(frozen=True, slots=True)
class AgentServices:
    """The agents that modules and the orchestrator work with."""

    guard: Guardrails
    workspace: Workspace
    connector: FetchingConnector
    parser: DocumentParser
    documents: AgentReader
    embedder: Embedder
    memory: LibraryMemory
    listener: Listener
    redact: Redact

    async def embed(self, texts: Sequence[str], *, query: bool) -> list[list[float]]:
        """Implement `Embed` in a thread, because it computes."""
        vectors = await asyncio.to_thread(self.embedder.embed, texts, query=query)
        return vectors.tolist()

    async def stop(self) -> None:
        """End the agents' processes and release their files."""
        await self.parser.stop()
        await self.memory.stop()

    def make_tailor(self, llm: Llm | None) -> Tailor:
        """Make the tailor: a model that a program checks, or quotes from the sources if there is no model."""
        return make_tailor(llm, redact=self.redact)

    def make_reader(self, llm: Llm | None) -> Reader:
        """Make the reader: a model that points at the values, or rules alone."""
        return make_reader(llm, redact=self.redact)


def make_agents(loaded: Loaded, store: Store, clock: Clock, blobs: BlobStore, vault: Vault) -> AgentServices:
    """Build all agents. Raise `ConfigError` for invalid settings."""
    settings = loaded.settings
    workspace = Workspace(loaded.data_dir / "workspace")
    connector = FetchingConnector(settings.connector, workspace)
    local = LocalFetcher(settings.connector, _never(loaded))
    connector.add((WebFetcher(settings.connector, vault), local))
    parser = DocumentParser(settings.documents)
    embedder, guard = MultilingualE5(), Guardrails(settings.guardrails)
    return AgentServices(
        guard=guard,
        workspace=workspace,
        connector=connector,
        parser=parser,
        documents=AgentReader(connector, parser, blobs, clock, workspace, local, guard),
        embedder=embedder,
        memory=LibraryMemory(store, clock, loaded.data_dir / "memory", settings.memory, embedder),
        listener=make_listener(settings.voice, loaded.secrets.get(settings.voice.api_key_env, "")),
        redact=redact if settings.guardrails.redact_models else as_it_is,
    )


def _never(loaded: Loaded) -> tuple[Path, ...]:
    """Return the paths that are never read on request, even within `roots`: Butler's rows, settings and secrets."""
    home, butler = loaded.path.resolve().parent, loaded.settings.butler
    return (loaded.data_dir, loaded.path.resolve(), home / butler.secrets_file, home / butler.key_file)
