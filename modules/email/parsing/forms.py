"""Decides by its form whether a line may introduce another's words, in any language and of any program."""

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum
from itertools import islice
from typing import Final

from modules.email.parsing.forwards import Mark, mark_of
from modules.email.parsing.lines import BLANKS, DASHES, STARTERS, VERBS, folded, header_of, is_blank, plain
from modules.email.parsing.phrases import DEVICES
from modules.email.parsing.quotes import is_footer, is_rule

_LONGEST = 2_000
"""The number of characters to examine at each end of a line."""
_LONGEST_LABEL = 30
_LONGEST_FOOTER = 70
_FEWEST_WORDS = 5
_CLOSING_WORDS, _CLOSING_LINES = 2, 3
_NAME_WORDS = 4
_BEFORE_A_MOMENT = 12
"""Letters before the first digit of a sentence; a weekday and a comma have fewer, or the comma."""
_SENTENCE_ENDS: Final = frozenset(".!?")

_QUOTING: Final = frozenset(">|»«›‹❯❱＞≫〉》│┃▏▎▍▌▐┆┊¦‖║∣❘❙❚¶")
_STROKES: Final = frozenset(DASHES + "+<^")
_STROKE: Final = re.compile(rf"[{re.escape(DASHES)}]{{3,}}")
_CLOSERS: Final = " *_\"'”’»)]}\xa0"
_AT: Final = frozenset("@＠﹫")
_QUOTED_BY_INITIALS: Final = re.compile(r"[^\W\d_]{1,4}>|&gt;")
_TIME: Final = re.compile(
    r"\d{1,2}\s?[:：∶﹕.h時时點点시]\s?\d{2}(?!\d)|\d\s?(?:[ap]\.?\s?m\b|Uhr\b|uur\b|[時时點点시])", re.IGNORECASE
)
_DATE: Final = re.compile(
    r"(?<![\da-zA-Z])\d{4}(?![\da-zA-Z])|(?<!\d)\d{8}(?!\d)|(?<!\d)\d{1,4}\s?[./\-‐‑–年년]\s?\d{1,2}\s?[./\-‐‑–月월]"
    r"|\d{1,2}\s?[月월]|\d{1,2}/\d{1,2}(?!\d)"
)
"""A year of any calendar, or a day in digits; a day and a month in words alone are no attribution."""
_BRACKETED: Final = re.compile(
    r"[<\[(＜〈](?:mailto:)?[^\s<>()\[\]@]{1,64}@[^\s<>()\[\]]{1,255}[>\])＞〉]?", re.IGNORECASE
)
_LABEL: Final = re.compile(
    r"\W{0,4}([^\W\d_][\w'’`.()/·-]*(?:[ \t\xa0]+[\w'’`.()/·&-]+){0,2})[*_ \t\xa0]*[:：﹕∶︰](?!//)"
)
_PREFIX: Final = re.compile(
    r"\s*(?:\[[^\]]{0,40}\]\s*)*[^\W\d_][\w.'’-]{0,19}(?:[ -][\w.'’-]{1,19})?\s*(?:[\[(^]?\d{1,3}[\])]?)?\s*[:：﹕∶]"
)
_ITEM: Final = re.compile(r"\s*(?:[-*•–·◦▪]\s|\d{1,2}[.)]\s|\[[ xX]?\]\s)")
_NO_WORD: Final = re.compile(r"https?://\S+|<[^<>]*>|\[[^\[\]]*\]")
_WORD: Final = re.compile(r"\w+")


_INDENT: Final = re.compile("(?:[ \xa0]{2,}|[ \xa0]*[\t\u3000])")
_NAMED_STROKE: Final = re.compile(r"\w{1,20}\s?[|>]")
_BEGINS_A_SENTENCE: Final = frozenset("¿¡@")
_PICTURES: Final = 0x1F000
"""Symbols from here on are emoji."""
_ON_LETTERS: Final = frozenset({"Mn", "Mc", "Me", "Cf"})


class Form(Enum):
    """The form of a line."""

    NONE = "none"
    WEAK = "weak"
    """It has a time, a date or an address, as both requests and attributions do."""
    LEADS = "leads"
    """It ends in a colon, and has nothing else of an attribution."""
    STAMPED = "stamped"
    """It begins with a full moment in figures."""
    STRONG = "strong"
    """It has the form of a mark of another's words."""


def may_introduce(line: str, *, alone: bool = False) -> Form:
    """Return a line's form; `alone` in a mail that is no answer, where dates and addresses are its sender's own."""
    text = plain(_ends_of(line))
    if not any(map(str.isalnum, text)) or _is_marked(text, fewest=3 if alone else 2):
        return Form.STRONG
    timed, dated = _TIME.search(text) is not None, _DATE.search(text) is not None
    addressed, verb = not _AT.isdisjoint(text), _has_verb_at_end(text)
    if _is_colon(text.rstrip(_CLOSERS)[-1:]):
        return Form.STRONG if timed or dated or addressed or verb else Form.LEADS
    if _BRACKETED.search(text) and (not alone or dated or len(_WORD.findall(_bare(text))) <= _NAME_WORDS):
        return Form.STRONG
    if alone:
        return Form.STAMPED if timed and dated and _begins_with_figures(text) else Form.NONE
    if (
        is_header_like(text)
        or (timed and dated and not _is_sentence(text))
        or ((timed or dated) and _begins_with_figures(text))
    ):
        return Form.STRONG
    return Form.WEAK if timed or dated or addressed or verb else Form.NONE


