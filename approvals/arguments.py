"""Names a call's arguments on a card in the owner's words, not by their names in the code."""

from collections.abc import Mapping

from approvals.visible import visible_line
from butler.contract.speech import say
from butler.contract.tables import table

_TEXTS = table("approvals", "texts")
_WORDS: Mapping[str, str] = _TEXTS["arguments"]
_PARTS: Mapping[str, tuple[str, str]] = _TEXTS["parts"]
_ALONE: Mapping[str, str] = _TEXTS["alone"]


def argument_label(argument: str) -> str:
    """Return words such as `the recipient` for `to`; an argument without such words keeps its name."""
    return say(_WORDS[argument]) if argument in _WORDS else argument.replace("_", " ")


def part_of(argument: str) -> str:
    """Return an argument's name within a line about a rule, such as `subject`."""
    return say(_PARTS[argument][0]) if argument in _PARTS else visible_line(argument.replace("_", " "))


def part_label(argument: str) -> str:
    """Return an argument's name as a label, such as `Subject`."""
    if argument in _PARTS:
        return say(_PARTS[argument][1])
    return visible_line(argument.replace("_", " ")).capitalize()


def left_out_label(path: str) -> str:
    """Return the label of a value that a tool's preview omits: the argument's name, in words if it has any."""
    if path in _ALONE:
        return say(_ALONE[path])
    return say(_PARTS[path][0]) if path in _PARTS else path
