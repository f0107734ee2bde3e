"""Reasons as text, for tests that read them."""

from collections.abc import Iterable

from approvals.reason_words import in_words
from butler.contract.reasons import Reason


def words(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """Return each reason in the current language."""
    return tuple(map(in_words, reasons))
