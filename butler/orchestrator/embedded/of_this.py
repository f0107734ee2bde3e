"""`Remind me of this tomorrow at 9`, as a reply to a message of one's own: its words are what is reminded of."""

import re
from dataclasses import replace

from butler.contract.conversation import ReferentKind
from butler.contract.provenance import Labelled
from butler.contract.speech import say
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.manners import without_manners
from butler.orchestrator.embedded.reminding import OF_WHAT
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning import Unclear, owners

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


def of_this(scene: Scene) -> Scene | Unclear:
    """The scene with what the reply is about in its words; a question where nobody can tell what that is."""
    tail = without_manners(lex(scene.request.words.value), scene.request.butler_name)
    match = ASKS.fullmatch(tail.text)
    if match is None:
        return scene
    rest, pointed = THIS.subn(" ", match["rest"].strip(), count=1)
    own = scene.request.own_reply.strip()
    ask = VERBS.get(match["ask"].casefold(), match["ask"])
    if not pointed:
        return scene
    when = " ".join(rest.split()).rstrip(".!?")
    if not own:
        about_mail = any(one.kind is ReferentKind.MAIL for one in scene.request.replied_to)
        return _saying(scene, f"{ask} {when}") if about_mail else Unclear(say(OF_WHAT))
    quotes = next(((a, b) for a, b in QUOTED if a not in own and b not in own), None)
    if quotes is None or len(own) > LONGEST:
        return Unclear(say(OF_WHAT))
    of = OF.get(ask[:6].casefold(), "")
    return _saying(scene, f"{ask} {when}{of} {quotes[0]}{own}{quotes[1]}")


def _saying(scene: Scene, words: str) -> Scene:
    said = owners(Labelled(value=words, origins=scene.request.words.origins))
    return replace(scene, request=replace(scene.request, words=said))
