"""A language model, and the daily limit for its use, as the agents see them. This file loads no model library."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from pydantic import BaseModel

M = TypeVar("M", bound=BaseModel)
Check = Callable[[M], str]
"""Says what is wrong with a filled form, for the model to correct it; empty if nothing is."""
OnText = Callable[[str], Awaitable[None]]
"""Takes the whole text of an answer so far, each time it has grown or another model has begun anew."""


class Llm(Protocol):
    """A language model that fills a typed form, or answers in words."""

    async def fill(self, form: type[M], *, instructions: str, prompt: str, check: Check[M] | None = None) -> M:
        """Fill a form; one that fails `check` is corrected at most once and then returned as it is.

        `instructions` are the same for many requests, so that providers can cache them. Raises `ModelUnavailableError`
        or `ModelOutputError`.
        """
        ...

    async def respond(
        self,
        form: type[M],
        *,
        instructions: str,
        prompt: str,
        check: Check[M] | None = None,
        on_text: OnText | None = None,
    ) -> M | str:
        """Fill a form as `fill` does, or answer in words, whichever the model chooses.

        `on_text` is awaited while the words of an answer come in.
        """
        ...


class Budget(Protocol):
    """The daily limit for the use of language models."""

    async def spend(self, *, requests: int = 0, tokens: int = 0, cost: float = 0.0) -> None:
        """Count what is used; `cost` is in US dollars.

        Once today's limit is used up, raise `ModelUnavailableError` for new requests and do not count them. Tokens and
        costs that were used already always count.
        """
        ...
