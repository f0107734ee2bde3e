"""Resolves names of boards, lists, labels and people to ids.

A name that fits nothing or several raises `ValueError` with the choices; nothing is guessed. Only reads may ask for a
`loose` match, which finds a name by some of its words if none is exact: an act on “Done” must never apply to “Not
done”.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar
from urllib.parse import urlsplit

from butler.contract.speech import say
from modules.trello import records as r
from modules.trello.account_calls import Account
from modules.trello.args import ME

T = TypeVar("T")
_MOST_NAMED = 12
_WORD = re.compile(r"\w+")
_REF = re.compile(r"[0-9a-fA-F]{24}|[0-9a-zA-Z]{8}")
_PATH = re.compile(r"/(?:c|b)/([0-9a-zA-Z]{8})(?:/.*)?")
_HOST = "trello.com"


def ref_of(said: str) -> str | None:
    """Return the id or short id from an id or a browser address."""
    said = said.strip()
    if _REF.fullmatch(said):
        return said
    parts = urlsplit(said)
    match = _PATH.fullmatch(parts.path) if parts.scheme == "https" and parts.hostname == _HOST else None
    return match[1] if match else None


def card_ref(said: str) -> str:
    """Return a card's id or short id; raise `ValueError`."""
    if (ref := ref_of(said)) is None:
        raise ValueError(say("this is neither the id nor the address of a card; look for it by its name first"))
    return ref


def one_board(boards: Sequence[r.Board], said: str, *, loose: bool = False) -> r.Board:
    """Return the board with this name, id or address."""
    found = _matching(said, boards, _board_names, loose=loose)
    if not found and (ref := ref_of(said)) is not None:
        found = [board for board in boards if board.id == ref or board.url.endswith(f"/{ref}")]
    if not found and (near := _near(said, boards, _board_names)):
        there = _listed(board.name for board in near)
        raise ValueError(say("there is no open board called {name}; there is {near}", name=said, near=there))
    if not found:
        there = _listed(board.name for board in boards)
        raise ValueError(say("there is no open board {name}; there are: {there}", name=said, there=there))
    if len(found) > 1:
        several = _listed(f"{board.name} ({board.url})" for board in found)
        raise ValueError(say("several boards are called {name}: {several}; say which one", name=said, several=several))
    return found[0]


def one_list(boards: Sequence[r.Board], said: str, *, loose: bool = False) -> r.BoardList:
    """Return the open list with this name or id on these boards."""
    found = lists_called(boards, said, loose=loose)
    names = {board.id: board.name for board in boards}
    if not found and (near := _near(said, _lists(boards), _list_names)):
        there = _listed(f"{one.name} ({names[one.board_id]})" for one in near)
        raise ValueError(say("there is no open list called {name}; there is {near}", name=said, near=there))
    if not found:
        there = _listed(one.name for board in boards for one in board.lists)
        raise ValueError(say("there is no open list {name}; there are: {there}", name=said, there=there))
    if len(found) > 1:
        several = _listed(f"{one.name} ({names[one.board_id]})" for one in found)
        raise ValueError(
            say("several lists are called {name}: {several}; say on which board", name=said, several=several)
        )
    return found[0]


def lists_called(boards: Sequence[r.Board], said: str, *, loose: bool = False) -> list[r.BoardList]:
    """Return the open lists with this name or id."""
    every = _lists(boards)
    return _matching(said, every, _list_names, loose=loose) or [one for one in every if one.id == said]


def labels_called(labels: Sequence[r.Label], said: str, *, loose: bool = False) -> list[r.Label]:
    """Return the labels with this name, or else those of this colour."""
    return _matching(said, labels, _label_names, loose=loose) or _of_colour(labels, said)


def no_such_label(labels: Sequence[r.Label], said: str) -> ValueError:
    """Return the error that none of these labels has this name, with similar names."""
    if near := _near(said, labels, _label_names):
        there = _listed(dict.fromkeys(label.name for label in near))
        return ValueError(say("there is no label called {name}; there is {near}", name=said, near=there))
    return ValueError(say("there is no label {name} on these boards", name=said))


