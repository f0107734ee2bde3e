"""What a dialogue's file says: turns of the owner's acts, of the model's answers, and of what has to come of them."""

import json
import re
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from butler_demo.script import Line, ScriptError, parse_script

BEGINS = datetime(2026, 3, 3, 9, tzinfo=UTC)
"""When each dialogue begins: a Tuesday, so that its prompts are the same whenever it is played."""
WORDS = "words:"
"""Stands before an answer in words; any other is a form, as JSON."""
_DAY = re.compile(r"\{\{day([+-]\d+)?\}\}")
_KEYS = frozenset({"do", "answers", "then", "absent"})


@dataclass(frozen=True, slots=True)
class Turn:
    """What the owner does, what the model answers to each of its requests, and what has to come of it."""

    do: tuple[Line, ...]
    answers: tuple[str, ...]
    then: tuple[Line, ...]
    absent: tuple[str, ...]
    """What no new or edited message of this turn may hold; case does not count."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One file."""

    name: str
    about: str
    turns: tuple[Turn, ...]


def read_dialogue(path: Path) -> Dialogue:
    """Read a file. Raises ScriptError for what cannot be played."""
    try:
        held = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ScriptError(f"it is no TOML: {error}") from error
    return Dialogue(path.stem, held.get("about", ""), tuple(_turn(turn) for turn in held["turn"]))


def _turn(held: dict[str, Any]) -> Turn:
    if unknown := held.keys() - _KEYS:
        raise ScriptError(f"a turn has no {', '.join(sorted(unknown))}; it has {', '.join(sorted(_KEYS))}")
    return Turn(
        _lines(held.get("do", ())),
        tuple(_answer(_dated(answer)) for answer in held.get("answers", ())),
        _lines(held.get("then", ())),
        tuple(_dated(text) for text in held.get("absent", ())),
    )


def _lines(held: list[str]) -> tuple[Line, ...]:
    return tuple(parse_script("\n".join(_dated(line) for line in held)))


def _answer(text: str) -> str:
    try:
        if not text.startswith(WORDS):
            json.loads(text)
    except ValueError as error:
        raise ScriptError(f"an answer is neither words nor JSON: {error}: {text}") from error
    return text


def _dated(text: str) -> str:
    """Put dates for `{{day}}`, the day on which the dialogue begins, and `{{day+2}}`, two days later."""
    return _DAY.sub(lambda found: (BEGINS + timedelta(days=int(found[1] or 0))).date().isoformat(), text)
