# ruff: noqa: ASYNC240 - a test may wait for a small file
"""The connector: who fetches what, how often it is tried, and that nothing fetched stays behind."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
import textwrap
from datetime import timedelta
from pathlib import Path

import pytest

from butler.agents.connector.connector import FetchingConnector
from butler.agents.connector.workspace import Workspace
from butler.contract.agents import AgentFailure, ConnectorInput, ConnectorOutput
from butler.contract.errors import AgentErrorCode, AuthRequiredError, Bug, Refuse, Retryable
from config.agents import ConnectorSettings
from tests.agents.connector.site import connector

ASKED = ConnectorInput(source_type="gdrive", source_identifier="abc")


class Scripted:
    """A fetcher that does what a test says, one after the other; the last again and again."""

    source_type = "gdrive"

    def __init__(self, *steps: Exception | str | AgentFailure) -> None:
        self.steps = list(steps)
        self.folders: list[Path] = []

    async def fetch(self, given: ConnectorInput, into: Path) -> ConnectorOutput | AgentFailure:
        step = self.steps[min(len(self.folders), len(self.steps) - 1)]
        self.folders.append(into)
        assert list(into.iterdir()) == []
        (into / "half.part").write_bytes(b"half of it")
        if isinstance(step, Exception):
            raise step
        if isinstance(step, AgentFailure):
            return step
        path = into / "file"
        path.write_text(step)
        return output(path)


def output(path: Path, **more: object) -> ConnectorOutput:
    values = {"file_path": str(path), "file_size_bytes": 0, "source_metadata": {}, "checksum": ""} | more
    return ConnectorOutput(**values)


async def fetched(made: FetchingConnector, given: ConnectorInput = ASKED) -> ConnectorOutput | AgentFailure:
    async with made.fetched(given) as result:
        return result


def left(folder: Path) -> list[Path]:
    """What fetches left in the workspace; a process's own lock is none of it."""
    return [path for path in (folder / "workspace").rglob("*") if path.name.startswith("fetch-")]


async def test_a_source_goes_to_its_fetcher_and_its_file_is_gone_afterwards(tmp_path: Path):
    made = connector(tmp_path, Scripted("hello"))
    async with made.fetched(ASKED) as result:
        assert isinstance(result, ConnectorOutput)
        path = Path(result.file_path)
        assert path.read_text() == "hello"
        assert result.file_size_bytes == 5
        assert result.checksum == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        folders = [path.parent, path.parent.parent, path.parent.parent.parent, tmp_path / "workspace"]
        assert [stat.S_IMODE(folder.stat().st_mode) for folder in folders] == [0o700] * 4
    assert not path.exists()
    assert left(tmp_path) == []


async def test_building_it_touches_nothing(tmp_path: Path):
    connector(tmp_path, Scripted("hello"))
    assert list(tmp_path.iterdir()) == []


async def test_nothing_stays_behind_whatever_happens_to_whoever_reads(tmp_path: Path):
    made = connector(tmp_path, Scripted("hello"))
    with pytest.raises(ZeroDivisionError):
        async with made.fetched(ASKED):
            raise ZeroDivisionError
    reading = asyncio.Event()

    async def reads() -> None:
        async with made.fetched(ASKED):
            reading.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(reads())
    await reading.wait()
    assert len(left(tmp_path)) == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert left(tmp_path) == []


