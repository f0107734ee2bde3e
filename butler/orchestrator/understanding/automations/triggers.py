"""Reads triggers of automations from the owner's words: an event, and conditions on its facts.

Each kind of words is removed from the trigger. The owner is asked about remaining words, which no fact of an event can
check: dropping them would do more than was said.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import time

from butler.contract.events import Compare, Condition, EventName
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.further_asked import WHAT_HAPPENS
from butler.orchestrator.embedded.people import Way
from butler.orchestrator.planning.plan_types import Choice
from butler.orchestrator.understanding import trigger_words as words
from butler.orchestrator.understanding.automations.events import EventReading
from butler.orchestrator.understanding.automations.trigger_parts import (
    MOST_WORDS,
    LeftOver,
    Trigger,
    content_of,
    each_of,
    sender,
    sure_name,
    without_small,
)
from butler.orchestrator.understanding.people.who import known, without_article
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.times.loose import time_within
from butler.understanding.times.parse import parse

NIGHT = (time(22), time(6))
WHICH_GROUP = phrase("Which group do you mean? Say its name.")
MAIL_OR_TELEGRAM = phrase("By mail or on Telegram?")
EITHER_WAY = ((EventName.MAIL_RECEIVED, "mail"), (EventName.CHAT_RECEIVED, "Telegram"))
PLURALS = re.compile(rf"{words.group('plural')}$", re.IGNORECASE)
BEHIND = re.compile(rf"\s+{words.group('behind_name')}$", re.IGNORECASE)
HAS = re.compile(rf"{words.group('has')}\s+(?:{words.group('the_words')} )?((?:\S+ ?){{1,4}})$")
COMPOUND = words.patterns("compound")
"""Compounds such as `Kundenmail`: nobody can tell from it who a customer is."""


def triggers_of(text: str, said: Said, *, on_mail: bool = False) -> tuple[Trigger, ...]:
    """Return the triggers, mostly one; raise `Asking` if they are not understood.

    Args:
        text: The words of the trigger.
        said: The request with the trigger.
        on_mail: Whether the action applies only to mails.
    """
    reading = _Reading(text, said, on_mail=on_mail)
    try:
        found = reading.read()
    except LeftOver:
        raise Asking(say(WHAT_HAPPENS), reading.simpler()) from None
    return found


class _Reading(EventReading):
    """The remaining words of a trigger, and the conditions read so far."""

    def __init__(self, text: str, said: Said, *, on_mail: bool) -> None:
        whole = " ".join(bare(text).replace("’", "'").split())
        when = words.WHEN_END.match(whole)
        self.when = when[0] if when else ""
        super().__init__(whole[len(self.when) :].lstrip(), said)
        self.on_mail = on_mail
        self.hours: tuple[time, time] | None = None
        self.who, self.wrote = "", False
        """The writer as named, and whether the words say that they write."""

    def read(self) -> tuple[Trigger, ...]:
        """Return the triggers of all the words."""
        self._contents()
        self._times()
        found = self.alert()
        if found is None and (words.NEVER.search(self.left) or words.LATE.search(self.left)):
            raise LeftOver
        found = found or self.other_event()
        if found is not None:
            return (replace(found, hours=self.hours),)
        return tuple(replace(one, hours=self.hours) for one in self._message())

    def simpler(self) -> Iterator[Choice]:
        """Yield a simpler trigger as a choice if the writer is known."""
        who = words.UNTIL.split(self.who)[0].strip()
        if who and self.said.has("trigger") and not self.wrote:
            yield choice(self._way("mail_from", who), self._again("mail_from", who))

    def _again(self, kind: str, who: str) -> str:
        """Return the request with another trigger."""
        return self.said.again("trigger", f"{self.when} {self._way(kind, who)}".strip())

    def _way(self, kind: str, who: str) -> str:
        """Return how it is said that somebody writes by mail or on Telegram."""
        (trigger,) = words.plain(kind, self.said.language)
        return trigger.format(who=who)

    def _contents(self) -> None:
        """Read quoted words, and whether they must be in the subject or the text."""
        quoted = self.take(words.QUOTED)
        in_text, in_subject = self.take(words.IN_TEXT), self.take(words.IN_SUBJECT)
        if quoted is not None:
            self.add("text" if in_text else "subject", (quoted[1] or quoted[2]).strip())
        elif in_subject is not None or in_text is not None:
            place = in_subject or in_text or quoted
            assert place is not None
            before = self.left.split(" | ")[0]
            found = HAS.search(before)
            if found is not None:
                self.add("text" if in_text else "subject", found[1].strip())
                self.left = before[: found.start()] + " | " + self.left[len(before) :]

    def _times(self) -> None:
        found = words.AFTER.search(self.left)
        after = parse(found[1], self.said.language, self.said.scene.now()) if found else None
        if after is not None and after.clock is not None:
            self.take(words.AFTER)
            self.hours = (after.clock, NIGHT[1])
        elif self.take(words.NIGHT):
            self.hours = NIGHT

    def _message(self) -> tuple[Trigger, ...]:
        for pattern in words.GROUPS:
            if found := self.take(pattern):
                self.add("chat_title", _title(found[1]))
                break
        else:
            if words.UNTITLED.search(self.left):
                raise Asking(say(WHICH_GROUP))
        either = self.take(words.EITHER) is not None
        chat = any(one.fact == "chat_title" for one in self.where)
        if self.all(words.WITH_FILE):
            self.add("files", 1, Compare.AT_LEAST)
        if self.all(words.NEWS):
            self.add("list", value=True, compare=Compare.IS)
        by_mail = self.all(words.MAILS)
        wrote = self.wrote = self.all(words.WRITES) or by_mail
        sent = self.all(words.SENDS)
        came = self.all(words.COMES)
        chat = self.all(words.CHAT) or chat
        by_mail = self.all(words.MAIL) or by_mail or any(one.fact == "list" for one in self.where)
        self._said_of_it()
        self.all(words.ANYTHING)
        by = self.take(words.FROM)
        nobody = self.all(words.SOMEBODY)
        self._writer(by, wrote=wrote or sent, nobody=nobody)
        self._thing(wrote=wrote and not nobody and not by_mail)
        if either:
            return tuple(
                replace(one, name=", ".join(filter(None, (one.name, way))))
                for event, way in EITHER_WAY
                for one in self._of_each(event)
            )
        event = self._channel(chat=chat and not by_mail, mail=by_mail or not wrote or (sent and not chat))
        if not (self.where or self.who or came or wrote or by_mail or chat):
            raise LeftOver
        return self._of_each(event)

    def _said_of_it(self) -> None:
        """Read the words that the subject or the text must contain."""
        if found := self.take(words.SUBJECT):
            self.add("subject", content_of(found[1]))
        elif found := self.take(words.HOLDS):
            self.add("text", content_of(found[1]))
        elif found := self.take(words.ABOUT):
            self.add("subject", content_of(found[1]))
        self.where = [one for one in self.where if one.value != ""]

    def _writer(self, by: re.Match[str] | None, *, wrote: bool, nobody: bool) -> None:
        if by is not None:
            self.who = BEHIND.sub("", bare(by[1]))
        elif wrote and not nobody and (left := self.leftovers(whole=True)):
            self.who = left[0]
            self.left = self.left.replace(left[0], " | ", 1)
        if words.UNTIL.search(self.who) or len(self.who.split()) > 2 * MOST_WORDS:
            raise LeftOver

    def _thing(self, *, wrote: bool) -> None:
        """Read the subject's words in `an invoice comes`; raise `LeftOver` for other remaining words."""
        if self.take(words.INVITE):
            self.take(words.EVENT)
            self.add("subject", words.plain("invitation", self.said.language)[0])
        left = self.leftovers()
        if not left:
            return
        plain = len(left) == 1 and not words.UNTIL.search(left[0]) and len(left[0].split()) <= MOST_WORDS
        if wrote or not plain or COMPOUND.fullmatch(left[0]) or time_within(left[0], self.said) is not None:
            raise LeftOver
        self.add("subject", PLURALS.sub("", left[0]))

    def _channel(self, *, chat: bool, mail: bool) -> EventName:
        """Return whether mails or messages are meant; raise `Asking` if that is unclear."""
        if chat:
            return EventName.CHAT_RECEIVED
        if mail or self.on_mail:
            return EventName.MAIL_RECEIVED
        people = [known(one, self.said.scene) for one in each_of(self.who)]
        if self.who and all(people):
            reached = any(Way.TELEGRAM in person.ways() for person in people if person is not None)
            return EventName.CHAT_RECEIVED if reached else EventName.MAIL_RECEIVED
        if self.who and self.said.has("trigger"):
            for one in each_of(self.who):
                sure_name(one)
            ways = ((say("By mail"), "mail_from"), (say("On Telegram"), "chat_from"))
            raise Asking(say(MAIL_OR_TELEGRAM), [choice(label, self._again(kind, self.who)) for label, kind in ways])
        return EventName.MAIL_RECEIVED

    def _of_each(self, event: EventName) -> tuple[Trigger, ...]:
        """Return a trigger for each writer; several contacts share one."""
        where = tuple(self._fits(one, event) for one in self.where)
        people = [(one, known(one, self.said.scene)) for one in each_of(self.who)]
        if not people:
            return (Trigger(event, where),)
        found = [person for _, person in people if person is not None]
        if len(found) == len(people) > 1 and not any(person.address for person in found):
            names = tuple(dict.fromkeys(contact.name for person in found for contact in person.contacts))
            return (Trigger(event, (Condition(fact="contact", compare=Compare.ANY_OF, value=names), *where)),)
        return tuple(
            Trigger(event, (sender(name, person), *where), name=name if len(people) > 1 else "")
            for name, person in people
        )

    def _fits(self, one: Condition, event: EventName) -> Condition:
        """Return a condition with this event's name of the fact."""
        if event is EventName.CHAT_RECEIVED and one.fact == "subject":
            return one.model_copy(update={"fact": "text"})
        if event is EventName.MAIL_RECEIVED and one.fact == "chat_title":
            raise LeftOver
        return one


def _title(said: str) -> str:
    """Return the title of a chat; raise `Asking` for words that name none: `in der Gruppe schreibt`."""
    left = said
    for pattern in (words.WRITES, words.SENDS, words.COMES, words.ANYTHING, words.SOMEBODY, words.NO_TITLE):
        left = pattern.sub(" ", left)
    if not without_small(left):
        raise Asking(say(WHICH_GROUP))
    return without_article(said)
