"""What is looked at while a model answers: its form by a check, and its words as they come in."""

import json
import re
from collections.abc import AsyncIterable
from typing import Any, Generic, TypeVar, cast

import structlog
from pydantic import BaseModel, ValidationError
from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.messages import AgentStreamEvent, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta, ToolCallPart

from butler.agents.llm import Check, OnText

log = structlog.get_logger(__name__)
M = TypeVar("M", bound=BaseModel)

_FENCE = re.compile(
    r"\s*(?:```(?:json)?|<tool_call>)\s*(?P<inside>\{.*\})\s*(?:```|</tool_call>)\s*", re.DOTALL | re.IGNORECASE
)
"""How small models wrap a form that they write instead of calling its tool."""
_NO_WORDS = ("{", "```", "<tool_call>")
"""How such an answer begins; it is not shown before it has come whole."""


class Review(Generic[M]):
    """Has a form that fails its check corrected, once."""

    def __init__(self, form: type[M], check: Check[M] | None, corrections: int) -> None:
        """`corrections` is how often a model may answer again in all."""
        self._form, self._check, self._corrections = form, check, corrections
        self.faulty: M | None = None
        """The form that the model was asked to correct."""

    async def look_at(self, run: RunContext[None], answer: Any) -> Any:
        """Return the answer, or a form that it is though it came as words; raise `ModelRetry` to have it corrected."""
        if isinstance(answer, str) and (written := written_form(answer, self._form)) is not None:
            answer = self._read(written)
        if self._check is None or self.faulty is not None or not isinstance(answer, self._form):
            return answer
        wrong = self._check(answer)
        # The last request that is allowed: nothing can be corrected any more.
        if not wrong or run.usage.requests > self._corrections:
            return answer
        self.faulty = answer
        raise ModelRetry(wrong)

    def _read(self, written: str) -> M:
        """Read a form that came as words, as small models write it."""
        try:
            given: Any = json.loads(written)
            for wrapped in ("arguments", "parameters"):
                if isinstance(given, dict) and "name" in given and wrapped in given:
                    given = cast("dict[str, Any]", given)[wrapped]
            return self._form.model_validate(given)
        except ValueError as error:
            wrong = _errors(error)
        raise ModelRetry(f"Call the tool instead of writing its arguments, which are wrong besides: {wrong}")


def written_form(words: str, form: type[BaseModel]) -> str | None:
    """Return the JSON of an answer that is nothing but a form, or the start of one; None for an answer in words."""
    fenced = _FENCE.fullmatch(words)
    text = fenced["inside"] if fenced else words.strip()
    if not text.startswith("{"):
        return None
    named = any(f'"{name}"' in text for name in form.model_fields)
    return text if named or '"arguments"' in text or '"parameters"' in text else None


def _errors(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        return str(error.errors(include_url=False, include_input=False)[:5])
    return str(error)


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
            if not words.lstrip().startswith(_NO_WORDS):
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
