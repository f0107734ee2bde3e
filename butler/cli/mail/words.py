"""The wording for a mail that all mail commands share."""

from approvals.reason_words import all_in_words, in_words
from butler.contract.inbound import Inbound
from butler.contract.reasons import load_reasons


def why_unread(item: Inbound) -> str:
    """Return in words why a mail was set aside unread; empty if it was not."""
    return all_in_words(load_reasons(item.payload["quarantine"]))


def problems(item: Inbound) -> list[str]:
    """Return in words which parts of the mail could not be read, and what is unusual about it."""
    return list(map(in_words, load_reasons(item.payload["problems"])))
