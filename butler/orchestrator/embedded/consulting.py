"""Reading pages, files and documents, whole or for a question: `read https://…`, `summarise this`, `what does it say`.

The question is the owner's own words, as they stand: it is asked of what was read, by somebody without tools.
"""

from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.items import READABLE, Spoken, find, item_at, side_of
from butler.orchestrator.embedded.lexer import Tail, phrases, word_set
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.embedded.things import Thing, literal_in, reading, shown
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from butler.store.conversation import Referent

READ = phrases(
    "(read|open|fetch|load|visit|get|show|check|browse|view|see|scan|download|display) [me] [up|through|out]",
    "(go|look) (to|at|through|over|into)", "(have|take) a look (at|into|through)", "let me (see|read)",
    "(what is|what's|whats) (in|on|inside)", "what does", "pull up",
)  # fmt: skip
SAYS = phrases("(say|says|contain|contains)")
SUMMARISE = phrases(
    "(summarise|summarize|tldr|recap|condense|outline|digest)", "sum up", "tl ; dr", "boil down",
    "[a|the] [short|quick|brief] summary of",
    "[give|get|write|make|show|i want|i need] [me] (a|the) [short|quick|brief] (summary|overview|gist) (of|for)",
    "[give|tell|show] [me] the (gist|key points|main points|highlights|essence|bottom line) (of|in|from)",
    "(what is|what's) the gist of",
)  # fmt: skip
POINTS = phrases(
    "[give|tell|show|list] [me] the (gist|key points|main points|highlights|bottom line|essentials)",
    "[give|write|make] [me] (a|the) [short|quick|brief] (summary|overview|outline)", "what are the key points",
)  # fmt: skip
WHOLE = phrases(
    "(with|and|including) [all] [its|the] (subpages|sub-pages|linked pages|links|pages below it|subfolders)",
    "recursively", "and everything (below|under|in) it", "with everything (below|under|in) it",
)  # fmt: skip
ALL_OF = phrases("(the whole|the entire|all of|everything on|everything in|everything at) [the] [site|website|folder]")
ASIDE = phrases("for me", "please", "pls", "out loud", "in full", "to me", ",")
TELL = phrases(
    "[,] and [then] (tell|show|give|let) me [know]", "[,] and [then] (find|look for|find out|check|see|say|explain)",
    "[,] (tell|show|give) me", "[,] and", ":", "for", ",", "-", "–",
)  # fmt: skip
AND_TELL = phrases(
    "[,] and [then] (tell|show|give|let) me [know]", "[,] and [then] (find out|check|see|say|look for|look|explain)",
)  # fmt: skip
READ_FOR = frozenset({ReferentKind.FILE, ReferentKind.PAGE})
QUESTION = word_set(
    "what what's whats when when's where where's who who's whose which how how's why is are was were does do did has "
    "have can could will would should according"
)
EXTRACT = word_set("give list extract find show tell explain translate quote count name")
WHAT_DOES = phrases("(what|where|when|how) (does|do|did)", "does", "did", "do")
OCR = phrases("(run|do|use|try) [the] ocr (on|for|with)", "ocr")
ABOUT = phrases("about")
WHAT_IS = phrases("(what is|what's|whats)")


