"""A slot's words as the reader marks them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SlotWords:
    """A slot's words as they stand in the request, and where."""

    slot: str
    text: str
    start: int
    end: int
