"""With a model that answers as a good one would, each dialogue ends as a person would want."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from tests.crash.daemon_harness import Nursery
from tests.dialogues.dialogue import read_dialogue
from tests.dialogues.playing import play

FILES = sorted((Path(__file__).parent / "played").glob("*.toml"))


@pytest.mark.nightly
@pytest.mark.timeout(300)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_a_dialogue_goes_as_written(path: Path, nursery: Nursery) -> None:
    await goes_as_written(path, nursery)


@pytest.mark.timeout(300)
async def test_the_first_of_them_goes_as_written(nursery: Nursery) -> None:
    await goes_as_written(FILES[0], nursery)


async def goes_as_written(path: Path, nursery: Nursery) -> None:
    seen = io.StringIO()
    played = await play(read_dialogue(path), Console(file=seen, width=120), nursery=nursery)
    asked = [text for role, text in played.missing.messages() if role == "user"] if played.missing else []
    assert not played.failed_in, "\n".join([f"turn {played.failed_in}", *played.problems, seen.getvalue(), *asked])
