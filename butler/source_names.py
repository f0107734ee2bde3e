"""What comes in on its own, as it is called before people: `telegram.user:work` is “your Telegram, work”."""

from butler.contract.names import Identity

_WHOSE = {Identity.BOT.value: "the butler's", Identity.USER.value: "your"}
_CHANNELS = {"email": "mail"}


def in_words(source: str) -> str:
    """A source's name (`channel.identity` or `channel.identity:account`) in words; any other as it is."""
    place, _, account = source.partition(":")
    channel, _, identity = place.partition(".")
    if identity not in _WHOSE:
        return source
    words = f"{_WHOSE[identity]} {_CHANNELS.get(channel, channel.capitalize())}"
    return f"{words}, {account}" if account else words


def as_title(source: str) -> str:
    """The same at the beginning of a line."""
    words = in_words(source)
    return words if words == source else words[:1].upper() + words[1:]
