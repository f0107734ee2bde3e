"""Picks the dashboard and the panels by words of their titles: whole words, without filler words."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from modules.grafana.wire import Hit, PanelModel

MOST_LISTED = 20
_WORD = re.compile(r"[^\W_]+")
_SMALL = (
    "a an the of for on in at to from with by and or my our your its this that these those me us please "
    "der die das den dem des ein eine einen einem einer eines von vom für auf im in am an zu zum zur mit und oder "
    "mein meine meinen meinem meiner meines unser unsere unseren unserem unserer dein deine dieser diese dieses "
    "le la les l un une des du de d au aux à en dans sur pour par avec et ou mon ma mes notre nos ton ta tes "
    "ce cet cette ces el los las lo una unos unas del al y o con por para mi mis nuestro nuestra nuestros nuestras "
    "tu tus este esta estos estas su sus "
    "dashboard dashboards graph graphs tableau tableaux bord tablero tableros panel panels"
)
_FILLERS = frozenset(_SMALL.split())
"""Filler words of the four languages, which tell no dashboards apart."""
_SHORTEST_PLURAL = 3
T = TypeVar("T")


def the_one(hits: Sequence[Hit], words: str) -> Hit | None:
    """Return the dashboard that is meant, if there is no doubt.

    That is the only one with exactly this title; or else the only one with the most of the words, if these are at least
    half of them.
    """
    if not words.strip():
        return None
    exact = [hit for hit in hits if _same(hit.title, words)]
    if exact:
        return exact[0] if len(exact) == 1 else None
    wanted = _telling(words)
    best = fitting(hits, words)
    if len(best) != 1 or 2 * _shared(wanted, _title(best[0])) < len(wanted):
        return None
    return best[0]


def fitting(hits: Sequence[Hit], words: str) -> list[Hit]:
    """Return those with the most of the words in title or folder."""
    return _by_words(hits, words, _title)


def panels_of(panels: Iterable[PanelModel], words: str) -> list[PanelModel]:
    """Return the panels that are meant, with rows unfolded; all if no words are given."""
    flat = list(_flat(panels))
    if not words.strip():
        return flat
    exact = [panel for panel in flat if _same(panel.title, words)]
    return exact or _by_words(flat, words, lambda panel: panel.title)


def _flat(panels: Iterable[PanelModel]) -> Iterable[PanelModel]:
    for panel in panels:
        if panel.type != "row":
            yield panel
        yield from _flat(panel.panels)


def _title(hit: Hit) -> str:
    return f"{hit.title} {hit.folderTitle}"


def _by_words(things: Iterable[T], words: str, text: Callable[[T], str]) -> list[T]:
    wanted = _telling(words)
    counted = [(_shared(wanted, text(thing)), thing) for thing in things]
    most = max((count for count, _ in counted), default=0)
    return [thing for count, thing in counted if count == most] if most else []


def _shared(wanted: Iterable[str], text: str) -> int:
    """Return how many of the words a text contains, in the singular or the plural."""
    there = {_stem(word) for word in _words(text)}
    return sum(_stem(word) in there for word in wanted)


def _telling(words: str) -> list[str]:
    """Return the words without filler words."""
    return [word for word in dict.fromkeys(_words(words)) if word not in _FILLERS]


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _stem(word: str) -> str:
    """Return a word without its plural s, so that `server` equals `servers`; short words are unchanged."""
    return word[:-1] if len(word) > _SHORTEST_PLURAL and word.endswith("s") else word


def _same(title: str, words: str) -> bool:
    return _words(title) == _words(words)
