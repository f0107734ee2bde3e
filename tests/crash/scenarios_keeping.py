"""What is old goes in the night, wherever the daemon dies in it: no more than that, and what waits stays."""

from datetime import timedelta

from tests.crash.scenarios import Scenario

YEARS = timedelta(days=400)
SLOWLY_S = 120.0
"""All that a year makes due is done beside it."""


async def a_night_after_a_year(home):
    """What was said and heard goes; the note, the reminder to come and the audit log stay."""
    home.world.say("/start")
    await home.until(home.bot_messages, "a greeting")
    home.world.say("remember that my locker is 4711")
    await home.until(lambda: home.rows("select 1 from notes"), "a note")
    home.world.say("remind me on 1 March 2030 at 9 to water the plants")
    await home.until(lambda: home.rows("select 1 from reminders"), "a reminder")
    await home.until(lambda: not home.rows("select 1 from outbox where state = 'waiting'"), "everything said", SLOWLY_S)
    await home.until(lambda: not home.rows("select 1 from work where kind = 'inbound'"), "all that came in dealt with")
    home.world.advance(YEARS)
    await home.until(lambda: home.rows("select 1 from facts where name = 'last_retention'"), "a night", SLOWLY_S)
    assert home.rows("select count(*) from inbox where item like '%locker%'") == [(0,)]
    assert home.rows("select count(*) from notes where text like '%4711%'") == [(1,)]
    assert home.rows("select state from reminders") == [("waiting",)]
    nights = "select count(*) from work where kind = 'run_retention' and state = 'ready'"
    await home.until(lambda: home.rows(nights) == [(1,)], "the next night, once", SLOWLY_S)


KEEPING_SCENARIO = Scenario("a_night_after_a_year", a_night_after_a_year)
