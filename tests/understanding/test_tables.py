"""The intents' tables and their examples fit together, and whoever reads them finds what they name."""

import pytest

from bench.understanding_scenes import tools
from butler.orchestrator.understanding.planner import BUILDERS
from butler.understanding.tables import LANGUAGES, examples, folders, intents
from scripts.train_understanding.examples import read

FEWEST = 8
"""Examples that an intent needs in each language."""


def test_every_tool_of_a_table_is_there() -> None:
    known = {spec.tool_name for spec in tools()}
    unknown = {(one.name, tool) for one in intents().values() for tool in one.tools if tool not in known}
    assert not unknown


def test_no_intent_has_to_be_told_apart_from_one_that_is_not_there() -> None:
    unknown = {(one.name, other) for one in intents().values() for other in one.never if other not in intents()}
    assert not unknown


def test_every_builder_is_an_intents() -> None:
    assert set(BUILDERS) <= set(intents())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_example_is_of_an_intent_and_its_slots(language: str) -> None:
    found, _ = read(examples(language), language)
    wrong = [
        (one.intent, span.slot, one.text)
        for one in found
        for span in one.spans
        if not one.starts and span.slot not in intents()[one.intent].slots
    ]
    assert not wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_intent_has_examples_of_its_own(language: str) -> None:
    found, _ = read(examples(language), language)
    counts = {name: sum(one.intent == name for one in found) for name in intents()}
    assert {name: count for name, count in counts.items() if count < FEWEST} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_example_stands_under_two_intents_in_one_context(language: str) -> None:
    found, _ = read(examples(language), language)
    intents_of: dict[tuple[str, tuple[str, ...]], set[str]] = {}
    for one in found:
        if not one.starts:
            intents_of.setdefault((one.text.casefold(), one.context), set()).add(one.intent)
    assert {text: names for text, names in intents_of.items() if len(names) > 1} == {}


def test_each_folder_of_a_module_declares_intents() -> None:
    assert all((folder / "intents.toml").exists() for folder in folders())
