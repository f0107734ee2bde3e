"""The listener as other packages see it: its port and what it hears."""

from typing import Protocol

from butler.contract.agents import AgentFailure
from butler.contract.records import Record


class Transcript(Record):
    """What was said in a recording."""

    text: str
    language: str
    seconds: float
    """How long the recording is."""
    confidence: float
    """0 to 1, as the model has it; below a half it may be anything."""
    heard_by: str
    """Which model heard it."""


class Listener(Protocol):
    """Transcribes voice messages."""

    async def hear(self, recording: bytes, media_type: str) -> Transcript | AgentFailure: ...
