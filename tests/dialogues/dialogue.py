"""Dialogues with a scripted model, over the whole daemon and the demo's stand-ins: what is said, answered and seen."""

import asyncio
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from aiohttp import web
from rich.console import Console

from butler_demo.clock import local_zone
from butler_demo.daemon_config import DaemonOptions
from butler_demo.player import Player
from butler_demo.run import living_world
from butler_demo.script import Line, parse_script
from butler_demo.transcript import Transcript
from tests.agents.wire import CHAT, KEY, Json, ModelServer

WORDS = "words:"
ASKED_WITHIN_S, LATE_S, LOOK_EVERY_S = 30.0, 1.5, 0.05
"""How long to wait for the model to be asked; how long after a turn it must not be asked more."""
DAY = re.compile(r"\{\{day([+-]\d+)?\}\}")
"""`{{day}}` is today, `{{day+2}}` two days later, as 2026-03-05: dialogues are played on any day."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the owner does, what the model answers to each of its requests, and what has to come of it."""

    do: tuple[Line, ...]
    answers: tuple[str, ...]
    then: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One file."""

    name: str
    about: str
    turns: tuple[Turn, ...]


def read_dialogue(path: Path) -> Dialogue:
    """Read a file; raise `ScriptError` or `ValueError` for what cannot be played."""
    held = tomllib.loads(path.read_text(encoding="utf-8"))
    turns = tuple(
        Turn(_lines(one.get("do", ())), tuple(one.get("answers", ())), _lines(one.get("then", ())))
        for one in held["turn"]
    )
    return Dialogue(path.stem, held.get("about", ""), turns)


def _lines(held: Any) -> tuple[Line, ...]:
    return tuple(parse_script("\n".join(_dated(str(one)) for one in held)))


def _dated(text: str) -> str:
    today = datetime.now(ZoneInfo(local_zone())).date()
    return DAY.sub(lambda found: (today + timedelta(days=int(found[1] or 0))).isoformat(), text)


@dataclass
class ScriptedModel(ModelServer):
    """Answers in order what a dialogue says; notes what it was asked, and what it had no answer for."""

    left: list[str] = field(default_factory=list[str])
    missing: Json | None = None

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        if self.left:
            self.answers = [_wire_answer(_dated(self.left.pop(0)))]
        else:
            self.missing = self.missing or asked
            self.answers = [500]
        return await super()._answer(request)


def _wire_answer(answer: str) -> Json:
    if answer.startswith(WORDS):
        return CHAT.text(answer.removeprefix(WORDS).strip())
    return CHAT.call("final_result", json.loads(answer))


@dataclass
class Played:
    """What came of a dialogue."""

    dialogue: Dialogue
    failed_in: int = 0
    """The number of the turn in which it stopped, from 1; 0 if all went as written."""
    unused: tuple[str, ...] = ()
    """Answers of that turn that were not asked for."""
    missing: Json | None = None
    """The request for which there was no answer."""
    requests: list[list[Json]] = field(default_factory=list[list[Json]])
    """What the model was asked, by turn."""

    @property
    def ok(self) -> bool:
        return not self.failed_in


async def play(dialogue: Dialogue, console: Console) -> Played:
    """Play a dialogue in a world of its own; stop at the first turn that does not go as written."""
    model, played = ScriptedModel(CHAT), Played(dialogue)
    await model.start()
    options = DaemonOptions(llm_model=CHAT.model, llm_base_url=model.base_url, llm_key=KEY, undo_window="1s")
    try:
        async with living_world(options) as (world, daemon):
            await daemon.start()
            player = Player(world, daemon, Transcript(console))
            for number, turn in enumerate(dialogue.turns, 1):
                before, model.left = len(model.requests), list(turn.answers)
                held = await player.play([*turn.do, *turn.then])
                await _asked(model, ASKED_WITHIN_S)
                played.requests.append(model.requests[before:])
                played.missing, played.unused = model.missing, tuple(model.left)
                if not held or model.missing is not None or model.left or model.refused:
                    played.failed_in = number
                    break
    finally:
        await model.stop()
    return played


async def _asked(model: ScriptedModel, within_s: float) -> None:
    """Wait until the model was asked all that it has answers for, and a moment longer for what it was asked beyond."""
    loop = asyncio.get_running_loop()
    until = loop.time() + within_s
    while model.left and model.missing is None and loop.time() < until:  # noqa: ASYNC110 - another process asks
        await asyncio.sleep(LOOK_EVERY_S)
    until = loop.time() + LATE_S
    while model.missing is None and loop.time() < until:  # noqa: ASYNC110 - as above
        await asyncio.sleep(LOOK_EVERY_S)


def prompts(requests: list[Json]) -> Iterator[tuple[str, str]]:
    """Yield the role and the text of each message that the model was sent."""
    for request in requests:
        for message in request["messages"]:
            content = message.get("content")
            if isinstance(content, str):
                yield message["role"], content
