"""Names a call's arguments on a card in the owner's words, not by their names in the code."""

from collections.abc import Mapping

from approvals.visible import visible_line
from butler.contract.speech import say
from butler.contract.tables import table
from butler.contract.tool_words import card_word

_TEXTS = table("approvals", "texts")
_WORDS: Mapping[str, str] = _TEXTS["arguments"]
_PARTS: Mapping[str, tuple[str, str]] = _TEXTS["parts"]
_ALONE: Mapping[str, str] = _TEXTS["alone"]


def argument_label(argument: str, tool: str = "") -> str:
    """Return words such as `the recipient` for `to`, those of the tool's module first.

    An argument that neither has words for keeps its name. The tool's name may be empty.
    """
    if words := card_word(tool, argument) or _WORDS.get(argument, ""):
        return say(words)
    return argument.replace("_", " ")


def part_of(argument: str) -> str:
    """Return an argument's name within a line about a rule, such as `subject`."""
    return say(_PARTS[argument][0]) if argument in _PARTS else visible_line(argument.replace("_", " "))


def part_label(argument: str) -> str:
    """Return an argument's name as a label, such as `Subject`."""
    if argument in _PARTS:
        return say(_PARTS[argument][1])
    return visible_line(argument.replace("_", " ")).capitalize()


def left_out_label(path: str, tool: str = "") -> str:
    """Return the label of a value that a tool's preview omits.

    A value within a mapping has the path of its keys, which are shown as they are.
    """
    if path in _ALONE:
        return say(_ALONE[path])
    if path in _PARTS:
        return say(_PARTS[path][0])
    name, _, inner = path.partition(" ")
    words = card_word(tool, name) or _WORDS.get(name, "")
    return f"{say(words)} {inner}".strip() if words else path
