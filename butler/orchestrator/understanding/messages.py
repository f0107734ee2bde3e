"""Builds messages and mails to be sent in the owner's name, now or later."""

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from butler.contract.speech import phrase, say, say_list
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.accounts import sure_of_account
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.draft import Draft, settle
from butler.orchestrator.embedded.later import put_off
from butler.orchestrator.embedded.people import Person, Way
from butler.orchestrator.embedded.sure_text import PART_OF_IT
from butler.orchestrator.embedded.when import at_time
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from butler.orchestrator.understanding.people.groups import Group, group_of
from butler.orchestrator.understanding.people.who import ADDRESS, is_pronoun, known, people, person, with_address
from butler.orchestrator.understanding.requests.several import together
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.texts.from_source import drafted_from_source, source_asked
from butler.orchestrator.understanding.texts.reported import OTHERS_TEXT, TEXTS, text_of
from butler.orchestrator.understanding.things.refs import outside
from butler.understanding.marked import SlotWords
from butler.understanding.stored_words import group_in, patterns_in, whole_in

WORDS = ("butler.orchestrator.understanding", "message_words")
WAYS = (
    (re.compile(r"telegram|\btg\b", re.IGNORECASE), Way.TELEGRAM),
    (patterns_in(*WORDS, "by_mail"), Way.MAIL),
)
ELSEWHERE = re.compile(r"whats\s?app|signal|sms|slack|teams|imessage|threema|messenger|discord", re.IGNORECASE)
WHAT_TO_SAY = phrase("What shall I write to {names}?")
NOT_LATER = phrase("I start a call as soon as you ask for it. Shall I remind you then?")
ASIDE = re.compile(rf",?\s+{group_in(*WORDS, 'aside')}\b.*$", re.IGNORECASE)
"""An instruction to the butler about a text, which is no part of it."""
NO_CALL = whole_in(*WORDS, "no_call")
"""Rooms that have nothing to do with calls."""
WHOM_TO_CALL = phrase("Whom shall I call?")
FIND = "user_telegram_find_group"


@dataclass(frozen=True, slots=True)
class Recipients:
    """The recipients of a message: people, and groups that a search finds by name."""

    people: tuple[Person, ...]
    groups: tuple[Group, ...] = ()

    @property
    def readers(self) -> tuple[Person, ...]:
        """All recipients by the names that the owner used."""
        return (*self.people, *(Person(group.said) for group in self.groups))

    @property
    def are_several(self) -> bool:
        """Whether more than one person reads the message."""
        return bool(self.groups) or len(self.people) > 1


def way_of(said: Said, default: Way | None) -> Way | None:
    """Return the named channel, else the default; raise `Asking` for one that Butler does not have."""
    words = said.words("channel")
    if match := ELSEWHERE.search(words):
        raise Asking(say("I can send by Telegram or mail, not {other}.", other=match[0]))
    return next((way for pattern, way in WAYS if pattern.search(words)), default)


def send(said: Said) -> PlannerOutput:
    """`text [anna](to) [I'm late](reported)`."""
    return sent(said, way_of(said, None))


def mail(said: Said) -> PlannerOutput:
    """`email [bob](to) about [the figures](subject): …`."""
    return sent(said, way_of(said, _mail_or_either(said)))


def _mail_or_either(said: Said) -> Way | None:
    """Return mail, unless nothing says so and somebody has no mail address."""
    named = [known(one.text, said.scene) for one in said.request.slots if one.slot == "to" and not is_pronoun(one.text)]
    without = any(one is not None and Way.MAIL not in one.ways() for one in named)
    return None if without and not said.has("subject") and WAYS[1][0].search(outside(said)) is None else Way.MAIL


def drafted(said: Said) -> PlannerOutput:
    """Draft `a mail to [bob](to) about [the roof](topic)`: saved unsent, even without a text."""
    return together([_drafted(part) for part in _parts(_with_subject(said))])


def _drafted(said: Said) -> PlannerOutput:
    to = people(said, "to")
    draft = Draft(to, "", Way.MAIL, _subject_of(said), unsent=True, account=said.words("account"))
    draft = replace(draft, text=text_of(said, draft))
    if not draft.is_worded:
        raise Asking(say(WHAT_TO_SAY, names=say_list([one.said for one in to])))
    return settle(draft, said.scene)


def _subject_of(said: Said) -> str:
    subject = bare(said.words("subject") or said.words("topic"))
    return "" if ADDRESS.fullmatch(subject) else subject


def sent(said: Said, way: Way | None) -> PlannerOutput:
    """Return the plan to send a message to its recipients, or ask for what is missing."""
    return together([_sent(part, way) for part in _parts(_with_subject(said))])


def _sent(said: Said, way: Way | None) -> PlannerOutput:
    to = recipients(said)
    draft = Draft(to.readers, "", way, _subject_of(said), account=said.words("account"))
    if source := source_asked(said.request):
        return drafted_from_source(source, draft, said, lambda worded: _to_all(said, to, worded))
    if (told := ASIDE.search(" ".join(words for slot in TEXTS for words in said.request.words(slot)))) is not None:
        raise Asking(say(PART_OF_IT, rest=told[0].strip(" ,")))
    text = text_of(said, draft, several=to.are_several)
    if not text:
        if not draft.subject or not said.has("text", "subject"):
            raise Asking(say(WHAT_TO_SAY, names=say_list([person.said for person in to.readers])))
        text = draft.subject
    plan = _to_all(said, to, replace(draft, text=text))
    at = said.moment() if said.has("time") else None
    return put_off(plan, at, said.scene) if at is not None else plan


