"""What is said further of many events or cards says which of them only."""
# names: made up here

from typing import Any

import pytest

from butler.orchestrator.edits.many import read
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.narrowing import Narrowed, narrowed
from butler.orchestrator.embedded.scene import scene_of
from tests.orchestrator.embedded.scene import request

EVENTS, CARDS = "user_calendar_delete_event", "user_trello_archive_card"


@pytest.mark.parametrize(
    ("tool", "words", "args", "changed"),
    [
        (EVENTS, "only those with Carol", {}, {"people": ["carol@work.example"]}),
        (EVENTS, "only those about budget", {"words": "meeting"}, {"words": "meeting budget"}),
        (EVENTS, "only the ones I am invited to", {}, {"organiser": "others"}),
        (EVENTS, "only the all-day ones", {}, {"all_day": True}),
        (CARDS, "only those labelled Urgent", {}, {"label": "Urgent"}),
        (CARDS, "only the overdue ones", {"board": "Home"}, {"overdue": True}),
        (CARDS, "only the overdue ones", {"board": "Home", "overdue": True}, {}),
        (CARDS, "only those about the trip", {}, {"words": "trip"}),
    ],
)
def test_only_means_what_holds_besides(tool: str, words: str, args: dict[str, Any], changed: dict[str, Any]) -> None:
    more = narrowed(lex(words), scene_of(request(words)), tool)
    assert more is not None
    assert more.changed(args) == changed


@pytest.mark.parametrize("words", ["with Carol", "overdue", "also those with Bob", "only joking about that", "only"])
@pytest.mark.parametrize("tool", [EVENTS, CARDS])
def test_anything_else_changes_nothing(tool: str, words: str) -> None:
    assert narrowed(lex(words), scene_of(request(words)), tool) is None


def test_to_the_card_itself_the_only_may_be_left_out() -> None:
    more = narrowed(lex("with Carol"), scene_of(request("with Carol")), EVENTS, replied=True)
    assert more is not None
    assert more.changed({}) == {"people": ["carol@work.example"]}


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("nur die mit Carol", {"people": ["carol@work.example"]}),
        ("nur die über die Reise", {"words": "Reise"}),
        ("seulement ceux avec Carol", {"people": ["carol@work.example"]}),
        ("seulement ceux sur le voyage", {"words": "voyage"}),
        ("solo los con Carol", {"people": ["carol@work.example"]}),
        ("solo los sobre el viaje", {"words": "viaje"}),
    ],
)
def test_it_is_said_in_any_of_the_languages(words: str, changed: dict[str, Any]) -> None:
    more = read(words, scene_of(request(words)), EVENTS, replied=False)
    assert isinstance(more, Narrowed)
    assert more.changed({}) == changed
