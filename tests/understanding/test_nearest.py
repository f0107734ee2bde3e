"""What was not understood says what it came nearest to."""

import pytest

from butler.orchestrator.embedded.help import EXAMPLES, NOT_UNDERSTOOD
from butler.orchestrator.understanding.turns.nearest import AREAS, not_understood
from butler.understanding.reader import Request
from butler.understanding.tables import intents

TALK = ("answer.", "approve.", "chat.", "choose", "command.", "decline.", "more", "refine", "undo", "unclear")
OF_NO_PART = ("contact.", "expert.", "rule.", "tools.", *TALK)


def read(**readings: float) -> Request:
    return Request("hm", 0, tuple((name.replace("__", "."), share) for name, share in readings.items()), ())


@pytest.mark.parametrize(
    ("request_", "part", "example"),
    [
        (read(unclear=0.5, reminder__create=0.2), "Remind", "remind me tomorrow at 9 to call mum"),
        (read(answer__value=0.9, mail__forward=0.06), "Pass on", "forward the second one to Bob"),
        (read(mail__archive=0.3, card__archive=0.2), "Clean up the mail", "archive all mails from Anna"),
    ],
)
def test_what_came_nearest_is_named(request_: Request, part: str, example: str) -> None:
    said = not_understood(request_).question
    assert said.startswith("I did not understand that, so I did nothing.")
    assert f"“{part}”" in said
    assert f"“{example}”" in said


def test_where_nothing_is_near_examples_are_shown() -> None:
    assert not_understood(read(chat__joke=0.9, reminder__create=0.01)).question == NOT_UNDERSTOOD


def test_every_intent_is_of_a_part_of_the_help() -> None:
    titles = {title for title, _ in EXAMPLES}
    assert {title for _, title in AREAS} <= titles
    for name in intents():
        of_a_part = any(name.startswith(names) for names, _ in AREAS)
        assert of_a_part or name.startswith(OF_NO_PART), name
