"""A card with the changes so far, and what was said of it, as marked values change it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from approvals.card_replies import CardDraft
from butler.contract.speech import phrase, say
from butler.orchestrator.edits.card_content import CardContent, swap
from butler.orchestrator.edits.card_words import card_words
from butler.orchestrator.edits.recipients import People
from butler.orchestrator.edits.spots import Place, core
from butler.orchestrator.edits.times import WHICH_TIME, put_off, said_of
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.planning.plan_types import AboutCards
from butler.orchestrator.understanding.times.relative import shift
from butler.understanding.times.lengths import Amount
from butler.understanding.times.lexicon import lexicon, tokens_of
from butler.understanding.times.loose import ARTICLES, marked_time, tells
from butler.understanding.times.parse import parse
from butler.understanding.times.saying import TimeSaid

MOST_BEHIND = 4
"""The most words behind a marked time that may belong to it."""
WORDS = re.compile(r"[\w'’]+")
BOUNDS, LEAD = ("until", "before", "after"), 4
"""Bounds of a time, and the most words before a time within which they stand."""
WHAT = phrase("What shall I change on the card? Say for example “make it seven” or “to Anna instead”.")
CANNOT = phrase("I cannot change that on a card. Tap Deny, and ask me anew for what you want.")
NO_PLACE = phrase(
    "The card has nothing that “{words}” could stand for. Say “change … to …”, or send the whole new text."
)
WHICH_PLACE = phrase("What shall “{words}” stand for?")


@dataclass(frozen=True, slots=True)
class Edited:
    """A card with changes so far."""

    sheet: CardContent
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Other arguments, as JSON."""
    not_before: datetime | None = None
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """The card, what was said of it, and when."""

    draft: CardDraft
    about: AboutCards
    said: str
    people: People
    now: datetime
    """Local and aware."""

    @property
    def args(self) -> Mapping[str, Any]:
        """The call's arguments, as JSON."""
        return self.draft.args

    def time(self, words: Sequence[str]) -> TimeSaid:
        """Read a time with what stands around its words, such as the article of `le 17`; raise `Asking`."""
        language, whole = self.about.language, " ".join(words)
        if card_words("or").search(whole):
            raise Asking(say(WHICH_TIME, words=whole))
        places = self._whole_places(words)
        marked = marked_time(self.said, places, language, self.now, bounds=False) if places else None
        found = marked or parse(whole, language, self.now)
        if found is None or found.or_day is not None:
            raise Asking(say(WHICH_TIME, words=whole))
        return found

    def shift(self, words: Sequence[str]) -> Amount | None:
        """Return by how much something is put off or brought forward: `an hour later`; None for anything else."""
        said = said_of(self.said, self.people.scene, self.about.language)
        whole = " ".join(words)
        if (by := shift(whole, said)) is not None:
            return by
        return None if self._is_clock(whole) else put_off(whole, self.said.replace(whole, " "), said)

    def corrects(self, words: Sequence[str]) -> bool:
        """Return whether marked words are corrected by others that are not marked: `[ten](time), no, eleven`."""
        places = self.places(words)
        rest = self.said[places[-1][1] :] if places else ""
        # What is replaced by the marked words is no correction of them: `nine rather than eight`.
        behind = [] if card_words("rather_than").match(rest) else tokens_of(rest)
        known = lexicon(self.about.language)
        ends = (found[1] for at in range(len(behind)) if (found := known.longest(behind, at, "correction")) is not None)
        return any(tells(token, known) for end in ends for token in behind[end:])

    def replaced(self, words: Sequence[str], body: str) -> str:
        """Return the words of the text that others are to replace: of `[mardi](time), pas lundi` the last."""
        places = self.places(words)
        behind = self.said[places[-1][1] :] if places else ""
        found = card_words("rather_than").match(behind)
        old = WORDS.findall(behind[found.end() :])[:MOST_BEHIND] if found is not None else []
        stretches = (" ".join(old[:count]) for count in range(len(old), 0, -1))
        return next((one for one in stretches if stands_once(body, one)), "")

    def bound(self, words: Sequence[str]) -> str:
        """Return `until`, `before` or `after` if it is said of a time, in its words or before them."""
        places = self.places(words)
        known = lexicon(self.about.language)
        before = tokens_of(self.said[: places[0][0]] if places else "")
        tokens = (*before, *tokens_of(" ".join(words)))
        for at in range(max(len(before) - LEAD, 0), len(before) + 1):
            for kind in BOUNDS:
                found = known.longest(tokens, at, kind)
                if found is not None and ARTICLES.issuperset(tokens[found[1] : len(before)]):
                    return kind
        return ""

    def _is_clock(self, words: str) -> bool:
        """Return whether words that may be a length are a time of day: `décale à [9h]`."""
        found = parse(words, self.about.language, self.now)
        if found is None or found.clock is None:
            return False
        begin = max(self.said.find(words), 0)
        return card_words("at").match(words) is not None or card_words("at").search(self.said[:begin]) is not None

    def _whole_places(self, words: Sequence[str]) -> list[tuple[int, int]]:
        """Return where words of a time stand, with what belongs to it behind them: `[dix heures] moins le quart`."""
        places = self.places(words)
        if not places:
            return []
        begin, end = places[-1]
        for match in list(re.finditer(r"\S+", self.said[end:]))[:MOST_BEHIND]:
            longer = self.said[begin : end + match.end()].rstrip(" .,!?")
            if parse(longer, self.about.language, self.now) is not None:
                places[-1] = (begin, begin + len(longer))
        places[0] = (self._span_begins(*places[0]), places[0][1])
        return places

    def _span_begins(self, begin: int, end: int) -> int:
        """Return where a span begins whose first word was not marked: `from [ten to eleven]`."""
        before = list(re.finditer(r"\S+", self.said[:begin]))[-1:]
        spans = (parse(self.said[one.start() : end], self.about.language, self.now) for one in before)
        whole = next((found for found in spans if found is not None and found.until_clock is not None), None)
        return before[0].start() if whole is not None else begin

    def places(self, words: Sequence[str]) -> list[tuple[int, int]]:
        """Return where words stand in the reply; empty if they do not stand there in this order."""
        found: list[tuple[int, int]] = []
        at = 0
        for one in words:
            start = self.said.find(one, at)
            if start < 0:
                return []
            at = start + len(one)
            found.append((start, at))
        return found


