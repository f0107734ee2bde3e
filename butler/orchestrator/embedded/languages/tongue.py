"""What there is to know of a language before its grammar: how its words are cut and compared, and its small words."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from itertools import pairwise

from butler.orchestrator.embedded.languages.pattern import Rule, openings, rules
from butler.orchestrator.embedded.lexer import Token, fold, lex

HERE = "butler.orchestrator.embedded.languages"
APOSTROPHE, OPENING, FENCE = "'", "¿¡", "```"


@dataclass(frozen=True)
class Tongue:
    """A language as data. Its words are given as they are written, and compared without case and accents."""

    code: str
    file: str
    """Its grammar: a heading for each name, and the rules of that name. Replies are under `request`."""
    numbers: Mapping[str, int]
    joints: frozenset[str]
    """Words for `and` between names."""
    mine: frozenset[str]
    """Words for `my` before a person."""
    articles: frozenset[str]
    """What stands before a thing and is none of its name."""
    to: frozenset[str]
    """Prepositions that are said again before each name of a list."""
    pronouns: Mapping[str, str]
    no_name: frozenset[str]
    """Words that begin no name."""
    fillers: frozenset[str]
    """Words that may stand anywhere in a reply and say nothing: `bitte`, `mal`."""
    common: frozenset[str]
    """Words by which the language is told from others."""
    letters: Mapping[str, str] = field(default_factory=dict[str, str])
    """Letters that are also written as two."""
    elided: frozenset[str] = frozenset()
    """What is written together with the next word, before an apostrophe."""
    joined: frozenset[str] = frozenset()
    """What is written together with the word before, behind a hyphen."""
    apart: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Verbs whose prefix stands at the end of the sentence, where it is none of the name before it: `leg ... an`."""

    def __post_init__(self) -> None:
        for name in ("joints", "mine", "articles", "to", "no_name", "fillers", "common"):
            object.__setattr__(self, name, frozenset(map(self.folded, getattr(self, name))))
        for name in ("numbers", "pronouns"):
            folded = {self.folded(word): value for word, value in getattr(self, name).items()}
            object.__setattr__(self, name, folded)
        apart = {self.folded(verb): frozenset(map(self.folded, ends)) for verb, ends in self.apart.items()}
        object.__setattr__(self, "apart", apart)

    @cached_property
    def rules(self) -> Mapping[str, tuple[Rule, ...]]:
        """The grammar, read on first use."""
        text = files(HERE).joinpath(self.file).read_text(encoding="utf-8")
        sections = [section.partition("\n") for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]]
        return {name.strip(): rules(body.replace(FENCE, ""), self.split) for name, _, body in sections}

    @cached_property
    def openings(self) -> Mapping[str, tuple[frozenset[str] | None, ...]]:
        """The words that each rule can begin with, because almost every word begins almost none of them."""
        return openings(self.rules)

    def split(self, words: str) -> tuple[str, ...]:
        """The words of a text as they are compared."""
        return tuple(token.word for token in self.lex(words))

    def lex(self, text: str) -> tuple[Token, ...]:
        """The words of a text, each with its place in it."""
        return tuple(piece for token in lex(text).tokens for piece in self._pieces(text, token))

    def folded(self, word: str) -> str:
        """A word without case and accents."""
        plain = "".join(self.letters.get(letter, letter) for letter in fold(word))
        return "".join(sign for sign in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(sign))

    def _pieces(self, text: str, token: Token) -> list[Token]:
        start, end = token.start, token.end
        while start < end - 1 and text[start] in OPENING:
            start += 1
        places = [start, *(start + cut for cut in self._cuts(text[start:end])), end]
        return [Token(self.folded(text[a:b]).removeprefix("-") or "-", a, b) for a, b in pairwise(places)]

    def _cuts(self, word: str) -> list[int]:
        """Where a word is two: behind what is elided (`d'Anna`), and before what is joined on (`rappelle-moi`)."""
        plain = self.folded(word)
        if len(plain) != len(word):
            return []
        head = plain.split(APOSTROPHE)[0]
        elided = [len(head) + 1] if head in self.elided and APOSTROPHE in plain[len(head) : -1] else []
        behind = [(match.start(), match[1]) for match in re.finditer(r"-(\w+)", plain)]
        return elided + [place for place, _ in behind if all(piece in self.joined for _, piece in behind) and place]


def numbered(text: str, **more: int) -> dict[str, int]:
    """Number words from zero on, several ways of writing one joined by a slash, and further ones by name."""
    return {way: n for n, ways in enumerate(text.split()) for way in ways.split("/")} | more
