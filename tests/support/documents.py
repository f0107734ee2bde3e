# ruff: noqa: ASYNC240 - a test may wait for a small file
"""A parser that takes every file for text, and a memory that only keeps what it is given."""

from collections.abc import Sequence
from pathlib import Path

from butler.agents.parser.port import ParserInput
from butler.contract.agent_ports import MemoryDocument
from butler.contract.agents import AgentFailure, ParsedChunk, ParserOutput
from butler.contract.errors import AgentErrorCode


class PlainParser:
    """Gives the text of a file as one chunk; what it was asked to read stands in `given`, `data` and `modes`.

    A file with `locked` in it wants a password, which is `open sesame`.
    """

    def __init__(self) -> None:
        self.given: list[ParserInput] = []
        self.data: list[bytes] = []
        self.modes: list[int] = []

    async def parse(self, given: ParserInput) -> ParserOutput | AgentFailure:
        path = Path(given.file_path)
        self.given.append(given)
        self.data.append(path.read_bytes())
        self.modes.append(path.stat().st_mode & 0o777)
        opened = given.password is not None and given.password.get_secret_value() == "open sesame"
        if b"locked" in self.data[-1] and not opened:
            code = AgentErrorCode.PARSER_ENCRYPTED
            return AgentFailure(agent_id="parser", error_code=code, message="it is protected", recoverable=True)
        text = self.data[-1].decode("utf-8-sig", "replace")
        chunk = ParsedChunk(chunk_id="c", content=text, chunk_index=0, page_number=None, layout_type="text", bbox=None)
        metadata = {"title": "A\n title"} if given.file_type == "html" else {}
        return ParserOutput(document_id="d", metadata=metadata, chunks=[chunk], total_pages=1, processing_time_ms=1.0)


class KeptMemory:
    """What was added, in order; `fail_with` makes the next one fail."""

    def __init__(self) -> None:
        self.added: list[MemoryDocument] = []
        self.fail_with: Exception | None = None

    async def add(self, document: MemoryDocument) -> int:
        if self.fail_with is not None:
            raise self.fail_with
        self.added.append(document)
        return len(document.chunks)

    async def forget(self, source_ids: Sequence[str]) -> int:
        raise NotImplementedError
