"""Reads a file as the child process does, in this process: what is bounded is tested where it is bounded."""

from collections.abc import Callable
from typing import Any

import pytest

from butler.agents.parser.read import read
from butler.agents.parser.request import Request
from butler.contract.agents import AgentFailure, ParserOutput

Reading = Callable[..., ParserOutput]


def _answer(data: bytes, file_type: str, **options: Any) -> dict[str, Any]:
    return read(Request(size=len(data), file_type=file_type, seconds=60, **options), data)


@pytest.fixture
def reading() -> Reading:
    """Bytes and their file type to what was read."""

    def parsed(data: bytes, file_type: str = "txt", **options: Any) -> ParserOutput:
        answer = _answer(data, file_type, **options)
        assert "output" in answer, answer
        return ParserOutput.model_validate(answer["output"])

    return parsed


@pytest.fixture
def failing() -> Callable[..., AgentFailure]:
    """Bytes and their file type to why they were not read."""

    def failed(data: bytes, file_type: str = "txt", **options: Any) -> AgentFailure:
        failure = _answer(data, file_type, **options)["failure"]
        return AgentFailure(
            agent_id="parser", error_code=failure["code"], message=failure["message"], details={"why": failure["why"]}
        )

    return failed


def whole(output: ParserOutput) -> str:
    """All text of it."""
    return "\n".join(chunk.content for chunk in output.chunks)
