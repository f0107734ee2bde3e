"""A slot's words as the reader marks them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SlotWords:
    """A slot's words as the request has them, with their place."""

    slot: str
    text: str
    start: int
    end: int
