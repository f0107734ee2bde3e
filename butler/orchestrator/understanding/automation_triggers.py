"""What has to happen before an automation acts, out of the owner's words: an event and what holds of its facts.

Each kind of word is taken out of the trigger; words that are left over mean something that no fact of an event can
tell, and are asked about rather than left out: else more would be done than was said.
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
from butler.orchestrator.understanding.loose_times import time_within
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.trigger_parts import (
    MOST_WORDS,
    LeftOver,
    Trigger,
    content_of,
    each_of,
    holds,
    sender,
    sure_name,
    without_small,
)
from butler.orchestrator.understanding.who import known, without_article
from butler.understanding.times.parse import parse

NIGHT = (time(22), time(6))
MAIL_OR_TELEGRAM = phrase("By mail or on Telegram?")
MAIL_FROM = {
    "en": "a mail from {who} comes", "de": "eine Mail von {who} kommt", "fr": "un mail de {who} arrive",
    "es": "llega un mail de {who}",
}  # fmt: skip
CHAT_FROM = {
    "en": "{who} writes on Telegram", "de": "{who} auf Telegram schreibt", "fr": "{who} écrit sur Telegram",
    "es": "{who} escribe por Telegram",
}  # fmt: skip
INVITATION = {"en": "invit", "de": "einladung", "fr": "invit", "es": "invit"}
PLURALS = re.compile(r"(?<=ung)en$|(?<=\w{3})(?<![suié])s$", re.IGNORECASE)
BEHIND = re.compile(r"\s+(?:is|are|ist|sind|hat|est|sont|es|son|me|mir)$", re.IGNORECASE)
COMPOUND = re.compile(r"\w{3,}mails?", re.IGNORECASE)
"""`Kundenmail`: who a customer is, nobody can tell from it."""


def triggers_of(text: str, said: Said, *, on_mail: bool = False) -> tuple[Trigger, ...]:
    """The events that are meant, mostly one; raise `Asking` where they are not understood.

    Args:
        text: The words of the trigger.
        said: The request that they stand in.
        on_mail: Whether what is done can only be done to mails.
    """
    reading = _Reading(text, said, on_mail=on_mail)
    try:
        found = reading.read()
    except LeftOver:
        raise Asking(say(WHAT_HAPPENS), reading.simpler()) from None
    return found


class _Reading:
    """The words that are left of a trigger, and what was understood of it so far."""

    def __init__(self, text: str, said: Said, *, on_mail: bool) -> None:
        self.left = " ".join(bare(text).replace("’", "'").split())
        when = words.WHEN_END.match(self.left)
        self.when = when[0] if when else ""
        self.left = self.left[len(self.when) :].lstrip()
        self.said, self.on_mail = said, on_mail
        self.where: list[Condition] = []
        self.hours: tuple[time, time] | None = None
        self.who, self.wrote = "", False
        """Who writes, as it was said, and whether it was said that they write."""

    def read(self) -> tuple[Trigger, ...]:
        """All of it."""
        self._contents()
        self._times()
        found = self._alert()
        if found is None and (words.NEVER.search(self.left) or words.LATE.search(self.left)):
            raise LeftOver
        found = found or self._other_event()
        if found is not None:
            return (replace(found, hours=self.hours),)
        return tuple(replace(one, hours=self.hours) for one in self._message())

    def simpler(self) -> Iterator[Choice]:
        """The same without what was not understood, where it is known who writes."""
        who = words.UNTIL.split(self.who)[0].strip()
        if who and self.said.has("trigger") and not self.wrote:
            yield choice(MAIL_FROM[self.said.language].format(who=who), self._again(MAIL_FROM, who))

    def _again(self, trigger: dict[str, str], who: str) -> str:
        """The request with another trigger."""
        return self.said.again("trigger", f"{self.when} {trigger[self.said.language].format(who=who)}".strip())

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first such words, which are taken out."""
        found = pattern.search(self.left)
        if found is not None:
            self.left = f"{self.left[: found.start()]} | {self.left[found.end() :]}"
        return found

    def _all(self, pattern: re.Pattern[str]) -> bool:
        found = self._take(pattern) is not None
        while self._take(pattern) is not None:
            pass
        return found

    def _add(self, fact: str, value: str | bool | int, compare: Compare = Compare.CONTAINS) -> None:
        one = Condition(fact=fact, compare=compare, value=value)
        if one not in self.where:
            self.where.append(one)

    def _contents(self) -> None:
        """What stands in quotes, and where it has to stand."""
        quoted = self._take(words.QUOTED)
        in_text, in_subject = self._take(words.IN_TEXT), self._take(words.IN_SUBJECT)
        if quoted is not None:
            self._add("text" if in_text else "subject", (quoted[1] or quoted[2]).strip())
        elif in_subject is not None or in_text is not None:
            place = in_subject or in_text or quoted
            assert place is not None
            before = self.left.split(" | ")[0]
            found = re.search(r"(?:with|mit|avec|con|has|hat|having)\s+(?:the words? )?((?:\S+ ?){1,4})$", before)
            if found is not None:
                self._add("text" if in_text else "subject", found[1].strip())
                self.left = before[: found.start()] + " | " + self.left[len(before) :]

    def _times(self) -> None:
        found = words.AFTER.search(self.left)
        after = parse(found[1], self.said.language, self.said.scene.now()) if found else None
        if after is not None and after.clock is not None:
            self._take(words.AFTER)
            self.hours = (after.clock, NIGHT[1])
        elif self._take(words.NIGHT):
            self.hours = NIGHT

    # What is neither a mail nor a message.

    def _other_event(self) -> Trigger | None:
        if self._take(words.RUN):
            failed = self._all(words.FAILS)
            return Trigger(EventName.BULK_FINISHED, (holds("failed", 1, Compare.AT_LEAST),) if failed else ())
        if words.MAIL.search(self.left) is None and words.WRITES.search(self.left) is None:
            return self._card() or self._event() or self._file()
        return None

    def _alert(self) -> Trigger | None:
        if words.ALERT.search(self.left) is None or words.MAIL.search(self.left) or words.WRITES.search(self.left):
            return None
        over = self._take(words.RESOLVED) is not None
        fires = self._take(words.FIRES) is not None
        self._take(words.ALERT)
        if not (fires or over) and not self._nothing_left():
            # What is wrong with a server was said in other words: whatever its alert says.
            self.left = ""
        self._take(words.ABOUT)
        return Trigger(EventName.ALERT_FIRED, (Condition(fact="state", value="resolved" if over else "firing"),))

    def _card(self) -> Trigger | None:
        if self._take(words.CARD) is None:
            return None
        made, moved = self._take(words.CARD_MADE), self._take(words.CARD_MOVES)
        where = [Condition(fact="change", value="made" if made and not moved else "moved")]
        board = self._take(words.BOARD)
        if board is not None:
            where.append(holds("board", (board[1] or board[2]).strip()))
        listed = self._take(words.IN_LIST)
        if listed is not None and (name := without_article(listed[1])).casefold() != "trello":
            where.append(holds("list", name))
        self._all(words.SOMEBODY)
        self._take(re.compile(r"(?:in|on|auf|bei|sur|en) trello", re.IGNORECASE))
        if not (made or moved) or not self._nothing_left():
            raise LeftOver
        return Trigger(EventName.CARD_CHANGED, tuple(where))

    def _event(self) -> Trigger | None:
        if words.EVENT.search(self.left) is None or words.INVITE.search(self.left):
            return None
        for pattern, change in ((words.CANCELS, "cancelled"), (words.MOVES, "changed")):
            if self._take(pattern):
                self._all(words.EVENT)
                self._all(words.SOMEBODY)
                self._named_event()
                return Trigger(EventName.EVENT_CHANGED, (Condition(fact="change", value=change), *self.where))
        if not self._take(words.BEGINS):
            raise LeftOver
        self._all(words.EVENT)
        self._named_event()
        return Trigger(EventName.EVENT_STARTING, tuple(self.where))

    def _named_event(self) -> None:
        """`my yoga class`: what its title has to contain."""
        left = self._leftovers()
        if len(left) > 1 or (left and len(left[0].split()) > MOST_WORDS):
            raise LeftOver
        if left:
            person = known(left[0], self.said.scene)
            self._add("title", person.name if person is not None else left[0])

    def _file(self) -> Trigger | None:
        if self._take(words.FILE) is None or words.INVITE.search(self.left):
            return None
        self._all(words.FILE_PLACE)
        came = self._all(words.COMES) or self._all(words.CARD_MADE)
        self._all(words.SOMEBODY)
        if not came or not self._nothing_left():
            raise LeftOver
        return Trigger(EventName.FILE_CHANGED, (Condition(fact="change", value="made"),))

    # Mails and messages.

    def _message(self) -> tuple[Trigger, ...]:
        for pattern in words.GROUPS:
            if found := self._take(pattern):
                self._add("chat_title", without_article(found[1]))
                break
        chat = any(one.fact == "chat_title" for one in self.where)
        if self._all(words.WITH_FILE):
            self._add("files", 1, Compare.AT_LEAST)
        if self._all(words.NEWS):
            self._add("list", value=True, compare=Compare.IS)
        by_mail = self._all(words.MAILS)
        wrote = self.wrote = self._all(words.WRITES) or by_mail
        sent = self._all(words.SENDS)
        came = self._all(words.COMES)
        chat = self._all(words.CHAT) or chat
        by_mail = self._all(words.MAIL) or by_mail or any(one.fact == "list" for one in self.where)
        self._said_of_it()
        self._all(words.ANYTHING)
        by = self._take(words.FROM)
        nobody = self._all(words.SOMEBODY)
        self._writer(by, wrote=wrote or sent, nobody=nobody)
        self._thing(wrote=wrote and not nobody and not by_mail)
        event = self._channel(chat=chat and not by_mail, mail=by_mail or not wrote or (sent and not chat))
        if not (self.where or self.who or came or wrote or by_mail or chat):
            raise LeftOver
        return self._of_each(event)

    def _said_of_it(self) -> None:
        """What the subject or the text has to contain."""
        if found := self._take(words.SUBJECT):
            self._add("subject", content_of(found[1]))
        elif found := self._take(words.HOLDS):
            self._add("text", content_of(found[1]))
        elif found := self._take(words.ABOUT):
            self._add("subject", content_of(found[1]))
        self.where = [one for one in self.where if one.value != ""]

    def _writer(self, by: re.Match[str] | None, *, wrote: bool, nobody: bool) -> None:
        if by is not None:
            self.who = BEHIND.sub("", bare(by[1]))
        elif wrote and not nobody and (left := self._leftovers(whole=True)):
            self.who = left[0]
            self.left = self.left.replace(left[0], " | ", 1)
        if words.UNTIL.search(self.who) or len(self.who.split()) > 2 * MOST_WORDS:
            raise LeftOver

    def _thing(self, *, wrote: bool) -> None:
        """`an invoice comes`: what its subject has to contain; anything else that is left is not understood."""
        if self._take(words.INVITE):
            self._take(words.EVENT)
            self._add("subject", INVITATION[self.said.language])
        left = self._leftovers()
        if not left:
            return
        plain = len(left) == 1 and not words.UNTIL.search(left[0]) and len(left[0].split()) <= MOST_WORDS
        if wrote or not plain or COMPOUND.fullmatch(left[0]) or time_within(left[0], self.said) is not None:
            raise LeftOver
        self._add("subject", PLURALS.sub("", left[0]))

    def _channel(self, *, chat: bool, mail: bool) -> EventName:
        """Whether mails or messages are meant; raise `Asking` where nothing tells."""
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
            ways = ((say("By mail"), MAIL_FROM), (say("On Telegram"), CHAT_FROM))
            raise Asking(say(MAIL_OR_TELEGRAM), [choice(label, self._again(text, self.who)) for label, text in ways])
        return EventName.MAIL_RECEIVED

    def _of_each(self, event: EventName) -> tuple[Trigger, ...]:
        """One for everybody who is meant; contacts fit into one together."""
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
        """A condition with the fact that this event has for it."""
        if event is EventName.CHAT_RECEIVED and one.fact == "subject":
            return one.model_copy(update={"fact": "text"})
        if event is EventName.MAIL_RECEIVED and one.fact == "chat_title":
            raise LeftOver
        return one

    # What is left over.

    def _leftovers(self, *, whole: bool = False) -> list[str]:
        """The stretches of words that were not understood; with the small words around them where `whole`."""
        found: list[str] = []
        for part in self.left.split("|"):
            told = without_small(part)
            if any(letter.isalnum() for letter in told):
                found.append(bare(part.strip()) if whole else told)
        return found

    def _nothing_left(self) -> bool:
        return not self._leftovers()
