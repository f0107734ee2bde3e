"""A reminder that is made and said: marked once, and told to the owner, wherever the daemon died."""

from datetime import timedelta

from tests.crash.scenarios import Scenario
from tests.crash.scenarios_approvals import labelled, telling

TEXT = "water the plants"


async def remind(home):
    """Each time is taken as said once; a line may be there twice, never not at all."""
    home.world.say(f"remind me in 20 minutes to {TEXT}")
    await home.until(lambda: home.rows("select 1 from reminders"), "a reminder")
    answered = "select 1 from outbox where state = 'sent' and message like '%I will remind you%'"
    await home.until(lambda: home.rows(answered), "an answer")
    assert home.rows("select count(*) from reminders") == [(1,)]
    home.world.advance(timedelta(minutes=21))
    await home.until(lambda: home.rows("select state from reminders") == [("fired",)], "a said reminder")
    await home.settled()
    assert home.rows("select count(*) from firings where kind = 'reminder'") == [(1,)]
    assert home.rows("select count(*) from events where name = 'reminder.due'") == [(1,)]
    query = "select count(*) from firings join outbox using (message_id) where outbox.state = 'sent'"
    assert home.rows(query) == [(1,)]


async def edit_and_snooze(home):
    """A reply gives it another time and a tap puts it off; each is done once, and each time is said."""
    home.world.say(f"remind me in 20 minutes to {TEXT}")
    answered = "select 1 from outbox where state = 'sent' and message like '%I will remind you%'"
    await home.until(lambda: home.rows(answered), "an answer")
    home.world.advance(timedelta(minutes=21))
    await home.until(lambda: labelled(home, "Edit"), "a reminder with buttons")
    home.world.press(*labelled(home, "Edit")[-1])
    await home.until(lambda: telling(home, "When shall I remind you again"), "a question")
    home.world.say("in 30 minutes", reply_to=telling(home, "When shall I remind you again")[-1]["message_id"])
    await home.until(lambda: home.rows("select state from reminders") == [("waiting",)], "another time")
    home.world.advance(timedelta(minutes=31))
    await home.until(lambda: _fired(home) == 2, "a reminder that is said again")
    await home.until(lambda: len(labelled(home, "10 min")) > 1, "its buttons")
    home.world.press(*labelled(home, "10 min")[-1])
    await home.until(lambda: home.rows("select state from reminders") == [("waiting",)], "a snoozed reminder")
    home.world.advance(timedelta(minutes=11))
    await home.until(lambda: home.rows("select state from reminders") == [("fired",)], "a reminder that is over")
    await home.settled()
    assert _fired(home) == 3


def _fired(home):
    ((times,),) = home.rows("select count(*) from firings where kind = 'reminder'")
    return times


TIME_SCENARIO = Scenario("remind", remind)
EDIT_SCENARIO = Scenario("edit_and_snooze", edit_and_snooze)
