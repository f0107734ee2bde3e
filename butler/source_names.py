"""Names of sources for people: `telegram.user:work` is “your Telegram, work”."""

from collections.abc import Mapping

from butler.contract.names import Identity
from butler.contract.speech import phrase, say

_MAIL = "email"
_WORDS = {
    (Identity.BOT.value, True): phrase("the butler's mail"),
    (Identity.USER.value, True): phrase("your mail"),
    (Identity.BOT.value, False): phrase("the butler's {channel}"),
    (Identity.USER.value, False): phrase("your {channel}"),
}
"""By identity, and whether it is mail; other channels have names of their own."""
_TITLES = {
    (Identity.BOT.value, True): phrase("The butler's mail"),
    (Identity.USER.value, True): phrase("Your mail"),
    (Identity.BOT.value, False): phrase("The butler's {channel}"),
    (Identity.USER.value, False): phrase("Your {channel}"),
}


def in_words(source: str) -> str:
    """Return a source's name (`channel.identity` or `channel.identity:account`) in words; any other unchanged."""
    return _said(source, _WORDS)


def as_title(source: str) -> str:
    """Return a source's name capitalized, for the beginning of a line."""
    return _said(source, _TITLES)


def _said(source: str, table: Mapping[tuple[str, bool], str]) -> str:
    place, _, account = source.partition(":")
    channel, _, identity = place.partition(".")
    if (text := table.get((identity, channel == _MAIL))) is None:
        return source
    words = say(text, channel=channel.capitalize())
    return f"{words}, {account}" if account else words
