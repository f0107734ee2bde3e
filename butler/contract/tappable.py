"""Finds what a client would make tappable in a text: links, domains, addresses, names, commands, tags, phone numbers.

Clients look for these in every text. In a text of a model or a stranger, that would be a link that the butler seems to
vouch for, or a command that counts as the owner's once tapped. So code that shows a text asks here what to set in a way
that cannot be tapped. It finds too much rather than too little.
"""

import re
from collections.abc import Iterator

_SCHEMES = "mailto|tel|sms|smsto|tg|ton|geo|magnet|intent|market|whatsapp|skype|facetime|javascript|data|file"
_FEATURE = re.compile(
    rf"""
      :/?/                                          # https://, and what is nearly that
    | (?<!\w)(?:{_SCHEMES}):
    | [@＠\#＃]\w                                   # names, addresses, tags
    | (?<![\w/])[/／]\w                             # commands
    | \$[A-Za-z]{{3}}                               # currencies, as tags
    | \w[.。．｡](?:[^\W\d_]{{2}}|xn--)               # domains, of any ending
    | (?<![\d.])\d{{1,3}}(?:\.\d{{1,3}}){{3}}
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WORD = re.compile(r"\S+")
_BEFORE = "([{<\"'“”„‚‘’«»‹›…,;!?¿¡*_~|→"
_AFTER = ")]}>\"'“”„‚‘’«»‹›….,:;!?*_~|"
_RUN = re.compile(r"\+?\(?\d[\d ().\-/\u00a0\u2010-\u2013]*")
_NO_PHONE = re.compile(
    r"""(?<!\d)(?:
        (?:19|20)\d\d-\d\d-\d\d                     # days
      | \d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d
      | (?:19|20)\d\d[-–](?:19|20)\d\d              # years
      | [1-9]\d{0,2}(?:\.\d{3})+ | \d{1,6}\.\d+     # amounts
    )(?!\d)""",
    re.VERBOSE,
)
FEWEST_DIGITS, FEWEST_ABROAD = 7, 5
"""The fewest digits that a client takes for a phone number; one that begins with + may have fewer."""


def tappable(text: str) -> list[tuple[int, int]]:
    """Return the tappable places, as start and end, in order and without overlaps."""
    found = sorted((*_words(text), *_phones(text)))
    apart: list[tuple[int, int]] = []
    for start, end in found:
        if apart and start < apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart


def broken(text: str) -> str:
    """Return the text for a place where nothing can be set as code, such as a mail: `https[:]//evil[.]example`.

    No client opens such a link. Mail addresses stay as they are.
    """
    parts: list[str] = []
    at = 0
    for start, end in _words(text):
        word = text[start:end]
        if not _MAIL.fullmatch(word):
            parts += [text[at:start], _DOT.sub("[.]", word.replace(":/", "[:]/"))]
            at = end
    return "".join((*parts, text[at:]))


_DOT = re.compile(r"(?<=\w)[.。．｡](?=[^\W_])")
_MAIL = re.compile(r"[\w.+-]+@[\w.-]+")


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Find words with anything tappable in them, without surrounding punctuation."""
    for match in _WORD.finditer(text):
        if _FEATURE.search(match[0]) is None:
            continue
        word = match[0].rstrip(_AFTER)
        bare = word.lstrip(_BEFORE)
        if bare:
            yield match.start() + len(word) - len(bare), match.start() + len(word)


def _phones(text: str) -> Iterator[tuple[int, int]]:
    for match in _RUN.finditer(text):
        run = match[0]
        digits = sum(map(str.isdigit, _NO_PHONE.sub("", run)))
        if digits >= FEWEST_DIGITS or (run.startswith("+") and digits >= FEWEST_ABROAD):
            last = max(at for at, character in enumerate(run) if character.isdigit())
            yield match.start(), match.start() + last + 1
