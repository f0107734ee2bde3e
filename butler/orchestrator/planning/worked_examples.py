"""Worked examples of what a model fills in, of which an installation is told those that it has the tools for."""

import json
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from butler.orchestrator.planning.model_forms import PlanForm

FILE = Path(__file__).parent.parent / "prompts" / "examples.toml"


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """A request, and the answer to it: a filled form in one line, or words."""

    said: str
    answer: str
    form: PlanForm | None

    def needs(self) -> frozenset[str]:
        """Return the tools that its steps use."""
        return frozenset(step.tool for step in self.form.steps) if self.form is not None else frozenset()


@cache
def worked_examples() -> tuple[WorkedExample, ...]:
    """Return all examples. Raise `ValueError` for a form that does not fit."""
    held: list[dict[str, str]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["example"]
    return tuple(_example(one) for one in held)


def _example(held: dict[str, str]) -> WorkedExample:
    if "words" in held:
        return WorkedExample(held["said"], f"in words: {held['words']}", None)
    form = PlanForm.model_validate_json(held["form"])
    answer = json.dumps(json.loads(held["form"]), ensure_ascii=False, separators=(",", ":"))
    return WorkedExample(held["said"], answer, form)


def examples_for(tools: Collection[str]) -> tuple[WorkedExample, ...]:
    """Return the examples that need none but these tools."""
    return tuple(one for one in worked_examples() if one.needs() <= set(tools))
