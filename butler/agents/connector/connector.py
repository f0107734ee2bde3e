"""The connector agent: passes each source to its fetcher, limits and retries the fetch, and checks the result."""

import asyncio
import hashlib
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import structlog

from butler.agents.connector.failures import locked, not_kept, out_of_reach, refused, too_late
from butler.agents.connector.web import RECURSIVE_TIMES
from butler.agents.connector.workspace import Workspace
from butler.contract.agent_ports import SourceFetcher
from butler.contract.agents import AgentFailure, ConnectorInput, ConnectorOutput
from butler.contract.errors import Bug, Reconfigure, Refuse, Retryable
from butler.contract.speech import say
from config.agents import ConnectorSettings

log = structlog.get_logger(__name__)

TRIES = 3
_BACK_OFF_S = 0.5


class FetchingConnector:
    """Implements `butler.contract.agent_ports.Connector`."""

    def __init__(self, settings: ConnectorSettings, workspace: Workspace, *, back_off_s: float = _BACK_OFF_S) -> None:
        """Touch nothing before the first fetch. `add` fetchers before that; `back_off_s` is for tests."""
        self._settings, self._workspace, self._back_off_s = settings, workspace, back_off_s
        self._fetchers: dict[str, SourceFetcher] = {}

    def add(self, fetchers: Iterable[SourceFetcher]) -> None:
        """Register fetchers, such as a module's. Raise `Bug` for a second fetcher of one kind."""
        for fetcher in fetchers:
            if fetcher.source_type in self._fetchers:
                raise Bug(f"{fetcher.source_type} has two fetchers")
            self._fetchers[fetcher.source_type] = fetcher

    @asynccontextmanager
    async def fetched(self, given: ConnectorInput) -> AsyncGenerator[ConnectorOutput | AgentFailure]:
        """Yield the fetched files; they are deleted when the context ends."""
        async with AsyncExitStack() as stack:
            try:
                into = await stack.enter_async_context(self._workspace.folder())
            except OSError as error:
                yield not_kept(error)
                return
            yield await self._fetch(given, into)

    async def _fetch(self, given: ConnectorInput, into: Path) -> ConnectorOutput | AgentFailure:
        fetcher = self._fetchers.get(given.source_type)
        if fetcher is None:
            return refused(_not_set_up(given.source_type), "set_up").failure()
        seconds = self._settings.timeout_s * (RECURSIVE_TIMES if given.recursive else 1)
        try:
            async with asyncio.timeout(seconds):
                return await self._tries(fetcher, given, into, time.monotonic() + seconds)
        except TimeoutError:
            return too_late(say("it took longer than {seconds:g} seconds (timeout_s in [connector])", seconds=seconds))
        except OSError as error:
            return not_kept(error)
        except Reconfigure as error:
            return locked(error.detail or str(error)).failure()
        except Refuse as error:
            return refused(error.detail or str(error)).failure()

    async def _tries(
        self, fetcher: SourceFetcher, given: ConnectorInput, into: Path, ends: float
    ) -> ConnectorOutput | AgentFailure:
        """Retry on errors that may pass, such as of the connection, not before the time that a server names."""
        attempt = 1
        while True:
            folder = into / str(attempt)
            folder.mkdir(mode=0o700)
            try:
                result = await fetcher.fetch(given, folder)
            except Retryable as error:
                pause = max(self._back_off_s * 2 ** (attempt - 1), error.wait.total_seconds())
                log.info("fetch_failed", source=given.source_type, attempt=attempt, pause_s=round(pause, 1))
                if attempt == TRIES or time.monotonic() + pause > ends:
                    return out_of_reach(say("{why}; try again later", why=error.detail or str(error)))
                await asyncio.sleep(pause)
                attempt += 1
            else:
                if isinstance(result, ConnectorOutput):
                    return await asyncio.to_thread(_checked, result, folder)
                return result


def _not_set_up(source_type: str) -> str:
    if source_type == "gdrive":
        return say("nothing here can read from {source}; sign in with `butler login drive`", source=source_type)
    return say("nothing here can read from {source}", source=source_type)


def _checked(output: ConnectorOutput, folder: Path) -> ConnectorOutput | AgentFailure:
    """Return the output with the sizes and checksums of the actual files, limited to those in its folder."""
    path = Path(output.file_path)
    if not path.resolve().is_relative_to(folder.resolve()):
        raise Bug("a fetcher gave a file that is not in its folder")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if output.checksum not in {"", digest}:
        return out_of_reach(say("what was fetched was damaged on its way to the disk"))
    children = [_checked(child, folder) for child in output.children]
    whole = [child for child in children if isinstance(child, ConnectorOutput)]
    damaged = [child.message for child in children if isinstance(child, AgentFailure)]
    return output.model_copy(
        update={
            "file_size_bytes": path.stat().st_size,
            "checksum": digest,
            "children": whole,
            "skipped": [*output.skipped, *damaged],
        }
    )
