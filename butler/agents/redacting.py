"""The port that takes personal data out of texts before a model sees them, and restores it in the model's answers.

The guardrails implement the port; this file declares only what the agents need of it, not how it works.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from butler.agents.errors import ModelOutputError
from butler.contract.speech import say

F = TypeVar("F", bound=BaseModel)


class Placeholders(Protocol):
    """The placeholders of one request."""

    def restore(self, value: Any) -> Any:
        """Replace the placeholders in a value, including texts in lists and tables."""
        ...


Redact = Callable[[Sequence[str]], tuple[Sequence[str], Placeholders]]
"""Redacts the texts of one request, with the same placeholder for the same value."""


class _Nothing:
    def restore(self, value: Any) -> Any:
        return value


def as_it_is(texts: Sequence[str]) -> tuple[Sequence[str], Placeholders]:
    """Redact nothing: by the owner's setting, or for a model on the owner's machine."""
    return texts, _Nothing()


def restored(form: F, placeholders: Placeholders) -> F:
    """Replace the placeholders in a filled form; raise `ModelOutputError` if a value does not fit."""
    try:
        return type(form).model_validate(placeholders.restore(form.model_dump(mode="json")))
    except ValidationError:
        raise ModelOutputError(say("its answer has no room for what its placeholders stand for")) from None
