"""Words that want everything stopped, let go on or taken back. A stop must not wait for a model."""

from butler.orchestrator.embedded.languages.canonical import canonical
from butler.orchestrator.embedded.lexer import Phrases, Tail, lex, name_phrase, phrases
from butler.orchestrator.embedded.manners import without_manners
from butler.orchestrator.planning.plan_types import Command

STOP = phrases(
    "(stop|halt|pause) [it|that|this|all|everything|user]", "emergency stop", "(cancel|freeze|hold) (all|everything)",
    "(stop|pause) (all|all that|everything|everything that|what) you (do|are doing)",
    "(stop|pause) everything you're doing", "(stop|pause) what (acts|you do) (as me|in my name)",
    "stop (acting as me|sending|doing anything)", "abort [everything]",
)  # fmt: skip
RESUME = phrases(
    "resume [it|all|everything|user]", "go on [again]", "you (can|may) go on [again]", "(carry on|continue) again",
    "unpause", "lift the pause",
)  # fmt: skip
UNDO = phrases(
    "(undo|unsend) [it|that|this|all|everything]", "take (it|that|this) back", "take back (it|that|this)",
    "put (it|them|everything|those|these|all of them) back", "(bring|get|move) (it|them|everything) back",
    "cancel [it|that|this]", "[can] i [still] (undo|cancel) (it|that|this)",
)  # fmt: skip
WHY = phrases(
    "why (did|do) you [just] (ask|tell|say|send) [me] [this|that|it]",
    "why are you (asking|telling|saying|sending) [me] [this|that|it]",
    "why have you (asked|told|said|sent) [me] [this|that|it]",
    "why (this|that) [card|message|question]",
    "what made you (ask|say|send) [me] (this|that|it)",
    "where does (this|that) come from",
)
OPENING = phrases("no", "wait", "oh", ",", "!", ".")
CLOSING = phrases(",", "!", ".", "?", "please", "now", "again", "at once", "immediately", "right now", "right away")
_COMMANDS = ((STOP, Command.PAUSE), (RESUME, Command.RESUME), (UNDO, Command.UNDO), (WHY, Command.WHY))


def spoken(words: str, butler_name: str) -> Command | None:
    """The command that the owner's words are, from the first to the last of them; None where they are anything else."""
    found = spoken_by(without_manners(lex(words), butler_name), butler_name)
    if found is None and (said := canonical(words, butler_name=butler_name)) is not None:
        return spoken_by(lex(said), butler_name)
    return found


def spoken_by(tail: Tail, butler_name: str) -> Command | None:
    """The same, of words without manners. It may be said over and over: `No! Stop, stop!`."""
    closing = (CLOSING, name_phrase(butler_name))
    here = _without(tail, OPENING)
    for options, command in _COMMANDS:
        after = here
        while (more := after.take(options)) is not None:
            after = _without(more, *closing)
        if after is not here and after.done:
            return command
    return None


def _without(tail: Tail, *options: Phrases) -> Tail:
    """What follows any number of these phrases."""
    while (after := next((a for one in options if (a := tail.take(one)) is not None), None)) is not None:
        tail = after
    return tail
