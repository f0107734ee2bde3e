"""The refusals of Trello in its own words: mostly a line of text, some of them JSON with a code."""

import json
from dataclasses import dataclass


@dataclass
class TrelloError(Exception):
    """A refused request. With a `code` the body is JSON, else it is the message alone; `retry_after` is in seconds."""

    status: int
    message: str
    code: str = ""
    retry_after: int | None = None

    @property
    def headers(self) -> dict[str, str]:
        """The type of the body, and when to come again."""
        retry = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return {"Content-Type": f"{'application/json' if self.code else 'text/plain'}; charset=utf-8"} | retry

    def body(self) -> bytes:
        """Return the body as it is sent."""
        text = json.dumps({"message": self.message, "error": self.code}) if self.code else self.message
        return text.encode()


def invalid_value(name: str) -> TrelloError:
    """A parameter that is missing or no such value."""
    return TrelloError(400, f"invalid value for {name}")


def not_found() -> TrelloError:
    """An id of nothing that is there."""
    return TrelloError(404, "The requested resource was not found.")


def unauthorized(what: str = "") -> TrelloError:
    """Somebody else's board, or a token that may not write."""
    return TrelloError(401, f"unauthorized {what} permission requested".replace("  ", " "))


def not_in_stand_in(what: str) -> TrelloError:
    """Trello may have it, the stand-in does not; never an answer of the real API."""
    return TrelloError(501, f"{what} is not in this stand-in for Trello")