def consult(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request about a link or a path that stands in the words; None where there is none."""
    bare = tail.bare()
    found = literal_in(bare)
    if found is None:
        return None
    before, thing, after = found
    start = before.take(READ)
    if before.done or (start is not None and start.done):
        return _opened(bare, thing, after, scene, looked=start is not None)
    if start is not None and (whole := start.take(ALL_OF)) is not None and whole.done and after.past(ASIDE).done:
        return reading(thing, scene, recursive=True)
    summary = before.take(SUMMARISE)
    if (summary is not None and summary.done) or before.word() in QUESTION:
        return reading(thing, scene, bare.text)
    return None


def _opened(whole: Tail, thing: Thing, after: Tail, scene: Scene, *, looked: bool) -> PlannerOutput | None:
    """`read LINK`, `read LINK and tell me ...`, `LINK: what does it cost?`."""
    rest = after.past(ASIDE)
    if rest.done or (looked and rest.take(SAYS) and rest.past(SAYS).done):
        return reading(thing, scene)
    if (below := rest.take(WHOLE)) is not None and below.done:
        return reading(thing, scene, recursive=True)
    if rest.take(SAYS) is not None:
        return reading(thing, scene, whole.text)
    asked = after.take(TELL)
    question = asked.past(TELL).past(ASIDE) if asked else None
    return reading(thing, scene, question.text) if question is not None and not question.done else None


def consult_shown(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request about a page or document that was shown; None where it is none."""
    bare = tail.bare()
    if (scanned := bare.take(OCR)) is not None and (item := item_at(scanned, scene)) and item[1].past(ASIDE).done:
        return _about(item[0], bare, scene, question="", ocr=True)
    summary = bare.take(SUMMARISE)
    if summary is not None:
        if summary.past(ASIDE).done:
            return _about(_at_issue(scene), bare, scene, question=bare.text)
        item = item_at(summary, scene)
        return _about(item[0], bare, scene, question=bare.text) if item and item[1].past(ASIDE).done else None
    return _told_of(bare, scene) or _said_in(bare, scene)


def _told_of(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`read the attached file and tell me when it ends`."""
    start = bare.take(READ)
    item = item_at(start, scene) if start else None
    asked = item[1].take(AND_TELL) if item and item[0].kind in READ_FOR else None
    return _about(item[0], bare, scene, question=asked.text) if item and asked and not asked.done else None


def _said_in(bare: Tail, scene: Scene) -> PlannerOutput | None:
    """`what does it say about notice?`, `what is the second file about?`."""
    start = bare.take(WHAT_DOES)
    item = item_at(start, scene) if start else None
    if item is not None and not _there(item[0], scene):
        # Nothing of the kind was shown, so it is asked of memory.
        return None
    if item is not None and (said := item[1].take(phrases("(say|mention|contain|state|tell)"))) and not said.done:
        return _about(item[0], bare, scene, question=bare.text)
    start = bare.take(WHAT_IS)
    item = item_at(start, scene) if start else None
    if item is not None and (about := item[1].take(ABOUT)) is not None and about.done:
        return _about(item[0], bare, scene, question=bare.text)
    return None


def ask_shown(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a question that is put by replying to a document or page; None where nothing of that is at issue."""
    bare = tail.bare()
    there = [thing for referent in scene.request.replied_to if (thing := shown(referent)) is not None]
    asks = (
        bare.word() in QUESTION
        or bare.take(POINTS)
        or (bare.word() in EXTRACT and bare.word(1) in {"me", "the", "this", "it", "all"})
    )
    return reading(there[0], scene, bare.text) if len(there) == 1 and asks else None


def _there(spoken: Spoken, scene: Scene) -> bool:
    kinds = {referent.kind for referent in (*scene.request.referents, *scene.request.replied_to)}
    return spoken.kind is None or spoken.kind in kinds


def _at_issue(scene: Scene) -> Spoken:
    if not scene.request.replied_to:
        raise Asking(say("Summarise what? Send it to me, or reply to it, or write its link."))
    return Spoken()


def _about(spoken: Spoken, bare: Tail, scene: Scene, *, question: str, ocr: bool = False) -> PlannerOutput:
    referent = find(spoken, scene, lambda name: f"{bare.text}: {name}", READABLE)
    if referent is None:
        raise Asking(say("I don't know which one you mean. Let me show you some first."))
    thing = shown(referent)
    return reading(thing, scene, question, ocr=ocr) if thing is not None else read_shown(referent, scene)


def read_shown(referent: Referent, scene: Scene) -> Planned:
    """One shown item, whole."""
    if (thing := shown(referent)) is not None:
        return reading(thing, scene)
    if referent.kind is ReferentKind.SOURCE:
        if not scene.has("bot_memory_read"):
            raise Asking(not_set_up("bot_memory_read"))
        return calls.plan(calls.read_memory(referent.handle))
    side = side_of(referent)
    if referent.kind is ReferentKind.MAIL:
        if not scene.has(f"{side}_email_read_message"):
            raise Asking(not_set_up(f"{side}_email_read_message"))
        return calls.plan(calls.read_mail(referent.handle, side))
    if side == "bot":
        raise Asking(say("That is a message you have before you."))
    if referent.tool.endswith("_list_dialogs"):
        raise Asking(say("That is a conversation. Say it by its name, like “show me the family chat”."))
    tool = "user_telegram_read_message"
    if not scene.has(tool):
        raise Asking(not_set_up(tool))
    return calls.plan(calls.read_message(referent.handle))
