"""A likelier reading gives way where the words say that another is meant."""
# names: made up here

from dataclasses import replace

import pytest

from butler.orchestrator.understanding.requests.weighing import weighed
from tests.understanding.marked import said


def read_as(line: str, shares: dict[str, float], language: str = "en") -> str:
    one = said(line, next(iter(shares)), language=language)
    return weighed(replace(one.request, readings=tuple(shares.items())), one.scene.request).intent


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "tell me not to [smoke](topic)"),
        ("en", "tell me to not be late"),
        ("de", "sag mir, dass ich nicht [rauchen](topic) soll"),
        ("fr", "dis-moi de ne pas fumer"),
        ("es", "dime que no [fume](topic)"),
    ],
)
def test_what_the_owner_is_not_to_do_is_a_reminder(language: str, line: str) -> None:
    assert read_as(line, {"calendar.decline": 0.8, "reminder.create": 0.06}, language) == "reminder.create"


@pytest.mark.parametrize("line", ["tell them I'm not coming to the [lunch](topic)", "I won't come, tell me about it"])
def test_an_event_is_declined_by_other_words(line: str) -> None:
    assert read_as(line, {"calendar.decline": 0.8, "reminder.create": 0.06}) == "calendar.decline"


def test_a_reminder_not_to_do_something_is_not_removed() -> None:
    assert read_as("remind me not to [smoke](topic)", {"reminder.remove": 0.4, "reminder.create": 0.3}) == (
        "reminder.create"
    )
