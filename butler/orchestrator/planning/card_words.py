"""Whether words can be about a card: those of a message that are no value are all known from examples of such messages.

The trained reader is sure even of words that it has never seen, such as a name. Where a model can be asked, such words
are the model's.
"""

import re
from functools import cache

from butler.agents.languages import folded
from butler.orchestrator.planning.plan_types import AboutCards
from butler.understanding.tables import LANGUAGES, examples

HEADINGS = frozenset(
    f"# {intent}{context}"
    for intent in ("approve.all", "approve.deny", "approve.change")
    for context in ("", " @approval")
)
"""The headings of such examples: without a context, and with a card that waits."""
VALUE = re.compile(r"\[([^\[\]]+)\]\([a-z_]+\)")


def may_be_about_a_card(words: str, read: AboutCards) -> bool:
    """Return whether all words but the values that were read are words of such messages, and so is the first one."""
    rest = words
    for value in sorted((*(value for _, value in read.values), *read.named), key=len, reverse=True):
        rest = rest.replace(value, " ", 1)
    said, whole = folded(rest), folded(words)
    known, begins = _words(with_values=False), _words(with_values=True)
    return bool(said) and known.issuperset(said) and (whole[0] in begins or whole[0].isdigit())


@cache
def _words(*, with_values: bool) -> frozenset[str]:
    """Return the words of such messages, with those of their values or without."""
    lines = (line for language in LANGUAGES for line in _examples(language))
    return frozenset(word for line in lines for word in folded(VALUE.sub(r"\1" if with_values else " ", line)))


def _examples(language: str) -> list[str]:
    found: list[str] = []
    counts = False
    for line in examples(language).splitlines():
        if line.startswith("#"):
            counts = line.strip() in HEADINGS
        elif counts:
            found.append(line)
    return found
