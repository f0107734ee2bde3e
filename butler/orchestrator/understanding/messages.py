"""Messages and mails that are to be sent, now or later, in the person's name."""

import re

from butler.contract.speech import phrase, say, say_list
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.draft import Draft, settle
from butler.orchestrator.embedded.later import put_off
from butler.orchestrator.embedded.people import Person, Way
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.reported_text import text_of
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.who import people

WAYS = (
    (re.compile(r"telegram|\btg\b", re.IGNORECASE), Way.TELEGRAM),
    (re.compile(r"mail|courriel|correo|mél\b", re.IGNORECASE), Way.MAIL),
)
ELSEWHERE = re.compile(r"whats\s?app|signal|sms|slack|teams|imessage|threema|messenger|discord", re.IGNORECASE)
WHAT_TO_SAY = phrase("What shall I write to {names}?")


def way_of(said: Said, default: Way | None) -> Way | None:
    """The channel that was named, else the default; raise `Asking` for one that Butler has not."""
    words = said.words("channel")
    if match := ELSEWHERE.search(words):
        raise Asking(say("I can send by Telegram or mail, not {other}.", other=match[0]))
    return next((way for pattern, way in WAYS if pattern.search(words)), default)


def send(said: Said) -> PlannerOutput:
    """`text [anna](to) [I'm late](reported)`."""
    return sent(said, way_of(said, None))


def mail(said: Said) -> PlannerOutput:
    """`email [bob](to) about [the figures](subject): …`."""
    return sent(said, way_of(said, Way.MAIL))


def sent(said: Said, way: Way | None) -> PlannerOutput:
    """Send what was said to whom it was said, asking for what is missing."""
    to = recipients(said)
    draft = Draft(to, "", way, bare(said.words("subject") or said.words("topic")), account=said.words("account"))
    text = text_of(said, draft)
    if not text:
        if not draft.subject or not said.has("text", "subject"):
            raise Asking(say(WHAT_TO_SAY, names=say_list([person.said for person in to])))
        text = draft.subject
    plan = settle(Draft(to, text, _only_way(to, way), draft.subject, account=draft.account), said.scene)
    at = said.moment() if said.has("time") else None
    return put_off(plan, at, said.scene) if at is not None else plan


def recipients(said: Said) -> tuple[Person, ...]:
    """Whom it is for; raise `Asking` where nobody is named."""
    found = people(said, "to") or people(said, "with") or people(said, "from")
    if not found:
        raise said.missing("to")
    return found


def _only_way(to: tuple[Person, ...], way: Way | None) -> Way | None:
    """Telegram where a message was asked for without a way and all have it: that is what people mean by telling."""
    if way is None and all(Way.TELEGRAM in person.ways() for person in to):
        return Way.TELEGRAM
    return way


def call(said: Said) -> PlannerOutput:
    """`ring [anna](to)`."""
    said.need("bot_livekit_create_room")
    found = people(said, "to") or people(said, "with")
    return calls.call_people([person.name for person in found], "Host")


BUILDERS: dict[str, Builder] = {"message.send": send, "mail.send": mail, "call.start": call}
