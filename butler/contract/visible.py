"""Makes every character in a text that could hide or mislead visible, as `[U+202E]`.

Nothing else is changed: removing the marks gives the stored text. Joiners stay as they are only where they have a
visible effect: within an emoji, and between letters of scripts that are written with them.
"""

import regex

_JOINING = (
    r"\p{Arabic}\p{Syriac}\p{Mongolian}\p{Devanagari}\p{Bengali}\p{Gurmukhi}\p{Gujarati}\p{Oriya}\p{Tamil}\p{Telugu}"
    r"\p{Kannada}\p{Malayalam}\p{Sinhala}"
)
_PICTURE = r"(?!\p{Cn})\p{Extended_Pictographic}\p{Emoji_Modifier}?\uFE0F?"
HIDES = (
    r"\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}"
    r"\u2800"  # the blank Braille pattern
)
_TEXT = regex.compile(
    rf"""(?P<plain>
        {_PICTURE}(?:\u200D{_PICTURE})* | [0-9\#*]\uFE0F\u20E3 | \r\n | [\n\t]
        | (?<=[{_JOINING}--\p{{Cf}}])[\u200C\u200D](?=[{_JOINING}--\p{{Cf}}])
    ) | (?P<hidden>[{HIDES}])""",
    regex.VERBOSE | regex.VERSION1,
)
_BREAKS = regex.compile(r"[\r\n\t]|\p{Zs}{9,}")


def visible(text: str) -> str:
    """Return a text of any length with hidden characters made visible; keep its line ends."""
    return _TEXT.sub(lambda match: match["plain"] or mark(match["hidden"]), text)


def visible_line(text: str) -> str:
    """Return a name or a subject on one line, so that it cannot pass for the next line or hide its own end."""
    return _BREAKS.sub(lambda match: "".join(map(mark, match[0])), visible(text))


def mark(character: str) -> str:
    """Return how an invisible character is shown."""
    return f"[U+{ord(character):04X}]"
