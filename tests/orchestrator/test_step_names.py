"""What the owner reads of a model's steps is worded for the owner, in their language."""

import pytest

from butler.contract.speech import speak
from butler.offline import offline_registry
from butler.orchestrator.planning.model_forms import StepForm
from butler.orchestrator.planning.model_steps import steps_from
from butler.orchestrator.planning.step_names import NAMES, step_name
from config.language import OwnerLanguage
from tests.orchestrator.builders import ZONE

SPECS = {spec.tool_name: spec for spec in offline_registry()[0].specs()}


@pytest.mark.parametrize("name", SPECS)
def test_no_step_speaks_of_the_owner_as_of_somebody_else(name: str) -> None:
    assert "the person" not in step_name(SPECS[name])


def test_every_name_is_that_of_a_tool() -> None:
    assert NAMES.keys() <= {name.partition("_")[2].replace("_", ".", 1) for name in SPECS}


def test_a_step_of_a_model_is_named_in_the_owners_language() -> None:
    search = StepForm(tool="user_email_search_inbox", args={"words": "flat"})
    (step,) = steps_from([search], SPECS, {}, ZONE)
    assert step.description == "Look for mails"
    speak(OwnerLanguage.GERMAN)
    (step,) = steps_from([search], SPECS, {}, ZONE)
    assert step.description == "Nach Mails suchen"
