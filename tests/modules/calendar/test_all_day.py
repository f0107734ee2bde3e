"""Whole days are dates: they are the same day wherever the process and the person are."""

import time
from collections.abc import Iterator

import pytest

from tests.modules.calendar.calendar_account import ME, Account


@pytest.fixture(params=["Europe/Copenhagen", "Pacific/Auckland", "America/Los_Angeles"])
def process_zone(request: pytest.FixtureRequest) -> Iterator[None]:
    """The zone that the process has, as another machine would."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("process_zone")
async def test_sc_15_a_whole_day_east_of_greenwich_is_no_day_early(me: Account) -> None:
    me.server.add_event(ME, {"summary": "Party", "start": {"date": "2027-12-29"}, "end": {"date": "2027-12-30"}})
    (party,) = (await me.data("list_events", since="2027-12-29", before="2027-12-30"))["events"]
    assert (party["start"], party["end"], party["all_day"]) == ("2027-12-29", "2027-12-29", True)