Reader = Callable[[Edited, Sequence[str], Scene], Edited]
"""Puts the words of a slot into a card; raises `Asking`."""


def cannot(_edited: Edited, _words: Sequence[str], _scene: Scene) -> Edited:
    raise Asking(say(CANNOT))


def with_values(edited: Edited, **values: Any) -> Edited:
    return replace(edited, values={**edited.values, **values})


def swapped(edited: Edited, new: str, places: Sequence[Place]) -> Edited:
    """Put words in the only place; raise `Asking` where there is none, or several."""
    body = edited.sheet.body
    old = [body[start:end] for start, end in places]
    if not places:
        raise Asking(say(NO_PLACE, words=new))
    if len(set(old)) > 1:
        raise Asking(
            say(WHICH_PLACE, words=new), [choice(one, f"change “{one}” to “{new}”") for one in dict.fromkeys(old)]
        )
    return replace(edited, sheet=swap(old[0], new)(edited.sheet))


def stands_once(text: str, words: str) -> bool:
    """Return whether a text has words once, in any case."""
    return len(re.findall(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE)) == 1


def named_in(text: str, scene: Scene) -> str:
    """Return the old words that a reply names, where the text has them once: `Tuesday instead of Monday`."""
    named = (core(one, scene.about.language, scene.now) or one for one in scene.about.named)
    found = [one for one in named if stands_once(text, one)]
    return found[0] if len(found) == 1 else ""
