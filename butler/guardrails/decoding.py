"""Decodes encoded parts of a text, one level deep: base64, base32, base85, hex, binary, Morse, escapes, rot13.

Only readable results count. The number of candidates in a text is limited.
"""

import base64
import binascii
import codecs
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from butler.guardrails.patterns import Pattern

MOST = 8
"""Candidates of each encoding that are decoded."""
LONGEST = 4_000
"""Code points of a text that are searched for encodings."""
_READABLE = 0.9
_WORDS = re.compile(r"[A-Za-z]{2,}")
_MORSE_SIGNS = """
    a .- b -... c -.-. d -.. e . f ..-. g --. h .... i .. j .--- k -.- l .-.. m -- n -. o --- p .--. q --.- r .-. s ...
    t - u ..- v ...- w .-- x -..- y -.-- z --.. 0 ----- 1 .---- 2 ..--- 3 ...-- 4 ....- 5 ..... 6 -.... 7 --... 8 ---..
    9 ----. . .-.-.- , --..-- ? ..--.. @ .--.-. - -....- / -..-.
"""
_MORSE: dict[str, str] = dict(zip(_MORSE_SIGNS.split()[1::2], _MORSE_SIGNS.split()[::2], strict=True))


def _base64(text: str) -> bytes:
    return base64.b64decode(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4))


def _hex(text: str) -> bytes:
    return binascii.unhexlify(re.sub(r"[ :]", "", text))


def _ascii85(text: str) -> bytes:
    return base64.a85decode(text.removeprefix("<~").removesuffix("~>"))


def _binary(text: str) -> bytes:
    return bytes(int(octet, 2) for octet in re.findall(r"[01]{8}", text))


def _escapes(text: str) -> bytes:
    return "".join(chr(int(code, 16)) for code in re.findall(r"\\?[ux]([0-9a-fA-F]{2,4})", text)).encode()


def _morse(text: str) -> bytes:
    words = re.split(r" ?/ ?", text.strip())
    return " ".join("".join(_MORSE.get(sign, "") for sign in word.split()) for word in words).encode()


def _percent(text: str) -> bytes:
    return unquote(text).encode()


@dataclass(frozen=True, slots=True)
class _Encoding:
    """An encoding: `gate` detects it in the pass over all patterns, then `regex` matches it completely."""

    gate: str
    regex: re.Pattern[str]
    decode: Callable[[str], bytes]


_ENCODINGS = {
    f"encoded_{name}": _Encoding(gate, re.compile(regex), decode)
    for name, gate, regex, decode in (
        ("base64", r"[A-Za-z0-9+/_\-]{24}", r"[A-Za-z0-9+/_\-]{24,}={0,2}", _base64),
        ("base32", r"\b[A-Z2-7]{24}", r"\b[A-Z2-7]{24,}={0,6}", base64.b32decode),
        ("hex", r"\b(?:[0-9a-fA-F]{2}[ :]?){12}", r"\b(?:[0-9a-fA-F]{2}[ :]?){12,}", _hex),
        ("ascii85", r"<~[!-uz\s]{20}", r"<~[!-uz\s]{20,}~>", _ascii85),
        (
            "base85",
            r"(?:^|\s)[0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~\-]{40}",
            r"(?<!\S)[0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~\-]{40,}(?!\S)",
            base64.b85decode,
        ),
        ("binary", r"[01]{8}[ ,]?[01]{8}", r"(?:[01]{8}[ ,]?){6,}", _binary),
        ("escapes", r"(?:\\[ux][0-9a-fA-F]{2,4}){4}", r"(?:\\[ux][0-9a-fA-F]{2,4}){6,}", _escapes),
        ("morse", r"(?:[.\-]{1,6} ){5}", r"(?:[.\-]{1,6}[ /]+){12,}[.\-]{0,6}", _morse),
        ("percent", r"(?:%[0-9A-Fa-f]{2}){6}", r"(?:%[0-9A-Fa-f]{2}){6,}", _percent),
    )
}
_ROT13 = "encoded_rot13"
_ROT13_GATE = r"(?i)\b(?:rot-?13|vtaber|cerivbhf|vafgehpgvba|sbejneq|cnffjbeq|flfgrz cebzcg)"
GATES = (*(Pattern(kind, one.gate) for kind, one in _ENCODINGS.items()), Pattern(_ROT13, _ROT13_GATE))
"""The patterns of texts that may hold something encoded; searched together with all others."""


def decoded(text: str, gates: Collection[str]) -> Iterator[tuple[int, int, str]]:
    """Yield each readable decoded part, with its place. `gates` are the kinds of gates that occur in the text."""
    looked_at = text[:LONGEST]
    for kind, encoding in _ENCODINGS.items():
        if kind not in gates:
            continue
        for number, found in enumerate(encoding.regex.finditer(looked_at)):
            if number == MOST:
                break
            if (plain := _plain(found.group(), encoding.decode)) is not None:
                yield found.start(), found.end(), plain
    if _ROT13 in gates:
        yield 0, len(looked_at), codecs.encode(looked_at, "rot13")


def backwards(text: str) -> str | None:
    """Return the text reversed if it has a right-to-left override (U+202E); None otherwise."""
    return text[::-1] if not text.isascii() and "\u202e" in text else None


def _plain(text: str, decode: Callable[[str], bytes]) -> str | None:
    try:
        plain = decode(text).decode()
    except ValueError:  # binascii.Error and UnicodeDecodeError are subclasses
        return None
    readable = sum(char.isprintable() or char.isspace() for char in plain)
    return plain if _WORDS.search(plain) and readable >= _READABLE * len(plain) else None
