"""A module's folder carries all of its feature: the daemon does without it, and the core names no vendor."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

import butler
from butler.discovery import discover
from butler_demo.daemon import Daemon, Process
from butler_demo.daemon_config import DaemonOptions
from butler_demo.world import World
from demo.tests.playing import play

CORE = Path(butler.__file__ or "").parent
PACKAGES = ("approvals", "butler", "config", "modules")
DELETED = "trello"
OWN = frozenset(
    {"automations", "butler", "calendar", "digests", "documents", "drive", "email", "files", "hooks", "memory", "notes"}
    | {"reminders", "telegram", "tools", "web"}
)
"""Channels that Butler itself is about; any other is a vendor's."""
MAY_NAME = {
    "butler/orchestrator/planning/step_names.py": "what the owner is told that a step of each tool does",
    "butler/orchestrator/embedded/": "its value functions know what is said of each channel",
    "butler/orchestrator/understanding/": "its builders know the tools' arguments, whose intents the modules declare",
    "butler/contract/events.py": "where alerts come from, for who reads the reference",
    "butler/cli/login/": "dialogues with terminal, vault and daemon, which modules do not reach",
    "butler/cli/commands/login.py": "the commands of these dialogues",
    "butler/cli/commands/contracts.py": "an adapter's name as an example",
    "butler/cli/commands/tools.py": "a tool's name as an example",
    "butler/maintenance/wipe.py": "where to take a grant back, which outlives the module that it was given for",
    "butler/store/": "PostgreSQL as Butler's own database",
    "butler/metrics.py": "metrics in the format of Prometheus",
    "butler/web/health.py": "metrics in the format of Prometheus",
    "config/bulk.py": "ceilings of what is hard to undo, which no module sets for itself",
}
"""Where a vendor's name stands in the core, and why."""


class WithoutFolder(Daemon):
    """A daemon of the packages in another folder, one module of which is gone."""

    def __init__(self, world: World, packages: Path) -> None:
        super().__init__(world, DaemonOptions(undo_window="1s"))
        self._packages = packages

    async def _launch(self, config: Path, log: BinaryIO) -> Process:
        _forget(config)
        clock = str(self._world.clock.path)
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", self._child, "--config", str(config), "--clock", clock),
            cwd=self._packages,
            env=environment(),
            stdin=asyncio.subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _forget(config: Path) -> None:
    text = config.read_text(encoding="utf-8")
    config.write_text(re.sub(rf"\[modules\.{DELETED}\.[^\[]*", "", text), encoding="utf-8")


def environment() -> dict[str, str]:
    """Without credentials of a real Butler, and with the current folder as the first place of packages."""
    dropped = ("BUTLER_", "USER_", "PYTHONSAFEPATH", "PYTHONPATH")
    return {name: value for name, value in os.environ.items() if not name.startswith(dropped)}


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    folder = tmp_path / "packages"
    for name in PACKAGES:
        shutil.copytree(CORE.parent / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(folder / "modules" / DELETED)
    return folder


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    folder = tmp_path / "world"
    folder.mkdir()
    world = World(folder)
    await world.start()
    yield world
    await world.stop()


async def test_the_daemon_starts_and_answers_without_the_folder_of_a_module(world: World, packages: Path) -> None:
    daemon = WithoutFolder(world, packages)
    await daemon.start()
    try:
        await play(
            world,
            daemon,
            'say "help"\nexpect bot "Jeeves"\n'
            'say "note that the boiler is ten years old"\nexpect bot "boiler"\n'
            'say "remind me in 2 hours to stretch"\nexpect bot "remind you" "stretch"\n'
            'say "show me my trello boards"\nexpect bot "not installed"\n',
        )
    finally:
        await daemon.stop()


@pytest.mark.nightly
def test_every_tool_but_those_of_the_folder_is_left(packages: Path) -> None:
    listing = (
        "from butler.offline import offline_registry; print(*(s.tool_name for s in offline_registry()[0].specs()))"
    )
    there, left = (
        subprocess.run([sys.executable, "-c", listing], cwd=cwd, env=environment(), capture_output=True, check=True)
        .stdout.decode()
        .split()
        for cwd in (CORE.parent, packages)
    )
    assert left == [tool for tool in there if f"_{DELETED}_" not in tool]
    assert len(left) < len(there)


def test_the_core_names_no_vendor() -> None:
    found = {path for path, text in _core() if re.search(rf"(?<![a-z])(?:{'|'.join(_vendors())})(?![a-z])", text)}
    assert {path for path in found if not path.startswith(tuple(MAY_NAME))} == set()
    idle = [named for named in MAY_NAME if not any(path.startswith(named) for path in found)]
    assert idle == [], "a reason that no file needs any more"


def _vendors() -> list[str]:
    return sorted(discover().keys() - OWN)


def _core() -> Iterator[tuple[str, str]]:
    for package in ("approvals", "butler", "config"):
        for path in sorted((CORE.parent / package).rglob("*.py")):
            yield path.relative_to(CORE.parent).as_posix(), path.read_text(encoding="utf-8").lower()
