"""The sentences of the how-to are understood, by the planner without a model, and by the expert that they name."""

import re
from pathlib import Path

import pytest

from butler.cli.understand import Reader
from butler.orchestrator.experts.manifest import ExpertManifest
from butler.orchestrator.planning.plan_types import Planned

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "ask-an-expert.md").read_text(encoding="utf-8")
SENTENCES = re.findall(r'^- "(.+)"$', PAGE, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader("2026-03-02T09:30")


def test_there_are_sentences_in_each_language():
    assert len(SENTENCES) == 5


@pytest.mark.parametrize("sentence", SENTENCES)
async def test_a_sentence_is_planned_by_the_expert_that_it_names(reader: Reader, sentence: str):
    assert reader.expert(sentence)
    assert isinstance(await reader.read(sentence), Planned)


def test_the_manifest_of_the_page_is_one():
    (example,) = re.findall(r"```json\n(.+?)```", PAGE, flags=re.DOTALL)
    assert ExpertManifest.model_validate_json(example).name == "garden"
