"""Words that mark forwards, replies, automatic mails and mails from phones in all languages."""

from typing import Final

from butler.contract.tables import table


def phrases(name: str) -> tuple[str, ...]:
    """Return one of the lists of `phrases.toml`."""
    return tuple(table("modules.email.parsing", "phrases")[name])


FORWARD_STEMS: Final = phrases("forward_stems")
ORIGINAL_STEMS: Final = phrases("original_stems")
FORWARD_PREFIXES: Final = frozenset(phrases("forward_prefixes"))
REPLY_PREFIXES: Final = frozenset(phrases("reply_prefixes"))
REPLY_ABOVE: Final = phrases("reply_above")
QUOTING: Final = phrases("quoting")
DEVICES: Final = phrases("devices")
FINNISH_SENDER: Final = "lähettäjä"
"""Tells the Finnish reply (VS, vastaus) from the Danish forward (VS, videresend)."""
