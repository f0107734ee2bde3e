"""Reasons as their words, for tests that read them."""

from collections.abc import Iterable

from approvals.reason_words import in_words
from butler.contract.reasons import Reason


def words(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """Each in the language that is spoken."""
    return tuple(map(in_words, reasons))
