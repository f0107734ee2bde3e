"""Words of a request that no part of it accounts for: a second request inside a text, or a condition nobody read.

Nothing is done about the rest, and it is not kept, sent or looked for as part of the text either: it is asked about.
"""

from collections.abc import Iterator
from dataclasses import replace

from butler.contract.agents import PlanStep
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import choice
from butler.orchestrator.embedded.automating import CREATE
from butler.orchestrator.embedded.automating_words import EACH_TIME, REMIND, TELL, THEN, WHEN
from butler.orchestrator.embedded.further_request import WRITE, begins_request, further_requests
from butler.orchestrator.embedded.lexer import Tail, lex, word_set
from butler.orchestrator.embedded.manners import without_manners
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.sure_text import PART_OF_IT, before_joint
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerOutput, Unclear

TEXTS = word_set("text body subject words called question title location name description comment notes query")
"""Arguments that hold the owner's own words."""
SENDING = ("_send_message", "_reply_to_thread", "_reply_to_message", "_draft_reply")
REMIND_OF = "bot_reminders_create"
WATCHES = frozenset({CREATE, "bot_digests_watch_answer"})
"""What does something once something has happened."""
WHAT_HAPPENS = phrase(
    "I understood that something is to be done each time, but not what has to happen first, so I did nothing. I can "
    "watch for mails, messages, alerts, events and bulk runs: “whenever a mail from Anna comes, tell me”."
)


def sure_of_all(found: PlannerOutput | None, scene: Scene) -> PlannerOutput | None:
    """What was understood; a question instead where words are left over."""
    tail = without_manners(lex(scene.request.words.value), scene.request.butler_name)
    if _is_unread_automation(found, tail, scene):
        return Unclear(say(WHAT_HAPPENS))
    for rest in further_requests(tail, scene):
        if _swallows(found, rest, tail):
            return _asked(found, rest, tail)
    return found


def _asked(found: PlannerOutput | None, rest: Tail, tail: Tail) -> Unclear:
    choices = [choice(say("Leave it out"), replace(tail, end=before_joint(tail, rest)).text)]
    if isinstance(found, Planned):
        choices.insert(0, Choice(say("Part of the text"), "", steps=found.steps, labels=found.labels))
    return Unclear(say(PART_OF_IT, rest=rest.bare().text), tuple(choices))


def _swallows(found: PlannerOutput | None, rest: Tail, tail: Tail) -> bool:
    """Whether the second request stands within a text of what was understood."""
    words = _flat(rest.bare().text)
    match found:
        case Planned(steps=steps):
            return any(
                _holds(text, words)
                for step in steps
                if not (step.tool_call.endswith(SENDING) and _is_dictated(rest, tail)) and not _is_list(step)
                for text in _texts(step.args)
            )
        case Unclear(question=question, choices=choices) if question != say(PART_OF_IT, rest=rest.bare().text):
            said = [one.words for one in choices if one.words and words not in _flat(question)]
            return not _is_dictated(rest, tail) and any(_holds(one, words) and '"' not in one for one in said)
        case _:
            return False


def _is_list(step: PlanStep) -> bool:
    """Whether it reminds of several things to do: `call mum and email Bob`."""
    return step.tool_call == REMIND_OF and lex(str(step.args.get("text", ""))).take(WRITE) is not None


def _holds(text: str, words: str) -> bool:
    """Whether the words stand in the text, behind others and not behind what parts two requests."""
    before, found, _ = _flat(text).partition(words)
    if not found and " " in words:
        # The last word of a German request may belong to its verb: `lade Anna ein`.
        before, found, _ = _flat(text).partition(words.rsplit(" ", 1)[0])
    return bool(found) and bool(before.strip()) and not before.rstrip().endswith(";")


def _is_dictated(rest: Tail, tail: Tail) -> bool:
    return any(token.word == ":" for token in tail.tokens[tail.at : rest.at])


def _texts(args: dict[str, object]) -> Iterator[str]:
    return (value for name, value in args.items() if name in TEXTS and isinstance(value, str))


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())


def _is_unread_automation(found: PlannerOutput | None, tail: Tail, scene: Scene) -> bool:
    """Whether something is to be done each time that something happens, and what was understood is something else."""
    if not scene.has(CREATE) or (isinstance(found, Planned) and any(s.tool_call in WATCHES for s in found.steps)):
        return False
    told = tail.take(TELL)
    behind = told.past(THEN).take(EACH_TIME) if told is not None else None
    if tail.take(EACH_TIME) is not None or behind is not None:
        return not isinstance(found, Unclear) or not found.choices
    return isinstance(found, Planned) and not any(s.when for s in found.steps) and _is_condition(tail, scene)


def _is_condition(tail: Tail, scene: Scene) -> bool:
    """`when a mail comes, tell me`: a clause, and behind it a request."""
    start = tail.take(WHEN)
    here = start.find(THEN) if start is not None else None
    while here is not None:
        after = here[1]
        if after.take(TELL) or after.take(REMIND) or begins_request(after, scene):
            return True
        here = after.find(THEN)
    return False
