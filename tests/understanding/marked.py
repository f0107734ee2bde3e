"""Requests as the reader would mark them, written like the examples that it is trained on."""

from datetime import datetime
from typing import Any

from bench.understanding_scenes import NOW, request, tools
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from butler.orchestrator.understanding.said import Builder, Said
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from scripts.train_understanding.examples import parsed


def said(line: str, intent: str, *, language: str = "en", scene: str = "demo", now: datetime = NOW) -> Said:
    """One request with its slots marked `[words](slot)`."""
    example = parsed(line, language, intent)
    slots = tuple(SlotWords(s.slot, example.text[s.start : s.end], s.start, s.end) for s in example.spans)
    asked = scene_of(request(example.text, scene, tools(), now))
    return Said(Request(example.text, 0, ((intent, 0.99),), slots), asked, language, example.text)


def steps(builders: dict[str, Builder], one: Said) -> list[tuple[str, dict[str, Any]]]:
    """The tools and arguments of the plan that is made of it."""
    found = made(builders, one)
    assert isinstance(found, Planned), found
    return [(step.tool_call, step.args) for step in found.steps]


def made(builders: dict[str, Builder], one: Said) -> PlannerOutput:
    """What is made of it; a question that is raised is returned."""
    try:
        return builders[one.request.intent](one)
    except Asking as asking:
        return asking.unclear
