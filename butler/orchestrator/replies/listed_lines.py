"""A list that a step found, as a passage: the lines that the owner is shown, of items without a text of their own."""

from collections.abc import Iterator, Mapping
from typing import Any, cast
from zoneinfo import ZoneInfo

from approvals.visible import visible
from butler.contract.agents import PlanStep, RetrievedContext
from butler.contract.card import rich_text
from butler.contract.found_items import mapping
from butler.contract.ports import Clock
from butler.contract.provenance import Origin
from butler.contract.rendering import PlanContext, StepResult
from butler.contract.shown_text import LONGEST, SNIPPET
from butler.contract.speech import say
from butler.orchestrator.replies.found_items import as_read, line
from butler.orchestrator.replies.quarantine import suspects_of
from butler.orchestrator.results.nothing_found import found_nothing
from butler.services import RenderingTools

LISTED = "listed"
"""The number of the step that listed it, in the metadata of such a passage: nothing but the list can show it."""


class ListedLines:
    """Makes passages of lists."""

    def __init__(self, tools: RenderingTools, zone: ZoneInfo, clock: Clock) -> None:
        self._tools, self._zone, self._clock = tools, zone, clock

    def of(self, step: PlanStep) -> list[RetrievedContext]:
        """Return the passage of what a step listed; none of a step that found nothing, or something suspicious."""
        outcome: dict[str, Any] = step.outcome or {}
        spec = next((one for one in self._tools.specs() if one.tool_name == step.tool_call), None)
        if spec is None or not outcome.get("ok") or found_nothing(outcome) or suspects_of(outcome):
            return []
        text = self._lines(StepResult(step, spec, (), renderer=self._tools.renderer(spec.tool_name)))
        return [
            RetrievedContext(
                chunk_id=f"step-{step.step_id}#0",
                content=text[:LONGEST],
                source_id=f"step-{step.step_id}",
                source_url=None,
                relevance_score=1.0,
                metadata={LISTED: step.step_id},
                title=say(spec.about.title) or spec.channel,
                origins=[Origin.model_validate(one) for one in outcome.get("origins") or ()],
            )
        ]

    def _lines(self, result: StepResult) -> str:
        tools = frozenset(spec.tool_name for spec in self._tools.specs())
        context = PlanContext(self._zone, self._clock.now(), tools, self._tools.refused())
        renderer = result.renderer
        made = renderer.render(result, self._zone) or renderer.render_together([result], context)
        if made is not None and made.text:
            # What is only summed up for the owner, such as log lines, may say it.
            unnamed = "" if result.items() else "\n".join(_texts(result.data))
            return "\n\n".join(filter(None, (rich_text(made.text), unnamed)))
        found = as_read(result.items(), result.spec.tool_name, result.data)
        return "\n".join(rich_text(tuple(line(item, result, self._zone, SNIPPET))) for item in found)


def _texts(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of records that have no id, each with its time."""
    for value in data.values():
        for record in cast("list[Any]", value) if isinstance(value, list) else []:
            if (text := mapping(record).get("text")) and isinstance(text, str):
                yield " ".join(filter(None, (str(mapping(record).get("at") or ""), visible(text))))
