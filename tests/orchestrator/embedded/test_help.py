"""The help shows only what works."""

import re

import pytest

from bench.understanding_scenes import tools
from butler.orchestrator.embedded.help import EXAMPLES, NOT_UNDERSTOOD, help_text
from butler.orchestrator.planning.plan_types import Planned, Unclear
from butler.orchestrator.planning.preferences import Preference
from tests.orchestrator.embedded import scene

SHOWN = [example for _, examples in EXAMPLES for example in examples]


def test_the_help_names_the_butler_and_every_example() -> None:
    text = help_text("Jeeves")
    assert text.startswith("I am Jeeves.")
    assert all(f"• {example}" in text for example in SHOWN)


@pytest.mark.parametrize("words", [*SHOWN, *re.findall("• (.+)", NOT_UNDERSTOOD)])
async def test_every_example_of_the_help_is_understood(words: str) -> None:
    output = await scene.plan(words, contacts=(scene.ANNA, scene.CAROL, with_mail()), tools=tools())
    assert not isinstance(output, Unclear) or "did not understand" not in output.question
    if words not in {"what is pending", "status", "help", "what's new"}:
        assert isinstance(output, Planned | Preference), output


def with_mail() -> scene.Contact:
    return scene.Contact("c-bob", "Bob", ("bob",), ("telegram:5002", "mail:bob@friends.example"))
