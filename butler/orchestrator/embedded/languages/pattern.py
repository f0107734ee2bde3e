"""The notation in which a language's ways of saying things are written: `(schick|sende) {who} [eine] nachricht`.

A pattern holds words, `(a|b)` for one of these, `[a|b]` for what may be left out, and `{slot}` or `{name:slot}`; all of
them nest. A rule is `pattern => template`; the template says it in English, with the slots in it:
`{hour-1}` is the hour before, `{60-n}` what is left of an hour, `:02` two digits.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

PIECE = re.compile(r"[\[\]()|]|\{[^}]+\}|[^\s\[\]()|{}]+")
FIELD = re.compile(r"\{(60-)?(\w+)(-1)?(:02)?\}")
HOURS, MINUTES = 24, 60


@dataclass(frozen=True, slots=True)
class Word:
    """One folded word or sign."""

    word: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A stretch that is filled, and the kind of thing that stands there."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other; empty where nothing need stand."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of these, tried in order."""

    options: tuple["Node", ...]


Node = Word | Slot | Sequence | OneOf
Split = Callable[[str], tuple[str, ...]]
"""Cuts a word as it is written into the words that are compared: `rappelle-moi` is two."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to say something, and the same in English."""

    pattern: Node
    template: str

    def said(self, slots: Mapping[str, str]) -> str:
        """The template with its slots; what was left out leaves no gap."""
        words = (FIELD.sub(lambda field: _filled(field, slots), word) for word in self.template.split())
        return " ".join(word for word in words if word)


def _filled(field: re.Match[str], slots: Mapping[str, str]) -> str:
    left_of_hour, name, before, two_digits = field.groups()
    value = slots.get(name, "")
    if left_of_hour:
        value = str(MINUTES - int(value))
    if before:
        # The hour before one is twelve: `halb eins` is 12:30.
        value = str((int(value) - 1) % HOURS or 12)
    return f"{int(value):02}" if two_digits else value


def rules(text: str, split: Split) -> tuple[Rule, ...]:
    """The rules of a text; a rule goes on over lines up to its arrow."""
    found: list[Rule] = []
    pattern = ""
    for line in text.splitlines():
        head, arrow, template = line.partition("=>")
        pattern += f" {head}"
        if arrow:
            found.append(Rule(_Parser(pattern, split).node(), template.strip()))
            pattern = ""
    return tuple(found)


def openings(grammar: Mapping[str, tuple[Rule, ...]]) -> dict[str, tuple[frozenset[str] | None, ...]]:
    """By name, the words that each rule can begin with; None where it can begin with anything."""
    return {name: tuple(_opening(rule, grammar) for rule in found) for name, found in grammar.items()}


def _opening(rule: Rule, grammar: Mapping[str, tuple[Rule, ...]]) -> frozenset[str] | None:
    words, empty = _first(rule.pattern, grammar)
    return None if empty else words


def _first(node: Node, grammar: Mapping[str, tuple[Rule, ...]]) -> tuple[frozenset[str] | None, bool]:
    """What a pattern can begin with, and whether it can also be empty."""
    match node:
        case Word(word):
            return frozenset({word}), False
        case Slot(_, kind):
            return _any([_first(rule.pattern, grammar) for rule in grammar[kind]]) if kind in grammar else (None, False)
        case OneOf(options):
            return _any([_first(option, grammar) for option in options])
        case Sequence(parts):
            found: frozenset[str] = frozenset()
            for part in parts:
                words, empty = _first(part, grammar)
                if words is None:
                    return None, False
                found |= words
                if not empty:
                    return found, False
            return found, True


def _any(firsts: Iterable[tuple[frozenset[str] | None, bool]]) -> tuple[frozenset[str] | None, bool]:
    found: frozenset[str] = frozenset()
    can_be_empty = False
    for words, empty in firsts:
        if words is None:
            return None, False
        found |= words
        can_be_empty |= empty
    return found, can_be_empty


class _Parser:
    def __init__(self, pattern: str, split: Split) -> None:
        self._pieces = PIECE.findall(pattern)
        self._at = 0
        self._split = split

    def node(self) -> Node:
        """The alternatives up to a closing bracket or the end."""
        options = [self._sequence()]
        while self._next() == "|":
            self._at += 1
            options.append(self._sequence())
        return options[0] if len(options) == 1 else OneOf(tuple(options))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while (piece := self._next()) not in {"", "|", ")", "]"}:
            self._at += 1
            parts += self._part(piece)
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _part(self, piece: str) -> list[Node]:
        if piece in {"(", "["}:
            inner = self.node()
            self._at += 1
            return [inner if piece == "(" else OneOf((inner, Sequence(())))]
        if piece.startswith("{"):
            name, _, kind = piece[1:-1].partition(":")
            return [Slot(name, kind or name)]
        return [Word(word) for word in self._split(piece)]

    def _next(self) -> str:
        return self._pieces[self._at] if self._at < len(self._pieces) else ""
