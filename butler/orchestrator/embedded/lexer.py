"""Splits the owner's words into tokens with their places, so that texts to send are cut out as written."""

import re
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product

TOKEN = re.compile(
    r"""
      telegram:\d+                                  # an address by number
    | https?://[^\s"“”„«»()<>]*[^\s"“”„«»()<>,:;!?.]   # a link, without the sign that ends the sentence
    | \d+(?:[:.]\d+)+(?:[ap]m)?(?![\w]|[:.]\w)      # 9:30, 9.30pm
    | [^\s,:;!?"“”„«»()<>]+                         # a word, an address, a handle
    | \S                                            # one sign
    """,
    re.VERBOSE | re.IGNORECASE,
)
ALTERNATIVES = re.compile(r"\[([^\]]*)\]|\(([^)]*)\)|(\S+)")
QUOTES = {'"': '"', "“": "”", "”": "”", "„": "“", "«": "»", "»": "«"}
ENDS = frozenset(".!?")


@dataclass(frozen=True, slots=True)
class Token:
    """One word or sign: folded for comparing, and its place in the source."""

    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Phrases:
    """Several ways to say one thing, as folded words; the longest is tried first."""

    options: tuple[tuple[str, ...], ...]
    by_first: dict[str, list[tuple[str, ...]]] = field(init=False, compare=False, repr=False)
    """The options by their first words, because almost no word begins one."""

    def __post_init__(self) -> None:
        """Index the options."""
        index: dict[str, list[tuple[str, ...]]] = {}
        for option in self.options:
            index.setdefault(option[0], []).append(option)
        object.__setattr__(self, "by_first", index)


@cache
def phrases(*patterns: str) -> Phrases:
    """Return the phrases of patterns: `[a|b]` may be left out, `(a|b)` is one of these; nothing nests."""
    options = {option for pattern in patterns for option in _expand(pattern) if option}
    return Phrases(tuple(sorted(options, key=lambda option: (-len(option), option))))


def _expand(pattern: str) -> list[tuple[str, ...]]:
    parts: list[list[str]] = []
    for optional, one_of, word in ALTERNATIVES.findall(pattern):
        if optional:
            parts.append(["", *optional.split("|")])
        else:
            parts.append(one_of.split("|") if one_of else [word])
    return [tuple(" ".join(choice).split()) for choice in product(*parts)]


@dataclass(frozen=True, slots=True)
class Tail:
    """A stretch of the owner's words, from `at` up to `end`. Reading returns a new, shorter tail."""

    source: str
    tokens: tuple[Token, ...]
    at: int
    end: int

    @property
    def done(self) -> bool:
        """Whether no words are left."""
        return self.at >= self.end

    @property
    def text(self) -> str:
        """The remaining words, as written."""
        return "" if self.done else self.source[self.tokens[self.at].start : self.tokens[self.end - 1].end]

    def word(self, ahead: int = 0) -> str:
        """Return the folded word `ahead` words from here; empty beyond the end."""
        place = self.at + ahead
        return self.tokens[place].word if self.at <= place < self.end else ""

    def written(self, ahead: int = 0) -> str:
        """Return the word `ahead` words from here, as written."""
        place = self.at + ahead
        if not self.at <= place < self.end:
            return ""
        return self.source[self.tokens[place].start : self.tokens[place].end]

    def skip(self, count: int = 1) -> "Tail":
        """Return the tail without its next words."""
        return Tail(self.source, self.tokens, min(self.at + count, self.end), self.end)

    def until(self, later: "Tail") -> "Tail":
        """Return the words between here and a later tail."""
        return replace(self, end=later.at)

    def take(self, options: Phrases) -> "Tail | None":
        """Return the tail after one of these phrases; None if none of them comes next."""
        for option in options.by_first.get(self.word(), ()):
            if all(self.word(n) == word for n, word in enumerate(option)):
                return self.skip(len(option))
        return None

    def past(self, options: Phrases) -> "Tail":
        """Return the tail after one of these phrases, or the same tail if none of them comes next."""
        return self.take(options) or self

    def find(self, options: Phrases) -> "tuple[Tail, Tail] | None":
        """Return the words before the first of these phrases and those after it, maybe empty; None without a phrase."""
        here = self
        while not here.done:
            if (after := here.take(options)) is not None and after.at > here.at:
                return self.until(here), after
            here = here.skip()
        return None

    def bare(self) -> "Tail":
        """Return the tail without the signs that end a sentence."""
        end = self.end
        while end > self.at and self.tokens[end - 1].word in ENDS:
            end -= 1
        return replace(self, end=end)

    def new_line(self) -> bool:
        """Return whether a new line begins here."""
        if self.done or self.at == 0:
            return False
        return "\n" in self.source[self.tokens[self.at - 1].end : self.tokens[self.at].start]

    def quoted(self) -> "tuple[str, Tail] | None":
        """Return the quoted words that begin here, and the tail after the closing quote."""
        close = QUOTES.get(self.word())
        if close is None:
            return None
        here = self.skip()
        while not here.done and here.word() != close:
            here = here.skip()
        return None if here.done else (self.skip().until(here).text, here.skip())


@cache
def name_phrase(name: str) -> Phrases:
    """Return a name as one phrase, whatever signs it has."""
    words = tuple(token.word for token in lex(name).tokens)
    return Phrases((words,) if name.strip() else ())


def lex(text: str) -> Tail:
    """Return a text as tokens; full stops at the end of a word are tokens of their own."""
    tokens: list[Token] = []
    for match in TOKEN.finditer(text):
        start, end = match.span()
        stem = start + len(match.group().rstrip("."))
        if stem > start:
            tokens.append(Token(fold(text[start:stem]), start, stem))
        tokens += [Token(".", place, place + 1) for place in range(stem, end)]
    return Tail(text, tuple(tokens), 0, len(tokens))


def fold(text: str) -> str:
    """Return a word folded for comparing: without case, with straight apostrophes."""
    return text.casefold().replace("’", "'").replace("ʼ", "'")
