"""Plays a dialogue: each turn's acts, its answers, and what has to come of them; stops where it fails."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from rich.console import Console

from butler_demo.effects import holds_all
from butler_demo.events import ChatChanged, Event, Toasted
from butler_demo.people import OWNER_ID
from butler_demo.player import Player, text_of
from butler_demo.script import Advance, Expect, MailReply, Tap
from butler_demo.transcript import Transcript
from tests.crash.daemon_harness import Nursery
from tests.dialogues.dialogue import BEGINS, Dialogue, Turn
from tests.dialogues.scripted_model import Asked
from tests.dialogues.stage import Stage, stage


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
) -> Played:
    """Play a dialogue in a world of its own."""
    async with stage(BEGINS, nursery) as there:
        there.model.on_asked = on_asked
        player, played = Player(there.world, there.daemon, Transcript(console)), Played()
        with player.listening():
            for number, turn in enumerate(dialogue.turns, 1):
                on_turn(number)
                played.problems = await _play_turn(there, player, turn)
                if there.model.lacking.is_set():
                    played.missing = there.model.heard[-1]
                if played.problems:
                    played.failed_in = number
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