def goes_on_as_own(line: str, following: Sequence[str]) -> bool:
    """Return whether only a closing, such as thanks and a name, follows below a line with a time."""
    text = plain(_ends_of(line))
    if _DATE.search(text) or not _AT.isdisjoint(text) or len(_WORD.findall(_TIME.sub("", text))) < _FEWEST_WORDS:
        return False
    return len(following) <= _CLOSING_LINES and all(len(_WORD.findall(one)) <= _CLOSING_WORDS for one in following)


def is_header_like(line: str) -> bool:
    """Return whether a line begins with one to three words and a colon, as headers do."""
    label = _LABEL.match(letters_of(line[:_LONGEST]))
    return label is not None and len(label[1]) <= _LONGEST_LABEL


def is_block_start(lines: Sequence[str], at: int) -> bool:
    """Return whether a stroke or headers begin at this line, which surely are not the sender's own."""
    line = lines[at]
    if is_blank(line):
        return False
    if is_stroke(line):
        return True
    if not is_header_like(plain(line)):
        return False
    behind = [one for one in islice(lines, at + 1, at + 4) if not is_blank(one)][:2]
    run = [plain(line), *map(plain, behind)]
    if len(run) == 1 or not is_header_like(run[1]):
        return False
    return any(map(_says_of_a_mail, run[: 3 if len(run) > 2 and is_header_like(run[2]) else 2]))  # noqa: PLR2004


def is_stroke(line: str) -> bool:
    """Return whether a line is a stroke, or stands between two."""
    return len(line) <= _LONGEST and (is_rule(line) or _STROKE.fullmatch(plain(line)) is not None)


def is_of_a_device(line: str) -> bool:
    """Return whether a phone or a program may identify itself by this line."""
    return is_footer(line) or (len(line) <= _LONGEST_FOOTER and any(one in folded(line) for one in DEVICES))


def is_item(line: str) -> bool:
    """Return whether a line is a list item."""
    return _ITEM.match(line) is not None


def has_prefix(subject: str) -> bool:
    """Return whether a subject has text before a colon, as programs put it before another mail's subject."""
    return mark_of(subject) is not Mark.NONE or _PREFIX.match(letters_of(plain(subject))) is not None


def is_set_off(line: str) -> bool:
    """Return whether an answer's line is indented, or begins with a sign by which another's words are marked."""
    text = line.lstrip(BLANKS)
    if not text:
        return False
    if _INDENT.match(line) is not None or _NAMED_STROKE.match(text) is not None:
        return True
    return unicodedata.category(text[0])[0] in "PS" and text[0] not in _BEGINS_A_SENTENCE and ord(text[0]) < _PICTURES


def tokens(text: str) -> list[str]:
    """Return a text's words for comparing its two forms: without links and pictures."""
    return _WORD.findall(unicodedata.normalize("NFKC", _NO_WORD.sub(" ", text)).casefold())


def letters_of(text: str) -> str:
    """Return a text without combining marks, as in Thai and Devanagari, and joiners."""
    if text.isascii():
        return text
    return "".join(one for one in text if unicodedata.category(one) not in _ON_LETTERS)


def _says_of_a_mail(text: str) -> bool:
    """Return whether a header-like line is a mail's: by an address, a moment, or a header word."""
    value = text[:_LONGEST]
    return (
        not _AT.isdisjoint(value)
        or _TIME.search(value) is not None
        or _DATE.search(value) is not None
        or header_of(value) is not None
    )


def _ends_of(line: str) -> str:
    return line if len(line) <= 2 * _LONGEST else f"{line[:_LONGEST]} {line[-_LONGEST:]}"


def _is_marked(text: str, *, fewest: int) -> bool:
    """Return whether a line begins with a mark of quoting, or with strokes."""
    if text[0] in _QUOTING or _QUOTED_BY_INITIALS.match(text) is not None:
        return True
    return len(text) >= fewest and all(letter in _STROKES for letter in text[:fewest])


def _is_colon(letter: str) -> bool:
    """Return whether a sign introduces in any script: a colon, or its equivalent."""
    return letter in {"∶", "︰", "։", "៖", "፥", "፦", "᠄"} or "COLON" in unicodedata.name(letter or " ", "")


def _begins_with_figures(text: str) -> bool:
    first = text.lstrip("*_[({<\"' ")
    return first[:1].isdecimal()


def _is_sentence(text: str) -> bool:
    """Return whether a line with a moment is a sentence: it ends as one, and no day, name or comma leads it."""
    head = text[:_BEFORE_A_MOMENT]
    ends = text.rstrip(_CLOSERS)[-1:] in _SENTENCE_ENDS
    return ends and "," not in head and not any(map(str.isdigit, head)) and not folded(text).startswith(STARTERS)


def _has_verb_at_end(text: str) -> bool:
    words = folded(text.rstrip(" .…,-–—:*_")).split()[-3:]
    return any(" ".join(words[at:]) in VERBS for at in range(len(words)))


def _bare(text: str) -> str:
    return _BRACKETED.sub("", text)
