"""Words that take back or turn round what stands before them: `tell Carol hi, I mean Anna`, `sag Carol nichts davon`.

Nobody marked them off as the text, so they may be meant for the butler. They are asked about, in whatever language.
"""

from typing import Final

from butler.orchestrator.embedded.lexer import QUOTES, Tail, phrases
from butler.orchestrator.embedded.people import person_at
from butler.orchestrator.embedded.scene import Scene

OR: Final = phrases("(or|oder|ou|o|u)")
OTHERWISE: Final = phrases(
    "(", "<", "instead of", "rather than", "but not", "except", "statt", "ausser", "sauf", "excepto"
)
NOT: Final = phrases(
    "(not|never|nothing)",
    "[bloss|ja|gar|überhaupt] (nichts|nicht|nie|niemals)", "auf keinen fall", "keine (mail|e-mail|email|nachricht)",
    "[surtout] (rien|pas|jamais)", "(nada|nunca|jamás)",
)  # fmt: skip
"""How the butler is told not to say something; as words for somebody, they would stand behind `that`, or a colon."""
WITHIN: Final = phrases(
    "but (don't|dont|do not) tell", "(no|wait|sorry|actually) (wait|no|don't|dont)", "i mean", "scratch that",
    "aber (sag|sage|schreib) [es|das]", "ich meine", "je veux dire", "quiero decir",
)  # fmt: skip
AT_THE_END: Final = phrases(
    "never mind", "nevermind", "(forget|cancel|scratch) (it|that|this)", "actually (no|don't)", "just kidding",
    "(don't|dont|do not) send (it|that|this)", ", not", "? no",
    "doch nicht", "lieber nicht", "vergiss (es|das)", "enfin non", "laisse tomber", "oublie [ça]", "mejor no",
    "olvídalo", "déjalo",
)  # fmt: skip
NO_WORDS: Final = phrases(
    "(later|soon|again|first|now|back)", "(später|bald|nochmal)", "plus tard", "luego",
    "[bloss|ja|gar|überhaupt] nichts [davon]", "keine (mail|e-mail|email|nachricht)", "rien [du tout]", "nada",
)  # fmt: skip
"""What is no text where nothing else is said."""
AND: Final = phrases("(and|und|et|y)")


def second_thoughts(tail: Tail, body: Tail, scene: Scene) -> bool:
    """Whether a text holds words that may be none of it.

    Args:
        tail: What stands behind the recipients.
        body: The text in it; behind `that` it begins with whatever it likes.
        scene: Who is known.
    """
    words = body.bare()
    alone = words.take(NO_WORDS)
    doubtful = (tail.at == body.at and _begins(words, scene)) or (alone is not None and alone.done)
    return doubtful or words.find(WITHIN) is not None or _ends(words) or _for_two(words, scene)


def _begins(words: Tail, scene: Scene) -> bool:
    other = words.take(OR)
    if other is not None and (words.word() == "or" or person_at(other, scene) is not None):
        return True
    return bool(words.take(OTHERWISE) or words.take(NOT))


def _ends(words: Tail) -> bool:
    here = words
    while not here.done:
        if (after := here.take(AT_THE_END)) is not None and after.bare().done:
            return True
        here = here.skip()
    return False


def _for_two(words: Tail, scene: Scene) -> bool:
    """`"I'm late" and Anna "I'm early"`: the second part has a recipient of its own."""
    quoted = words.quoted() if words.word() in QUOTES else None
    after = quoted[1].take(AND) if quoted else None
    return after is not None and person_at(after, scene) is not None
