"""What goes over the wire, as a description of a server's API judges it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from aiohttp import web


class NotAsDescribedError(AssertionError):
    """Something is not as the published description has it."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came."""

    method: str
    path: str
    """With its escapes, without the query."""
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """By lower-case name."""
    body: bytes = b""

    @property
    def media_type(self) -> str:
        """Of the body, without its parameters; empty where nothing is said."""
        return media_type(self.headers)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as it went."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """By lower-case name."""
    body: bytes = b""

    @property
    def media_type(self) -> str:
        """Of the body, without its parameters; empty where nothing is said."""
        return media_type(self.headers)


class Operation(Protocol):
    """What a request asks for, as a description names it."""

    @property
    def name(self) -> str: ...


class Description(Protocol):
    """A published description. Both raise `NotAsDescribedError`."""

    def request(self, request: Request) -> Any:
        """Check a request; gives the `Operation` that it means."""
        ...

    def answer(self, asked: Any, answer: Answer) -> None:
        """Check the answer to the operation that `request` gave."""
        ...


class Judge:
    """Holds every exchange against a description, and remembers what was not as described."""

    def __init__(self, description: Description) -> None:
        self._description = description
        self.violations: list[str] = []
        self.exchanges: list[tuple[Request, Answer]] = []

    def request(self, request: Request) -> Any:
        """The operation that is meant. Raises `NotAsDescribedError`, and remembers it."""
        try:
            return self._description.request(request)
        except NotAsDescribedError as error:
            self.violations.append(str(error))
            raise

    def answer(self, request: Request, asked: Any, answer: Answer) -> None:
        """The same of an answer."""
        try:
            self._description.answer(asked, answer)
        except NotAsDescribedError as error:
            self.violations.append(str(error))
            raise
        self.exchanges.append((request, answer))

    def close(self) -> None:
        """At the end of a test: fail it where anything was not as described."""
        if self.violations:
            raise NotAsDescribedError("\n".join(self.violations))


async def request_of(request: web.Request) -> Request:
    """A request of aiohttp's."""
    headers = {name.lower(): value for name, value in request.headers.items()}
    path = request.raw_path.partition("?")[0]
    return Request(request.method, path, tuple(request.query.items()), headers, await request.read())


def media_type(headers: Mapping[str, str]) -> str:
    """The one of `Content-Type`, in small letters and without its parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()