async def test_what_a_killed_process_left_is_cleaned_and_what_a_living_one_has_is_not(tmp_path: Path):
    code = """
        import asyncio, pathlib, sys
        from butler.agents.connector.workspace import Workspace

        async def stay():
            async with Workspace(pathlib.Path(sys.argv[1])).folder() as folder:
                (folder / "file").write_text("secret")
                print(folder, flush=True)
                await asyncio.Event().wait()

        asyncio.run(stay())
    """
    root = tmp_path / "workspace"
    other = subprocess.Popen(  # noqa: ASYNC220 - it is read and killed at once
        [sys.executable, "-c", textwrap.dedent(code), str(root)], stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    try:
        file = Path((await asyncio.to_thread(other.stdout.readline)).strip()) / "file"
        mine = Workspace(root)
        async with mine.folder() as folder:
            assert await mine.clean() == 0
            assert file.exists()
            os.kill(other.pid, signal.SIGKILL)
            await asyncio.to_thread(other.wait)
            assert await mine.clean() == 1
            assert not file.exists()
            assert folder.exists()
    finally:
        other.kill()
        other.wait()
        other.stdout.close()


async def test_a_place_that_cannot_be_written_to_is_told(tmp_path: Path):
    (tmp_path / "workspace").write_text("a file")
    failure = await fetched(connector(tmp_path, Scripted("hello")))
    assert isinstance(failure, AgentFailure)
    assert failure.message.startswith("it cannot be kept while it is read (")


async def test_a_fresh_start_cleans_before_its_first_fetch(tmp_path: Path):
    old = tmp_path / "workspace" / "123-old" / "fetch-x"
    old.mkdir(parents=True)
    (old / "file").write_text("secret")
    async with Workspace(tmp_path / "workspace").folder():
        assert not old.exists()


async def test_nobody_who_fetches_it_is_told_with_what_to_do(tmp_path: Path):
    made = FetchingConnector(ConnectorSettings(), Workspace(tmp_path / "workspace"))
    failure = await fetched(made)
    assert isinstance(failure, AgentFailure)
    assert (failure.agent_id, failure.error_code) == ("connector", AgentErrorCode.REFUSED)
    assert failure.message == "nothing here can read from gdrive; sign in with `butler login drive`"


def test_two_fetchers_for_one_kind_are_a_mistake(tmp_path: Path):
    made = connector(tmp_path, Scripted("hello"))
    with pytest.raises(Bug):
        made.add([Scripted("hello")])


async def test_troubles_of_the_connection_are_tried_again_on_a_clean_folder(tmp_path: Path):
    fetcher = Scripted(Retryable("away"), Retryable("away"), "hello")
    assert isinstance(await fetched(connector(tmp_path, fetcher)), ConnectorOutput)
    assert len(set(fetcher.folders)) == 3


async def test_after_three_tries_it_is_told(tmp_path: Path):
    fetcher = Scripted(Retryable("pages.example cannot be reached"))
    failure = await fetched(connector(tmp_path, fetcher))
    assert isinstance(failure, AgentFailure)
    assert (failure.error_code, failure.recoverable) == (AgentErrorCode.UNAVAILABLE, True)
    assert failure.message == "pages.example cannot be reached; try again later"
    assert len(fetcher.folders) == 3


async def test_a_server_that_wants_a_longer_pause_than_there_is_time_is_not_waited_for(tmp_path: Path):
    fetcher = Scripted(Retryable("busy", wait=timedelta(minutes=5)))
    assert isinstance(await fetched(connector(tmp_path, fetcher)), AgentFailure)
    assert len(fetcher.folders) == 1


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (AuthRequiredError("sign in again"), AgentErrorCode.CONNECTOR_AUTH),
        (Refuse("that is none"), AgentErrorCode.REFUSED),
    ],
)
async def test_an_error_of_a_fetcher_becomes_a_code_and_its_sentence(tmp_path: Path, error: Exception, code: str):
    failure = await fetched(connector(tmp_path, Scripted(error)))
    assert isinstance(failure, AgentFailure)
    assert (failure.error_code, failure.message) == (code, error.detail)


async def test_a_failure_is_not_tried_again(tmp_path: Path):
    told = AgentFailure(agent_id="connector", error_code="ERR_CONNECTOR_AUTH", message="no")
    fetcher = Scripted(told)
    assert await fetched(connector(tmp_path, fetcher)) == told
    assert len(fetcher.folders) == 1


async def test_a_file_that_is_not_what_was_fetched_or_not_where_it_should_be_is_not_given_on(tmp_path: Path):
    (tmp_path / "elsewhere").write_text("x")

    class Wrong:
        source_type = "gdrive"

        def __init__(self, path: str, **more: object) -> None:
            self.path, self.more = path, more

        async def fetch(self, given: ConnectorInput, into: Path) -> ConnectorOutput:
            (into / "file").write_text("x")
            return output(into / self.path, **self.more)

    damaged = await fetched(connector(tmp_path, Wrong("file", checksum="0" * 64)))
    assert isinstance(damaged, AgentFailure)
    with pytest.raises(Bug):
        await fetched(connector(tmp_path, Wrong("../../../../elsewhere")))
