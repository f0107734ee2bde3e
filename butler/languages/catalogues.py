"""The catalogues of the languages that Butler speaks besides English: `LANGUAGE.po`, in the format of GNU gettext.

`python -m scripts.texts` brings them up to date with the code; `butler.contract.speech` says what they hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from config.language import OwnerLanguage

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The texts of a language by the English ones; of things that are counted, its forms by the English singular."""

    texts: Mapping[str, str]
    counted: Mapping[str, tuple[str, ...]]


def path_of(language: str) -> Path:
    """The file of a language, by its code such as `de`."""
    return FOLDER / f"{language}.po"


@cache
def catalogue(language: OwnerLanguage) -> Catalogue:
    """The catalogue of a language that is not English."""
    from babel.messages.pofile import read_po  # noqa: PLC0415 - only for other languages

    with path_of(language.value).open("rb") as file:
        messages = read_po(file, locale=language.value)
    texts: dict[str, str] = {}
    counted: dict[str, tuple[str, ...]] = {}
    for message in messages:
        said = message.string
        if isinstance(message.id, str):
            if message.id and isinstance(said, str) and said:
                texts[message.id] = said
        elif isinstance(said, (tuple, list)) and all(said):
            counted[message.id[0]] = tuple(said)
    return Catalogue(texts, counted)
