"""Messages that are a command from the first word to the last, in any of the languages; see `spoken.toml`.

A stop must not wait for a model, so these are known by their words.
"""

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from functools import cache

from butler.contract.speech import phrase
from butler.contract.tables import table
from butler.orchestrator.embedded.lexer import Phrases, Tail, lex, name_phrase, phrases
from butler.orchestrator.planning.plan_types import Command
from butler.understanding.times.lexicon import folded

ONLY_CARDS = phrase(
    "I can only show that of a card that waits, so nothing was planned or done. Ask for it as usual, and reply to its "
    "card with “dry run”; what passes by a rule of yours has no card."
)
COMMANDS = (
    ("pause", Command.PAUSE), ("resume", Command.RESUME), ("undo", Command.UNDO), ("why", Command.WHY),
    ("done", Command.DONE),
)  # fmt: skip
SPACES = str.maketrans("-¡¿", "   ")


class DryAsked(Enum):
    """The object of a request for a dry run."""

    CARD = auto()
    REQUEST = auto()
    """A new request behind a colon, about which nobody was asked yet."""


def spoken(words: str, butler_name: str) -> Command | None:
    """Return the command that the words consist of, even if repeated (`No! Stop, stop!`); None for anything else."""
    name, closing = name_phrase(_plain(butler_name)), _phrases("closing")
    beginnings = _openings(lex(_plain(words)), _phrases("opening"), _phrases("no"), name)
    for kind, command in COMMANDS:
        for here in beginnings:
            after = here
            while (more := after.take(_phrases(kind))) is not None:
                after = _without(more, closing, name)
            if after is not here and after.done:
                return command
    return None


def dry_asked(words: str, butler_name: str) -> DryAsked | None:
    """Return what the words ask a dry run of; None if they ask for anything else."""
    name, closing = name_phrase(_plain(butler_name)), _phrases("closing")
    for here in _openings(lex(_plain(words)), _phrases("opening"), name):
        asked = here.take(_phrases("dry_run"))
        if asked is None:
            continue
        if asked.word() == ":":
            return DryAsked.REQUEST
        if _without(asked, closing, name).done:
            return DryAsked.CARD
    return None


def _openings(start: Tail, *opening: Phrases) -> Sequence[Tail]:
    """Return where a command may begin: at the first word, or behind any number of words that may precede it."""
    found = [start]
    while (after := _taken(found[-1], opening)) is not None:
        found.append(after)
    return found


def _without(tail: Tail, *options: Phrases) -> Tail:
    """Return what follows any number of these phrases."""
    while (after := _taken(tail, options)) is not None:
        tail = after
    return tail


def _taken(tail: Tail, options: Sequence[Phrases]) -> Tail | None:
    """Return what follows one of these phrases; None if none of them comes next."""
    return next((after for one in options if (after := tail.take(one)) is not None), None)


@cache
def _phrases(kind: str) -> Phrases:
    stored: Mapping[str, Sequence[str]] = table("butler.orchestrator.planning", "spoken")[kind]
    return phrases(*(_plain(one) for said in stored.values() for one in said))


def _plain(words: str) -> str:
    return folded(words).translate(SPACES)