def one_label(labels: Sequence[r.Label], said: str) -> r.Label | None:
    """Return the label with exactly this name or colour, if any; raise `ValueError` if there are several."""
    found = _exactly(said, labels, _label_names) or _of_colour(labels, said)
    if len(found) > 1:
        several = _listed(f"{label.name} ({label.colour})" for label in found)
        raise ValueError(say("several labels are called {name}: {several}; say which one", name=said, several=several))
    return found[0] if found else None


def _board_names(board: r.Board) -> Sequence[str]:
    return (board.name,)


def _lists(boards: Sequence[r.Board]) -> list[r.BoardList]:
    return [one for board in boards for one in board.lists]


def _list_names(one: r.BoardList) -> Sequence[str]:
    return (one.name,)


def _label_names(label: r.Label) -> Sequence[str]:
    return label.name, f"{label.name} ({label.colour})"


def _of_colour(labels: Sequence[r.Label], said: str) -> list[r.Label]:
    return [label for label in labels if label.colour.casefold() == folded(said)]


def label_name(label: r.Label) -> str:
    """Return a label's name, or else its colour."""
    return label.name or label.colour


async def members_of(account: Account, boards: Iterable[r.Board]) -> list[r.Member]:
    """Return the members of these boards, each once."""
    return list({one.id: one for board in boards for one in await account.members(board.id)}.values())


def members_called(members: Sequence[r.Member], said: str, *, loose: bool = False) -> list[r.Member]:
    """Return the members with this name, first name or user name."""
    return _matching(said, members, _member_names, loose=loose)


async def one_member(account: Account, boards: Iterable[r.Board], said: str, *, loose: bool = False) -> r.Member:
    """Return the member of these boards who is meant."""
    if folded(said) == ME:
        return await account.me()
    every = await members_of(account, boards)
    found = members_called(every, said, loose=loose)
    if not found and (near := _near(said, every, _member_names)):
        there = _listed(one.name for one in near)
        raise ValueError(say("nobody on the board is called exactly {name}; there is {near}", name=said, near=there))
    if not found:
        there = _listed(one.name for one in every)
        raise ValueError(say("nobody on the board is called {name}; there are: {there}", name=said, there=there))
    if len(found) > 1:
        several = _listed(f"{one.name} (@{one.username})" for one in found)
        raise ValueError(say("several people are called {name}: {several}; say who", name=said, several=several))
    return found[0]


def _member_names(one: r.Member) -> Sequence[str]:
    """Return the names of a member, including the first name; the card shows who was found."""
    return one.name, next(iter(one.name.split()), ""), one.username, f"@{one.username}"


def _matching(said: str, things: Sequence[T], names: Callable[[T], Sequence[str]], *, loose: bool) -> list[T]:
    """Return those with exactly this name; if there are none and it may be `loose`, those with a similar name."""
    exact = _exactly(said, things, names)
    return exact if exact or not loose else _near(said, things, names)


def _exactly(said: str, things: Sequence[T], names: Callable[[T], Sequence[str]]) -> list[T]:
    wanted = folded(said)
    return [thing for thing in things if wanted in (folded(name) for name in names(thing) if name)]


def _near(said: str, things: Sequence[T], names: Callable[[T], Sequence[str]]) -> list[T]:
    """Return those whose name contains these words in a row."""
    words = _words(said)
    return [thing for thing in things if words and any(_in_a_row(words, _words(name)) for name in names(thing))]


def folded(name: str) -> str:
    """Return a name for comparison: case and whitespace are ignored."""
    return " ".join(name.casefold().split())


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _in_a_row(words: Sequence[str], of: Sequence[str]) -> bool:
    return any(list(of[at : at + len(words)]) == list(words) for at in range(len(of) - len(words) + 1))


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    shown = ", ".join(every[:_MOST_NAMED])
    return f"{shown}, …" if len(every) > _MOST_NAMED else shown
