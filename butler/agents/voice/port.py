"""The listener as other packages see it: its port and its transcript."""

from typing import Protocol

from butler.contract.agents import AgentFailure
from butler.contract.records import Record


class Transcript(Record):
    """The words said in a recording."""

    text: str
    language: str
    seconds: float
    """How long the recording is."""
    confidence: float
    """The model's confidence, from 0 to 1; below 0.5 the text may be anything."""
    heard_by: str
    """The model that transcribed it."""


class Listener(Protocol):
    """Transcribes voice messages."""

    async def hear(self, recording: bytes, media_type: str) -> Transcript | AgentFailure: ...
