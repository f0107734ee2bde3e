"""A mail to the butler fires an automation that stands in the settings: it is told of, and a note is kept of it."""

from butler_demo.people import ANNA
from tests.crash.scenarios import Scenario

SECTION = """[[automations]]
name = "Bills"
when = { event = "mail.received", where = [{ fact = "subject", compare = "contains", value = "invoice" }] }
do = [{ tell = "A bill: {subject}" }, { call = "bot_notes_remember", args = { text = { fact = "subject" } } }]

"""
SUBJECT = "Invoice of the boiler"
FIRINGS = "select state from automation_firings"
NOTES = "select count(*) from notes where text = 'Invoice of the boiler'"


async def a_mail_fires_an_automation(home):
    """A mail, an event, a firing and a plan: the firing and the note are there once, and the line at least once."""
    home.world.say("/start")
    await home.until(home.bot_messages, "a greeting")
    await home.until(lambda: home.rows("select 1 from cursors where name like 'mail%'"), "a first look")
    home.world.mail_butler(ANNA.email, SUBJECT, "Please pay it.")
    await home.until(lambda: home.rows(NOTES) == [(1,)], "a note of the bill")
    await home.settled()
    assert home.rows(FIRINGS) == [("fired",)]
    told = [one for one in home.bot_messages() if "A bill: " in one.get("text", "")]
    assert 1 <= len(told) <= 1 + home.deaths
    assert home.rows("select count(*) from events where name = 'mail.received'") == [(1,)]


AUTOMATIONS_SCENARIO = Scenario(
    "a_mail_fires_an_automation", a_mail_fires_an_automation, replaced={"[approvals]": f"{SECTION}[approvals]"}
)
