"""Reads triggers other than mails and messages: cards, events, files, alerts, runs."""

import re

from butler.contract.events import Compare, Condition, EventName
from butler.orchestrator.understanding import trigger_words as words
from butler.orchestrator.understanding.automations.trigger_parts import (
    MOST_WORDS,
    LeftOver,
    Trigger,
    content_of,
    holds,
    without_small,
)
from butler.orchestrator.understanding.people.who import known, without_article
from butler.orchestrator.understanding.said import Said, bare

IN_TRELLO = re.compile(rf"{words.group('in_trello')} trello", re.IGNORECASE)


class EventReading:
    """The remaining words of a trigger, and the conditions read so far."""

    def __init__(self, text: str, said: Said) -> None:
        self.left = text
        self.said = said
        self.where: list[Condition] = []

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return the first match and remove it from the words."""
        found = pattern.search(self.left)
        if found is not None:
            self.left = f"{self.left[: found.start()]} | {self.left[found.end() :]}"
        return found

    def all(self, pattern: re.Pattern[str]) -> bool:
        """Return whether there is a match, and remove all matches."""
        found = self.take(pattern) is not None
        while self.take(pattern) is not None:
            pass
        return found

    def add(self, fact: str, value: str | bool | int, compare: Compare = Compare.CONTAINS) -> None:
        """Add a condition, once."""
        one = Condition(fact=fact, compare=compare, value=value)
        if one not in self.where:
            self.where.append(one)

    def leftovers(self, *, whole: bool = False) -> list[str]:
        """Return the words that were not understood; with the small words around them if `whole`."""
        found: list[str] = []
        for part in self.left.split("|"):
            told = without_small(part)
            if any(letter.isalnum() for letter in told):
                found.append(bare(part.strip()) if whole else told)
        return found

    def nothing_left(self) -> bool:
        """Return whether all words were understood."""
        return not self.leftovers()

    def other_event(self) -> Trigger | None:
        """Return the trigger for a run, a card, an event or a file; None for a mail or a message."""
        if self.take(words.RUN):
            failed = self.all(words.FAILS)
            return Trigger(EventName.BULK_FINISHED, (holds("failed", 1, Compare.AT_LEAST),) if failed else ())
        if words.MAIL.search(self.left) is None and words.WRITES.search(self.left) is None:
            return self._card() or self._event() or self._file()
        return None

    def alert(self) -> Trigger | None:
        """Return the trigger for a server's alert, or for its end."""
        if words.ALERT.search(self.left) is None or words.MAIL.search(self.left) or words.WRITES.search(self.left):
            return None
        over = self.take(words.RESOLVED) is not None
        self.take(words.FIRES)
        state = Condition(fact="state", value="resolved" if over else "firing")
        if words.NAMED_ALERT.search(self.left) is None:
            # Other words describe the trouble with a server: any alert is meant.
            return Trigger(EventName.ALERT_FIRED, (state,))
        self._which_alert()
        return Trigger(EventName.ALERT_FIRED, (state, *self.where))

    def _which_alert(self) -> None:
        """Add the conditions on an alert: what it is about, how severe it is, or its name, as in `the disk alert`."""
        compound = words.OF_ALARM.search(self.left)
        self.all(words.ALERT)
        if (about := self.take(words.ABOUT)) is not None and (told := content_of(about[1])):
            self.add("summary", told)
        if self.take(words.CRITICAL):
            self.add("severity", "critical", Compare.IS)
        self.all(words.THERE_IS)
        left = [*self.leftovers(), *([compound[1]] if compound is not None else [])]
        if len(left) > 1 or any(len(one.split()) > MOST_WORDS or words.BEFORE_ABOUT.fullmatch(one) for one in left):
            raise LeftOver
        for one in left:
            self.add("name", one)

    def _card(self) -> Trigger | None:
        if self.take(words.CARD) is None:
            return None
        made, moved = self.take(words.CARD_MADE), self.take(words.CARD_MOVES)
        where = [Condition(fact="change", value="made" if made and not moved else "moved")]
        board = self.take(words.BOARD)
        if board is not None:
            where.append(holds("board", (board[1] or board[2]).strip()))
        listed = self.take(words.IN_LIST)
        if listed is not None and (name := without_article(listed[1])).casefold() != "trello":
            where.append(holds("list", name))
        self.all(words.SOMEBODY)
        self.take(IN_TRELLO)
        if not (made or moved) or not self.nothing_left():
            raise LeftOver
        return Trigger(EventName.CARD_CHANGED, tuple(where))

    def _event(self) -> Trigger | None:
        if words.EVENT.search(self.left) is None or words.INVITE.search(self.left):
            return None
        for pattern, change in ((words.CANCELS, "cancelled"), (words.MOVES, "changed")):
            if self.take(pattern):
                self.all(words.EVENT)
                self.all(words.SOMEBODY)
                self._named_event()
                return Trigger(EventName.EVENT_CHANGED, (Condition(fact="change", value=change), *self.where))
        if not self.take(words.BEGINS):
            raise LeftOver
        self.all(words.EVENT)
        self._named_event()
        return Trigger(EventName.EVENT_STARTING, tuple(self.where))

    def _named_event(self) -> None:
        """Add the condition on the event's title: `my yoga class`."""
        left = self.leftovers()
        if len(left) > 1 or (left and len(left[0].split()) > MOST_WORDS):
            raise LeftOver
        if left:
            person = known(left[0], self.said.scene)
            self.add("title", person.name if person is not None else left[0])

    def _file(self) -> Trigger | None:
        if self.take(words.FILE_WORD) is None or words.INVITE.search(self.left):
            return None
        self.all(words.FILE_PLACE)
        came = self.all(words.COMES) or self.all(words.CARD_MADE)
        self.all(words.SOMEBODY)
        if not came or not self.nothing_left():
            raise LeftOver
        return Trigger(EventName.FILE_CHANGED, (Condition(fact="change", value="made"),))