def _with_subject(said: Said) -> Said:
    """Return the request with a mismarked recipient as the beginning of its text: `sag [anna](to) [mein zug](to) …`."""
    slots = sorted(said.request.slots, key=lambda one: one.start)
    for before, between, text in zip(slots, slots[1:], slots[2:], strict=False):
        text_of_request = said.request.text
        gaps = text_of_request[before.end : between.start] + text_of_request[between.end : text.start]
        named = before.slot == between.slot == "to" and text.slot in TEXTS and not gaps.strip()
        if named and known(between.text, said.scene) is None:
            whole = SlotWords(text.slot, text_of_request[between.start : text.end], between.start, text.end)
            kept = tuple(one for one in slots if one not in {between, text})
            return said.with_slots((*kept, whole))
    return said


def _parts(said: Said) -> list[Said]:
    """Split a request with several recipients and texts into one for each message: `tell anna … and bob that …`."""
    slots = said.request.slots
    texts = sorted(one.start for one in slots if one.slot in TEXTS)
    cuts = [
        one.start
        for one in sorted(slots, key=lambda one: one.start)
        if one.slot == "to" and not is_pronoun(one.text) and texts and texts[0] < one.start < texts[-1]
    ]
    if not cuts or not any(one.slot == "to" and one.start < texts[0] for one in slots):
        return [said]
    edges = [0, *cuts, len(said.request.text)]
    return [_part(said, start, end) for start, end in pairwise(edges)]


def _part(said: Said, start: int, end: int) -> Said:
    """Return the request with the recipients and texts of one part only."""
    kept: list[SlotWords] = []
    for one in said.request.slots:
        inside = start <= one.start < end
        if one.slot in TEXTS and not inside:
            kept.append(replace(one, slot=OTHERS_TEXT))
        elif one.slot != "to" or inside:
            kept.append(one)
    return said.with_slots(kept)


def _to_all(said: Said, to: Recipients, draft: Draft) -> Planned:
    """Return the plan that writes to each person and group."""
    if to.groups and draft.way is Way.MAIL:
        raise _no_mail_to(to.groups[0], draft)
    plan = calls.plan()
    if to.people:
        plan = settle(replace(draft, people=to.people, way=_only_way(to.people, draft.way)), said.scene)
    for group in to.groups:
        said.need(FIND)
        sure_of_account(draft.account, Way.TELEGRAM.tool, said.scene)
        account = {"account": draft.account} if draft.account else {}
        plan = calls.plan(*plan.steps, *calls.moved(into_group(group, draft.text, **account), len(plan.steps)))
    return plan


def into_group(group: Group, text: str, **account: str) -> Planned:
    """Return the plan that finds a group by its possible names, and writes to the one that fits."""
    found = calls.call(FIND, say("Find the group “{name}”", name=group.said), called=list(group.called), **account)
    send = calls.call(
        Way.TELEGRAM.tool,
        say("Send {name} a Telegram message", name=group.said),
        to={"step": 1, "fact": "to"},
        group={"step": 1, "fact": "group"},
        text=text,
        **account,
    )
    return calls.plan(found, send.model_copy(update={"depends_on": [1]}))


def _no_mail_to(group: Group, draft: Draft) -> Asking:
    there = replace(draft, way=Way.TELEGRAM, subject="")
    again = choice(say("{way}: {text}", way=Way.TELEGRAM.label, text=draft.text), there.words())
    return Asking(say("I can write to “{name}” on Telegram only.", name=group.said), [again])


def recipients(said: Said) -> Recipients:
    """Return the recipients; raise `Asking` if nobody is named, or somebody unknown."""
    for slot in ("to", "with", "from"):
        every = [one for one in said.request.slots if one.slot == slot]
        # A name and a later pronoun are the same recipient.
        marked = [one for one in every if not is_pronoun(one.text)] or every
        if marked:
            found = [_recipient(one, said) for one in marked]
            return Recipients(
                tuple(one for one in found if isinstance(one, Person)),
                tuple(one for one in found if isinstance(one, Group)),
            )
    raise said.missing("to")


def _recipient(named: SlotWords, said: Said) -> Person | Group:
    found = None if is_pronoun(named.text) else known(named.text, said.scene)
    if found is not None:
        return found
    before = said.request.text[: named.start]
    group = None if is_pronoun(named.text) else group_of(named.text, before, said.language)
    return group or person(with_address(named, said), said.scene)


def _only_way(to: tuple[Person, ...], way: Way | None) -> Way | None:
    """Return Telegram if no way was named and everybody has it: that is what people mean by telling."""
    if way is None and all(Way.TELEGRAM in person.ways() for person in to):
        return Way.TELEGRAM
    return way


def call(said: Said) -> PlannerOutput:
    """`ring [anna](to)`."""
    said.need("bot_livekit_create_room")
    said.need("bot_livekit_join_room")
    names = [person.name for person in people(said, "to") or people(said, "with")]
    if not names and NO_CALL.search(said.request.text):
        raise Asking(say(WHOM_TO_CALL))
    if said.has("time"):
        raise _not_later(said, names)
    return calls.call_people(names, "Host")


def _not_later(said: Said, names: list[str]) -> Asking:
    """Return the answer to a call at a later time, which offers a reminder: calls begin at once."""
    at = said.moment()
    remind = calls.remind(say("Call {names}", names=say_list(names)), **at_time("at", at)) if at is not None else None
    steps = calls.plan(remind).steps if remind is not None else ()
    label = choice(say("Remind me then"), said.request.text)
    return Asking(say(NOT_LATER), [replace(label, steps=steps)])


BUILDERS: dict[str, Builder] = {"message.send": send, "mail.send": mail, "call.start": call}
