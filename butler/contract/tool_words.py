"""Puts a tool's name into words: its channel and what it does there. A name without words here is shown unchanged.

Each module brings the words of its own tools, in the tables `channel`, `arguments` and `actions` of its `texts.toml`;
the core has the words that tools of several modules share. They are read without loading the module, as a rule or a
card may be older than the settings or the folder that its tool came from.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from butler.contract.names import TOOL_NAME, ToolName
from butler.contract.speech import say
from butler.contract.tables import MODULES, table

_SHARED: Mapping[str, Mapping[str, Any]] = table("butler.languages", "texts")
_NONE: Mapping[str, Any] = {}


def channel_of(tool: str) -> str:
    """Return a name such as `Telegram`."""
    channel = ToolName.parse(tool).channel
    return say(_word(tool, "channel", "name") or channel.capitalize())


def action_of(tool: str) -> str:
    """Return words such as `send message`."""
    action = ToolName.parse(tool).action
    words = _word(tool, "actions", action)
    return say(words[0]) if words else action.replace("_", " ")


def action_first(tool: str) -> str:
    """Return the words capitalized for the beginning of a line, such as `Send message`."""
    action = ToolName.parse(tool).action
    words = _word(tool, "actions", action)
    return say(words[1]) if words else action.replace("_", " ").capitalize()


def argument_of(tool: str, name: str) -> str:
    """Return words such as `list` for `in_list`; the tool's name may be invalid."""
    word = _word(tool, "arguments", name)
    return say(word) if word else name.replace("_", " ")


def card_word(tool: str, name: str) -> str:
    """Return what a card calls an argument of this tool, in English; empty if its module says nothing of its own."""
    named = TOOL_NAME.match(tool)
    if named is None:
        return ""
    words = _brought_by(named["channel"]).get("card", _NONE)
    return str(words.get(f"{ToolName.parse(tool).action}.{name}") or words.get(name, ""))


def _word(tool: str, kind: str, name: str) -> Any:
    """Return the words of a tool's module for a name, or else those of the core; None if neither has any."""
    named = TOOL_NAME.match(tool)
    tables = (_brought_by(named["channel"]) if named else _NONE, _SHARED)
    return next((words[kind][name] for words in tables if name in words.get(kind, _NONE)), None)


@cache
def _brought_by(channel: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the texts of a module; empty if it has none, or does not exist."""
    path = MODULES / channel / "texts.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else _NONE
