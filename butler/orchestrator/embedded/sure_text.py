"""Finds where a text in the owner's name ends before a second request, and the question about it."""

from butler.contract.speech import phrase
from butler.orchestrator.embedded.lexer import Tail
from butler.orchestrator.embedded.table_words import word_set

PART_OF_IT = phrase("Is “{rest}” part of the text, or something else for me to do? Then say it by itself.")


def before_joint(body: Tail, rest: Tail) -> int:
    """Return where the text ends: before the words that join a second request."""
    end, joints = rest.at, word_set("further_requests", "joint_words")
    while end > body.at and body.tokens[end - 1].word in joints:
        end -= 1
    return max(end, body.at + 1)
