"""What is meant by words that no grammar knows, by what they are like; nothing where that is doubtful.

It only ever chooses a kind of request. What it is about is read out of the words by rules, and nothing that leaves or
is lost comes of a choice alone. The kinds were learnt from `exemplars.toml` by `bench/understanding_fit.py`.
"""

import json
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from butler.agents.embedding.embedder import Embedder
from butler.contract.errors import Bug

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXEMPLARS = Path(__file__).with_name("exemplars.toml")
WEIGHTS = Path(__file__).with_name("router.json")
"""A row for each `Meaning`, in order; the last number of each is what it begins with."""
MADE_BY = "e5-small-q4-centred-2"
AHEAD = 0.3
"""How far the likeliest has to lie before the next: then 19 of 20 exemplars that it is sure of are chosen right."""
IDLE = 0.15
"""How far `nothing` has to lie before the next for a question to be taken for idle; set on the half for tuning."""
LONGEST = 300
"""Characters of a request that can be anything but a text to be sent or kept."""


class Meaning(StrEnum):
    """The kinds of request that exemplars are given for."""

    MAIL = "mail"
    TELEGRAM = "telegram"
    NEWS = "news"
    REMINDERS = "reminders"
    NOTES = "notes"
    PENDING = "pending"
    STATUS = "status"
    HELP = "help"
    CONTACTS = "contacts"
    RULES = "rules"
    KNOWLEDGE = "knowledge"
    SEND = "send"
    REMIND = "remind"
    REMEMBER = "remember"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Guess:
    """The likeliest kind, and how far it lies before the next."""

    meaning: Meaning
    ahead: float


class Router:
    """Loads nothing before the first question; safe to be asked from a thread. Raises `Bug` for another embedder."""

    def __init__(self, embedder: Embedder) -> None:
        if embedder.name != MADE_BY:
            raise Bug(f"the router was made for {MADE_BY}, not {embedder.name}: run bench.understanding_fit")
        self._embedder = embedder

    def meaning(self, words: str) -> Meaning | None:
        """What is meant; None where that is doubtful, or nothing that can be done."""
        if not words.strip() or len(words) > LONGEST:
            return None
        guess = self.guess(words)
        return guess.meaning if guess.ahead >= AHEAD and guess.meaning is not Meaning.NOTHING else None

    def is_idle(self, words: str) -> bool:
        """Whether a question is about the world at large, or small talk: nothing that the owner has."""
        guess = self.guess(words[:LONGEST])
        return guess.meaning is Meaning.NOTHING and guess.ahead >= IDLE

    def guess(self, words: str) -> Guess:
        """The likeliest kind, however unsure."""
        weights = self._weights
        scores = weights[:, :-1] @ self._embedder.embed([words], query=True)[0] + weights[:, -1]
        second, first = (int(at) for at in scores.argsort()[-2:])
        return Guess(list(Meaning)[first], float(scores[first] - scores[second]))

    @cached_property
    def _weights(self) -> "NDArray[np.float32]":
        import numpy as np  # noqa: PLC0415 - loaded with the first request that no grammar knows

        return np.array(json.loads(WEIGHTS.read_text(encoding="ascii")), np.float32)


def exemplars() -> list[tuple[Meaning, str]]:
    """All of them, in order."""
    kinds = tomllib.loads(EXEMPLARS.read_text(encoding="utf-8"))
    return [(Meaning(kind), words) for kind, said in kinds.items() for words in said]
