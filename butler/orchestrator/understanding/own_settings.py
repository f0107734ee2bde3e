"""Answers requests for what only buttons and files can set: names of people, standing rules, and experts.

Words alone name nobody and allow nothing, so the answer says how to do it.
"""

import re

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.people import HANDLE, MAIL
from butler.orchestrator.planning.plan_types import Choice, PlannerOutput
from butler.orchestrator.understanding.people.who import known, without_article
from butler.orchestrator.understanding.said import Builder, Said, bare

PHONE = re.compile(r"\+?\d[\d ()/.-]{5,}\d")
WHOSE_NAME = phrase("Whom shall I call how? Say a name and an address, like “Tobi is tobi@mail.example”.")
NO_PHONES = phrase(
    "I write by mail and on Telegram, so I keep no telephone numbers. Tell me the mail address of {name}."
)
NAME_IT = phrase("Shall I call {address} “{name}” from now on?")
CALL_THEM = phrase("Call them “{name}”")
ALREADY = phrase("{name} is {address} already.")
ADD_IN_FILE = phrase(
    "I know nobody by “{value}”. Tell me the mail address of {name}, or add {name} under [[contacts]] in butler.toml."
)
HOW_TO_ALLOW = phrase(
    "Words alone allow nothing. Tap “Always…” on a card the next time that I ask about it; that "
    "proposes a rule, which you "
    "confirm."
)
ASKS_ANYWAY = phrase(
    "I ask before everything that I do in your name, except what a rule of yours allows. Take the "
    "rule away in the list, "
    "and I ask again."
)
SHOW_RULES = phrase("Show my rules")
RULES_WORDS = "show my rules"
NO_SUCH_EXPERT = phrase("I know no expert of that name.")
MORE_OF = phrase("I cannot go on from there. Say it again with how many, like “the last 20 mails from Anna”.")


def add_contact(said: Said) -> PlannerOutput:
    """`[Tobi](to)'s address is [tobi@mail.example](value)`: one tap gives the name to the address."""
    name, value = _name_and_value(said)
    if not name and not value:
        raise Asking(say(WHOSE_NAME))
    address = _address(value, said)
    if address and not name:
        raise Asking(say("What shall I call {address}?", address=value))
    if address:
        return _naming(name, address, said)
    if PHONE.fullmatch(value):
        raise Asking(say(NO_PHONES, name=name))
    if not value:
        raise Asking(say("What is the address of {name}?", name=name))
    raise Asking(say(ADD_IN_FILE, value=value, name=name or value))


def _name_and_value(said: Said) -> tuple[str, str]:
    """Return the person's name and the address or other name; an address is never the name, whatever was marked."""
    marked = [bare(text) for slot in ("to", "from", "with", "topic", "title") for text in said.request.words(slot)]
    values = [bare(text) for slot in ("value", "text", "url") for text in said.request.words(slot)]
    found = MAIL.search(said.request.text)
    addresses = [one for one in (*values, *marked) if _is_address(one)] or (
        [found[0].rstrip(".,;:!?")] if found else []
    )
    names = [one for one in (*marked, *values) if one and not _is_address(one)]
    name = without_article(names[0]) if names else ""
    if addresses:
        return name, addresses[0]
    return name, next((one for one in (*values, *names[1:]) if one and one != names[0]), "")


def _is_address(text: str) -> bool:
    return MAIL.fullmatch(text) is not None or HANDLE.fullmatch(text) is not None


def _address(value: str, said: Said) -> str:
    """Return the address: as written, or the only one of a known person."""
    if MAIL.fullmatch(value):
        return f"mail:{value}"
    if HANDLE.fullmatch(value):
        return f"telegram:{value}"
    person = known(value, said.scene) if value else None
    if person is None or len(person.contacts) != 1:
        return ""
    (contact,) = person.contacts
    return contact.address("mail") or contact.address("telegram") or ""


def _naming(name: str, address: str, said: Said) -> PlannerOutput:
    bare_address = address.partition(":")[2]
    there = known(name, said.scene)
    if there is not None and any(address == one for contact in there.contacts for one in contact.addresses):
        raise Asking(say(ALREADY, name=name, address=bare_address))
    tap = Choice(choice(say(CALL_THEM, name=name), "").label, "", alias=name, address=address)
    raise Asking(say(NAME_IT, address=bare_address, name=name), [tap])


def allow(said: Said) -> PlannerOutput:
    """`never ask me about [archiving](topic)`: only a card's button proposes a rule."""
    del said
    raise Asking(say(HOW_TO_ALLOW), [choice(say(SHOW_RULES), RULES_WORDS)])


def ask_first(said: Said) -> PlannerOutput:
    """`always ask before mailing [my boss](to)`: that is so, unless a rule says otherwise."""
    del said
    raise Asking(say(ASKS_ANYWAY), [choice(say(SHOW_RULES), RULES_WORDS)])


def expert(said: Said) -> PlannerOutput:
    """`@garden [water the beans](action)`: no expert has that name; existing experts are handled before."""
    action = bare(said.words("action") or said.words("query") or said.words("text"))
    without = [choice(say("Without an expert"), action)] if action else []
    raise Asking(say(NO_SUCH_EXPERT), [*without, choice(say("Show the experts"), "which experts are there")])


def more(said: Said) -> PlannerOutput:
    """`show more`: a list has all that was found."""
    del said
    raise Asking(say(MORE_OF))


BUILDERS: dict[str, Builder] = {
    "contact.add": add_contact, "rule.allow": allow, "rule.ask": ask_first, "expert.ask": expert, "more": more,
}  # fmt: skip
