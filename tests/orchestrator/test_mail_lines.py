"""Sizes and times of mails are said as a person reads them, by their own clock."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from butler.contract.mail import InviteFacts
from butler.orchestrator.replies.mail_lines import size, takes_place, when

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (24_300, "24 kB"),
        (999_499, "999 kB"),
        (999_600, "1.0 MB"),
        (1_500_000, "1.5 MB"),
        (26_000_000, "26 MB"),
        (2_000_000_000_000, "2000 GB"),
    ],
)
def test_a_size_is_short_and_has_a_fitting_unit(count: int, said: str) -> None:
    assert size(count) == said


def test_a_time_is_by_the_persons_clock_and_names_another_year() -> None:
    at = datetime(2026, 3, 5, 23, 30, tzinfo=UTC)
    assert when(at, at, BERLIN) == "Fri 6 Mar 00:30"
    assert when(at, at.replace(year=2027), BERLIN) == "Fri 6 Mar 2026 00:30"


@pytest.mark.parametrize(
    ("starts", "ends", "said"),
    [
        ("2026-12-04T17:00:00+00:00", "2026-12-04T19:00:00+00:00", "Friday 4 December 2026, 18:00 to 20:00"),
        ("2026-12-04T22:00:00+00:00", "2026-12-05T01:00:00+00:00",
         "Friday 4 December 2026, 23:00 to Saturday 5 December 2026, 02:00"),
        ("2026-12-04T17:00:00", "", "Friday 4 December 2026, 17:00"),
        ("2026-12-04", "2026-12-05", "Friday 4 December 2026, all day"),
        ("2026-12-04", "2026-12-07", "Friday 4 December 2026 to Sunday 6 December 2026, all day"),
        ("2026-12-04", "", "Friday 4 December 2026, all day"),
        ("", "", ""),
        ("soon", "later", ""),
        ("0001-01-01T00:00:00+14:00", "", ""),
    ],
)  # fmt: skip
def test_an_event_is_told_with_its_days_and_times(starts: str, ends: str, said: str) -> None:
    invite = InviteFacts(method="REQUEST", uid="e1", starts=starts, ends=ends)
    assert takes_place(invite, BERLIN) == said
