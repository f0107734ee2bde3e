"""Messages whose text others wrote: `reply to Anna with what the contract says about notice`, a summary of a file.

What is said of whom it goes to, and which way, is read as of any message; in place of its text stands a reference, out
of which the tailor makes a draft that waits on a card.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from butler.contract.agents import PlanStep
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.consulting import read_shown
from butler.orchestrator.embedded.items import READABLE, find, item_at
from butler.orchestrator.embedded.lexer import Tail, lex, phrases, word_set
from butler.orchestrator.embedded.people import WAYS, people_at, person_at
from butler.orchestrator.embedded.replying import reply
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.embedded.send import send
from butler.orchestrator.embedded.things import literal_at, reading
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

VERBS = phrases(
    "(tell|text|message|send|mail|email|e-mail|write|let|inform|reply|answer|respond)", "(write|get) back",
    "(send|write) (a|an) (reply|answer|response|message|mail|email|note)",
)  # fmt: skip
BARE_VERBS = phrases("(send|mail|email|e-mail|text|message|write|forward)")
WHAT = phrases("[,] [with] what")
SAYS_ABOUT = phrases("(says|say|states|state) (about|on|regarding|concerning)", "has to say (about|on)")
SUMMARY = phrases(
    "[,] [with] (a|the) [short|quick|brief] (summary|overview|gist) of",
    "[,] [with] the (key|main) points (of|from|in)",
)
TO = phrases("to")
DICTATING = word_set("that saying")
ARTICLES = word_set("the my our your her his their this that these those")
TEXT = "⟦draft⟧"
"""Stands for the text while the rest of a request is read; nobody writes it."""
SEARCH = "bot_memory_search"
SUMMARISE = "Summarise this."


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What was understood of such a request: everything but the text, and what the text is made of."""

    head: str
    source: Tail
    topic: str
    """Empty where it is summed up."""
    said: str
    """What the text is to be, as the owner said it."""

    @property
    def ask(self) -> str:
        """What the tailor is asked."""
        return f"What does it say about {self.topic}?" if self.topic else SUMMARISE

    @property
    def subject(self) -> str:
        """Of a mail that was given none."""
        return capital(self.topic or self.source.text)


def draft_from(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to send what a source says; None where it is none."""
    wanted = _wanted(tail.bare(), scene)
    if wanted is None:
        return None
    words = lex(f"{wanted.head}: {TEXT}")
    try:
        sending = reply(words, scene) or send(words, scene)
    except Asking as asking:
        raise _asked_anew(asking, wanted) from None
    if not isinstance(sending, Planned):
        return None
    before = _reading(wanted, scene)
    steps = [_with_draft(step, wanted, len(before)) for step in calls.moved(sending, len(before))]
    return calls.plan(*before, *steps)


def _wanted(bare: Tail, scene: Scene) -> _Wanted | None:
    if bare.take(VERBS) is None:
        return None
    wanted = _read(bare, scene)
    if wanted is None or not _is_source(wanted.source, scene):
        return None
    # What stands behind a colon or a "that" is dictated.
    words = [token.word for token in lex(wanted.head).tokens]
    return None if ":" in words or words[-1] in DICTATING else wanted


def _is_source(source: Tail, scene: Scene) -> bool:
    """Whether this may be something that says something: the contract, my notes, that mail, a link, somebody."""
    somebody = person_at(source, scene)
    return (
        source.word() in ARTICLES
        or literal_at(source) is not None
        or _shown(source, scene)
        or (somebody is not None and somebody[1].done)
    )


def _shown(source: Tail, scene: Scene) -> bool:
    item = item_at(source, scene)
    return item is not None and item[1].done


def _read(bare: Tail, scene: Scene) -> _Wanted | None:
    if (found := bare.find(WHAT)) is not None and (said := found[1].find(SAYS_ABOUT)) is not None:
        topic, way = _without_way(said[1])
        if found[0].done or said[0].done or topic.done:
            return None
        return _Wanted(f"{found[0].text}{way}", said[0], topic.text, _from(replace(bare, end=topic.end), found[0]))
    if (found := bare.find(SUMMARY)) is None:
        return None
    head, source = found
    if head.skip().done and head.take(BARE_VERBS) is not None:
        return next(_addressed_last(head, source, bare, scene), None)
    source, way = _without_way(source)
    return None if source.done else _Wanted(f"{head.text}{way}", source, "", _from(replace(bare, end=source.end), head))


def _from(bare: Tail, head: Tail) -> str:
    """What the text is to be, as it was said: all that stands behind whom it goes to."""
    start = replace(bare, at=head.end).past(phrases(","))
    return start.past(phrases("with")).text


def _addressed_last(head: Tail, source: Tail, bare: Tail, scene: Scene) -> Iterator[_Wanted]:
    """`send a summary of it to Bob`."""
    here = source
    while (found := here.find(TO)) is not None:
        thing, here = replace(source, end=found[0].end), found[1]
        people = people_at(here, scene)
        to, way = _without_way(here)
        if people is not None and not thing.done:
            yield _Wanted(f"{head.text} {to.text}{way}", thing, "", _from(replace(bare, end=thing.end), head))


def _without_way(tail: Tail) -> tuple[Tail, str]:
    """What stands here without `on Telegram` at its end, and that."""
    for options, _ in WAYS:
        here = tail
        while (found := here.find(options)) is not None:
            if found[1].done:
                cut = replace(tail, end=found[0].end)
                return cut, f" {replace(tail, at=cut.end).text}"
            here = found[1]
    return tail, ""


def _reading(wanted: _Wanted, scene: Scene) -> tuple[PlanStep, ...]:
    """The steps that read the source: something shown, a link or a file, or else what memory holds of it."""
    if (literal := literal_at(wanted.source)) is not None and literal[1].done:
        return reading(literal[0], scene).steps
    item = item_at(wanted.source, scene)
    if item is not None and item[1].done:
        referent = find(item[0], scene, lambda name: f"{wanted.head} with {wanted.said} ({name})", READABLE)
        if referent is not None:
            return read_shown(referent, scene).steps
    if not scene.has(SEARCH):
        raise Asking(not_set_up(SEARCH))
    return (calls.search_memory(wanted.said if wanted.topic else wanted.source.text),)


def _with_draft(step: PlanStep, wanted: _Wanted, source: int) -> PlanStep:
    """A step that sends, with a reference in place of its text."""
    args: dict[str, Any] = {}
    holds = False
    for name, value in step.args.items():
        here = isinstance(value, str) and TEXT.casefold() in value.casefold()
        holds = holds or here
        draft = {"draft": {"from": [source], "ask": wanted.ask}}
        args[name] = (wanted.subject if name == "subject" else draft) if here else value
    return step.model_copy(update={"args": args, "depends_on": [*step.depends_on, source]}) if holds else step


def _asked_anew(asking: Asking, wanted: _Wanted) -> Asking:
    """The question, with answers that say again what the text is made of."""
    again = [
        choice(one.label.replace(TEXT, wanted.said), one.words.replace(f": {TEXT}", f" with {wanted.said}"))
        for one in asking.unclear.choices
        if f": {TEXT}" in one.words
    ]
    question = asking.unclear.question
    if TEXT in question:
        question = say("Say whom it shall go to, like “send Anna on Telegram what the contract says about notice”.")
    return Asking(question, again, asking.unclear.stranger)
