"""What is looked at while a model answers: its form by a check, and its words as they come in."""

from collections.abc import AsyncIterable
from typing import Any, Generic, TypeVar

import structlog
from pydantic import BaseModel
from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.messages import AgentStreamEvent, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta, ToolCallPart

from butler.agents.llm import Check, OnText

log = structlog.get_logger(__name__)
M = TypeVar("M", bound=BaseModel)


class Review(Generic[M]):
    """Has a form that fails its check corrected, once."""

    def __init__(self, form: type[M], check: Check[M] | None, corrections: int) -> None:
        """`corrections` is how often a model may answer again in all."""
        self._form, self._check, self._corrections = form, check, corrections
        self.faulty: M | None = None
        """The form that the model was asked to correct."""

    async def look_at(self, run: RunContext[None], answer: Any) -> Any:
        if self._check is None or self.faulty is not None or not isinstance(answer, self._form):
            return answer
        wrong = self._check(answer)
        # The last request that is allowed: nothing can be corrected any more.
        if not wrong or run.usage.requests > self._corrections:
            return answer
        self.faulty = answer
        raise ModelRetry(wrong)


class Words:
    """Hands on the words of an answer while they come in."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text: OnText | None = on_text

    async def follow(self, run: RunContext[None], events: AsyncIterable[AgentStreamEvent]) -> None:
        """Follow one response of a model; each begins anew, and ends with a form that the model fills."""
        del run
        words = ""
        async for event in events:
            match event:
                case PartStartEvent(part=ToolCallPart()):
                    return
                case PartStartEvent(part=TextPart(content=new)) if new:
                    words += new
                case PartDeltaEvent(delta=TextPartDelta(content_delta=new)) if new:
                    words += new
                case _:
                    continue
            await self._show(words)

    async def _show(self, words: str) -> None:
        """Show the words; an answer is not lost because it cannot be shown while it comes in."""
        if self._on_text is None:
            return
        try:
            await self._on_text(words)
        except Exception:
            log.exception("words_not_shown")
            self._on_text = None
