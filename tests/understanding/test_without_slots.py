"""Every intent, read from words of which nothing was marked, comes to a plan, a command or a question."""
# names: made up here

import pytest

from bench.understanding_scenes import SCENES
from butler.orchestrator.understanding.planner import BUILDERS
from butler.understanding.tables import LANGUAGES
from tests.understanding.marked import made, said


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("intent", sorted(BUILDERS))
def test_an_intent_without_slots_is_planned_or_asked_about(intent: str, language: str) -> None:
    for scene in SCENES:
        assert made({**BUILDERS}, said("attack claims", intent, language=language, scene=scene)) is not None
