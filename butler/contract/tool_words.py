"""What a tool is about, in words: its channel and what it does there. A name without words here is shown as it is."""

from collections.abc import Mapping

from butler.contract.names import ToolName
from butler.contract.speech import say
from butler.contract.tables import table

_TEXTS = table("butler.languages", "texts")
_CHANNELS: Mapping[str, str] = _TEXTS["channels"]
_ARGUMENTS: Mapping[str, str] = _TEXTS["arguments"]
_ACTIONS: Mapping[str, tuple[str, str]] = _TEXTS["actions"]


def channel_of(tool: str) -> str:
    """Return a name such as `Telegram`."""
    channel = ToolName.parse(tool).channel
    return say(_CHANNELS[channel]) if channel in _CHANNELS else channel.capitalize()


def action_of(tool: str) -> str:
    """Return words such as `send message`."""
    action = ToolName.parse(tool).action
    return say(_ACTIONS[action][0]) if action in _ACTIONS else action.replace("_", " ")


def action_first(tool: str) -> str:
    """Return the words as a line begins with them, such as `Send message`."""
    action = ToolName.parse(tool).action
    return say(_ACTIONS[action][1]) if action in _ACTIONS else action.replace("_", " ").capitalize()


def argument_of(name: str) -> str:
    """Return words such as `list` for `in_list`."""
    return say(_ARGUMENTS[name]) if name in _ARGUMENTS else name.replace("_", " ")
