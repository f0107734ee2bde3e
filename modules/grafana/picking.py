"""Which dashboard and which panels are meant, by words of their titles."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from modules.grafana.wire import Hit, PanelModel

MOST_LISTED = 20
T = TypeVar("T")


def the_one(hits: Sequence[Hit], words: str) -> Hit | None:
    """The dashboard that is meant, where there is no doubt: the only one, or the only one with just this title."""
    if not words.strip():
        return None
    exact = [hit for hit in hits if _same(hit.title, words)]
    chosen = exact or list(hits)
    return chosen[0] if len(chosen) == 1 else None


def fitting(hits: Sequence[Hit], words: str) -> list[Hit]:
    """Those with the most of the words in title or folder."""
    return _by_words(hits, words, lambda hit: f"{hit.title} {hit.folderTitle}")


def panels_of(panels: Iterable[PanelModel], words: str) -> list[PanelModel]:
    """The panels that are meant, rows unfolded; all, where no words are said."""
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


def _by_words(things: Iterable[T], words: str, text: Callable[[T], str]) -> list[T]:
    wanted = words.casefold().split()
    counted = [(sum(word in text(thing).casefold() for word in wanted), thing) for thing in things]
    most = max((count for count, _ in counted), default=0)
    return [thing for count, thing in counted if count == most] if most else []


def _same(title: str, words: str) -> bool:
    return title.casefold().split() == words.casefold().split()
