"""`python -m tests.dialogues.play FILE`: plays one dialogue, and shows what the model is asked and the owner sees."""

import asyncio
import sys
from pathlib import Path

from rich.console import Console

from tests.dialogues.dialogue import Played, play, prompts, read_dialogue

NO_ANSWER = 3


def main(path: Path) -> int:
    """Play a file; return 0, 1 if something did not hold, or 3 if the model was asked and has no answer."""
    console = Console(width=120, highlight=False)
    played = asyncio.run(play(read_dialogue(path), console))
    _show_prompts(played, console)
    if played.missing is not None:
        console.rule("ANSWER THIS")
        for role, text in prompts([played.missing]):
            if role != "system":
                console.print(text, markup=False)
        for tool in played.missing.get("tools", []):
            console.print(f"(the form: {tool['function']['parameters']})", markup=False)
        return NO_ANSWER
    if played.failed_in:
        console.print(f"Turn {played.failed_in} did not go as written; answers not asked for: {list(played.unused)}")
        return 1
    return 0


def _show_prompts(played: Played, console: Console) -> None:
    shown = False
    for number, requests in enumerate(played.requests, 1):
        for role, text in prompts(requests):
            if role != "system" or not shown:
                console.rule(f"turn {number}: {role}")
                console.print(text, markup=False)
            shown = shown or role == "system"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
