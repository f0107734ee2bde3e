"""From doubt to buttons: the likeliest readings of a request, each as what would be done."""

from collections.abc import Callable, Sequence

from butler.contract.agents import PlanStep
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import choice
from butler.orchestrator.planning.plan_types import Choice, Command, Planned, PlannerOutput, Unclear
from butler.understanding.reader import Request

LEAST = 0.08
"""The probability that a reading needs to be offered."""
MOST = 3
IS_IT = phrase("I am not sure what you mean. Is it this?")
WHICH = phrase("I am not sure what you mean. Is it one of these?")
TOLD = ("text", "body", "title", "name", "words", "question", "subject", "query")
"""Arguments that a button shows, the first that there is."""
NAMES = {
    Command.DIGEST: (phrase("Tell what is new"), "digest"),
    Command.PENDING: (phrase("Show what waits for me"), "what is waiting for my approval"),
    Command.HELP: (phrase("Tell what you can do"), "help"),
    Command.STATUS: (phrase("Tell what you are doing"), "status"),
    Command.AUTOMATIONS: (phrase("Show my automations"), "what automations do I have"),
    Command.CONTACTS: (phrase("Show my contacts"), "who do you know"),
    Command.RULES: (phrase("Show my rules"), "show my rules"),
    Command.UNDO: (phrase("Show what can be undone"), "undo"),
    Command.WAITING: (phrase("Show whose answers I wait for"), "who hasn't answered yet"),
    Command.PREFERENCES: (phrase("Show my preferences"), "what are my preferences"),
}
"""Commands that may be meant, and the words that stand for them."""


def offered(request: Request, build: Callable[[Request], PlannerOutput]) -> Unclear | None:
    """A question with a button for each likely reading; None where none of them comes to anything."""
    choices: list[Choice] = []
    for intent, share in request.readings:
        if share < LEAST or len(choices) == MOST:
            break
        output = build(request.as_(intent))
        if (one := _button(output, request.text)) is not None and one.label not in {other.label for other in choices}:
            choices.append(one)
    if not choices:
        return None
    return Unclear(say(IS_IT if len(choices) == 1 else WHICH), tuple(choices))


def _button(output: PlannerOutput, words: str) -> Choice | None:
    if isinstance(output, Planned):
        label = choice(_label(output.steps), words).label
        return Choice(label, words, steps=output.steps, labels=output.labels)
    if isinstance(output, Command) and output in NAMES:
        label, said = NAMES[output]
        return choice(say(label), said)
    return None


def _label(steps: Sequence[PlanStep]) -> str:
    last = steps[-1]
    told = next((value for name in TOLD if isinstance(value := last.args.get(name), str) and value), "")
    return f"{last.description}: {told}" if told and told not in last.description else last.description
