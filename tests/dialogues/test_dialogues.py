"""With a model that answers as a good one would, each dialogue ends as a person would want."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from tests.dialogues.dialogue import play, prompts, read_dialogue

FILES = sorted((Path(__file__).parent / "played").glob("*.toml"))


@pytest.mark.nightly
@pytest.mark.timeout(300)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_a_dialogue_goes_as_written(path: Path) -> None:
    seen = io.StringIO()
    played = await play(read_dialogue(path), Console(file=seen, width=120))
    asked = [text for role, text in prompts([played.missing] if played.missing else []) if role == "user"]
    assert played.ok, f"turn {played.failed_in}\n{seen.getvalue()}\n{asked}\n{played.unused}"


async def test_the_first_of_them_goes_as_written() -> None:
    assert (await play(read_dialogue(FILES[0]), Console(file=io.StringIO()))).ok
