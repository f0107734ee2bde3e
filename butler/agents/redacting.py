"""What takes personal data out of texts before a model sees them, and puts it back into what the model gives.

The guardrails do it; this names only what is needed of them, so that nothing here depends on how.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from butler.contract.errors import ModelOutputError
from butler.contract.speech import say

F = TypeVar("F", bound=BaseModel)


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


def restored(form: F, placeholders: Placeholders) -> F:
    """A filled form with what its placeholders stand for; raises `ModelOutputError` where it has no room for that."""
    try:
        return type(form).model_validate(placeholders.restore(form.model_dump(mode="json")))
    except ValidationError:
        raise ModelOutputError(say("its answer has no room for what its placeholders stand for")) from None
