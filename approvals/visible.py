"""Makes texts and addresses on a card visible, by the contract's filter, which all other texts pass as well."""

import unicodedata

import regex

from butler.contract.visible import HIDES, mark, visible, visible_line

_ADDRESS = regex.compile(rf"[{HIDES}\p{{Zs}}]", regex.VERSION1)

__all__ = ["mark", "scripts", "visible", "visible_address", "visible_line"]


def visible_address(text: str) -> str:
    """Return an address with spaces and joiners marked as well."""
    return _ADDRESS.sub(lambda match: mark(match[0]), text)


def scripts(text: str) -> list[str]:
    """Return the scripts of the letters in a text, such as `Cyrillic`, in alphabetical order."""
    names = (unicodedata.name(character, "unnamed") for character in text if character.isalpha())
    return sorted({name.split(" ")[0].capitalize() for name in names})
