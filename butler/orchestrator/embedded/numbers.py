"""Words small numbers as places in a list."""

from butler.contract.speech import phrase, say

NAMED = (
    phrase("The first one"), phrase("The second one"), phrase("The third one"), phrase("The fourth one"),
    phrase("The fifth one"), phrase("The sixth one"), phrase("The seventh one"), phrase("The eighth one"),
    phrase("The ninth one"), phrase("The tenth one"),
)  # fmt: skip


def say_place(number: int) -> str:
    """Return a place in a list for a button, such as `The second one` or `Number 12`."""
    return say(NAMED[number - 1]) if 0 < number <= len(NAMED) else say("Number {number}", number=number)
