"""`python -m tests.dialogues.play [--live] FILE`: plays one dialogue; shows what the model is asked and the owner sees.

With `--live` it waits for each answer until it is in the file, so that a dialogue is written in one go.
"""

import asyncio
import json
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from butler_demo.script import ScriptError
from tests.dialogues.dialogue import read_dialogue
from tests.dialogues.playing import Written, play
from tests.dialogues.scripted_model import Asked

NO_ANSWER = 3
_WIDTH = 120


class Report:
    """Prints a dialogue as it goes; what was printed once, such as instructions and forms, is not printed again."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._known: set[str] = set()

    def turn(self, number: int) -> None:
        self._console.rule(f"TURN {number}", characters="═")

    def asked(self, asked: Asked) -> None:
        """Print a prompt and its scripted answer."""
        self._console.rule("the model is asked")
        for role, text in asked.messages():
            if role == "system" and text in self._known:
                self._plain("(the instructions: as before)\n")
            else:
                self._plain(f"[{role}]\n{text}\n")
            self._known.add(text)
        for name, schema in asked.forms().items():
            self._form(name, schema)
        if asked.answer is None:
            self._console.rule("ANSWER THIS", characters="!")
        else:
            self._console.rule("the scripted answer")
            self._plain(asked.answer)
            self._console.rule()

    def _form(self, name: str, schema: object) -> None:
        text = json.dumps(schema, ensure_ascii=False)
        self._plain(f"(the form: {name})" if text in self._known else f"(the form: {name})\n{text}")
        self._known.add(text)

    def _plain(self, text: str) -> None:
        # No wrapping by the console: the prompt is shown as the model gets it.
        self._console.print(Text(text), soft_wrap=True)


def main(path: Path, *, live: bool) -> int:
    """Play a file; return 0, 1 if something did not hold, 2 if it cannot be read, 3 if an answer is missing."""
    console = Console(width=_WIDTH, highlight=False)
    report = Report(console)
    try:
        dialogue = read_dialogue(path)
    except (OSError, ScriptError, KeyError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2
    written = Written(path) if live else None
    played = asyncio.run(play(dialogue, console, on_turn=report.turn, on_asked=report.asked, written=written))
    for problem in played.problems:
        console.print(Text(f"turn {played.failed_in}: {problem}"), soft_wrap=True)
    if played.missing is not None:
        return NO_ANSWER
    return 1 if played.failed_in else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[-1]), live="--live" in sys.argv[1:-1]))
