"""Answers that are waited for: `tell me if Anna doesn't answer by Friday`, `I'm waiting for Bob's reply`; the list."""

from datetime import datetime, time

from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.lexer import Tail, lex, phrases
from butler.orchestrator.embedded.manners import without_thanks
from butler.orchestrator.embedded.people import Person, owner_of, person_at, unknown
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.embedded.when import Spoken, spoken_at
from butler.orchestrator.planning.plan_types import Command, PlannerOutput

LIST = phrases(
    "/waiting",
    "[show|list|tell] [me] (what|who|whom|whose answer|whose answers) (am i|i'm|i am) [still] waiting (for|on)",
    "(what|who|whom|whose answer|whose answers) (am i|i'm|i am) [still] waiting (for|on)",
    "who (hasn't|has not) (answered|replied) [me|to me] [yet]", "(show|list) [me] [my] open questions",
)  # fmt: skip
TELL = phrases(
    "(tell|ping|warn|remind|notify|alert) me (if|when|unless)",
    "let me know (if|when|unless)",
    "(watch|check) (if|whether)",
)
UNLESS = phrases("(tell|ping|warn|remind|notify|alert) me unless", "let me know unless")
NOT = phrases(
    "(doesn't|does not|hasn't|has not|didn't|did not|won't|will not) "
    "(answer|answered|reply|replied|respond|responded|write back|written back|come back to me|get back to me)",
    "(doesn't|does not|didn't|did not) write",
)  # fmt: skip
HAS = phrases("(answers|replies|responds|has answered|has replied|writes back|gets back to me)")
WAIT = phrases(
    "(i'm|i am) [still] waiting (for|on) [an answer|a reply|the reply|the answer] [from|of|by]",
    "(wait|watch) for (an answer|a reply|the answer|the reply) (from|of|by)",
)  # fmt: skip
ANSWER = phrases("(answer|reply|response|feedback|email|mail|message)", "to (answer|reply|respond|write back)")
ME = phrases("me", "to me")
BY = phrases("by", "until", "before", "till", "after")
END_OF_DAY = time(18)


def waiting(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read whose answer is waited for; None where nothing is said of that."""
    here = without_thanks(tail).bare()
    if (after := here.take(LIST)) is not None and after.done:
        return Command.WAITING
    return _told(here, scene) or _waits(here, scene)


def _told(tail: Tail, scene: Scene) -> PlannerOutput | None:
    start = tail.take(TELL)
    if start is None:
        return None
    found = person_at(start, scene)
    after = found[1] if found is not None else _skipped(start)
    wanted = HAS if tail.take(UNLESS) is not None else NOT
    verb = after.take(wanted) if after is not None else None
    if verb is None:
        return None
    if found is None:
        raise unknown(start)
    return _step(found[0], verb.past(ME), scene)


def _skipped(start: Tail) -> Tail | None:
    """What follows a name that nobody confirmed, of at most three words."""
    for words in range(1, 4):
        if start.skip(words).take(NOT) is not None:
            return start.skip(words)
    return None


def _waits(tail: Tail, scene: Scene) -> PlannerOutput | None:
    start = tail.take(WAIT)
    if start is None:
        return None
    if (owned := owner_of(start, scene)) is not None and (after := owned[1].take(ANSWER)) is not None:
        return _step(owned[0], after, scene)
    found = person_at(start, scene)
    if found is None:
        return None
    after = found[1].past(ANSWER)
    return _step(found[0], after, scene)


def _step(person: Person, after: Tail, scene: Scene) -> PlannerOutput | None:
    until: dict[str, str] = {}
    if not after.done:
        if after.word() == "within":
            after = lex(f"in {after.skip().text}")
        said = spoken_at(after, scene.now()) or spoken_at(after.past(BY), scene.now())
        if said is None or not said[1].done:
            return None
        at = _moment(said[0])
        if at is None:
            return None
        until = {"until": at.isoformat(timespec="seconds")}
    if not scene.has("bot_digests_watch_answer"):
        raise Asking(not_set_up("bot_digests_watch_answer"))
    what = say("Wait for an answer of {name}", name=person.name)
    who = {"address": _address(person)}
    return calls.plan(calls.call("bot_digests_watch_answer", what, who=who, **until))


def _address(person: Person) -> str:
    """One address of theirs, which stands for all that they are known by."""
    if person.address:
        return person.address
    if len(person.contacts) != 1:
        names = [one.name for one in person.contacts]
        raise Asking(say("Whose answer do you mean?"), [choice(one, f"I'm waiting for {one}'s reply") for one in names])
    (contact,) = person.contacts
    address = contact.address("mail") or contact.address("telegram")
    if address is None:
        raise Asking(say("I have no address of {name}.", name=contact.name))
    return address


def _moment(said: Spoken) -> datetime | None:
    """By when; a day alone is meant until its evening."""
    if said.moment is not None:
        return said.moment
    if said.day is None:
        return None
    return datetime.combine(said.day, said.clock or END_OF_DAY)
