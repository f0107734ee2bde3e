"""Finds the conversation that the owner names in their own words, such as “the family chat”.

Titles are chosen by others, so they decide only what is read, never who is written to. Words that fit several
conversations select none: the owner has to choose.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from butler.contract.mirror import ChatKind

_WORD = re.compile(r"\w+")
_SAYS_NOTHING = frozenset(
    {"a", "an", "the", "my", "our", "in", "on", "of", "with", "telegram"}
    | {"chat", "chats", "group", "channel", "conversation", "messages"}
)
_SHORTEST_BEGINNING = 3


@dataclass(frozen=True, slots=True)
class Titled:
    """A conversation by its address and its title."""

    address: str
    title: str
    kind: ChatKind


def called(words: str, chats: Iterable[Titled]) -> Sequence[Titled]:
    """Return the conversations whose title equals the words, or else those whose title holds all of them."""
    wanted = _telling(words)
    if not wanted:
        # Symbols alone, such as an emoji: compared as words, they would match every title without words.
        sign = words.strip()
        return [chat for chat in chats if sign and sign in chat.title]
    held = [(chat, _telling(chat.title)) for chat in chats]
    exact = [chat for chat, title in held if title == wanted]
    return exact or [chat for chat, title in held if all(_holds(title, word) for word in wanted)]


def _telling(text: str) -> list[str]:
    """Return the words of a text without filler words, unless there are no others."""
    words = _WORD.findall(text.casefold())
    return [word for word in words if word not in _SAYS_NOTHING] or words


def _holds(title: Sequence[str], word: str) -> bool:
    begins = len(word) >= _SHORTEST_BEGINNING
    return any(part == word or (begins and part.startswith(word)) for part in title)
