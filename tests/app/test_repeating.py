"""An order for again and again, as the person sees it: one card, one rule, and what it says each time."""

import json
import signal
from datetime import timedelta

import pytest

from tests.app.words import asked, shows
from tests.crash.scenarios_approvals import tap, telling
from tests.crash.scenarios_bulk import in_inbox, labels

ORDER = "every Sunday at 9 archive all mails from Anna, at most 100"
BY_RULE = "By your rule 1, every Sunday at 09:00."


@pytest.mark.nightly
async def test_a_rule_archives_every_sunday_until_it_is_stopped(home):
    before, wanted = labels(home), in_inbox(home)
    card, _deny = await asked(home, ORDER)
    shown = await shows(home, "Archives mails in your mailbox, again and again", "When: every Sunday at 09:00 (UTC)")
    assert "At most: 100 each time; of more you are asked" in shown["text"]
    home.world.press(*card)
    await shows(home, "It is rule 1 now, and is done every Sunday at 09:00")
    await home.settled()
    assert labels(home) == before
    assert home.rows("select count(*) from bulk_runs where state <> 'ready'") == [(0,)]

    home.world.advance(timedelta(days=7))
    await shows(home, f"Archived: {len(wanted)} of {len(wanted)}", BY_RULE)
    assert in_inbox(home) == set()
    await home.stop(signal.SIGKILL)
    await home.start()
    await tap(home, "Undo")
    await shows(home, f"Put back into the inbox: {len(wanted)} of {len(wanted)}")
    assert labels(home) == before

    await tap(home, "Stop the rule")
    await home.until(lambda: home.rows("select state from rules") == [("revoked",)], "the end of the rule")
    home.world.advance(timedelta(days=7))
    await home.settled()
    assert labels(home) == before
    assert len(telling(home, BY_RULE)) == 1
    ((due,),) = home.rows("select data from audit where kind = 'rule.due'")
    assert (json.loads(due)["outcome"], json.loads(due)["count"]) == ("begun", len(wanted))
