"""Slips of the finger in the words of a command: `serach my mail`, `rmind me`. What is sent or kept is never touched.

Looked at only where nobody understands the words as they stand, and only where one command is one slip away.
"""

from dataclasses import replace

from butler.orchestrator.embedded.lexer import QUOTES, Tail, word_set
from butler.orchestrator.embedded.scene import Scene

COMMANDS = word_set(
    "remind reminder reminders remember search show list read open check find forward reply answer respond draft send "
    "email emails mail mails inbox message messages telegram unread summarise summarize forget unsubscribe accept "
    "decline invitation notes note delete correct undo pause resume status pending contacts preferences drive tell "
    "text write what when where latest newest second third from about tomorrow today tonight"
)
ORDINARY = word_set(
    "that then than there here test kind main chat next last lost sent real form fail well were seed lead head "
    "dead fine white ready tail mind cell lend spend shop shoe bread lift oven wrote fund keep left wine while "
    "live life mall male mile made nail sail rail miss mess node done gone lone bone best rest west nest taxi "
    "else tall ball call bell sell feel fill will want went wait whom wheat heat hear near dear year week weak "
    "meek seek peek bird third thirds sect text texts lists reads shows writes opens tells hell help those these "
    "them they"
)  # fmt: skip
"""Words that are no slips, though a command is near."""
FREQUENT = {"rember": "remember", "remeber": "remember", "tomorow": "tomorrow", "tommorow": "tomorrow"}
VOWELS = frozenset("aeiouy")
SHORTEST = 4
FIRST = 8
"""Words of a request that may be commands."""


def corrected(tail: Tail, scene: Scene) -> Tail | None:
    """The words with their slips put right; None where there are none."""
    aliases = {word for key in scene.people for word in key}
    tokens = list(tail.tokens)
    changed = False
    for at in range(tail.at, min(tail.end, tail.at + FIRST)):
        word = tokens[at].word
        if word == ":" or word in QUOTES:
            break
        if word in COMMANDS or word in ORDINARY or word in aliases or not word.isalpha():
            continue
        if len(word) < SHORTEST and (len(word) < SHORTEST - 1 or VOWELS & set(word)):
            continue
        if tail.source[tokens[at].start].isupper() and at > tail.at:
            continue
        meant = (
            [FREQUENT[word]]
            if word in FREQUENT
            else [command for command in COMMANDS if len(command) >= SHORTEST and _one_slip(word, command)]
        )
        if len(meant) == 1:
            tokens[at] = replace(tokens[at], word=meant[0])
            changed = True
    return replace(tail, tokens=tuple(tokens)) if changed else None


def _one_slip(word: str, meant: str) -> bool:
    """One letter too many, too few or wrong, or two neighbours exchanged."""
    if abs(len(word) - len(meant)) > 1 or word == meant:
        return False
    first = next((n for n, (a, b) in enumerate(zip(word, meant, strict=False)) if a != b), min(len(word), len(meant)))
    rest, other = word[first:], meant[first:]
    swapped = len(rest) > 1 and len(other) > 1 and rest[1] + rest[0] + rest[2:] == other
    return swapped or rest[1:] == other[1:] or rest[1:] == other or rest == other[1:]
