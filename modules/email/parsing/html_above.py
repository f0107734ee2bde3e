"""Extracts the text of an HTML mail above the first node that may hold a quoted or forwarded mail."""

import re
from dataclasses import dataclass
from typing import Final

_ADDED: Final = re.compile(
    r"quot|cite|fwd|forward|repl[yi]|rply|orig|history|previous|appendonsend|messageheader|_extra|reference"
    r"|moz-|conversation|thread|attribution|gmail_attr",
    re.IGNORECASE,
)
"""Names that programs give to parts which they add below a person's words."""
_FRAMED: Final = re.compile(
    r"(?:^|;)\s*border(?:-(?:left|top|right|inline|inline-start|block-start))?(?:-(?:style|width))?\s*:\s*"
    r"(?!\s*(?:none|hidden|initial|unset|inherit|0(?:px|pt|cm|em|in|mm)?\b|medium\s+none))[^;]*",
    re.IGNORECASE,
)
_INDENTED: Final = re.compile(r"(?:^|;)\s*(?:margin|padding)-(?:left|inline-start)\s*:\s*0*\.?0*[1-9]", re.IGNORECASE)
_TAGS: Final = frozenset({"blockquote", "hr", "q", "cite", "details", "iframe", "fieldset"})
_NAMES: Final = ("id", "class", "name", "type", "cite", "title")


@dataclass(frozen=True, slots=True)
class Above:
    """The text above a possible quotation, and whether there is one."""

    text: str
    blocks: str
    """The same with a blank line at the start and end of each block: a program may have put another's words there."""
    is_quotation: bool


def above_of(html: str) -> Above | None:
    """Return the text above; None if the mail is nested too deeply to be read."""
    from modules.email.parsing.html import EDGE, TooDeepError, seen_above  # noqa: PLC0415 - only mails with a rich form need it

    try:
        seen, ended = seen_above(html, may_quote)
    except TooDeepError:
        return None
    lines = seen.text.split("\n")
    text = "\n".join(line for line in lines if line != EDGE)
    blocks = "\n".join("" if line == EDGE else line for line in lines)
    return Above(text.strip("\n"), blocks.strip("\n"), ended)


def may_quote(tag: str, attributes: dict[str, str | None]) -> bool:
    """Return whether a node may begin what a program added below a person's words."""
    if tag in _TAGS:
        return True
    if not attributes:
        return False
    if any(_ADDED.search(attributes.get(name) or "") for name in _NAMES):
        return True
    style = attributes.get("style") or ""
    return bool(style) and (_FRAMED.search(style) is not None or _INDENTED.search(style) is not None)
