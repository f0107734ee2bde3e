"""The planner over messages whose marks are given, after turns of a conversation."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

from bench.understanding_scenes import NOW, request, tools
from butler.orchestrator.planning.plan_types import Planned, PlannerInput, PlannerOutput
from butler.orchestrator.understanding.planner import ReadingPlanner
from butler.store.conversation import ConversationMessage
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request, RequestReader
from scripts.train_understanding.examples import parsed


class Marked:
    """A reader that knows a few messages, each with the readings that it shall have."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Request, ...]] = {}
        self.contexts: list[tuple[str, ...]] = []

    def knows(self, *lines: str, **readings: float) -> "Marked":
        """Lines of one message, marked as examples are; `intent__name=probability` for each reading."""
        found: list[Request] = []
        names = tuple((name.replace("__", "."), share) for name, share in readings.items())
        for line in lines:
            example = parsed(line, "en", "")
            slots = tuple(SlotWords(s.slot, example.text[s.start : s.end], s.start, s.end) for s in example.spans)
            found.append(Request(example.text, 0, names, slots))
        self._known["; ".join(one.text for one in found)] = tuple(found)
        return self

    def learns(self, text: str, found: Sequence[Request]) -> None:
        """A message with the requests that it shall be read as."""
        self._known[text] = tuple(found)

    def read(self, text: str, context: Sequence[str] = ()) -> tuple[Request, ...]:
        """What was said to be known."""
        self.contexts.append(tuple(context))
        return self._known.get(text, ())


def asked(words: str, *before: tuple[str, str], **more: Any) -> PlannerInput:
    """A request after some turns of the owner and the butler."""
    turns = [("user", said) if who == "owner" else ("assistant", said) for who, said in before]
    history = tuple(
        ConversationMessage(role=cast("Any", role), content=said, timestamp=NOW - timedelta(minutes=9 - at))
        for at, (role, said) in enumerate(turns)
    )
    return replace(request(words, "demo", tools()), history=history, **more)


async def planned(reader: Marked, one: PlannerInput) -> PlannerOutput:
    """What comes of it."""
    return await ReadingPlanner(cast("RequestReader", reader)).plan(one)


def calls(output: PlannerOutput) -> list[tuple[str, dict[str, Any]]]:
    """The tools and arguments of a plan."""
    assert isinstance(output, Planned), output
    return [(step.tool_call, step.args) for step in output.steps]
