"""Finds where a text in the owner's name ends before a second request, and the question about it."""

from butler.contract.speech import phrase
from butler.orchestrator.embedded.lexer import Tail, word_set

PART_OF_IT = phrase("Is “{rest}” part of the text, or something else for me to do? Then say it by itself.")
JOINT_WORDS = word_set(
    "and then also please afterwards & und dann auch bitte danach et puis ensuite aussi après y luego después también "
    "entonces e plus , ; . !"
)
"""Words and signs that join two requests."""


def before_joint(body: Tail, rest: Tail) -> int:
    """Return where the text ends: before the words that join a second request."""
    end = rest.at
    while end > body.at and body.tokens[end - 1].word in JOINT_WORDS:
        end -= 1
    return max(end, body.at + 1)
