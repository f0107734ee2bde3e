"""Builds reminders before a day in a mail: `a day before the deadline in that mail`.

No planner reads the mail: a step reads it, and a reader extracts the day.
"""

from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.items import side_of
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.planning.plan_types import Planned
from butler.orchestrator.understanding.reminders.times import lead_minutes
from butler.orchestrator.understanding.said import CLOCKS, Said, bare
from butler.orchestrator.understanding.things.refs import one_of, shows
from butler.orchestrator.understanding.times.relative import A_DAY, relative

MAIL = frozenset({ReferentKind.MAIL})


def before_day_in_mail(said: Said) -> Planned | None:
    """Return the reminder; None if the request points at no shown mail, or names no day in it."""
    topic = bare(said.words("topic"))
    if not topic or not said.has("ref") or not shows(said, ReferentKind.MAIL):
        return None
    mail = one_of(said, MAIL)
    found = relative(said, "lead")
    lead = -(found.minutes + found.days * A_DAY) if found is not None else lead_minutes(said) or 0
    if mail is None:
        return None
    days, minutes = divmod(lead, A_DAY)
    # Round the lead to whole hours, rather earlier than later.
    moved = {"hours": (-lead) // 60} if minutes else {"days": -days, "at": f"{CLOCKS[0]:%H:%M}"}
    at = {"from": 1, "read": "date", "ask": topic, **moved}
    remind = calls.call("bot_reminders_create", say("Set a reminder"), text=capital(topic), at=at)
    return calls.plan(calls.read_mail(mail.handle, side_of(mail)), remind.model_copy(update={"depends_on": [1]}))
