"""Notes: `remember that my locker is 4711`, `note: buy milk`, `what do you know about my locker`."""

import re

from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.lexer import Tail, phrases, word_set
from butler.orchestrator.embedded.say import content, one_line
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import PlannerOutput

KEEP = phrases(
    "remember [that] [:]",
    "don't forget [that] [:]",
    "(keep|bear) in mind [that] [:]",
    "note [down] (that|:)",
    "note down [:]",
    "note to self [:]",
    "(make|take|write|add) a note [that|of|:|saying]",
    "(write|jot) down [that|:]",
    "[add|put|save|write] [it|this] (to|in|into) my notes [:] [that]",
    "(save|store|keep|record) (this|the following) [for me] :",
    "(store|save|record) (the fact that|that)",
    "for the record [,|:]",
    "(fyi|for your information) [,|:]",
    "just so you know [,|:]",
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
    "(search|look|check) [through|in] my notes (for|about)",
    "(find|show|search) [me] [my|the] (note|notes) (about|on|for|with)",
    "[any] (note|notes) (about|on)",
)
ASK = phrases(
    "what do you (know|remember) about",
    "what did i (say|tell you|note|ask you to remember) about",
    "do you remember",
)
WHAT_IS = phrases(
    "(what's|what is|what was|where's|where is|when's|when is|when was|who's|who is)",
    "(what're|what are|where are|when are|who are)",
)
OWN = word_set("my our")
DID_I = phrases("(where|who|whom|when|how|what) did i")
NOT_KEPT = word_set("send write say email mail text tell miss get receive answer reply")
SMALL = word_set("my the a an our about is are of and s to on in for with")
NOT_NOTED = word_set(
    "mail mails email emails e-mail message messages inbox mailbox telegram reminder reminders notes status "
    "today's tomorrow's yesterday's it's that's"
)
COMMON = word_set("number code name address date day time place phone birthday password pin colour color size")
"""Words that many notes may hold."""


def keep(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to remember something; None where it is none."""
    if (task := tail.take(TO_DO)) is not None and not task.bare().done:
        text = task.bare().text
        raise Asking(
            say("Shall I remind you of “{text}”, or just note it?", text=text)
            if scene.translated
            else say("Shall I remind you to {text}, or just note it?", text=text),
            [
                choice(say("Remind me tomorrow at 9"), f"remind me tomorrow at 9 to {text}"),
                choice(say("Note it"), f"note: {text}"),
            ],
        )
    start = tail.take(KEEP)
    if start is None or start.word() == "?":
        return None
    text = content(start.past(phrases(":", ",")))
    if not text.strip(".!?"):
        raise Asking(say("What shall I remember? Say it like “remember that my locker is 4711”."))
    if not scene.has("bot_notes_remember"):
        raise Asking(not_set_up("bot_notes_remember"))
    return calls.plan(calls.remember(text))


def seek(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a question about the notes; None where it is none."""
    bare = tail.bare()
    everything, start, asked = bare.take(SHOW), bare.take(SEEK), _asked(bare)
    words = _telling(asked) if asked is not None else []
    if everything is not None and everything.done:
        plan = calls.plan(calls.search_notes(""))
    elif start is not None and not start.done:
        plan = calls.plan(calls.search_notes(_words(start)))
    elif words and scene.has("bot_memory_search"):
        plan = calls.seek_everywhere(" ".join(words), bare.text)
    elif words:
        plan = calls.seek_notes(" ".join(words), _most_telling(words))
    else:
        return None
    if not scene.has("bot_notes_search"):
        raise Asking(not_set_up("bot_notes_search"))
    return plan


def _asked(tail: Tail) -> Tail | None:
    """What a question is about: something of the owner's or of somebody's, such as `my locker number`."""
    if (about := tail.take(ASK)) is not None:
        return about
    if (done := tail.take(DID_I)) is not None and done.word() not in NOT_KEPT:
        return done
    thing = tail.take(WHAT_IS)
    if thing is not None and thing.word() == "the" and thing.end - thing.at in {3, 4}:
        return thing if thing.tokens[thing.end - 1].word in COMMON - {"date", "day", "time"} else None
    if thing is None or any(token.word in NOT_NOTED for token in thing.tokens[thing.at : thing.end]):
        return None
    return thing if thing.word() in OWN or thing.word().endswith(("'s", "s'")) else None


def _telling(tail: Tail) -> list[str]:
    """The words that carry the meaning, as written, without possessive endings."""
    words = [tail.source[token.start : token.end].strip("'’") for token in tail.tokens[tail.at : tail.end]]
    bare = [re.sub("['’]s$", "", word) for word in words if any(map(str.isalnum, word))]
    return [word for word in bare if word.casefold() not in SMALL] or bare


def _most_telling(words: list[str]) -> str:
    return max((w for w in words if w.casefold() not in COMMON), key=len, default=max(words, key=len))


def _words(tail: Tail) -> str:
    here = tail
    while here.word() in SMALL and not here.skip().done:
        here = here.skip()
    return one_line(here.text.strip('"“”„«» '))
