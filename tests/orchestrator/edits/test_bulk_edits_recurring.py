"""An order for again and again that words have changed: days that were named stay, ages move on."""
# names: made up here

from datetime import date
from typing import Any

import pytest

from butler.orchestrator.edits.mail_changes import MailChange
from butler.orchestrator.edits.narrowing import Narrowed
from butler.orchestrator.edits.recurring import repeated
from butler.orchestrator.embedded.asking import Asking
from tests.orchestrator.edits.bulk_words import EVENTS, MAILS, read
from tests.orchestrator.edits.test_bulk_edits import Harness, args, asked, harness, mailbox

__all__ = ["harness", "mailbox"]
WEEKLY = {"every": "week", "on": ["sunday"], "at": "09:00", "fixed": []}
YEAR = {"since": "2023-01-01", "before": "2024-01-01", "repeat": {**WEEKLY, "fixed": ["since", "before"]}}
AGED = {"before": "2026-02-04", "repeat": WEEKLY}


def fixed(words: str, old: dict[str, Any], *, mail: bool = True) -> tuple[dict[str, Any], list[str] | None]:
    """What becomes of an order, and the dates that stay; None where these are the same."""
    more = read(words, MAILS if mail else EVENTS)
    assert isinstance(more, MailChange | Narrowed)
    new = more.changed(old, "archive") if isinstance(more, MailChange) else more.changed(old)
    again = repeated(more, old, new)
    return new, again["repeat"]["fixed"] if again else None


@pytest.mark.parametrize(
    ("words", "old", "new", "stay"),
    [
        ("only those from 2023", {"repeat": WEEKLY}, {"since": "2023-01-01", "before": "2024-01-01"},
         ["since", "before"]),
        ("only those since 2025", AGED, {"since": "2025-01-01"}, ["since"]),
        ("only those before 2024", AGED, {"before": "2024-01-01"}, ["before"]),
        ("only those older than a month", {"repeat": WEEKLY}, {"before": "2026-02-04"}, None),
        ("only those older than a year", AGED, {"before": "2025-03-04"}, None),
        ("only those older than 26 months", YEAR, {}, None),
        ("not the ones older than a year", {"repeat": WEEKLY}, {"since": "2025-03-04"}, None),
        ("only the unread ones", YEAR, {"unread": True}, None),
    ],
)  # fmt: skip
def test_a_day_that_is_named_stays_and_an_age_moves_on(
    words: str, old: dict[str, Any], new: dict[str, Any], stay: list[str] | None
) -> None:
    assert fixed(words, old) == (new, stay)


@pytest.mark.parametrize(
    ("words", "old"),
    [
        ("only those older than 3 years", YEAR),
        ("only those before 2026", AGED | {"before": "2025-03-04"}),
        ("only those from this month", {"repeat": WEEKLY}),
        ("only those from 2026", {"repeat": WEEKLY, "since": "2025-12-05"}),
    ],
)
def test_what_would_creep_on_is_asked(words: str, old: dict[str, Any]) -> None:
    with pytest.raises(Asking, match="again and again"):
        fixed(words, old)


def test_an_order_that_is_done_once_keeps_no_such_thing() -> None:
    assert fixed("only those from 2023", {"category": "promotions"})[1] is None


def test_of_events_a_day_that_is_named_would_let_in_what_is_over() -> None:
    with pytest.raises(Asking, match="again and again"):
        fixed("only those after 20 March", {"words": "gym", "repeat": WEEKLY}, mail=False)


async def test_the_card_that_comes_anew_has_the_days_that_stay(harness: Harness) -> None:
    await asked(harness, "every Sunday archive all newsletters from hostinger")
    await harness.say("only those from 2023")
    now = await args(harness)
    assert (now["revision"], now["since"], now["before"]) == (2, "2023-01-01", "2024-01-01")
    assert set(now["repeat"]["fixed"]) == {"since", "before"}


async def test_the_card_that_comes_anew_has_the_age_that_moves_on(harness: Harness) -> None:
    await asked(harness, "every Sunday archive all newsletters from hostinger")
    await harness.say("only those older than a month")
    now = await args(harness)
    assert now["revision"] == 2
    assert date.fromisoformat(now["before"]) < harness.clock.now().date()
    assert not now["repeat"].get("fixed")
