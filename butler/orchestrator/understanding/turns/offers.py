"""Offers the likeliest readings of an unclear request as buttons, each with what it would do.

If a reading cannot be offered, its question is asked; "not understood" is the answer only if no reading is near.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from butler.contract.agents import PlanStep
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import choice
from butler.orchestrator.planning.plan_types import Choice, Command, NotUnderstood, Planned, PlannerOutput, Unclear
from butler.orchestrator.understanding.mail.filters import SMALL
from butler.orchestrator.understanding.people.who import is_pronoun
from butler.orchestrator.understanding.requests.weighing import QUESTIONS, is_order
from butler.orchestrator.understanding.said import bare
from butler.orchestrator.understanding.things.named import POINTING, telling
from butler.orchestrator.understanding.things.pointing import pointing_words
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request

LEAST = 0.08
"""The least probability of an offered reading."""
LIKELY = 0.3
"""The probability from which on the likeliest reading's own question is asked."""
MOST = 3
SHORT = 4
"""The most words of a text on a button."""
IS_IT = phrase("I am not sure what you mean. Is it this?")
WHICH = phrase("I am not sure what you mean. Is it one of these?")
NEAREST = phrase("I am not sure that I understood you. {question}")
POINTS = frozenset({"ref", "channel", "answer", "count"})
"""Slots that say nothing about the request's content."""
PEOPLE = frozenset({"to", "from", "with"})
OPEN = frozenset({"text", "reported", "asked", "query", "action", "trigger"})
NAMES = {
    Command.DIGEST: (phrase("Tell what is new"), "digest"),
    Command.PENDING: (phrase("Show what waits for me"), "what is waiting for my approval"),
    Command.HELP: (phrase("Tell what you can do"), "help"),
    Command.STATUS: (phrase("Tell what you are doing"), "status"),
    Command.AUTOMATIONS: (phrase("Show my automations"), "what automations do I have"),
    Command.CONTACTS: (phrase("Show my contacts"), "who do you know"),
    Command.RULES: (phrase("Show my rules"), "show my rules"),
    Command.UNDO: (phrase("Show what can be undone"), "undo"),
    Command.WAITING: (phrase("Show whose answers I wait for"), "what am I waiting for"),
    Command.PREFERENCES: (phrase("Show my preferences"), "what are my preferences"),
}
"""Commands that may be offered, with their button and their words."""


def offered(request: Request, build: Callable[[Request], PlannerOutput]) -> Unclear | None:
    """Return a question with a button for each likely reading; None if no reading leads to anything.

    If the likeliest reading needs an answer, its question is asked, with the other readings as buttons.
    """
    choices: list[Choice] = []
    questions: list[tuple[float, Unclear]] = []
    worth = _worth(request)
    for one, share in worth:
        output = build(one)
        if isinstance(output, Unclear) and not isinstance(output, NotUnderstood):
            questions.append((share, output))
        button = _button(output, one)
        if button is not None and button.label not in {other.label for other in choices} and len(choices) < MOST:
            choices.append(button)
    share, question = questions[0] if questions else (0.0, None)
    if question is not None and share >= LIKELY and share == worth[0][1]:
        return _with_others(question, choices)
    if choices:
        return Unclear(say(IS_IT if len(choices) == 1 else WHICH), tuple(choices))
    if question is None or share >= LIKELY:
        return question
    return replace(question, question=say(NEAREST, question=question.question))


def _worth(request: Request) -> list[tuple[Request, float]]:
    """Return the readings that are likely enough; an order is never read as a question to memory."""
    likely = [(intent, share) for intent, share in request.readings if share >= LEAST]
    done = [one for one in likely if one[0] not in QUESTIONS] if is_order(request) else []
    return [(request.as_(intent), share) for intent, share in done or likely]


def _with_others(question: Unclear, others: Sequence[Choice]) -> Unclear:
    """Return a question with its own answers as buttons, or else with the other readings."""
    return question if question.choices or question.stranger else replace(question, choices=tuple(others[: MOST - 1]))


def _button(output: PlannerOutput, request: Request) -> Choice | None:
    if isinstance(output, Planned):
        label = choice(_label(output.steps, request), request.text).label
        return Choice(label, request.text, steps=output.steps, labels=output.labels)
    if isinstance(output, Command) and output in NAMES:
        label, said = NAMES[output]
        return choice(say(label), said)
    return None


def _label(steps: Sequence[PlanStep], request: Request) -> str:
    """Return the last step's description with the people, things, times and texts of the request."""
    what = steps[-1].description
    told = [words for one in request.slots if (words := _told(one)) and words.casefold() not in what.casefold()]
    return f"{what}: {', '.join(dict.fromkeys(told))}" if told else what


def _told(one: SlotWords) -> str:
    """Return a slot's words for a button; empty if they only point."""
    words = bare(one.text) if one.slot in PEOPLE | OPEN else SMALL.sub("", bare(one.text))
    if one.slot in POINTS and not telling(words, POINTING, pointing_words()):
        return ""
    if one.slot in PEOPLE and is_pronoun(words):
        return ""
    few = words.split()
    return f"{' '.join(few[:SHORT])}…" if one.slot in OPEN and len(few) > SHORT else words
