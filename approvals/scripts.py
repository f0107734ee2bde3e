"""The scripts of an address or a link, in words for the owner."""

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
"""The scripts of look-alikes; any other script has its Unicode name."""


def named(script: str) -> str:
    """Name a script, such as `Cyrillic`."""
    return say(_NAMES[script]) if script in _NAMES else script


def mixed(found: Sequence[str]) -> str:
    """Say that letters of several scripts are mixed."""
    return say("mixes {scripts} letters", scripts=_joined(found))


def mixed_before_the_at(found: Sequence[str]) -> str:
    """Say that letters of several scripts are mixed before the `@` of a mail address."""
    return say("mixes {scripts} letters before the @", scripts=_joined(found))


def _joined(found: Sequence[str]) -> str:
    return say(" and ").join(map(named, found))
