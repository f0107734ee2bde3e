"""Doubtful requests: what is offered as buttons, what is asked, and what is looked at although it is not certain."""
# names: made up here

from dataclasses import replace

import pytest

from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import NotUnderstood, PlannerOutput, Unclear
from butler.orchestrator.understanding.core import DECLINES
from butler.orchestrator.understanding.planner import BUILDERS
from butler.orchestrator.understanding.requests.weighing import sureness
from butler.orchestrator.understanding.turns.offers import offered
from butler.understanding.reader import Request
from tests.understanding.marked import said

Shares = dict[str, float]


def doubt(line: str, shares: Shares, language: str = "en") -> Request:
    one = said(line, next(iter(shares)), language=language).request
    return replace(one, readings=tuple(shares.items()))


def offer(line: str, shares: Shares, language: str = "en") -> Unclear | None:
    scene = said(line, next(iter(shares)), language=language)

    def build(request: Request) -> PlannerOutput:
        try:
            return BUILDERS[request.intent](replace(scene, request=request))
        except Asking as asking:
            return asking.unclear

    return offered(doubt(line, shares, language), build)


@pytest.mark.parametrize(
    ("language", "line", "shares", "labels"),
    [
        ("en", "get [the electricity invoice](topic) to [Bob](to)", {"mail.forward": 0.4, "message.send": 0.2},
         ["Forward it to Bob: electricity invoice"]),
        ("en", "something with [the bins](topic)", {"reminder.remove": 0.4, "reminder.done": 0.3},
         ["Remove the reminder: bins"]),
        ("de", "das mit [der Stromrechnung](topic) weg", {"mail.trash": 0.4, "mail.archive": 0.3},
         ["Put mails into the trash: Stromrechnung", "Archive mails: Stromrechnung"]),
        ("en", "[them](ref) away", {"mail.archive": 0.5}, ["Archive mails"]),
    ],
)  # fmt: skip
def test_buttons_say_what_would_be_done_in_the_owners_words(
    language: str, line: str, shares: Shares, labels: list[str]
) -> None:
    found = offer(line, shares, language)
    assert found is not None
    assert [one.label for one in found.choices][: len(labels)] == labels
    assert all(one.steps for one in found.choices)


def test_an_order_is_not_answered_from_what_was_read() -> None:
    line = "put [the lunch](topic) to [friday](time)"
    found = offer(line, {"memory.ask": 0.4, "calendar.move": 0.3, "calendar.change": 0.1})
    assert found is not None
    assert "bot_memory_search" not in {step.tool_call for one in found.choices for step in one.steps}


def test_what_cannot_be_done_is_said_rather_than_looked_for() -> None:
    shares = {"memory.ask": 0.45, "decline.booking": 0.35}
    found = offer("and could you book us a table there", shares)
    assert found is not None
    assert found.question == DECLINES["decline.booking"]
    assert sureness(doubt("and could you book us a table there", shares)) == 0


@pytest.mark.parametrize(
    ("shares", "sure"),
    [
        ({"mail.search": 0.5, "memory.ask": 0.4}, True),
        ({"file.read": 0.3, "mail.read": 0.3, "memory.ask": 0.2}, True),
        ({"mail.trash": 0.5, "mail.archive": 0.4}, False),
        ({"memory.ask": 0.5, "reminder.create": 0.3}, False),
    ],
)
def test_between_two_looks_the_likelier_one_is_taken(shares: Shares, sure: bool) -> None:
    assert (sureness(doubt("[the lease](topic)", shares)) >= 0.4) is sure


def test_what_came_nearest_is_asked_about() -> None:
    found = offer("to [Bob](to) about it", {"message.send": 0.2, "unclear": 0.1})
    assert found is not None
    assert not isinstance(found, NotUnderstood)
    assert "Bob" in found.question


def test_nothing_is_offered_where_nothing_comes_near() -> None:
    assert offer("flibber", {"mail.trash": 0.05}) is None
