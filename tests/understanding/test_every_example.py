"""Every example request, with its slots as they are marked, comes to a plan or a question, and to no other act."""

import pytest

from bench.understanding_scenes import NOW, request, tools
from butler.contract.names import Direction
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning.plan_types import Planned
from butler.orchestrator.understanding.planner import BUILDERS
from butler.orchestrator.understanding.said import Said
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from butler.understanding.tables import LANGUAGES, examples, intents
from scripts.train_understanding.examples import Example, read

FEW = 20
"""`make test` tries one in so many of the 61,348 examples, always the same ones; the nightly tests try all of them."""
ACTING = {spec.tool_name for spec in tools() if spec.direction is Direction.OUTPUT}


def acts(one: Example) -> set[str]:
    """The tools by which its plan would act."""
    slots = tuple(SlotWords(s.slot, one.text[s.start : s.end], s.start, s.end) for s in one.spans)
    asked = Request(one.text, 0, ((one.intent, 0.99),), slots)
    said = Said(asked, scene_of(request(one.text, "demo", tools(), NOW)), one.language, one.text)
    try:
        output = BUILDERS[one.intent](said)
    except Asking:
        return set()
    return {step.tool_call for step in output.steps} & ACTING if isinstance(output, Planned) else set()


@pytest.mark.parametrize("every", [FEW, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_example_acts_by_a_tool_that_its_table_does_not_name(language: str, every: int) -> None:
    found, _ = read(examples(language), language)
    wrong = {
        (one.intent, tool): one.text
        for one in found[::every]
        if one.intent in BUILDERS and not one.starts
        for tool in acts(one) - intents()[one.intent].tools
    }
    assert not wrong
