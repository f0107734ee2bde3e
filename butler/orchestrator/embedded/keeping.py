"""Notes: `remember that my locker is 4711`, `note: buy milk`, `what do you know about my locker`."""

from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.lexer import Tail, phrases, word_set
from butler.orchestrator.embedded.say import content, one_line
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning import PlannerOutput

KEEP = phrases(
    "remember [that] [:]",
    "don't forget [that] [:]",
    "(keep|bear) in mind [that] [:]",
    "note [down] (that|:)",
    "note down [:]",
    "note to self [:]",
    "(make|take|write|add) a note [that|of|:|saying]",
    "(write|jot) down [that|:]",
    "add to my notes [that|:]",
)
TO_DO = phrases("remember to", "don't forget to")
SHOW = phrases(
    "(show|list|read|see|open) [me] [all] [my|the|your] notes",
    "[my|all] notes",
    "what did i (ask|tell) you to (remember|note|keep)",
    "what did i (note|note down|have you remember)",
    "what (do|did) you remember",
    "what have you (noted|remembered)",
    "what's in my notes",
)
SEEK = phrases(
    "what do you (know|remember) about",
    "what did i (say|tell you|note|ask you to remember) about",
    "(search|look|check) [through|in] my notes (for|about)",
    "(find|show|search) [me] [my|the] (note|notes) (about|on|for|with)",
    "[any] (note|notes) (about|on)",
    "do you remember",
)
WHAT_IS = phrases("(what's|what is|where's|where is) my", "(what're|what are|where are) my")
SMALL = word_set("my the a an our about is are of")


def keep(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to remember something; None where it is none."""
    if (task := tail.take(TO_DO)) is not None and not task.bare().done:
        text = task.bare().text
        raise Asking(
            f"Shall I remind you to {text}, or just note it?",
            [
                choice("Remind me tomorrow at 9", f"remind me tomorrow at 9 to {text}"),
                choice("Note it", f"note: {text}"),
            ],
        )
    start = tail.take(KEEP)
    if start is None or start.word() == "?":
        return None
    text = content(start.past(phrases(":", ",")))
    if not text.strip(".!?"):
        raise Asking("What shall I remember? Say it like “remember that my locker is 4711”.")
    if not scene.has("bot_notes_remember"):
        raise Asking(not_set_up("bot_notes_remember"))
    return calls.plan(calls.remember(text))


def seek(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a question about the notes; None where it is none."""
    bare = tail.bare()
    everything = bare.take(SHOW)
    start = bare.take(SEEK) or bare.take(WHAT_IS)
    if everything is not None and everything.done:
        words = ""
    elif start is not None and not start.done:
        words = _words(start)
    else:
        return None
    if not scene.has("bot_notes_search"):
        raise Asking(not_set_up("bot_notes_search"))
    return calls.plan(calls.search_notes(words))


def _words(tail: Tail) -> str:
    here = tail
    while here.word() in SMALL and not here.skip().done:
        here = here.skip()
    return one_line(here.text.strip('"“”„«» '))
