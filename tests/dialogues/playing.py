"""Plays a dialogue: each turn's acts, its answers, and what has to come of them; stops where it fails."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from rich.console import Console

from butler_demo.effects import holds_all
from butler_demo.events import ChatChanged, Event, Toasted
from butler_demo.people import OWNER_ID
from butler_demo.player import Player, text_of
from butler_demo.script import Advance, Expect, MailReply, ScriptError, Tap
from butler_demo.transcript import Transcript
from tests.crash.daemon_harness import Nursery
from tests.dialogues.dialogue import BEGINS, Dialogue, Turn, read_dialogue
from tests.dialogues.scripted_model import Asked
from tests.dialogues.stage import Stage, stage

_PLAYING_S, _WRITING_S, _LOOK_EVERY_S = 60.0, 3_600.0, 0.5


class Written:
    """A dialogue that is still being written: its answers are taken from the file as they come."""

    def __init__(self, path: Path) -> None:
        self._path, self._number, self._given = path, 0, 0

    def begin(self, number: int) -> Turn:
        """Return a turn, from 1, without the answers: all of them are asked for."""
        self._number, self._given = number, 0
        return replace(read_dialogue(self._path).turns[number - 1], answers=(), then=(), absent=())

    async def answer(self) -> str:
        """Return the turn's next answer as soon as it is in the file."""
        answers = self._answers()
        while len(answers) <= self._given:
            await asyncio.sleep(_LOOK_EVERY_S)
            answers = self._answers()
        self._given += 1
        return answers[self._given - 1]

    def _answers(self) -> tuple[str, ...]:
        # A file that is half saved cannot be read, and is looked at again.
        with contextlib.suppress(ScriptError, KeyError):
            return read_dialogue(self._path).turns[self._number - 1].answers
        return ()


@dataclass
class Played:
    """What came of a dialogue."""

    failed_in: int = 0
    """The number of the turn in which it stopped, from 1; 0 if all went as written."""
    problems: list[str] = field(default_factory=list[str])
    missing: Asked | None = None
    """The request for which there was no answer."""


async def play(
    dialogue: Dialogue,
    console: Console,
    *,
    nursery: Nursery | None = None,
    on_turn: Callable[[int], None] = lambda number: None,
    on_asked: Callable[[Asked], None] = lambda asked: None,
    written: "Written | None" = None,
) -> Played:
    """Play a dialogue in a world of its own; with `written`, wait for the answers that it still lacks."""
    async with stage(BEGINS, nursery, patience_s=_WRITING_S if written else _PLAYING_S) as there:
        there.model.on_asked = on_asked
        there.model.more = written.answer if written else None
        player, played = Player(there.world, there.daemon, Transcript(console)), Played()
        with player.listening():
            for number, turn in enumerate(dialogue.turns, 1):
                on_turn(number)
                now = turn if written is None else written.begin(number)
                played.problems = await _play_turn(there, player, now)
                if there.model.lacking.is_set():
                    played.missing = there.model.heard[-1]
                if played.problems:
                    played.failed_in = played.failed_in or number
                    if written is None:
                        break
    return played


async def _play_turn(there: Stage, player: Player, turn: Turn) -> list[str]:
    """Play a turn; what was not as written."""
    seen: list[str] = []
    before = there.effects()
    there.model.begin(turn.answers)
    unsubscribe = there.world.stream.subscribe(lambda event: seen.extend(_shown(event)))
    try:
        playing = asyncio.create_task(_to_rest(there, player, turn))
        lacking = asyncio.create_task(there.model.lacking.wait())
        await asyncio.wait({playing, lacking}, return_when=asyncio.FIRST_COMPLETED)
        lacking.cancel()
        if not playing.done():
            playing.cancel()
            await asyncio.wait({playing})
            return ["the model was asked, and there is no answer"]
        if problems := playing.result():
            return problems
    finally:
        unsubscribe()
    return [*_unwritten(there, turn, seen), *_unasked(there, turn, before)]


async def _to_rest(there: Stage, player: Player, turn: Turn) -> list[str]:
    for lines in (turn.do, turn.then):
        if not await player.go_on(lines):
            return ["a line does not hold"]
        there.note(lines)
        acted = any(not isinstance(line.step, Expect) for line in lines)
        if acted and not await there.rest():
            return [f"it never came to rest; the daemon's log:\n{there.daemon.log_tail()}"]
    return []


def _unwritten(there: Stage, turn: Turn, seen: list[str]) -> list[str]:
    """What is otherwise than the file says."""
    model = there.model
    shown = [text for text in turn.absent if any(holds_all(one, (text,)) for one in seen)]
    return [
        *(["the model was asked, and there is no answer"] if model.lacking.is_set() else []),
        *(f"this answer was not asked for: {answer}" for answer in model.left),
        *(f"the model's server refused a request: {why}" for why in model.refused),
        *(f"this was shown: {text}" for text in shown),
    ]


def _unasked(there: Stage, turn: Turn, before: dict[str, object]) -> list[str]:
    """What was done although nobody tapped, nor answered a mail, nor let the time come for what was agreed before."""
    passed = [f"{tool} was done without a yes" for tool in there.passed_by_policy()]
    if there.has_standing_rule() or any(
        isinstance(line.step, (Tap, MailReply, Advance)) for line in (*turn.do, *turn.then)
    ):
        return passed
    after = there.effects()
    changed = [f"{what} changed without a tap: {after[what]}" for what in after if after[what] != before[what]]
    return passed + changed


def _shown(event: Event) -> list[str]:
    match event:
        case ChatChanged(chat_id=chat_id, by_bot=True) if chat_id == OWNER_ID:
            return [text_of(event)]
        case Toasted():
            return [event.text]
        case _:
            return []
