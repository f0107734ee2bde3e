"""Small numbers as people write them: counts, and places in a list."""

from butler.contract.speech import phrase, say

NAMED = (
    phrase("The first one"), phrase("The second one"), phrase("The third one"), phrase("The fourth one"),
    phrase("The fifth one"), phrase("The sixth one"), phrase("The seventh one"), phrase("The eighth one"),
    phrase("The ninth one"), phrase("The tenth one"),
)  # fmt: skip


def say_place(number: int) -> str:
    """`The second one`, `Number 12`, for a button."""
    return say(NAMED[number - 1]) if 0 < number <= len(NAMED) else say("Number {number}", number=number)
