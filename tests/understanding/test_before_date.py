"""A reminder before a day that only a mail knows: the mail is read, and a reader takes the day out of it."""

from typing import Any

import pytest

from butler.contract.referents import ReferentKind
from butler.orchestrator.understanding.reminders.builders import BUILDERS
from tests.understanding.marked import said, steps
from tests.understanding.shown import after


@pytest.mark.parametrize(
    ("language", "line", "moved"),
    [
        ("en", "remind me [a day](lead) before [the deadline](topic) in [that mail](ref)", {"days": -1, "at": "09:00"}),
        (
            "de",
            "erinnere mich [zwei Tage](lead) vor [der Frist](topic) in [der Mail](ref)",
            {"days": -2, "at": "09:00"},
        ),
        ("fr", "rappelle-moi [une heure](lead) avant [la visite](topic) dans [ce mail](ref)", {"hours": -1}),
        ("es", "recuérdame [90 minutos](lead) antes de [la visita](topic) de [ese correo](ref)", {"hours": -2}),
    ],
)
def test_a_day_in_a_mail_that_was_shown(language: str, line: str, moved: dict[str, Any]) -> None:
    one = after(said(line, "reminder.create", language=language), ReferentKind.MAIL, 1)
    topic = next(slot.text for slot in one.request.slots if slot.slot == "topic")
    read, remind = steps(BUILDERS, one)
    assert read[1] == {"message_id": {"handle": "mail-1"}}
    assert remind[1]["at"] == {"from": 1, "read": "date", "ask": topic, **moved}


def test_without_a_mail_it_is_looked_for_in_the_calendar() -> None:
    one = said("remind me [a day](lead) before [the deadline](topic)", "reminder.create")
    assert steps(BUILDERS, one)[0][0] == "user_calendar_list_events"
