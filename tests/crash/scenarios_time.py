"""A reminder that is made and said: marked once, and told to the owner, wherever the daemon died."""

from datetime import timedelta

from tests.crash.scenarios import Scenario

TEXT = "water the plants"


async def remind(home):
    """Each time is taken as said once; a line may be there twice, never not at all."""
    home.world.say(f"remind me in 20 minutes to {TEXT}")
    await home.until(lambda: home.rows("select 1 from reminders"), "a reminder")
    answered = "select 1 from outbox where state = 'sent' and message like '%I will remind you%'"
    await home.until(lambda: home.rows(answered), "an answer")
    assert home.rows("select count(*) from reminders") == [(1,)]
    home.world.advance(timedelta(minutes=21))
    await home.until(lambda: home.rows("select state from reminders") == [("said",)], "a said reminder")
    await home.settled()
    assert home.rows("select count(*) from firings where kind = 'reminder'") == [(1,)]
    assert home.rows("select count(*) from events where name = 'reminder.due'") == [(1,)]
    query = "select count(*) from firings join outbox using (message_id) where outbox.state = 'sent'"
    assert home.rows(query) == [(1,)]


TIME_SCENARIO = Scenario("remind", remind)
