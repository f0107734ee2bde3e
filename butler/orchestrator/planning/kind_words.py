"""The owner's nouns for kinds of things, in any of the languages; see `kind_words.toml`.

Some nouns name several kinds. The names of a channel are its own `brands`.
"""

from functools import cache, reduce

from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase
from butler.contract.tables import table
from butler.understanding.stored_words import stored

_PACKAGE, _NAME = "butler.orchestrator.planning", "kind_words"

NONE_THERE = {
    ReferentKind.AUTOMATION: phrase("You have no automations."),
    ReferentKind.REMINDER: phrase("There is no reminder in what I showed you last."),
    ReferentKind.EVENT: phrase("There is no event in what I showed you last."),
    ReferentKind.MAIL: phrase("There is no mail in what I showed you last."),
    ReferentKind.MESSAGE: phrase("There is no message in what I showed you last."),
    ReferentKind.CARD: phrase("There is no card in what I showed you last."),
    ReferentKind.NOTE: phrase("There is no note in what I showed you last."),
}
NOTHING_THERE = phrase("There was nothing in what I showed you last, so I did nothing.")
"""The answer to a reference to an empty list."""


@cache
def nouns(kind: ReferentKind) -> frozenset[str]:
    """Return the nouns for a kind; none for a kind that nobody names."""
    known = kind.value in table(_PACKAGE, _NAME)
    return frozenset(stored(_PACKAGE, _NAME, kind.value)) if known else frozenset()


@cache
def all_nouns() -> frozenset[str]:
    """Return the nouns for all kinds."""
    return frozenset[str]().union(*map(nouns, ReferentKind))


def bare(word: str) -> str:
    """Return a word without what is joined to its front, such as `l'`."""
    return reduce(str.removeprefix, stored(_PACKAGE, _NAME, "joined_before"), word)
