"""Small numbers as people write them: counts, and places in a list."""

import re

from butler.contract.speech import phrase, say

COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
}  # fmt: skip
NAMED = (
    phrase("The first one"), phrase("The second one"), phrase("The third one"), phrase("The fourth one"),
    phrase("The fifth one"), phrase("The sixth one"), phrase("The seventh one"), phrase("The eighth one"),
    phrase("The ninth one"), phrase("The tenth one"),
)  # fmt: skip
DIGITS = re.compile(r"\d{1,5}", re.ASCII)
ORDINAL = re.compile(r"(\d{1,3})(?:st|nd|rd|th)", re.ASCII)


def count(word: str) -> int | None:
    """`20`, `twenty`, `a`; None for anything else."""
    return int(word) if DIGITS.fullmatch(word) else COUNTS.get(word)


def say_place(number: int) -> str:
    """`The second one`, `Number 12`, for a button."""
    return say(NAMED[number - 1]) if 0 < number <= len(NAMED) else say("Number {number}", number=number)
