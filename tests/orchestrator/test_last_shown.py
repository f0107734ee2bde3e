"""An older thing is meant where the words name it: by a noun of its kind, or by what its module calls the channel."""

from dataclasses import replace

import pytest

from butler.contract.agents import PlanStep
from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.last_shown import pointed
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from butler.provenance import MODEL_PLAN, Labels
from butler.store.conversation import LastShown
from modules.trello.module import TrelloModule
from tests.orchestrator.embedded import agenda_scene, scene

ARCHIVE = "user_trello_archive_card"
TOOLS = tuple(replace(one, about=TrelloModule.about) for one in agenda_scene.TRELLO)


def archived(words: str, labels: Labels = frozenset()) -> PlannerOutput:
    """The plan that archives a card which was shown before the mails."""
    request = scene.request(
        words,
        tools=(*scene.TOOLS, *TOOLS),
        referents=agenda_scene.shown(ReferentKind.CARD, 1),
        last_shown=LastShown(kind=ReferentKind.MAIL, count=2),
    )
    step = PlanStep(step_id=1, description="", tool_call=ARCHIVE, args={"handle": "card-1"})
    return pointed(Planned((step,), labels=labels), request)


@pytest.mark.parametrize("words", ["archive the card", "archive the one in Trello", "archiviere die Karte"])
def test_what_the_words_name_is_meant_though_something_else_was_shown_since(words: str) -> None:
    assert isinstance(archived(words), Planned)


def test_what_they_do_not_name_is_asked_about() -> None:
    assert isinstance(archived("archive the first one"), Unclear)


MODEL = frozenset({MODEL_PLAN})


@pytest.mark.parametrize(
    "words",
    [
        "archive the one about the garden, from before",
        "leg das mit dem Garten von vorhin ins Archiv",
        "archive celle du jardin dont on parlait",
        "archiva la del jardín, la de antes",
    ],
)
def test_a_model_may_choose_an_older_handle_that_it_is_told(words: str) -> None:
    assert isinstance(archived(words, MODEL), Planned)


@pytest.mark.parametrize(
    "words",
    ["archive the first one", "archiviere das erste", "archive le premier", "archiva el primero", "archive number 1"],
)
def test_a_place_in_a_list_is_one_in_what_was_shown_last_whoever_plans(words: str) -> None:
    assert isinstance(archived(words, MODEL), Unclear)
