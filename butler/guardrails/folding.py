"""Undoes Unicode tricks: normalizes a text to the intended words, and maps positions back to the original.

Invisible characters are removed (zero width, bidi controls, variation selectors, soft hyphens), disguised letters (full
width, mathematical, circled, the tags block) become plain ones, and accents are dropped: patterns are written in ASCII.
Latin look-alikes of other alphabets are only replaced on request, since whole words of Russian are no trick.
"""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

FURTHER = 4_000
"""Code points of a text that are checked again in another spelling."""
BASIC_PLANE = 0xFFFF
TAGS = range(0xE0020, 0xE007F)
"""Invisible counterparts of ASCII, used for flags of regions, and for hidden orders."""
_INVISIBLE = (
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFE00, 0xFE10),
    *range(0xE0100, 0xE01F0),
    0x00AD,
    0x034F,
    0x061C,
    0x115F,
    0x1160,
    0x17B4,
    0x17B5,
    0x180E,
    0x3164,
    0xE0001,
    0xE007F,
    0xFEFF,
    0xFFA0,
)
_DISGUISED = (
    range(0xA0, 0x250),
    range(0x1E00, 0x1F00),
    range(0x2000, 0x200B),
    range(0x2070, 0x20A0),
    range(0x2100, 0x2190),
    range(0x2460, 0x2500),
    range(0x3000, 0x3001),
    range(0xFB00, 0xFB07),
    range(0xFF01, 0xFF5F),
    range(0x1D400, 0x1D800),
)
_SQUARED = ((0x1F110, 26), (0x1F130, 26), (0x1F150, 26), (0x1F170, 26), (0x1F1E6, 26))
_TYPOGRAPHY = {
    "‘": "'",
    "’": "'",
    "‚": "'",
    "“": '"',
    "”": '"',
    "„": '"',
    "«": '"',
    "»": '"',
    "‐": "-",
    "‑": "-",
    "‒": "-",
    "–": "-",
    "—": "-",
    "−": "-",
    "…": "...",
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "đ": "d",
    "ł": "l",
    "ı": "i",
}
_ALIKE = (
    ("аеорсухѕіјԁԛԝһвмнкт", "aeopcyxsijdqwhbmhkt"),
    ("АВЕКМНОРСТУХЅІЈԌ", "ABEKMHOPCTYXSIJG"),
    ("αεορνικτυχγηω", "aeopviktuxynw"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),
    ("ɑɡɩʏꜱ", "agiys"),
)
_LOOKALIKES = {ord(one): plain for letters, like in _ALIKE for one, plain in zip(letters, like, strict=True)}
_MIXED = re.compile(r"[A-Za-z][\u0370-\u052f]|[\u0370-\u052f][A-Za-z]|[\u0251\u0261\u0269\u028f\ua731]")
_FOREIGN = re.compile(r"[\u0251\u0261\u0269\u028f\u0370-\u052f\ua731]")
_LEET = tuple(zip("0134578@$!", "oieastbasi", strict=True))
_TAGGED = re.compile("(?<!\U0001f3f4)[\U000e0020-\U000e007e]{7,}")
_OF_TAGS = b"\xf3\xa0"
"""The first bytes in UTF-8 of every character of the tags block."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A normalized text for matching patterns, with its original."""

    text: str
    original: str

    def spans(self, found: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Map ranges of `text` to ranges of `original`, in code points."""
        if self.text is self.original or not found:
            return found
        anchors, places = _anchors(self.original, max(end for _, end in found))

        def place(at: int) -> int:
            nearest = bisect_right(anchors, at) - 1
            return places[nearest] + at - anchors[nearest]

        return [(place(start), place(end - 1) + 1) for start, end in found]


def folded(text: str) -> Folded:
    """Return a text normalized to the intended words."""
    return Folded(text if text.isascii() else _changing().sub(_plain, text), text)


def latinised(seen: Folded) -> Folded | None:
    """Return a text's beginning with Latin letters for look-alikes; None if no word mixes alphabets."""
    beginning = seen.text[:FURTHER]
    # `_FOREIGN` is fast, and rules out most texts.
    if beginning.isascii() or not _FOREIGN.search(beginning) or not _MIXED.search(beginning):
        return None
    return Folded(beginning.translate(_LOOKALIKES), seen.original)


def unleeted(seen: Folded) -> Folded:
    """Return a text's beginning with letters for the digits that stand for them, as in `1gn0re`."""
    text = seen.text[:FURTHER]
    for digit, letter in _LEET:
        text = text.replace(digit, letter)
    return Folded(text, seen.original)


def hidden_tags(text: str) -> int:
    """Count the invisibly written ASCII characters of a text, without flags."""
    if text.isascii() or _OF_TAGS not in text.encode(errors="replace"):
        return 0
    return sum(len(run) for run in _TAGGED.findall(text))


def _plain(found: re.Match[str]) -> str:
    return found.group().translate(_table())


@lru_cache(maxsize=1)
def _changing() -> re.Pattern[str]:
    """Match the characters that the table may change: exactly in the basic plane, for speed, and all above it."""
    basic = "".join(chr(code) for code in sorted(_table()) if code <= BASIC_PLANE)
    return re.compile(f"(?:[{basic}]|[\U00010000-\U0010ffff])+")


@lru_cache(maxsize=1)
def _table() -> dict[int, str]:
    table = {ord(char): plain for char, plain in _TYPOGRAPHY.items()}
    for block in _DISGUISED:
        for code in block:
            kept = "".join(c for c in unicodedata.normalize("NFKD", chr(code)) if not unicodedata.combining(c))
            if kept and kept.isascii():
                table.setdefault(code, kept)
    for first, count in _SQUARED:
        table |= {first + at: chr(ord("a") + at) for at in range(count)}
    table |= {code: chr(code - 0xE0000) for code in TAGS}
    table |= dict.fromkeys((*_INVISIBLE, *range(0x300, 0x370)), "")
    return table


def _anchors(original: str, last: int) -> tuple[list[int], list[int]]:
    """Return pairs of positions in the folded text up to `last` and in the original; in between both advance alike."""
    table = _table()
    anchors, places = [0], [0]
    shift = 0
    for run in _changing().finditer(original):
        for at, char in enumerate(run.group(), run.start()):
            made = len(table.get(ord(char), char))
            anchors += range(at - shift, at - shift + made)
            places += [at] * made
            shift += 1 - made
        anchors.append(run.end() - shift)
        places.append(run.end())
        if anchors[-1] > last:
            break
    return anchors, places
