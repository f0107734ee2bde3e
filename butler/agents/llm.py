"""A language model, and the daily limit for its use, as the agents see them. This file loads no model library."""

from typing import Protocol, TypeVar

from pydantic import BaseModel

M = TypeVar("M", bound=BaseModel)


class Llm(Protocol):
    """A language model that fills a typed form."""

    async def fill(self, form: type[M], *, instructions: str, prompt: str) -> M:
        """Fill a form. Raises `ModelUnavailableError` or `ModelOutputError`."""
        ...


class Budget(Protocol):
    """The daily limit for the use of language models."""

    async def spend(self, *, requests: int = 0, tokens: int = 0, cost: float = 0.0) -> None:
        """Count what is used; `cost` is in US dollars.

        Once today's limit is used up, raise `ModelUnavailableError` for new requests and do not count them. Tokens and
        costs that were used already always count.
        """
        ...
