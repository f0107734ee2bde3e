"""Automations in words: `when Anna mails me, tell me at once`, `every weekday at 8 show me the CPU of the last day`.

What happens is read here, in any of the four languages. What is then to be done stays the owner's own words, which
have to be understood now and are planned anew each time; being told, and a card that is named after what came, are read
here.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import time
from typing import Any

from butler.contract.agents import PlanStep
from butler.contract.events import Condition, EventName
from butler.contract.provenance import Labelled
from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded import automating_words as words
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.every import repeated_at, rule_of
from butler.orchestrator.embedded.languages.canonical import time_in_english
from butler.orchestrator.embedded.leftover import sure_of_order
from butler.orchestrator.embedded.lexer import Phrases, Tail, lex
from butler.orchestrator.embedded.manners import without_manners
from butler.orchestrator.embedded.people import Person, person_at
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear, owners
from butler.store.conversation import Referent

Request = Callable[[Scene], PlannerOutput | None]
"""What is meant by a request."""
CREATE = "bot_automations_create"
CARD = "user_trello_create_card"
NIGHT = (time(22), time(6))
LONGEST_TIME = 12
"""Words that say when at the most."""
LONGEST_NAME = 80
MOST_WORDS = 4
"""Of what a subject or a text has to contain, where nobody put it in quotes."""
ELIDED = re.compile(r"^(\W*(?:à )?(?:chaque fois|toutes les fois|dès) )qu['’]", re.IGNORECASE)
ITEMS = {
    EventName.MAIL_RECEIVED: (ReferentKind.MAIL, "user_email_search_inbox"),
    EventName.CHAT_RECEIVED: (ReferentKind.MESSAGE, "user_telegram_get_message_history"),
}
CALLED = {
    EventName.MAIL_RECEIVED: "subject",
    EventName.CHAT_RECEIVED: "text",
    EventName.ALERT_FIRED: "name",
    EventName.EVENT_STARTING: "title",
    EventName.BULK_FINISHED: "tool",
}
"""After what a card is named that is made for an event."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """What has to happen."""

    event: EventName
    where: tuple[Condition, ...] = ()
    at_night: bool = False


def automate(scene: Scene, request: Request) -> PlannerOutput | None:
    """Read what is to be done whenever something happens; None where nothing of that is said."""
    if not scene.has(CREATE):
        return None
    whole = without_manners(lex(_unelided(scene.request.words.value)), scene.request.butler_name).bare()
    start = whole.take(words.WHEN)
    if start is None:
        return _told_whenever(whole, scene, request)
    here = start
    while (found := here.find(words.THEN)) is not None:
        before, action = found
        said = replace(start, end=before.end)
        if (trigger := _trigger(said, scene)) is not None and not action.done:
            name = replace(whole, end=before.end).text
            return _made(name, trigger, action, scene, request)
        here = action
    return None


def _told_whenever(whole: Tail, scene: Scene, request: Request) -> PlannerOutput | None:
    """`tell me whenever Anna writes`: what is done stands first."""
    told = whole.take(words.TELL)
    behind = told.past(words.THEN) if told is not None else None
    said = behind.take(words.EACH_TIME) if behind is not None else None
    trigger = _trigger(said, scene) if said is not None else None
    if behind is None or trigger is None:
        return None
    return _made(behind.text, trigger, replace(whole, end=_end_of(whole, behind)), scene, request)


def _end_of(whole: Tail, behind: Tail) -> int:
    return behind.at - 1 if whole.tokens[behind.at - 1].word == "," else behind.at


def _unelided(text: str) -> str:
    """`chaque fois qu'un mail` as `chaque fois que un mail`: what happens stands in the first words."""
    return ELIDED.sub(r"\1que ", text, count=1)


def automate_by_clock(scene: Scene, request: Request) -> PlannerOutput | None:
    """Read what is to be done again and again at a time, which is said first; None where nothing of that is said."""
    if not scene.has(CREATE):
        return None
    whole = without_manners(lex(scene.request.words.value), scene.request.butler_name).bare()
    now = scene.now()
    for length in range(min(LONGEST_TIME, whole.end - whole.at - 1), 0, -1):
        after = whole.skip(length)
        often = whole.until(after)
        found = repeated_at(often, now)
        if found is None and (english := time_in_english(often.text, now.date())):
            found = repeated_at(lex(english), now)
        if found is None or not found[1].done:
            continue
        rule = rule_of(found[0], now, scene.request.zone.key)
        action = after.past(words.THEN)
        if rule is None or action.take(words.REMIND):
            return None
        sure_of_order(action, now)
        done = _understood(action, scene, request, None)
        if not isinstance(done, list):
            return None
        clock = rule.model_dump(mode="json", exclude_defaults=True)
        return calls.plan(_create(whole.text, done, clock=clock))
    return None


def _made(name: str, trigger: Trigger, action: Tail, scene: Scene, request: Request) -> PlannerOutput | None:
    if action.take(words.REMIND):
        return None
    done = _understood(action, scene, request, trigger.event, at_night=trigger.at_night)
    if not isinstance(done, list):
        return done
    when: dict[str, Any] = {"event": trigger.event.value}
    if trigger.where:
        when["where"] = [one.model_dump(mode="json") for one in trigger.where]
    begins, ends = (f"{at:%H:%M}" for at in NIGHT)
    hours = {"hours": {"begins": begins, "ends": ends, "zone": scene.request.zone.key}} if trigger.at_night else {}
    return calls.plan(_create(name, done, when=when, **hours))


def _create(name: str, do: list[dict[str, Any]], **more: Any) -> PlanStep:
    called = capital(" ".join(name.split()))[:LONGEST_NAME]
    return calls.call(CREATE, say("Save an automation"), name=called, do=do, **more)


def _understood(
    action: Tail, scene: Scene, request: Request, event: EventName | None, *, at_night: bool = False
) -> list[dict[str, Any]] | Unclear | None:
    """What is to be done, as the tool takes it; a question where that is not clear."""
    after = action.take(words.TELL)
    if event is not None and after is not None and after.done:
        urgent = at_night or action.find(words.WITHOUT_DELAY) is not None
        return [{"tell": _told(event)} | ({"urgent": True} if urgent else {})]
    listed = action.take(words.A_CARD)
    if event is not None and event in CALLED and listed is not None and not listed.done and scene.has(CARD):
        in_list = listed.bare().without_end(words.LIST_ENDS).text.strip('"“”„«» ')
        return [{"call": CARD, "args": {"name": {"fact": CALLED[event]}, "in_list": in_list}}]
    output = request(_about(action.text, scene, event))
    if isinstance(output, Unclear):
        return Unclear(output.question)
    return [{"request": action.text}] if isinstance(output, Planned) else None


def _about(text: str, scene: Scene, event: EventName | None) -> Scene:
    """The scene in which these words are said of what came."""
    said = owners(Labelled(value=text, origins=scene.request.words.origins))
    fresh = replace(scene.request, words=said, history=(), replied_to=())
    if event is not None and event in ITEMS:
        kind, tool = ITEMS[event]
        item = Referent(handle=f"{kind}-0", kind=kind, key="0", tool=tool)
        fresh = replace(fresh, referents=(*fresh.referents, item), replied_to=(item,))
    return replace(scene, request=fresh)


def _told(event: EventName) -> str:
    """What is said of an event; its facts stand in braces."""
    match event:
        case EventName.MAIL_RECEIVED:
            return say("A mail by {who}: {what}", who="{sender_name} ({sender})", what="{subject}")
        case EventName.CHAT_RECEIVED:
            return say("{who} writes in {chat}: {what}", who="{sender_name}", chat="{chat_title}", what="{text}")
        case EventName.ALERT_FIRED:
            return say("Alert {name}, {state}: {what}", name="{name}", state="{state}", what="{summary}")
        case EventName.BULK_FINISHED:
            return say(
                "{tool} has ended: {outcome}, {failed} of {total} failed.",
                **{name: f"{{{name}}}" for name in ("tool", "outcome", "failed", "total")},
            )
        case _:
            return say("{title} begins in {minutes} minutes.", title="{title}", minutes="{minutes}")


def _trigger(tail: Tail, scene: Scene) -> Trigger | None:
    """What has to happen, where all of the words say that."""
    found = person_at(tail, scene)
    if found is not None:
        return _by_somebody(found[0], found[1])
    # Spanish says first that it comes.
    verb = tail.past(words.COMES)
    if verb.at > tail.at and (mail := verb.take(words.A_MAIL)) is not None:
        return _a_mail(mail, scene, came=True)
    for begins, reads in _THINGS:
        if (after := tail.take(begins)) is not None:
            return reads(after, scene)
    return None


def _by_somebody(person: Person, after: Tail) -> Trigger | None:
    if (rest := after.take(words.MAILS_ME)) is not None and rest.done:
        return Trigger(EventName.MAIL_RECEIVED, (_who(person),))
    in_chat = after.take(words.WRITES)
    if in_chat is not None and in_chat.done:
        return Trigger(EventName.CHAT_RECEIVED, (_who(person),))
    # In German the verb comes last: `Bob in der Familiengruppe schreibt`.
    title = in_chat.take(words.IN_CHAT) if in_chat is not None else after.take(words.IN_CHAT)
    if title is None or title.done:
        return None
    if in_chat is None:
        verb = title.find(words.WRITES)
        if verb is None or not verb[1].done:
            return None
        title = verb[0]
    called = _chat_title(title)
    return (
        Trigger(
            EventName.CHAT_RECEIVED,
            (_who(person), Condition.model_validate({"fact": "chat_title", "compare": "contains", "value": called})),
        )
        if called
        else None
    )


def _chat_title(tail: Tail) -> str:
    start = tail.past(words.CHAT_BEGINS)
    ends = start.find(words.CHAT_ENDS)
    title = ends[0] if ends is not None and ends[1].done else start
    return title.text.strip('"“”„«» ')


def _who(person: Person) -> Condition:
    if person.address:
        return Condition(fact="sender", value=person.address)
    names = tuple(dict.fromkeys(contact.name for contact in person.contacts))
    several: dict[str, Any] = {"compare": "any_of", "value": names} if len(names) > 1 else {"value": person.name}
    return Condition.model_validate({"fact": "contact", **several})


def _a_mail(tail: Tail, scene: Scene, *, came: bool = False) -> Trigger | None:
    """A mail, by whom and with what, in any order; that it comes may be said anywhere."""
    where: list[Condition] = []
    here = tail
    while not here.done:
        if (after := here.take(words.COMES)) is not None:
            here, came = after, True
        elif (after := here.take(words.A_FILE)) is not None:
            where.append(Condition.model_validate({"fact": "files", "compare": "at_least", "value": 1}))
            here = after
        elif (after := here.take(words.FROM)) is not None and (found := person_at(after, scene)) is not None:
            where.append(_who(found[0]))
            here = found[1]
        elif (after := here.take(words.WITH)) is not None and (quoted := after.quoted()) is not None:
            here = quoted[1]
            fact = "text" if here.take(words.IN_TEXT) else "subject"
            where.append(Condition.model_validate({"fact": fact, "compare": "contains", "value": quoted[0]}))
            here = here.past(words.IN_TEXT).past(words.IN_SUBJECT)
        elif after is not None and (bare := _bare_words(after)) is not None:
            where.append(bare[0])
            here = bare[1]
        else:
            return None
    return Trigger(EventName.MAIL_RECEIVED, tuple(where)) if came else None


def _bare_words(tail: Tail) -> tuple[Condition, Tail] | None:
    """`invoice in the subject`: what it has to contain without quotes, as far as what says where it stands."""
    here = tail.skip()
    while not here.done and here.at - tail.at <= MOST_WORDS:
        for fact, options in (("subject", words.IN_SUBJECT), ("text", words.IN_TEXT)):
            if (after := here.take(options)) is not None:
                value = tail.until(here).text
                return Condition.model_validate({"fact": fact, "compare": "contains", "value": value}), after
        here = here.skip()
    return None


def _a_run(tail: Tail, scene: Scene) -> Trigger | None:
    del scene
    if (after := tail.take(words.FAILS)) is not None and after.done:
        return Trigger(
            EventName.BULK_FINISHED, (Condition.model_validate({"fact": "failed", "compare": "at_least", "value": 1}),)
        )
    return Trigger(EventName.BULK_FINISHED) if _is_whole(tail, words.ENDS) else None


def _an_alert(tail: Tail, scene: Scene) -> Trigger | None:
    del scene
    night = tail.past(words.AT_NIGHT)
    after = night.take(words.FIRES)
    if after is None:
        return None
    rest = after.past(words.AT_NIGHT)
    firing = (Condition(fact="state", value="firing"),)
    return Trigger(EventName.ALERT_FIRED, firing, night.at > tail.at or rest.at > after.at) if rest.done else None


def _an_event(tail: Tail, scene: Scene) -> Trigger | None:
    del scene
    return Trigger(EventName.EVENT_STARTING) if _is_whole(tail, words.BEGINS) else None


def _is_whole(tail: Tail, options: Phrases) -> bool:
    after = tail.take(options)
    return after is not None and after.done


_THINGS: Sequence[tuple[Phrases, Callable[[Tail, Scene], Trigger | None]]] = (
    (words.A_MAIL, _a_mail),
    (words.A_RUN, _a_run),
    (words.AN_ALERT, _an_alert),
    (words.AN_EVENT, _an_event),
)
