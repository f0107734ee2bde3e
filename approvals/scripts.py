"""The scripts that an address or a link is written in, as the owner reads of them."""

from collections.abc import Sequence

from butler.contract.speech import phrase, say

_NAMES = {
    name: name
    for name in (
        phrase("Latin"),
        phrase("Cyrillic"),
        phrase("Greek"),
        phrase("Armenian"),
        phrase("Hebrew"),
        phrase("Arabic"),
        phrase("Fullwidth"),
    )
}
"""Those that look-alikes are made of; another goes by its name in Unicode."""


def named(script: str) -> str:
    """Such as `Cyrillic`."""
    return say(_NAMES[script]) if script in _NAMES else script


def mixed(found: Sequence[str]) -> str:
    """That letters of several scripts stand side by side."""
    return say("mixes {scripts} letters", scripts=_joined(found))


def mixed_before_the_at(found: Sequence[str]) -> str:
    """The same of what stands before the `@` of a mail address."""
    return say("mixes {scripts} letters before the @", scripts=_joined(found))


def _joined(found: Sequence[str]) -> str:
    return say(" and ").join(map(named, found))
