"""Records how the names of an order were resolved, where the found name differs; the card shows both."""

from collections.abc import Sequence

from butler.contract.speech import say
from modules.trello import records as r
from modules.trello.args import ME
from modules.trello.naming import folded


class ResolvedNames:
    """Collects found names by the words that were given; `noted` stores them as JSON."""

    def __init__(self, noted: dict[str, list[str]] | None = None) -> None:
        self._noted = {} if noted is None else noted

    def note(self, said: str, *names: str) -> None:
        """Note the names found for the given words."""
        if not said.strip():
            return
        known = self._noted.setdefault(said, [])
        known += [name for name in dict.fromkeys(names) if name not in known and folded(name) != folded(said)]

    def note_list(self, said: str, found: r.BoardList, boards: Sequence[r.Board]) -> None:
        """Note a list, with its board if there are several."""
        board = next((one.name for one in boards if one.id == found.board_id), "")
        self.note(said, f"{found.name} ({board})" if len(boards) > 1 else found.name)

    def note_person(self, said: str, found: r.Member | None) -> None:
        """Note a person, except for `me`."""
        if found is not None and folded(said) != ME:
            self.note(said, found.name)

    def summary(self) -> str:
        """Return all resolutions in one line; empty if every name was given exactly."""
        named = {text: ", ".join(" ".join(name.split()) for name in names) for text, names in self._noted.items()}
        return "; ".join(say("“{said}” is {name}", said=text, name=name) for text, name in named.items() if name)
