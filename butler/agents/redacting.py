"""What takes personal data out of texts before a model sees them, and puts it back into what the model gives.

The guardrails do it; this names only what is needed of them, so that nothing here depends on how.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class Placeholders(Protocol):
    """What stands for what, for one request."""

    def restore(self, value: Any) -> Any:
        """The value, texts in lists and tables included, with what the placeholders stand for."""
        ...


Redact = Callable[[Sequence[str]], tuple[Sequence[str], Placeholders]]
"""Takes texts of one request; the same thing gets the same placeholder in all of them."""


class _Nothing:
    def restore(self, value: Any) -> Any:
        return value


def as_it_is(texts: Sequence[str]) -> tuple[Sequence[str], Placeholders]:
    """Take nothing out: the owner's setting, or a model on the owner's own machine."""
    return texts, _Nothing()
