"""Many mails at once, by one yes: each is done once in the record, and what Undo puts back is what was done."""

from butler_demo.people import ANNA, OWNER
from tests.crash.scenarios import Scenario, states
from tests.crash.scenarios_accounts import say_yes
from tests.crash.scenarios_approvals import tap, telling

ARCHIVE = "user_email_archive"


async def archive_and_undo(home):
    """Chat, card with the count, yes, the end of the run, Undo: Anna's mails lie where they lay, and nothing moved."""
    before = labels(home)
    wanted = in_inbox(home)
    count = len(wanted)
    assert count > 1, "there are some to archive"
    home.world.say("archive all mails from Anna")
    await say_yes(home, f"How many: {count}")
    await home.until(lambda: states(home, ARCHIVE) == ["done"], "a yes that has begun it")
    await home.until(lambda: telling(home, f"Archived: {count} of {count}"), "the end of the run")
    now = labels(home)
    assert {one for one, was in before.items() if now[one] != was} == wanted
    assert in_inbox(home) == set()
    await tap(home, "Undo")
    await home.until(lambda: telling(home, f"Put back into the inbox: {count} of {count}"), "the end of the undo")
    await home.settled()
    assert labels(home) == before
    runs = home.rows("select state, total from bulk_runs where state <> 'ready' and state <> 'listing'")
    assert runs == [("done", count)] * 2
    assert home.rows("select count(*) from bulk_items where state = 'done'") == [(2 * count,)]


def labels(home):
    """Of each mail of the person's."""
    return {mail.id: tuple(sorted(mail.label_ids)) for mail in home.world.gmail.mailbox(OWNER.email)}


def in_inbox(home):
    """Anna's mails that lie in the inbox."""
    mails = home.world.gmail.mailbox(OWNER.email)
    return {mail.id for mail in mails if "INBOX" in mail.label_ids and is_from_anna(mail)}


def is_from_anna(mail):
    return any(name.lower() == "from" and ANNA.email in value for name, value in mail.content.headers)


BULK_SCENARIO = Scenario("archive_and_undo", archive_and_undo)
