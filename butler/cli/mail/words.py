"""What the mail commands say of a mail in the same words."""

from approvals.reason_words import all_in_words, in_words
from butler.contract.inbound import Inbound
from butler.contract.reasons import load_reasons


def why_unread(item: Inbound) -> str:
    """Return why a mail was put aside, in words; empty if it was not."""
    return all_in_words(load_reasons(item.payload["quarantine"]))


def problems(item: Inbound) -> list[str]:
    """Return what of the mail could not be read or is odd, in words."""
    return list(map(in_words, load_reasons(item.payload["problems"])))
