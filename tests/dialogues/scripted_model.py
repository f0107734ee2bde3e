"""A language model that answers what a dialogue says, over the wire of a compatible server."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.agents.wire import CHAT, Json, ModelServer
from tests.dialogues.dialogue import WORDS

FORM = "final_result"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, and the scripted answer to it; none where the dialogue has no more."""

    request: Json
    answer: str | None

    def messages(self) -> Iterator[tuple[str, str]]:
        """Yield role and text of each message, calls of the form included."""
        for message in self.request["messages"]:
            if isinstance(content := message.get("content"), str):
                yield message["role"], content
            for call in message.get("tool_calls") or ():
                yield message["role"], call["function"]["arguments"]

    def forms(self) -> dict[str, Json]:
        """The schemas of the forms that may be filled in, by name; none where words are asked for."""
        return {
            tool.get("title") or ", ".join(tool.get("properties", {})): tool
            for tool in (offered["function"]["parameters"] for offered in self.request.get("tools", ()))
        }


@dataclass
class ScriptedModel(ModelServer):
    """Answers in order what a turn says."""

    heard: list[Asked] = field(default_factory=list[Asked])
    left: list[str] = field(default_factory=list[str])
    """The answers of this turn that were not asked for yet."""
    on_asked: Callable[[Asked], None] = lambda asked: None
    more: Callable[[], Awaitable[str]] | None = None
    """Waits for an answer that is still being written, where the dialogue has none."""
    lacking: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once there was no answer."""

    def begin(self, answers: Sequence[str]) -> None:
        """Have other answers from now on."""
        self.left = list(answers)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        answer = self.left.pop(0) if self.left else None
        asked = Asked(await request.json(), answer)
        if not self.lacking.is_set():
            self.heard.append(asked)
            self.on_asked(asked)
        if answer is None and self.more is not None:
            answer = await self.more()
        if answer is None:
            self.lacking.set()
        self.answers = [500 if answer is None else on_the_wire(answer)]
        return await super()._answer(request)


def on_the_wire(answer: str) -> Any:
    """A scripted answer as the server gives it."""
    if answer.startswith(WORDS):
        return CHAT.text(answer.removeprefix(WORDS).strip())
    return CHAT.call(FORM, json.loads(answer))
