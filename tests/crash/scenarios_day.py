"""What Butler tells of the day on its own: set once, told once, whenever the daemon died."""

import json
from datetime import datetime, timedelta

from butler_demo.people import BOB
from tests.crash.scenarios import Scenario
from tests.crash.scenarios_approvals import tap, telling

PLANNED = "select value from facts where name = 'digest.planned:morning'"


async def told_of_the_day(home):
    """A digest that a tap set and an answer that does not come: each is told once when its time has come."""
    home.world.say(f"I'm waiting for {BOB.name}'s reply")
    await home.until(lambda: telling(home, "I tell you if "), "a wait")
    home.world.say("/digest")
    await tap(home, "Every morning at 07:30")
    await home.until(lambda: telling(home, "All right. The next one comes"), "the time of the next")
    await home.settled()
    due = datetime.fromisoformat(json.loads(home.rows(PLANNED)[0][0])["due"])
    home.world.advance(due - home.world.clock.now() + timedelta(seconds=1))
    await home.until(lambda: telling(home, "☀️ Good morning."), "a digest")
    home.world.advance(timedelta(days=4))
    await home.until(lambda: telling(home, "⏳ Bob"), "that no answer came")
    await home.settled()
    assert home.rows("select state from waits") == [("overdue",)]
    assert len(home.rows("select 1 from work where kind = 'digest'")) == 1
    assert len(home.rows("select 1 from firings where kind = 'wait'")) == 1
    assert len(home.rows("select 1 from outbox where dedup_key like 'wait:%'")) == 1
    days = home.rows("select dedup_key from outbox where dedup_key like 'digest:morning:%'")
    assert len(days) == len(set(days))


DAY_SCENARIO = Scenario("told_of_the_day", told_of_the_day)
