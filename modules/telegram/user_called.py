"""Finds the conversations that the owner names in their own words, such as “the family chat”.

Anybody can choose a title, so it is compared and shown, but never obeyed. The owner's words may come with others of the
same meaning. Words that fit several conversations select none: the owner has to choose.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from butler.contract.chat_words import folded, holds, same_words, telling
from butler.contract.mirror import ChatKind

_LEAST = 5
"""The fewest letters with which another name may match the beginning of a word in a title: `kletter`, not `haus`."""
_NEAR = 0.5
"""The least likeness of a title that is offered when none fits."""


@dataclass(frozen=True, slots=True)
class Titled:
    """A conversation by its address and title, with its number of members; 0 if unknown."""

    address: str
    title: str
    kind: ChatKind
    members: int = 0


def called(names: Sequence[str], chats: Iterable[Titled]) -> Sequence[Titled]:
    """Return the conversations that fit one of these names, the first of which is the owner's own.

    If titles equal the owner's name, return only those conversations. Otherwise return those whose title equals another
    name or contains all words of the owner's name; if no title equals another name, also those whose title contains all
    words of one.
    """
    held = [(chat, telling(chat.title)) for chat in chats]
    every = [telling(name) for name in names]
    if not any(every):
        # Symbols alone, such as an emoji: compared as words, they would match every title without words.
        signs = [name.strip() for name in names]
        return [chat for chat, _ in held if any(sign and sign in chat.title for sign in signs)]
    wanted = [words for words in every if words]
    own, others = wanted[0], wanted[1:]
    exact = [chat for chat, title in held if title == own] or [chat for chat, title in held if same_words(title, own)]
    if exact:
        return exact
    named = {chat.address for chat, title in held if any(same_words(title, words) for words in others)}
    holding = {chat.address for chat, title in held if holds(title, own)}
    if not named:
        holding |= {chat.address for chat, title in held if any(holds(title, one, _LEAST) for one in others)}
    return [chat for chat, _ in held if chat.address in named | holding]


def nearest(names: Sequence[str], chats: Sequence[Titled], most: int) -> Sequence[Titled]:
    """Return the conversations whose titles are most like these names; the first ones if none is like them."""
    scored = [(max((_likeness(name, chat.title) for name in names), default=0.0), chat) for chat in chats]
    near = sorted((one for one in scored if one[0] >= _NEAR), key=lambda one: -one[0])
    return [chat for _, chat in near[:most]] or list(chats[:most])


def _likeness(name: str, title: str) -> float:
    """Return from 0 to 1 the share of a name's words in a title, or else the likeness of both as a whole."""
    wanted, there = telling(name), telling(title)
    shared = sum(holds(there, [word]) for word in wanted) / len(wanted) if wanted else 0.0
    return max(shared, SequenceMatcher(None, folded(name), folded(title)).ratio())
