"""A time on somebody else's clock is turned into the owner's, or asked about; it is never taken for the owner's own."""

import pytest

from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding.planner import BUILDERS
from tests.understanding.marked import made, said, steps


@pytest.mark.parametrize(
    ("language", "line", "at"),
    [
        ("en", "remind me at [15:00 PST tomorrow](time) to [call](text)", "2026-03-05T23:00:00"),
        ("en", "remind me [at 15:00 PST](time) [tomorrow](time) to [call](text)", "2026-03-05T23:00:00"),
        ("en", "remind me [tomorrow at 9am Tokyo time](time) to [call](text)", "2026-03-05T00:00:00"),
        ("de", "erinner mich [morgen um 15 Uhr](time) New Yorker Zeit an [den Call](text)", "2026-03-05T20:00:00"),
        ("fr", "rappelle-moi [demain à 9h heure de Tokyo](time) d'[appeler](text)", "2026-03-05T00:00:00"),
        ("en", "remind me [tomorrow at 12:00 UTC+2](time) to [call](text)", "2026-03-05T10:00:00"),
    ],
)
def test_it_is_the_same_moment(language: str, line: str, at: str) -> None:
    ((_, args),) = steps(BUILDERS, said(line, "reminder.create", language=language))
    assert args["at"] == at


@pytest.mark.parametrize(
    ("line", "labels"),
    [
        ("remind me [friday 9am CST](time) to [call](text)", ["Chicago: Fri 6 Mar 15:00", "Shanghai: Fri 6 Mar 01:00"]),
        (
            "remind me [tomorrow at 9](time) in Tokyo to [call](text)",
            ["Mine: Thu 5 Mar 09:00", "Tokyo: Thu 5 Mar 00:00"],
        ),
    ],
)
def test_of_several_clocks_the_owner_chooses(line: str, labels: list[str]) -> None:
    asked = made(BUILDERS, said(line, "reminder.create"))
    assert isinstance(asked, Unclear)
    assert [one.label for one in asked.choices] == labels


def test_a_clock_that_nobody_knows_is_asked_about() -> None:
    line = "recuérdame [mañana a las 9 hora de Hogwarts](time) [llamar a Bob](text)"
    assert isinstance(made(BUILDERS, said(line, "reminder.create", language="es")), Unclear)


def test_a_place_of_an_event_is_no_clock() -> None:
    ((_, args),) = steps(
        BUILDERS, said("add [call](title) [tomorrow at 3pm](time) in [Tokyo](place)", "calendar.create")
    )
    assert args["start"] == "2026-03-05T15:00"
