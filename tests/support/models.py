"""What models of tests share."""

from typing import Any, Protocol

from butler.agents.llm import Check, OnText


class _Filling(Protocol):
    async def fill(
        self, form: type[Any], *, instructions: str, prompt: str, check: Check[Any] | None = None
    ) -> Any: ...


class FormsOnly:
    """The half of `Llm` that answers in words, of a model that fills a form whenever it is asked."""

    async def respond(
        self: _Filling,
        form: type[Any],
        *,
        instructions: str,
        prompt: str,
        check: Check[Any] | None = None,
        on_text: OnText | None = None,
    ) -> Any:
        del on_text
        return await self.fill(form, instructions=instructions, prompt=prompt, check=check)
