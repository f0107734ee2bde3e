"""`Remind me of this tomorrow at 9`, as a reply: the words of the message that is replied to are what is reminded of.

Those of a message of one's own stand in the request. Of anybody else's, the butler's among them, nobody who plans knows
anything: a word stands for them that nobody says, and a reference takes its place in the plan.
"""

import re
from dataclasses import replace
from typing import Any, cast

from butler.contract.provenance import Labelled
from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.manners import without_manners
from butler.orchestrator.embedded.reminding import OF_WHAT
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Planned, PlannerInput, PlannerOutput, Unclear, owners
from butler.orchestrator.planning.references import REPLIED_TEXT

ASKS = re.compile(
    r"(?P<ask>remind me|erinnere? mich|rappelle(?=-le-moi)|rappelle-moi|recuérdame)(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
TIMES = (
    "tomorrow|today|tonight|at|on|in|next|every|later|again|when|by|before|after|morgen|heute|übermorgen|um|am|jeden|"
    "nächsten?|nächste|später|wenn"
)
THIS = re.compile(
    rf"(?:^|\s)(?:(?:(?:of|about) (?:this|that|it)|daran|hieran|an (?:das|dies))(?=[\s.!?]*$|\s+(?:{TIMES})\b)"
    r"|(?:of|about) (?:this|that) message\b|an diese nachricht\b"
    r"|(?:ça|cela|ceci|ce message|de (?:ça|cela|ceci)|esto|eso|este mensaje|de (?:esto|eso))(?=$|[\s,.!?]))"
    r"|^-le-moi|^lo\b",
    re.IGNORECASE,
)
"""The message itself, with nothing behind it but a time; in French and Spanish it may be one word with the verb."""
VERBS = {"rappelle": "rappelle-moi"}
QUOTED = (('"', '"'), ("“", "”"), ("«", "»"))
OF = {"remind": " of", "erinne": " an"}
LONGEST = 1_000
STANDS_FOR_IT = "Repliedmessagetext"
"""The word that stands for others' words."""


def of_this(scene: Scene) -> Scene | Unclear:
    """The scene with what the reply is about in its words; a question where nobody can tell what that is."""
    tail = without_manners(lex(scene.request.words.value), scene.request.butler_name)
    match = ASKS.fullmatch(tail.text)
    if match is None:
        return scene
    rest, pointed = THIS.subn(" ", match["rest"].strip(), count=1)
    if not pointed:
        return scene
    ask = VERBS.get(match["ask"].casefold(), match["ask"])
    when, of = " ".join(rest.split()).rstrip(".!?"), OF.get(ask[:6].casefold(), "")
    own = scene.request.own_reply.strip()
    if not own and any(one.kind is ReferentKind.MAIL for one in scene.request.replied_to):
        return _saying(scene, f"{ask} {when}")
    text = own or _others(scene.request)
    quotes = next(((a, b) for a, b in QUOTED if a not in text and b not in text), None)
    if not text or quotes is None or len(text) > LONGEST:
        return Unclear(say(OF_WHAT))
    return _saying(scene, f"{ask} {when}{of} {quotes[0]}{text}{quotes[1]}")


def _others(request: PlannerInput) -> str:
    """What stands for others' words; nothing where there are none, or where somebody says that word."""
    return STANDS_FOR_IT if request.others_reply and not _stands_in(request.words.value) else ""


def _stands_in(text: str) -> bool:
    return STANDS_FOR_IT.casefold() in text.casefold()


def with_reply(output: PlannerOutput | None) -> PlannerOutput | None:
    """What was understood, with the text that was replied to where the word stands for it; a question if it cannot."""
    if not isinstance(output, Planned):
        return output
    steps = tuple(step.model_copy(update={"args": _replaced(step.args)}) for step in output.steps)
    if any(_stands_in(str(step)) for step in steps):
        return Unclear(say(OF_WHAT))
    return replace(output, steps=steps)


def _replaced(value: Any) -> Any:
    match value:
        case str() if value.strip(' ."“”«»').casefold() == STANDS_FOR_IT.casefold():
            return REPLIED_TEXT
        case dict():
            return {name: _replaced(one) for name, one in cast("dict[str, Any]", value).items()}
        case list():
            return [_replaced(one) for one in cast("list[Any]", value)]
        case _:
            return value


def _saying(scene: Scene, words: str) -> Scene:
    said = owners(Labelled(value=words, origins=scene.request.words.origins))
    return replace(scene, request=replace(scene.request, words=said))
